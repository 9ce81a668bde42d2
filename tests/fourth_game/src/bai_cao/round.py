"""A round of Bài Cào: each seat shows its cards or leaves; the cards count in any case.

A round is over once every seat has shown or left, or once the time to show is up.
"""

import enum
from functools import cache
from typing import Final, TypeAlias

import msgspec

from bai_cao.rules import BaiCaoRules
from referee.cards import Seat
from referee.evidence.canonical import Natural
from referee.games import Clock, DealError, DealtRound, Layout, UnlawfulEventError
from referee.games.codec import EventRecord
from referee.games.deal import check_deal, open_cards
from referee.games.stakes import check_table_stake, require_stakes
from referee.verdict import Violation

HAND_SIZE: Final = 3
MAX_EVENTS: Final = 12
"""Six seats show once and leave once."""


class Code(enum.StrEnum):
    """Codes of everything that can be wrong with an event or with closing a round."""

    UNKNOWN_SEAT = "UNKNOWN_SEAT"
    ROUND_OVER = "ROUND_OVER"
    OUT_OF_ORDER = "OUT_OF_ORDER"
    ALREADY_LEFT = "ALREADY_LEFT"
    ALREADY_SHOWN = "ALREADY_SHOWN"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    CLOSED_TOO_EARLY = "CLOSED_TOO_EARLY"
    ROUND_NOT_OVER = "ROUND_NOT_OVER"


class Show(EventRecord, frozen=True, tag="SHOW"):
    """A seat shows its cards."""

    time: int = 0
    seen: Natural | None = None


class Leave(EventRecord, frozen=True, tag="LEAVE"):
    """A seat leaves; its cards count in any case."""

    time: int = 0
    seen: Natural | None = None


Event: TypeAlias = Show | Leave


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A round after some events; ``has_shown`` and ``has_left`` go by seat."""

    rules: BaiCaoRules
    deal: DealtRound
    has_shown: tuple[bool, ...]
    has_left: tuple[bool, ...]
    event_count: int
    last_time: int

    @property
    def waiting(self) -> tuple[Seat, ...]:
        """Seats that have neither shown nor left."""
        done = zip(self.has_shown, self.has_left, strict=True)
        return tuple([Seat(seat) for seat, (shown, left) in enumerate(done) if not shown and not left])

    @property
    def is_over(self) -> bool:
        """Whether every seat has shown or left."""
        return not self.waiting

    @property
    def deadline(self) -> int:
        """First moment that is too late to show."""
        return self.deal.dealt_time + self.rules.clocks.showing.seconds * 1000


@cache
def layout(seat_count: int) -> Layout:
    """Return the layout of a round: three cards a seat."""
    return Layout.of(seat_count, hand_size=HAND_SIZE)


def check_stakes(
    rules: BaiCaoRules, *, seat_count: int, stake: int, seat_stakes: tuple[tuple[int, ...], ...], bet_unit: int
) -> tuple[Violation, ...]:
    """Check the stake of a round, in which the dealer can lose one stake to each other seat; return all faults."""
    del rules
    return check_table_stake(stake=stake, seat_stakes=seat_stakes, bet_unit=bet_unit, most_units=seat_count - 1)


def begin(rules: BaiCaoRules, deal: DealtRound) -> State:
    """Begin a round; raise StakesError for its stake and DealError for its seats or cards."""
    require_stakes(rules, deal, check_stakes)
    if deal.is_sealed:
        raise DealError("a table of Bài Cào cannot be sealed")
    check_deal(deal, layout, seats=rules.seats)
    open_cards(deal)
    nobody = (False,) * deal.seat_count
    return State(rules=rules, deal=deal, has_shown=nobody, has_left=nobody, event_count=0, last_time=deal.dealt_time)


def check(state: State, event: Event) -> tuple[Violation, ...]:
    """Check the next event; return all faults."""
    seat, time = event.seat, event.time
    if not 0 <= seat < state.deal.seat_count:
        return (Violation(code=Code.UNKNOWN_SEAT, expected=state.deal.seat_count, found=seat),)
    faults = []
    if state.is_over:
        faults.append(Violation(code=Code.ROUND_OVER, seat=seat))
    if time < state.last_time:
        faults.append(Violation(code=Code.OUT_OF_ORDER, seat=seat, expected=state.last_time, received_time=time))
    if state.has_left[seat]:
        faults.append(Violation(code=Code.ALREADY_LEFT, seat=seat))
    if isinstance(event, Show) and state.has_shown[seat]:
        faults.append(Violation(code=Code.ALREADY_SHOWN, seat=seat))
    if time >= state.deadline:
        code = Code.DEADLINE_PASSED
        faults.append(Violation(code=code, seat=seat, deadline_time=state.deadline, received_time=time))
    return tuple(faults)


def apply(state: State, event: Event) -> State:
    """Return the state after an event; raise UnlawfulEventError if it breaks a rule."""
    if faults := check(state, event):
        raise UnlawfulEventError(faults)
    shown, left = list(state.has_shown), list(state.has_left)
    (shown if isinstance(event, Show) else left)[event.seat] = True
    return msgspec.structs.replace(
        state,
        has_shown=tuple(shown),
        has_left=tuple(left),
        event_count=state.event_count + 1,
        last_time=event.time,
    )


def clock(state: State) -> Clock | None:
    """Return the clock of all seats that have still to show; None once the round is over."""
    limit = state.rules.clocks.showing.seconds * 1000
    return None if state.is_over else Clock(state.deal.dealt_time, limit, None)


def check_closing(state: State, time: int) -> tuple[Violation, ...]:
    """Return the faults that keep the round from being settled at a time: a later event, or a seat that may show."""
    faults = []
    if time < state.last_time:
        faults.append(Violation(code=Code.CLOSED_TOO_EARLY, expected=state.last_time, received_time=time))
    if time < state.deadline:
        code, deadline = Code.ROUND_NOT_OVER, state.deadline
        faults += [
            Violation(code=code, seat=seat, deadline_time=deadline, received_time=time) for seat in state.waiting
        ]
    return tuple(faults)
