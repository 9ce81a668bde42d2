"""A round of Mậu Binh as a question tells it: what its events come to is remembered, see ``standing``.

A round follows from its verified terms and cards besides its events: of a sealed table, from those hands that are open.
"""

from functools import lru_cache
from typing import Final

import msgspec

from referee.cards import Seat
from referee.dealing.header import HeaderJson
from referee.games.mau_binh.event import Arrange, Event
from referee.games.mau_binh.round import Round, begin, check_closing
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.settlement import Outcome, settle
from referee.service.rounds import VerifiedRound
from referee.service.settling import Chain, first_chain
from referee.transcript.inputs import Inputs
from referee.transcript.mau_binh import found_json
from referee.transcript.replay import encode_results
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
    def verified(self) -> VerifiedRound:
        """Its terms and open cards."""
        return self.dealt.verified

    @property
    def deal(self) -> VerifiedRound:
        """All that it follows from besides its events."""
        return self.dealt.verified

    def faults_at(self, time: int) -> tuple[Violation, ...]:
        """What keeps it from being settled at a time."""
        return self.violations or check_closing(self.told, closed_time=time)

    def told_at(self, time: int) -> Inputs:
        """What its transcript tells when it is settled at a time; refuses a round of which a hand is not open."""
        dealt = self.dealt
        check_all_open(dealt)
        return Inputs(
            header=dealt.header,
            deck_root=dealt.deck_root,
            dealt_time=dealt.verified.dealt_time,
            closed_time=time,
            sections=dealt.sections,
            events=self.chain.events,
            sealed=1 if dealt.verified.is_sealed else msgspec.UNSET,
        )

    @property
    def outcome(self) -> Outcome:
        """What the round comes to; it must be lawful and over."""
        if self._outcome is None:
            self._outcome = settle(self.told)
        return self._outcome

    @property
    def found(self) -> msgspec.Raw:
        """The outcome as it stands in the transcript."""
        if self._found is None:
            self._found = encode_results(found_json(self.told, self.outcome, events_hash=self.chain.last_hash))
        return self._found

    @property
    def shown(self) -> bytes:
        """The outcome as it stands in answers."""
        if self._shown is None:
            self._shown = outcome_bytes(self.outcome, self.told, self.dealt.verified.ruleset)
        return self._shown


def read_dealt(verified: VerifiedRound) -> Reading:
    """A round before its first event.

    Refuses a round of another game, and one of an open table whose certificates do not open every hand.
    """
    dealt = _dealt(verified)
    return Reading(dealt=dealt, events=(), told=dealt.told, chain=dealt.chain)


def open_deal(verified: VerifiedRound) -> Dealt | None:
    """What follows from the terms and cards of a round whose hands are all open; None where one is not."""
    is_open = all(seat in verified.sections for seat in range(verified.header.seat_count))
    return _dealt(verified) if is_open else None


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
        told=begin(rules, hands, dealt_time=verified.dealt_time, is_sealed=verified.is_sealed, stake=header.stake),
        chain=first_chain(verified),
        header=HeaderJson.of(header),
        deck_root=verified.deck_root.hex(),
        sections=tuple([tuple([card.number for card in hand]) for hand in hands]),
    )


def check_hand(dealt: Dealt, told: Round, event: Event) -> None:
    """Nothing, unless an arrangement is opened whose hand no certificate shows: that is refused."""
    if told.sealing is None or told.sealing.opened_time is None or not isinstance(event, Arrange):
        return
    if event.seat < told.seat_count:
        dealt.verified.hands([event.seat], field="round")


def check_all_open(dealt: Dealt) -> None:
    """Nothing, where every hand is open, as it must be for an outcome; refuses otherwise."""
    dealt.verified.hands([Seat(seat) for seat in range(dealt.verified.header.seat_count)], field="round")
