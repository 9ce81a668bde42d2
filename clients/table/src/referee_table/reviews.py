"""Where a seat lost: its choices of a finished round beside the best, by the referee's advice.

The referee is asked once somebody wants to know, beside the room's own steps, because advice takes seconds.
"""

import asyncio
from dataclasses import asdict
from typing import Any, Final

from referee_table.judge import RefereeRefusedError
from referee_table.play import Choice, Play
from referee_table.state import Person
from referee_table.wording import Code, RefusedError

REVIEWED: Final = 3
"""How many finished rounds of a room can be reviewed. They are in memory only."""


class Reviews:
    """The newest finished rounds of a room, and their reviews by table, number and seat."""

    def __init__(self) -> None:
        self._played: dict[tuple[str, int], Play] = {}
        self._tasks: dict[tuple[str, int, int], asyncio.Task[list[Choice]]] = {}

    def add(self, play: Play) -> None:
        """Keep a round that has ended; drop the oldest."""
        self._played[play.round.table, play.round.number] = play
        for oldest in list(self._played)[:-REVIEWED]:
            del self._played[oldest]
            for key in [key for key in self._tasks if key[:2] == oldest]:
                self._tasks.pop(key).cancel()

    def ask(self, person: Person, record: dict[str, Any]) -> dict[str, Any]:
        """Return what is known of the person's own choices in a round; the first question starts the work.

        Raise NOT_SEATED if the person had no seat in the round, and NO_ADVICE if there is none for it.
        """
        people = [one["person"] for one in record["seats"]]
        if person.person not in people:
            raise RefusedError(Code.NOT_SEATED)
        table, number, seat = record["table"], record["number"], people.index(person.person)
        play = self._played.get((table, number))
        if play is None:
            raise RefusedError(Code.NO_ADVICE, detail=f"only the last {REVIEWED} rounds since the start have advice")
        key = (table, number, seat)
        if key not in self._tasks:
            self._tasks[key] = asyncio.get_running_loop().create_task(play.review(seat))
        task = self._tasks[key]
        if not task.done():
            return {"is_ready": False}
        try:
            choices = task.result()
        except RefereeRefusedError as error:
            del self._tasks[key]  # the next question tries again
            raise RefusedError(Code.NO_ADVICE, reason=error.reason) from None
        lost = [one for one in choices if one.cost_minor > one.error_minor]
        return {
            "is_ready": True,
            "valued": len(choices),
            "cost_minor": sum(one.cost_minor for one in lost),
            "choices": [asdict(one) for one in lost],
        }

    def close(self) -> None:
        """Stop all work."""
        for task in self._tasks.values():
            task.cancel()
