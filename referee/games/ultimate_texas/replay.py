"""One event makes the next state, and a list of events a whole round.

A street closes when every seat has decided on it, has a play bet or has folded. Closing it opens cards: before the
flop the flop, on the flop turn and river, on the river the house's cards, which is the showdown. Seats that left check
and fold by themselves, so where nobody is left to ask several streets close at once and their sections open together.
The house's cards open at the end also when every seat has folded.

Source: 004_c8c49b7352941e86.txt, "Nhà Cái mở 3 lá bài chung đầu tiên (gọi là Flop)."; "Nhà Cái mở 2 lá bài chung cuối
cùng (gọi là Turn và River)."; "Nhà Cái lật 2 lá bài tẩy của mình."
"""

from collections.abc import Iterable, Sequence

import msgspec

from referee.games.ultimate_texas.code import Decision, Section, Street
from referee.games.ultimate_texas.legality import check_decision
from referee.games.ultimate_texas.rules import UltimateTexasRules
from referee.games.ultimate_texas.stakes import Stake
from referee.games.ultimate_texas.state import Event, SeatState, State, start
from referee.verdict import Violation


class UnlawfulEventError(ValueError):
    """An event that breaks a rule was to be applied; ``violations`` are all that is wrong with it."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        super().__init__(", ".join(violation.code for violation in violations))
        self.violations = violations


class Replay(msgspec.Struct, frozen=True):
    """A round played from its deal: the state after the last lawful event.

    ``violations`` are what is wrong with event number ``state.event_count + 1``, where the replay stopped; empty when
    every event was lawful.
    """

    state: State
    violations: tuple[Violation, ...]


def replay(
    rules: UltimateTexasRules, stakes: Sequence[Stake], events: Iterable[Event], *, bet_unit: int, dealt_time: int
) -> Replay:
    """The round that stakes and events come to, up to the first unlawful event.

    ``dealt_time`` is milliseconds since 1970 UTC. Raises StakesError as ``start`` does.
    """
    state = start(rules, stakes, bet_unit=bet_unit, dealt_time=dealt_time)
    for event in events:
        if violations := check_decision(state, event):
            return Replay(state, violations)
        state = _advance(state, event)
    return Replay(state, ())


def apply(state: State, event: Event) -> State:
    """The state after a lawful event; raises UnlawfulEventError, with everything that is wrong, for any other."""
    if violations := check_decision(state, event):
        raise UnlawfulEventError(violations)
    return _advance(state, event)


def closes_street(state: State, event: Event) -> bool:
    """Whether a lawful event closes the street it stands on. Raises UnlawfulEventError as ``apply`` does."""
    return apply(state, event).street is not state.street


def opened_sections(state: State, event: Event) -> tuple[Section, ...]:
    """The sections that a lawful event opens, in the order FLOP, TURN_RIVER, HOUSE; none when it closes no street.

    More than one where nobody is left to ask on the streets between. Raises UnlawfulEventError as ``apply`` does.
    """
    return apply(state, event).open_sections[len(state.open_sections) :]


def _advance(state: State, event: Event) -> State:
    before = state.seats[event.seat]
    seats = list(state.seats)
    seats[event.seat] = _decided(before, event.decision, state.street)
    street = state.street
    while street is not Street.SHOWDOWN and not any(seat.is_waiting for seat in seats):
        street = street.following
        if street is not Street.SHOWDOWN:
            seats = [_asked(seat, street) for seat in seats]
    return State(
        rules=state.rules,
        stakes=state.stakes,
        street=street,
        seats=tuple(seats),
        event_count=state.event_count + 1,
        last_time=event.time,
    )


def _decided(seat: SeatState, decision: Decision, street: Street) -> SeatState:
    """The seat after it decided."""
    if decision.multiple:
        return SeatState(multiple=decision.multiple)
    if decision is Decision.LEAVE:
        seat = msgspec.structs.replace(seat, has_left=True)
        return _defaulted(seat, street) if seat.is_waiting else seat
    return _defaulted(seat, street)


def _asked(seat: SeatState, street: Street) -> SeatState:
    """The seat as a street begins: it has still to decide, unless it has a play bet, or has left."""
    if seat.multiple:
        return seat
    return _defaulted(seat, street) if seat.has_left else SeatState()


def _defaulted(seat: SeatState, street: Street) -> SeatState:
    """The seat after it checked or folded, of its own will or without a word: a fold on the river, a check before."""
    is_fold = street is Street.RIVER
    return SeatState(has_checked=not is_fold, has_folded=is_fold, has_left=seat.has_left)
