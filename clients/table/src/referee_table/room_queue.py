"""What reaches a room: one queue for commands and everything else, and a clock beside it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from referee_table.clock import Clock
from referee_table.commands import Command
from referee_table.state import Person
from referee_table.wording import Code, RefusedError


@dataclass(slots=True)
class Item:
    """A command or a function for a room. ``answer`` is the future that its caller waits for, if it does."""

    do: Callable[[], None] | None = None
    person: Person | None = None
    command: Command | None = None
    answer: asyncio.Future[dict[str, Any]] | None = None


class RoomQueue:
    """Items in the order they came."""

    def __init__(self) -> None:
        self._items: asyncio.Queue[Item] = asyncio.Queue()

    def put(self, item: Item) -> None:
        """Queue the item."""
        self._items.put_nowait(item)

    async def next(self, clock: Clock, wake: int | None) -> Item | None:
        """Return the next item, None if the clock has something due first. Queued items precede any clock."""
        if not self._items.empty():
            return self._items.get_nowait()
        if wake is None:
            return await self._items.get()
        if wake <= clock.now():
            return None
        getting = asyncio.ensure_future(self._items.get())
        waiting = asyncio.ensure_future(clock.wait_until(wake))
        try:
            await asyncio.wait({getting, waiting}, return_when=asyncio.FIRST_COMPLETED)
            return getting.result() if getting.done() else None
        finally:
            getting.cancel()
            waiting.cancel()

    def close(self) -> None:
        """Refuse every waiting command, since the room is closed."""
        while not self._items.empty():
            item = self._items.get_nowait()
            if item.answer is not None and not item.answer.done() and item.command is not None:
                item.answer.set_result(RefusedError(Code.NO_ROOM).message(item.command.id))
