"""Who sits and whether to deal.

Of Mậu Binh the referee judges, since that game's texts say it. Of games whose texts are silent the table has the same
habit: seats to those who came first, and once somebody is ready, those not ready within the ready time are sent out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from referee.v1 import seating_pb2
from referee_table.play import Bench
from referee_table.state import Person


@dataclass(frozen=True, slots=True)
class Seating:
    """The room as it should be: who sits, in order of seats, who goes, whether to deal, when to look again."""

    seated: list[Person]
    sent_out: list[Person]
    is_deal_due: bool
    next_time: int | None


async def judged(bench: Bench, people: Sequence[Person], *, now: int) -> Seating:
    """Return the room as it should be at a moment."""
    if bench.law.game == "mau_binh":
        return await _by_referee(bench, people, now=now)
    return _by_habit(bench, people, now=now)


async def _by_referee(bench: Bench, people: Sequence[Person], *, now: int) -> Seating:
    given = [
        seating_pb2.Person(
            person_id=one.person, came_time=one.came_time, seated_time=one.seated_time, ready_time=one.ready_time
        )
        for one in people
    ]
    request = seating_pb2.DecideSeatingRequest(ruleset_id=bench.law.id, persons=given, now_time=now)
    answer = await bench.judge.ask(bench.judge.seating.DecideSeating, request, seating_pb2.DecideSeatingResponse)
    decided = list(zip(answer.decisions, people, strict=True))
    seats = sorted([(one.seat, place) for place, (one, _) in enumerate(decided) if one.HasField("seat")])
    return Seating(
        seated=[people[place] for _, place in seats],
        sent_out=[person for one, person in decided if one.verdict == seating_pb2.SEATING_VERDICT_KICK],
        is_deal_due=answer.action == seating_pb2.SEATING_ACTION_DEAL,
        next_time=answer.next_time if answer.HasField("next_time") else None,
    )


def _by_habit(bench: Bench, people: Sequence[Person], *, now: int) -> Seating:
    sitting = sorted([one for one in people if one.seated_time is not None], key=lambda one: one.seated_time or 0)
    limits = _limits(bench, sitting)
    out = [one for one in sitting if limits.get(one.person, now + 1) <= now]
    staying = [one for one in sitting if one not in out]
    waiting = [one for one in people if one.seated_time is None]
    seated = [*staying, *waiting][: bench.law.max_seats]
    is_due = len(seated) >= bench.law.min_seats and all(one.ready_time is not None for one in seated)
    return Seating(seated, out, is_due, min(_limits(bench, seated).values(), default=None))


def _limits(bench: Bench, seated: Sequence[Person]) -> dict[str, int]:
    """When each who is not ready is sent out; nobody is while nobody is ready."""
    ready = [one.ready_time for one in seated if one.ready_time is not None]
    if not ready:
        return {}
    first = min(ready)
    return {
        one.person: max(first, one.seated_time or 0) + bench.pace.ready_ms for one in seated if one.ready_time is None
    }
