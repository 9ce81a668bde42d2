"""What a round of Tiến Lên comes to, remembered by all bytes that it follows from.

Every question carries its whole round, and the next one the same round with an event more. So a standing keeps what it
was asked with, and a question goes on from the standing of the longest beginning of its events that is known. Bytes are
compared, never only hashed: what is remembered can save work and change no answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

from referee.evidence.encoding import u64
from referee.games.tien_len import State
from referee.service.leading import Lead
from referee.service.memo import Memo
from referee.service.rounds import VerifiedRound
from referee.service.settling import Chain
from referee.v1.tien_len_pb2 import TienLenRound
from referee.verdict import Violation

_SIZE: Final = 4096


@dataclass(frozen=True, slots=True)
class Asked:
    """What a standing follows from: the verified deal, what was told of the leader, and the events, as bytes.

    The deal stands for header and hands: its round id hashes the one, its deck root the other.
    """

    deal: bytes
    lead: tuple[bytes, ...]
    events: tuple[bytes, ...]

    @classmethod
    def of(cls, verified: VerifiedRound, message: TienLenRound) -> Self:
        """What a question asks with."""
        winner = b"%d" % message.previous_winner_seat if message.HasField("previous_winner_seat") else b""
        return cls(
            verified.header.round_id + verified.deck_root + u64(verified.dealt_time),
            (winner, *[one.SerializeToString(deterministic=True) for one in message.previous_rounds]),
            tuple([one.SerializeToString(deterministic=True) for one in message.events]),
        )

    def with_events(self, events: Sequence[bytes]) -> Self:
        """The same with more events."""
        return type(self)(self.deal, self.lead, (*self.events, *events))


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What a round's events come to: the state before the first unlawful one, and what is wrong with that one."""

    asked: Asked
    lead: Lead
    state: State
    chain: Chain
    violations: tuple[Violation, ...] = ()

    @property
    def refused_event(self) -> int:
        """The number of the first unlawful event; 0 where all are lawful."""
        return self.state.event_count + 1 if self.violations else 0


class Standings:
    """The standings of late, found by their deal and last event; two that share both take each other's place."""

    def __init__(self) -> None:
        self._memo: Memo[tuple[bytes, bytes], Standing] = Memo(_SIZE)

    def find(self, asked: Asked) -> Standing | None:
        """The standing of the longest beginning of the events asked that is known; None where none is."""
        events = asked.events
        for count in range(len(events), -1, -1):
            known = self._memo.get((asked.deal, events[count - 1] if count else b""))
            if known is not None and known.asked.lead == asked.lead and known.asked.events == events[:count]:
                return known
        return None

    def put(self, standing: Standing) -> None:
        """The standing is known."""
        asked = standing.asked
        self._memo.put((asked.deal, asked.events[-1] if asked.events else b""), standing)
