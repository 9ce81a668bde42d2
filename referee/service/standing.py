"""What rounds come to, remembered by all bytes that it follows from.

Every question carries its whole round, and the next one the same round with an event more. So what is remembered keeps
the bytes of its events, and a question goes on from the longest beginning of its events that is known. Bytes are
compared, never only hashed: what is remembered can save work and change no answer.
"""

from collections.abc import Hashable, Sequence
from typing import Final, Generic, Protocol, TypeVar

from referee.evidence.encoding import u64
from referee.service.memo import Memo
from referee.service.rounds import VerifiedRound

_SIZE: Final = 4096


class Standing(Protocol):
    """What a round comes to after some events."""

    @property
    def deal(self) -> Hashable:
        """All that it follows from besides its events."""

    @property
    def events(self) -> tuple[bytes, ...]:
        """The bytes of its events."""


StandingT = TypeVar("StandingT", bound=Standing)


class Standings(Generic[StandingT]):
    """The standings of late, found by their deal and last event; two that share both take each other's place."""

    def __init__(self) -> None:
        self._memo: Memo[tuple[Hashable, bytes], StandingT] = Memo(_SIZE)

    def find(self, deal: Hashable, events: Sequence[bytes]) -> StandingT | None:
        """The standing of the longest beginning of these events that is known; None where none is."""
        for count in range(len(events), -1, -1):
            known = self._memo.get((deal, events[count - 1] if count else b""))
            if known is not None and known.events == events[:count]:
                return known
        return None

    def put(self, standing: StandingT) -> None:
        """The standing is known."""
        self._memo.put((standing.deal, standing.events[-1] if standing.events else b""), standing)


def deal_of(verified: VerifiedRound) -> tuple[bytes, bool]:
    """What stands for header, hands and board: the round id hashes the one, the deck root the others."""
    return verified.header.round_id + verified.deck_root + u64(verified.dealt_time), verified.is_sealed
