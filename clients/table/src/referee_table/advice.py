"""Advice that people wait for, beside their room's own steps, because the referee takes up to seconds for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from referee_table.commands import Suggest
from referee_table.state import Person
from referee_table.wording import Code, RefusedError

Message = dict[str, Any]


class Advice:
    """The open questions of a room's people, at most one of each person."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[str, asyncio.Task[Message]]] = {}

    async def ask(
        self,
        person: Person,
        command: Suggest,
        answering: Coroutine[Any, Any, Message],
        answer: asyncio.Future[Message],
    ) -> None:
        """Begin a question and return; ``answer`` gets what ``answering`` returns, or NO_ROOM if the room closes first.

        What ``answering`` does before it first waits is done at once, in the room's own turn. The same command that is
        sent again gets the same answer. Another question is refused with TOO_MANY until the first one is answered.
        """
        command_id, task = self._open.get(person.person, ("", None))
        if task is None:
            task = asyncio.get_running_loop().create_task(answering)
            self._open[person.person] = (command.id, task)
            task.add_done_callback(lambda _: self._open.pop(person.person))
        else:
            answering.close()
            if command_id != command.id:
                answer.set_result(RefusedError(Code.TOO_MANY).message(command.id))
                return
        task.add_done_callback(lambda ended: _pass_on(ended, command, answer))
        await asyncio.sleep(0)  # the task runs until it waits, while the room does nothing else

    def close(self) -> None:
        """Stop all questions."""
        for _, task in self._open.values():
            task.cancel()


def _pass_on(ended: asyncio.Task[Message], command: Suggest, answer: asyncio.Future[Message]) -> None:
    if answer.done():
        return
    if ended.cancelled():
        answer.set_result(RefusedError(Code.NO_ROOM).message(command.id))
    elif (error := ended.exception()) is not None:
        answer.set_exception(error)
    else:
        answer.set_result(ended.result())
