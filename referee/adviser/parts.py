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
    """Processes that compute advice, so that a long computation keeps no other call waiting."""

    def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in another process; return the function's result, or raise the NoAdviceError that it raised.

        Function, arguments and result are pickled. So the function must be defined in a module, which must not import
        the server. Raises RefusedError if too many calls wait for advice or the computation takes too long.
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
