"""A round of Bài Cào: each seat shows its cards or leaves; the cards count in any case.

A round is over once every seat has shown or left, or once the time to show is up.
"""

import enum
from typing import Final, TypeAlias

import msgspec

from bai_cao.rules import BaiCaoRules
from referee.cards import Seat
from referee.games import Clock, DealtRound, UnlawfulEventError
from referee.games.codec import BareEvent
from referee.games.deal import check_open_deal
from referee.games.fault import closed_too_early, deadline_passed, out_of_order, still_to_act, unknown_seat
from referee.games.layout import hands_alone
from referee.games.stakes import require_stakes, table_stake_check
from referee.verdict import Violation

HAND_SIZE: Final = 3
MAX_EVENTS: Final = 12
"""Six seats show once and leave once."""


class Code(enum.StrEnum):
    """Codes of the faults of an event, beside those that all games share."""

    ROUND_OVER = "ROUND_OVER"
    ALREADY_LEFT = "ALREADY_LEFT"
    ALREADY_SHOWN = "ALREADY_SHOWN"


class Show(BareEvent, frozen=True, tag="SHOW"):
    """A seat shows its cards."""


class Leave(BareEvent, frozen=True, tag="LEAVE"):
    """A seat leaves; its cards count in any case."""


Event: TypeAlias = Show | Leave


class State(msgspec.Struct, frozen=True):
    """A round after some events; ``shown`` and ``left`` are the seats that have."""

    rules: BaiCaoRules
    deal: DealtRound
    shown: frozenset[Seat]
    left: frozenset[Seat]
    event_count: int
    last_time: int

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """Seats that have neither shown nor left."""
        done = self.shown | self.left
        return tuple([Seat(seat) for seat in range(self.deal.seat_count) if seat not in done])

    @property
    def is_over(self) -> bool:
        """Whether every seat has shown or left."""
        return not self.waiting

    @property
    def deadline(self) -> int:
        """First moment that is too late to show."""
        return self.deal.dealt_time + self.rules.clocks.showing.seconds * 1000


layout: Final = hands_alone(HAND_SIZE)
"""Layout of a round by its number of seats: three cards a seat."""

check_stakes: Final = table_stake_check(lambda _rules, *, seat_count: seat_count - 1)
"""Check of a round's stake: the dealer can lose one stake to each other seat."""


def begin(rules: BaiCaoRules, deal: DealtRound) -> State:
    """Begin a round; raise StakesError for its stake and DealError for its seats or cards."""
    require_stakes(rules, deal, check_stakes)
    check_open_deal(deal, layout, seats=rules.seats)
    return State(rules, deal, frozenset(), frozenset(), 0, deal.dealt_time)


def check(state: State, event: Event) -> tuple[Violation, ...]:
    """Check the next event; return all faults."""
    seat = event.seat
    if stray := unknown_seat(seat, seat_count=state.deal.seat_count):
        return stray
    faults = [Violation(code=Code.ROUND_OVER, seat=seat)] if state.is_over else []
    faults += out_of_order(event, last_time=state.last_time)
    if seat in state.left:
        faults.append(Violation(code=Code.ALREADY_LEFT, seat=seat))
    if isinstance(event, Show) and seat in state.shown:
        faults.append(Violation(code=Code.ALREADY_SHOWN, seat=seat))
    return (*faults, *deadline_passed(event, deadline=state.deadline))


def apply(state: State, event: Event) -> State:
    """Return the state after an event; raise UnlawfulEventError if it breaks a rule."""
    if faults := check(state, event):
        raise UnlawfulEventError(faults)
    one = frozenset((event.seat,))
    shown, left = (state.shown | one, state.left) if isinstance(event, Show) else (state.shown, state.left | one)
    return State(state.rules, state.deal, shown, left, state.event_count + 1, event.time)


def clock(state: State) -> Clock | None:
    """Return the clock of all seats that have still to show; None once the round is over."""
    limit = state.rules.clocks.showing.seconds * 1000
    return None if state.is_over else Clock(state.deal.dealt_time, limit, None)


def check_closing(state: State, time: int) -> tuple[Violation, ...]:
    """Return the faults that keep the round from being settled at a time: a later event, or a seat that may show."""
    waiting = state.waiting if time < state.deadline else ()
    unfinished = still_to_act(waiting, closed_time=time, deadline=state.deadline)
    return closed_too_early(time, last_time=state.last_time) + unfinished
