"""The thoughts of bots: they ask the referee for advice while their room goes on."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Final

from referee_client import RefereeError

from referee_table.clock import Clock
from referee_table.words import RefusedError

THOUGHT_MS: Final = 2_000
"""How long a bot on turn waits for advice, by the table's clock."""


class Thinking:
    """The advice that the bot on turn waits for. A bot without advice in time plays without.

    ``best`` is the advice, None before there is any. ``on_end`` is called when it has come, or none will.
    """

    def __init__(self, clock: Clock) -> None:
        self.best: Any = None
        self.on_end: Callable[[], None] = lambda: None
        self._clock = clock
        self._about: Hashable = None
        self._end = 0
        self._task: asyncio.Task[None] | None = None

    def is_over(self, about: Hashable, advice: Callable[[], Awaitable[Any]], *, longest_ms: int = THOUGHT_MS) -> bool:
        """Return whether the bot moves now. At the first call ``about`` a move, begin to ask for advice."""
        if about != self._about:
            self.stop()
            self.best, self._about, self._end = None, about, self._clock.now() + longest_ms
            self._task = asyncio.get_running_loop().create_task(self._think(advice()))
        if self._clock.now() >= self._end:
            self.stop()
        return self._task is None

    def wake(self, start: int) -> int:
        """Return when the time of a bot that thinks is up; ``start``, when it begins to think, for any other."""
        return start if self._task is None else self._end

    def stop(self) -> None:
        """Think no longer."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _think(self, advice: Awaitable[Any]) -> None:
        with contextlib.suppress(RefusedError, RefereeError):  # there is no advice for this move
            self.best = await advice
        self._task = None
        self.on_end()
