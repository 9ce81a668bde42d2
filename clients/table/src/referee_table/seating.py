"""Who sits and whether to deal.

For a game whose rulesets have rules of seating the referee decides. For the other games the table does the same by
itself: those who came first get seats, and once somebody is ready, people who are not ready within the ready
time are late. While a table shows the end of a round, nobody counts as ready until all are, so that no clock runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from referee.v1 import seating_pb2
from referee_table.games import GAMES
from referee_table.play import Setup
from referee_table.state import Person, RoomState


@dataclass(frozen=True, slots=True)
class Seating:
    """Changes that a room needs: who sits, in order of seats, who is late, whether to deal, when to compute this again.

    ``limits`` says by person when they are late unless they are ready.
    """

    seated: list[Person]
    late: list[Person]
    is_deal_due: bool
    next_time: int | None
    limits: dict[str, int]

    def without_deal(self) -> "Seating":
        """Return this seating with no deal due."""
        return replace(self, is_deal_due=False)


async def judged(setup: Setup, state: RoomState, people: Sequence[Person], *, now: int) -> Seating:
    """Return the seating of people who want seats at a moment."""
    given = [_as_clocked(one, state, people, now=now) for one in people]
    judge = _by_referee if GAMES[setup.law.game].is_seated_by_referee else _by_habit
    seating = await judge(setup, given, now=now)
    by_name = {one.person: one for one in people}
    seated = [by_name[one.person] for one in seating.seated]
    late = [by_name[one.person] for one in seating.late]
    return Seating(seated, late, seating.is_deal_due, seating.next_time, seating.limits)


def _as_clocked(one: Person, state: RoomState, people: Sequence[Person], *, now: int) -> Person:
    """Return a person as the clock of being ready sees them."""
    is_unanimous = all(each.ready_time is not None for each in people if not each.is_bot)
    is_shown = state.phase == "ENDING" and now < (state.phase_end_time or 0) and not is_unanimous
    return msgspec.structs.replace(one, ready_time=None if is_shown else one.ready_time)


async def _by_referee(setup: Setup, people: Sequence[Person], *, now: int) -> Seating:
    given = [
        seating_pb2.Person(
            person_id=one.person, came_time=one.came_time, seated_time=one.seated_time, ready_time=one.ready_time
        )
        for one in people
    ]
    answer = await setup.client.decide_seating(setup.law.id, given, now=now)
    decided = list(zip(answer.decisions, people, strict=True))
    seats = sorted([(one.seat, place) for place, (one, _) in enumerate(decided) if one.HasField("seat")])
    seated = [people[place] for _, place in seats]
    has_clock = answer.HasField("next_time")
    return Seating(
        seated=seated,
        late=[person for one, person in decided if one.verdict == seating_pb2.SEATING_VERDICT_KICK],
        is_deal_due=answer.action == seating_pb2.SEATING_ACTION_DEAL,
        next_time=answer.next_time if has_clock else None,
        limits=_limits(seated, ready_ms=setup.law.clock_ms("ready")) if has_clock else {},
    )


async def _by_habit(setup: Setup, people: Sequence[Person], *, now: int) -> Seating:
    sitting = sorted([one for one in people if one.seated_time is not None], key=lambda one: one.seated_time or 0)
    ready_ms = setup.pace.ready_ms
    due = _limits(sitting, ready_ms=ready_ms)
    late = [one for one in sitting if due.get(one.person, now + 1) <= now]
    staying = [one for one in sitting if one not in late]
    waiting = [one for one in people if one.seated_time is None]
    seated = [*staying, *waiting][: setup.law.max_seats]
    is_due = len(seated) >= setup.law.min_seats and all(one.ready_time is not None for one in seated)
    limits = _limits(seated, ready_ms=ready_ms)
    return Seating(seated, late, is_due, min(limits.values(), default=None), limits)


def _limits(seated: Sequence[Person], *, ready_ms: int) -> dict[str, int]:
    """Return by person who is not ready the time at which the person is late; empty while nobody is ready."""
    ready = [one.ready_time for one in seated if one.ready_time is not None]
    if not ready:
        return {}
    first = min(ready)
    return {one.person: max(first, one.seated_time or 0) + ready_ms for one in seated if one.ready_time is None}
