"""How well bots play and how long they think: the levels and paces that a room's host chooses from, and their thoughts.

A level says which advice of the referee a bot asks for and which suggestion it takes. Every suggestion is lawful, so a
bot of any level plays by the rules, and none sees more than its own seat may.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeVar

from referee_table.clock import Clock
from referee_table.judge import RefereeRefusedError
from referee_table.wording import RefusedError

LevelName = Literal["EASY", "STEADY", "STRONG"]
PaceName = Literal["QUICK", "USUAL", "SLOW"]
Option = TypeVar("Option")


@dataclass(frozen=True, slots=True)
class Level:
    """Level of a bot: the number of suggestions that it asks for. It takes one of them at random.

    ``samples`` is the number of times that the advice plays out the rest of the round, 0 for quick advice. Games whose
    advice plays nothing out ignore it.
    """

    count: int
    samples: int

    def choose(self, options: Sequence[Option], entropy: Callable[[int], bytes]) -> Option:
        """Return one of the first ``count`` options, which are best first; draw no entropy where only one counts.

        >>> Level(count=1, samples=0).choose(["best", "next"], lambda size: b"")
        'best'
        >>> Level(count=2, samples=0).choose(["best", "next", "last"], lambda size: bytes([0] * (size - 1) + [3]))
        'next'
        """
        count = min(self.count, len(options))
        return options[0 if count == 1 else int.from_bytes(entropy(8), "big") % count]


LEVELS: Final[dict[LevelName, Level]] = {
    "EASY": Level(count=3, samples=0),
    "STEADY": Level(count=1, samples=0),
    "STRONG": Level(count=1, samples=40),
}
PACES: Final[dict[PaceName, int]] = {"QUICK": 30, "USUAL": 100, "SLOW": 300}
"""How long bots think, in percent of the table server's own pace."""
THOUGHT_MS: Final = 2_000
"""How long a bot on turn waits for advice, by the table's clock."""


class Thinking:
    """The advice that the bot on turn waits for, while its room goes on. A bot without advice in time plays without.

    ``best`` is the newest advice, None before there is any; each is better than the one before. ``on_end`` is called
    when no better one will come.
    """

    def __init__(self, clock: Clock) -> None:
        self.best: Any = None
        self.on_end: Callable[[], None] = lambda: None
        self._clock = clock
        self._about: Hashable = None
        self._end = 0
        self._task: asyncio.Task[None] | None = None

    def is_over(
        self, about: Hashable, advice: Callable[[], AsyncIterator[Any]], *, longest_ms: int = THOUGHT_MS
    ) -> bool:
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

    async def _think(self, advice: AsyncIterator[Any]) -> None:
        with contextlib.suppress(RefusedError, RefereeRefusedError):  # there is no advice for this move
            async for self.best in advice:
                pass
        self._task = None
        self.on_end()
