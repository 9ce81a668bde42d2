"""A round of Mậu Binh as a question tells it, remembered by all bytes that it follows from.

Every question carries its whole round, and the next one the same round with an event more. So a reading keeps the bytes
of its events, and a question goes on from the reading of the longest beginning of its events that is known. Bytes are
compared, never only hashed: what is remembered can save work and change no answer. What the round comes to follows from
a reading too, and is kept with it once it was asked for.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

from referee.cards import Seat
from referee.dealing.header import HeaderJson
from referee.games.mau_binh.event import Arrange, Event
from referee.games.mau_binh.outcome import Outcome
from referee.games.mau_binh.round import Round, begin
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.settle import settle_told
from referee.service.memo import Memo
from referee.service.rounds import VerifiedRound
from referee.service.settling import Chain
from referee.transcript.chain import first_hash
from referee.transcript.mau_binh import found_json
from referee.transcript.replay import encode_found
from referee.verdict import Violation
from referee.wire.mau_binh import outcome_bytes
from referee.wire.ruleset import mau_binh_rules

_SIZE: Final = 4096


class Dealt(msgspec.Struct, frozen=True, kw_only=True):
    """A round before its first event: what follows from its terms and cards alone."""

    verified: VerifiedRound
    rules: MauBinhRules
    told: Round
    chain: Chain
    header: HeaderJson
    deck_root: str
    sections: tuple[tuple[int, ...], ...]


class Reading(msgspec.Struct, kw_only=True):
    """A round with its events applied up to the first unlawful one, and what is wrong with that one.

    ``events`` are the bytes of all its events. What is private is filled in when it is first asked for.
    """

    dealt: Dealt
    events: tuple[bytes, ...]
    told: Round
    chain: Chain
    violations: tuple[Violation, ...] = ()
    _outcome: Outcome | None = None
    _found: msgspec.Raw | None = None
    _shown: bytes | None = None

    @property
    def outcome(self) -> Outcome:
        """What the round comes to; it must be lawful and over."""
        if self._outcome is None:
            self._outcome = settle_told(self.dealt.rules, self.told, stake=self.dealt.verified.header.stake)
        return self._outcome

    @property
    def found(self) -> msgspec.Raw:
        """The outcome as it stands in the transcript."""
        if self._found is None:
            self._found = encode_found(found_json(self.outcome, events_hash=self.chain.last_hash))
        return self._found

    @property
    def shown(self) -> bytes:
        """The outcome as it stands in answers."""
        if self._shown is None:
            self._shown = outcome_bytes(self.outcome, self.told, self.dealt.verified.ruleset)
        return self._shown


class Readings:
    """The readings of late, found by their deal and last event; two that share both take each other's place."""

    def __init__(self) -> None:
        self._memo: Memo[tuple[VerifiedRound, bytes], Reading] = Memo(_SIZE)

    def find(self, verified: VerifiedRound, events: Sequence[bytes]) -> Reading:
        """The reading of the longest beginning of the events that is known: at least that of none of them.

        Refuses a round of another game, and one of an open table whose certificates do not open every hand.
        """
        for count in range(len(events), 0, -1):
            known = self._memo.get((verified, events[count - 1]))
            if known is not None and known.events == events[:count]:
                return known
        dealt = _dealt(verified)
        return Reading(dealt=dealt, events=(), told=dealt.told, chain=dealt.chain)

    def put(self, reading: Reading) -> None:
        """The reading, of one event at least, is known."""
        self._memo.put((reading.dealt.verified, reading.events[-1]), reading)


@lru_cache(maxsize=_SIZE)
def _dealt(verified: VerifiedRound) -> Dealt:
    rules = mau_binh_rules(verified.ruleset, field="round.header.ruleset_id")
    header = verified.header
    seats = [Seat(seat) for seat in range(header.seat_count)]
    if verified.is_sealed:
        hands = tuple([verified.sections.get(seat, ()) for seat in seats])
    else:
        hands = verified.hands(seats, field="round")
    return Dealt(
        verified=verified,
        rules=rules,
        told=begin(rules, hands, dealt_time=verified.dealt_time, is_sealed=verified.is_sealed),
        chain=Chain((), first_hash(round_id=header.round_id, deck_root=verified.deck_root)),
        header=HeaderJson.of(header),
        deck_root=verified.deck_root.hex(),
        sections=tuple([tuple([card.number for card in hand]) for hand in hands]),
    )


def check_hand(dealt: Dealt, told: Round, event: Event) -> None:
    """Nothing, unless an arrangement is opened whose hand no certificate shows: that is refused."""
    if told.sealing is None or told.sealing.opened_time is None or not isinstance(event, Arrange):
        return
    if event.seat < len(told.hands):
        dealt.verified.hands([event.seat], field="round")


def check_all_open(dealt: Dealt) -> None:
    """Nothing, where every hand is open, as it must be for an outcome; refuses otherwise."""
    dealt.verified.hands([Seat(seat) for seat in range(dealt.verified.header.seat_count)], field="round")
