"""Application of an event to a state, which gives the next state."""

from typing import Final

from referee.cards import Seat
from referee.games.game import UnlawfulEventError
from referee.games.mau_binh.event import Arrange, Event, Leave
from referee.games.mau_binh.legality import refusals_of
from referee.games.mau_binh.sealing import sealed_after
from referee.games.mau_binh.state import State

_AWAITED: Final = (None, None)
"""Arrangement and departure of a seat that is still in and has not arranged."""


def apply(state: State, event: Event) -> State:
    """Return the state after an event; raise UnlawfulEventError if it has faults other than fouls."""
    if faults := refusals_of(state, event):
        raise UnlawfulEventError(faults)
    seat = event.seat
    arrangements, departures = state.arrangements, state.departures
    if isinstance(event, Arrange):
        arrangements = (*arrangements[:seat], event.arrangement, *arrangements[seat + 1 :])
    elif isinstance(event, Leave):
        departures = (*departures[:seat], state.chi_shown(event.time), *departures[seat + 1 :])
    sealing = None
    if state.sealing is not None:
        sealing = sealed_after(state.sealing, event, departures=departures, number=state.event_count + 1)
    all_in_time = state.all_in_time
    if all_in_time is None and event.time < state.closing_deadline:
        seats = list(zip(arrangements, departures, strict=True))
        if _AWAITED not in seats or (
            sealing is not None
            and not any(sealing.waits_for(Seat(seat)) for seat, status in enumerate(seats) if status == _AWAITED)
        ):
            all_in_time = event.time
    counts = state.event_counts
    return State(
        rules=state.rules,
        deal=state.deal,
        instant_wins=state.instant_wins,
        arrangements=arrangements,
        departures=departures,
        all_in_time=all_in_time,
        last_time=event.time,
        event_counts=(*counts[:seat], counts[seat] + 1, *counts[seat + 1 :]),
        sealing=sealing,
    )


def opens(before: State, after: State) -> tuple[int, ...]:
    """Return the sections of all hands if the event between these states ended committing; otherwise none."""
    if before.sealing is None or after.sealing is None or before.sealing.opened_time is not None:
        return ()
    return () if after.sealing.opened_time is None else tuple(range(after.seat_count))
