"""Which randomness suite the rounds of a log have, held from the start of a server to its end.

The law: a log has rounds that were drawn, or rounds whose decks were told for tests, and never both. A server that
draws does not start on a log with a told deck, and one that is told decks does not start on a log with a drawn one, so
neither serves what the other dealt.

It refuses to know what a round says besides.

>>> Suite(told_seed=None).number
1
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from referee.dealing.header import SUITE_COMMITMENT, SUITE_FIXTURE, Header
from referee.dealing.leaf import OPEN_TYPE
from referee.evidence.dsse import Envelope

ToldSeed: TypeAlias = Callable[[Header], bytes]
"""The seed that tells the deck of a round about to be opened."""

_MARK: Final = OPEN_TYPE.encode("ascii")
_DRAWN: Final = b'"randomness_suite":%d,' % SUITE_COMMITMENT
"""A member of canonical JSON: inside a string its quotes would be escaped."""


class SuiteError(RuntimeError):
    """A log of the other kind."""


@dataclass(frozen=True, slots=True)
class Suite:
    """The suite that a server deals under: drawn, or told where there is who tells."""

    told_seed: ToldSeed | None

    @property
    def number(self) -> int:
        """The suite's number in headers."""
        return SUITE_COMMITMENT if self.told_seed is None else SUITE_FIXTURE

    def visit(self, index: int, leaf: bytes) -> None:
        """One more leaf of the log; SuiteError where it opens a round of the other kind."""
        if _MARK not in leaf:
            return
        is_drawn = _DRAWN in Envelope.parse(leaf).payload
        if is_drawn == (self.told_seed is None):
            return
        kind = "drawn, which is no place for told ones" if is_drawn else "told for tests and never fair"
        msg = f"leaf {index} opens a round whose deck was {kind}; serve this log with what dealt it, or another log"
        raise SuiteError(msg)
