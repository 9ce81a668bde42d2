"""Seating: who sits, who watches, who is sent out and whether to deal, given the people in the room and the time.

Seats go to those who came first, who keep them; people without a seat watch. Once someone seated is ready, the ready
limit runs for everyone seated, later for a seat that is taken later; a person who is not ready when it ends is sent out
of the room. Without a limit, or with fewer seated than a round needs, everyone waits. When all seated are ready and
they are enough, the round is dealt. Nothing is remembered: the same people and time give the same answer.

>>> from referee.rulesets import get
>>> seats = get("mau_binh.maubinh_com").rules.seats
>>> an = Person(name="an", came_time=0, seated_time=0, ready_time=1_000)
>>> binh = Person(name="binh", came_time=500, seated_time=500, ready_time=None)
>>> decide_seating([an, binh], now=20_999, seats=seats, ready_limit=20_000).next_time
21000
>>> decide_seating([an, binh], now=21_000, seats=seats, ready_limit=20_000).sent_out
('binh',)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from referee.games.deal import SeatLimits


class SeatingError(ValueError):
    """People that cannot be in one room: a name twice, or times in the future or the wrong order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone in the room. Times are milliseconds since 1970 UTC; None for not seated and not ready.

    ``seated_time`` is the ``now`` of the answer that gave the seat. People of the same time keep their given
    order. Only a seated person can be ready.
    """

    name: str
    came_time: int
    seated_time: int | None
    ready_time: int | None


@dataclass(frozen=True, slots=True)
class Seating:
    """Seats of a room as they should be now. Names are in the order of seats, watchers in the order they came.

    ``seated`` includes those who get a seat now (``newly_seated``); ``sent_out`` are in no other list. ``waiting`` are
    the seated who are not ready, or everyone seated while they are too few. ``next_time`` is when the next person would
    be sent out if nothing changes, None if nobody would.
    """

    seated: tuple[str, ...]
    newly_seated: tuple[str, ...]
    watching: tuple[str, ...]
    sent_out: tuple[str, ...]
    waiting: tuple[str, ...]
    is_deal_due: bool
    next_time: int | None


def decide_seating(people: Sequence[Person], *, now: int, seats: SeatLimits, ready_limit: int | None) -> Seating:
    """Return the seating at a time; raise SeatingError for people that cannot be in one room.

    ``ready_limit`` is in milliseconds, None where nobody is sent out.
    """
    _check_people(people, now=now, seats=seats)
    seated = sorted(
        [person for person in people if person.seated_time is not None], key=lambda person: person.seated_time or 0
    )
    deadlines = _ready_deadlines(seated, ready_limit)
    out = [person.name for person in seated if deadlines.get(person.name, now + 1) <= now]
    staying = [person for person in seated if person.name not in out]
    unseated = sorted([person for person in people if person.seated_time is None], key=lambda person: person.came_time)
    free = seats.maximum - len(staying)
    newly = [replace(person, seated_time=now) for person in unseated[:free]]
    table = [*staying, *newly]
    enough = len(table) >= seats.minimum
    waiting = [person.name for person in table if not enough or person.ready_time is None]
    return Seating(
        seated=tuple(person.name for person in table),
        newly_seated=tuple(person.name for person in newly),
        watching=tuple(person.name for person in unseated[free:]),
        sent_out=tuple(out),
        waiting=tuple(waiting),
        is_deal_due=enough and not waiting,
        next_time=min(_ready_deadlines(table, ready_limit).values(), default=None),
    )


def _ready_deadlines(seated: Sequence[Person], ready_limit: int | None) -> dict[str, int]:
    """Return by name when seated people who are not ready are sent out; empty without a limit or anyone ready."""
    ready = [person.ready_time for person in seated if person.ready_time is not None]
    if not ready or ready_limit is None:
        return {}
    return {
        person.name: max(min(ready), person.seated_time or 0) + ready_limit
        for person in seated
        if person.ready_time is None
    }


def _check_people(people: Sequence[Person], *, now: int, seats: SeatLimits) -> None:
    names = [person.name for person in people]
    for person in people:
        if names.count(person.name) > 1:
            raise SeatingError(f"{person.name!r} is in the room more than once")
        times = [person.came_time, person.seated_time, person.ready_time, now]
        if person.seated_time is None and person.ready_time is not None:
            raise SeatingError(f"{person.name!r} is ready without a seat")
        past = [time for time in times if time is not None]
        if past != sorted(past):
            msg = f"{person.name!r} came, was seated and was ready at times that are not in this order, or after now"
            raise SeatingError(msg)
    seated = [person.name for person in people if person.seated_time is not None]
    if len(seated) > seats.maximum:
        raise SeatingError(f"{len(seated)} people are seated; there are {seats.maximum} seats")
