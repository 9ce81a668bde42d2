"""Who sits and whether to deal.

For a game whose rulesets have rules of seating the referee decides. For the other games the table does the same by
itself: those who came first get seats, and once somebody is ready, people who are not ready within the ready
time are late. While a table shows the end of a round, nobody counts as ready until all are, so that no clock runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

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


async def judged(setup: Setup, state: RoomState, people: Sequence[Person], *, now: int) -> Seating:
    """Return the seating of people who want seats at a moment."""
    is_unanimous = all(one.ready_time is not None for one in people if not one.is_bot)
    is_shown = state.phase == "ENDING" and now < (state.phase_end_time or 0) and not is_unanimous
    ready = {one.person: one.ready_time for one in people if one.ready_time is not None and not is_shown}
    judge = _by_referee if GAMES[setup.law.game].is_seated_by_referee else _by_habit
    return await judge(setup, people, ready, now=now)


async def _by_referee(setup: Setup, people: Sequence[Person], ready: dict[str, int], *, now: int) -> Seating:
    asked = [
        seating_pb2.Person(
            person_id=one.person,
            came_time=one.came_time,
            seated_time=one.seated_time,
            ready_time=ready.get(one.person),
        )
        for one in people
    ]
    answer = await setup.client.decide_seating(setup.law.id, asked, now=now)
    decided = list(zip(answer.decisions, people, strict=True))
    placed = sorted([(one.seat, place) for place, (one, _) in enumerate(decided) if one.HasField("seat")])
    seated = [people[place] for _, place in placed]
    has_clock = answer.HasField("next_time")
    return Seating(
        seated=seated,
        late=[person for one, person in decided if one.verdict == seating_pb2.SEATING_VERDICT_KICK],
        is_deal_due=answer.action == seating_pb2.SEATING_ACTION_DEAL,
        next_time=answer.next_time if has_clock else None,
        limits=_limits(seated, ready, ready_ms=setup.law.clock_ms("ready")) if has_clock else {},
    )


async def _by_habit(setup: Setup, people: Sequence[Person], ready: dict[str, int], *, now: int) -> Seating:
    law, ready_ms = setup.law, setup.plan.pace.ready_ms
    sitting = sorted([one for one in people if one.seated_time is not None], key=lambda one: one.seated_time or 0)
    due = _limits(sitting, ready, ready_ms=ready_ms)
    late = [one for one in sitting if due.get(one.person, now + 1) <= now]
    waiting = [one for one in people if one.seated_time is None]
    seated = [*[one for one in sitting if one not in late], *waiting][: law.max_seats]
    is_due = len(seated) >= law.min_seats and all(one.person in ready for one in seated)
    limits = _limits(seated, ready, ready_ms=ready_ms)
    return Seating(seated, late, is_due, min(limits.values(), default=None), limits)


def _limits(seated: Sequence[Person], ready: dict[str, int], *, ready_ms: int) -> dict[str, int]:
    """Return by person who is not ready the time at which the person is late; empty while nobody is ready."""
    first = min((ready[one.person] for one in seated if one.person in ready), default=None)
    if first is None:
        return {}
    return {one.person: max(first, one.seated_time or 0) + ready_ms for one in seated if one.person not in ready}
