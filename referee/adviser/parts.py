"""The parts that advisers share."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, Protocol, TypeVar

from referee.service.attesting import ProofVerifier
from referee.service.game_service import GameService
from referee.service.reading import RoundReader
from referee.service.verifying import RoundVerifier

P = ParamSpec("P")
T = TypeVar("T")


class Advice(Protocol):
    """Computation of advice, where a long one keeps no other call waiting."""

    def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function returns, or raise its error.

        The computation ends at the function's next ``pause`` (``referee.advice.stopping``) once its caller has gone or
        its time is over. Raises CallEndedError or RefusedError then.
        """


@dataclass(frozen=True, kw_only=True)
class AdviserParts:
    """Shared parts of the servicers that advise; ``tables`` is a folder of an operator's own tables, None for none."""

    verifier: RoundVerifier
    prover: ProofVerifier
    advice: Advice
    tables: Path | None = None

    def reader_of(self, service: GameService) -> RoundReader:
        """Return a reader of a game's whole rounds, which remembers none of them."""
        return RoundReader(service, verifier=self.verifier, prover=self.prover, memo_bytes=0)
