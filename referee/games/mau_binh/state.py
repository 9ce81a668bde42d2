"""A round between two events: what the seats have submitted, who has left, and when the showdown begins.

Arranging ends ``arranging_ms`` after the deal; the showdown begins then, or as soon as every seat still in has
submitted (a departure can make that so). Chi k (1 back, 2 middle, 3 front) is shown during
``[start + (k-1) * showdown_chi_ms, start + k * showdown_chi_ms)``. A seat's last arrangement in time counts; a seat
without one shows its cards as dealt. An instant win ends the round at the deal. A sealed round has two parts before its
showdown, committing and opening (see ``sealing``), each of which ends by events alone; a hand need not be known before
it opens.

>>> from referee.cards import DECK
>>> from referee.rulesets import get
>>> deal = DealtRound(seat_count=2, stake=1, sections=(DECK[0:52:4], DECK[1:52:4]), dealt_time=0)
>>> [win.pattern.value for win in begin(get("mau_binh.classic").rules, deal).instant_wins]
['SUITED_DRAGON', 'SUITED_DRAGON']
"""

from typing import Final

import msgspec

from referee.cards import Card, Seat
from referee.games.deal import DealError, DealtRound, check_deal
from referee.games.layout import hands_alone
from referee.games.mau_binh.arrangement import Arrangement
from referee.games.mau_binh.code import CHI, HAND_SIZE
from referee.games.mau_binh.instant_win import InstantWin, instant_win_of
from referee.games.mau_binh.rules import MauBinhRules, check_stakes
from referee.games.mau_binh.sealing import Sealing, begin_sealed
from referee.games.stakes import require_stakes

BEFORE_SHOWDOWN: Final = 0
"""Departure of a seat that left before the showdown; 1 to 3 are the chi that was being shown."""


_NEVER: Final = 2**53 - 1


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A round after ``event_count`` events; tuples go by seat.

    ``arrangements``: each seat's last arrangement, None if it has submitted none. ``departures``: None for a seat still
    in, ``BEFORE_SHOWDOWN`` or the chi (1-3) that was being shown. ``all_in_time``: when every seat still in had
    submitted, None until then. ``event_counts``: number of events of each seat. ``sealing``: None in an open round.
    """

    rules: MauBinhRules
    deal: DealtRound
    instant_wins: tuple[InstantWin | None, ...]
    arrangements: tuple[Arrangement | None, ...]
    departures: tuple[int | None, ...]
    all_in_time: int | None
    last_time: int
    event_counts: tuple[int, ...]
    sealing: Sealing | None

    @property
    def event_count(self) -> int:
        """Number of events so far."""
        return sum(self.event_counts)

    @property
    def seat_count(self) -> int:
        """Number of seats."""
        return self.deal.seat_count

    @property
    def is_won_at_the_deal(self) -> bool:
        """Whether an instant win ended the round."""
        return any(self.instant_wins)

    @property
    def is_over(self) -> bool:
        """Whether no seat is awaited: an instant win ended the round, or every seat still in has submitted."""
        return self.all_in_time is not None or self.is_won_at_the_deal

    @property
    def is_opening(self) -> bool:
        """Whether the hands of a sealed round are open and seats may still open their arrangements."""
        return self.sealing is not None and self.sealing.opened_time is not None and self.all_in_time is None

    @property
    def deadline_time(self) -> int:
        """End of the time to arrange, or to commit in a sealed round."""
        return self.deal.dealt_time + self.rules.arranging_ms

    @property
    def showdown_time(self) -> int:
        """Beginning of the showdown: the deadline, or earlier where every seat has submitted."""
        return self.closing_deadline if self.all_in_time is None else self.all_in_time

    @property
    def closing_deadline(self) -> int:
        """Latest beginning of the showdown; later than any time in a sealed round, where an event begins it."""
        return self.deadline_time if self.sealing is None else _NEVER

    @property
    def acting_deadline(self) -> int:
        """End of the time that seats have now: to arrange, commit or, once a sealed round's hands open, to open."""
        opened = None if self.sealing is None else self.sealing.opened_time
        return self.deadline_time if opened is None else opened + self.rules.opening_ms

    @property
    def awaited(self) -> tuple[Seat, ...]:
        """Seats that the showdown waits for; in a sealed round first those that have to commit."""
        sealing = self.sealing
        return tuple(
            [
                Seat(seat)
                for seat, (mine, gone) in enumerate(zip(self.arrangements, self.departures, strict=True))
                if mine is None and gone is None and (sealing is None or sealing.waits_for(Seat(seat)))
            ]
        )

    def hand(self, seat: Seat) -> tuple[Card, ...]:
        """Return the cards dealt to a seat; raise DealError if they are not open."""
        hand = self.deal.sections[seat]
        if hand is None:
            raise DealError(f"the hand of seat {seat} is not open")
        return hand

    def shown(self, seat: Seat) -> Arrangement:
        """Return the arrangement that counts for a seat: its last one, or its cards as dealt."""
        return self.arrangements[seat] or Arrangement.as_dealt(self.hand(seat))

    def chi_shown(self, time: int) -> int:
        """Return the number of the chi shown at a time, 1 to 3; 0 before the showdown, 4 after the last chi."""
        if time < self.showdown_time:
            return BEFORE_SHOWDOWN
        return min((time - self.showdown_time) // self.rules.showdown_chi_ms, len(CHI)) + 1


layout: Final = hands_alone(HAND_SIZE)
"""Layout of a round by its number of seats: thirteen cards a seat."""


def begin(rules: MauBinhRules, deal: DealtRound) -> State:
    """Begin a round; raise StakesError for its stake, DealError for its cards or an open table with a closed hand."""
    require_stakes(rules, deal, check_stakes)
    check_deal(deal, layout, seats=rules.seats)
    if not deal.is_sealed and None in deal.sections:
        raise DealError(f"the hand of seat {deal.sections.index(None)} is not open, and the table is not sealed")
    seats = deal.seat_count
    return State(
        rules=rules,
        deal=deal,
        instant_wins=tuple([None if hand is None else instant_win_of(rules, hand) for hand in deal.sections]),
        arrangements=(None,) * seats,
        departures=(None,) * seats,
        all_in_time=None,
        last_time=deal.dealt_time,
        event_counts=(0,) * seats,
        sealing=begin_sealed(seats) if deal.is_sealed else None,
    )


def unseal(state: State, time: int) -> State:
    """Return the state after an UNSEAL opened the hands at ``time``.

    The showdown begins then if no seat is waited for. Otherwise the seats of a sealed round begin to open commitments.
    """
    sealing = None if state.sealing is None else msgspec.structs.replace(state.sealing, opened_time=time)
    all_in_time = None if state.all_in_time is None else time
    return msgspec.structs.replace(state, sealing=sealing, all_in_time=all_in_time, last_time=time)
