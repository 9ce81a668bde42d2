"""Faults that mean the same in every game, and the kinds by which generic code classifies all others."""

import enum
from collections.abc import Iterable

from referee.cards import Seat
from referee.games.codec import Event
from referee.verdict import Violation


class SharedCode(enum.StrEnum):
    """Codes of the faults below, which a game has beside its own."""

    UNKNOWN_SEAT = "UNKNOWN_SEAT"
    OUT_OF_ORDER = "OUT_OF_ORDER"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    CLOSED_TOO_EARLY = "CLOSED_TOO_EARLY"
    ROUND_NOT_OVER = "ROUND_NOT_OVER"


class FaultKind(enum.IntEnum):
    """Kind of a fault, the gravest last."""

    WARNING = 0
    """The event is accepted, and the rules have a price for it."""
    RULE = 1
    """The event breaks a rule of the game."""
    CARD = 2
    """The event uses cards that its seat could not use."""
    TIMEOUT = 3
    """A seat was reported out of time while it had time left."""
    SEAL = 4
    """The event breaks the order of committing and opening, or is not what its seat committed to."""


def rule_fault(code: str) -> FaultKind:
    """Return RULE for every code; for games that name no other kinds."""
    del code
    return FaultKind.RULE


def unknown_seat(seat: Seat, *, seat_count: int) -> tuple[Violation, ...]:
    """Return the fault of an event whose seat the round does not have; empty if there is none."""
    if 0 <= seat < seat_count:
        return ()
    return (Violation(code=SharedCode.UNKNOWN_SEAT, expected=seat_count, found=seat),)


def out_of_order(event: Event, *, last_time: int) -> tuple[Violation, ...]:
    """Return the fault of an event that is earlier than the round's last time; empty if there is none."""
    if event.time >= last_time:
        return ()
    return (Violation(code=SharedCode.OUT_OF_ORDER, seat=event.seat, expected=last_time, received_time=event.time),)


def deadline_passed(event: Event, *, deadline: int) -> tuple[Violation, ...]:
    """Return the fault of an event at its deadline or later; empty if it is in time."""
    seat, time = event.seat, event.time
    if time < deadline:
        return ()
    return (Violation(code=SharedCode.DEADLINE_PASSED, seat=seat, deadline_time=deadline, received_time=time),)


def closed_too_early(closed_time: int, *, last_time: int) -> tuple[Violation, ...]:
    """Return the fault of a closing time that is earlier than the round's last time; empty if there is none."""
    if closed_time >= last_time:
        return ()
    return (Violation(code=SharedCode.CLOSED_TOO_EARLY, expected=last_time, received_time=closed_time),)


def still_to_act(seats: Iterable[Seat], *, closed_time: int, deadline: int) -> tuple[Violation, ...]:
    """Return a fault for each seat that has still to act and has time until a deadline, in the order of ``seats``."""
    code = SharedCode.ROUND_NOT_OVER
    return tuple([Violation(code=code, seat=seat, deadline_time=deadline, received_time=closed_time) for seat in seats])
