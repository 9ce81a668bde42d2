"""Application of events to a state: one event gives the next state, a list of events a whole round.

A street closes when every seat has decided on it, has a play bet or has folded. Closing it opens cards: before the
flop the flop, on the flop turn and river, on the river the house's cards, which is the showdown. Seats that left check
and fold by themselves, so if no other seat has to decide, several streets close at once and their sections open
together. The house's cards open at the end also when every seat has folded.

Source: the text that ``ultimate_texas.casino.toml`` quotes, "Nhà Cái mở 3 lá bài chung đầu tiên (gọi là Flop).";
"Nhà Cái mở 2 lá bài chung cuối cùng (gọi là Turn và River)."; "Nhà Cái lật 2 lá bài tẩy của mình."
"""

import msgspec

from referee.games.game import UnlawfulEventError
from referee.games.ultimate_texas.code import Decision, Street
from referee.games.ultimate_texas.legality import check
from referee.games.ultimate_texas.state import Event, SeatState, State, layout


def apply(state: State, event: Event) -> State:
    """Return the state after a lawful event; raise UnlawfulEventError, with all its faults, for any other."""
    if violations := check(state, event):
        raise UnlawfulEventError(violations)
    return _advance(state, event)


def opens(before: State, after: State) -> tuple[int, ...]:
    """Return the sections that an event between these states opened, in opening order.

    There are several if no seat has to decide on the streets between. A sealed table opens its hands with the house.
    """
    if after.street is before.street:
        return ()
    places = layout(after.deal.seat_count)
    opened = [places.board(section.lower()) for section in after.open_sections[len(before.open_sections) :]]
    if after.deal.is_sealed and after.street is Street.SHOWDOWN:
        return (*places.hands, *opened)
    return tuple(opened)


def _advance(state: State, event: Event) -> State:
    before = state.seats[event.seat]
    seats = list(state.seats)
    seats[event.seat] = _decided(before, event.decision, state.street)
    street = state.street
    while street is not Street.SHOWDOWN and not any(seat.is_waiting for seat in seats):
        street = street.following
        if street is not Street.SHOWDOWN:
            seats = [_asked(seat, street) for seat in seats]
    number, is_same = state.event_count + 1, street is state.street
    return State(
        rules=state.rules,
        deal=state.deal,
        street=street,
        seats=tuple(seats),
        event_count=number,
        last_time=event.time,
        street_time=state.street_time if is_same else event.time,
        street_event=state.street_event if is_same else number,
    )


def _decided(seat: SeatState, decision: Decision, street: Street) -> SeatState:
    """Return the state of a seat after its decision, timeout or leaving on this street."""
    if decision.multiple:
        return SeatState(multiple=decision.multiple)
    if decision is Decision.LEAVE:
        seat = msgspec.structs.replace(seat, has_left=True)
        return _defaulted(seat, street) if seat.is_waiting else seat
    return _defaulted(seat, street)


def _asked(seat: SeatState, street: Street) -> SeatState:
    """Return the state of a seat as a street begins: it has to decide, unless it has a play bet or has left."""
    if seat.multiple:
        return seat
    return _defaulted(seat, street) if seat.has_left else SeatState()


def _defaulted(seat: SeatState, street: Street) -> SeatState:
    """Return the state of a seat after a check or, on the river, a fold, whether it decided that or not."""
    is_fold = street is Street.RIVER
    return SeatState(has_checked=not is_fold, has_folded=is_fold, has_left=seat.has_left)
