"""Progress of work that can take longer than two seconds: a bar with its rate and the time left.

It is drawn on standard error if that is a terminal, and removed at the end.
"""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

_HIDDEN_SECONDS: Final = 0.5
"""Time before a bar is drawn, since most work is done sooner."""


class ProgressBar:
    """Bars, one for each part of the work, which are drawn from the first report after half a second on."""

    def __init__(self, bars: Progress, name: str) -> None:
        self._bars, self._name = bars, name
        self._tasks: dict[str, TaskID] = {}
        self._done: Counter[str] = Counter()
        self._began = time.monotonic()

    def __call__(self, done: int, size: int) -> None:
        """Show how much of the whole work is done; ``size`` is all of it."""
        self.show(self._name, done, size)

    def advance(self, part: str, more: int, size: int) -> None:
        """Add ``more`` to the work done of a part, and show it."""
        self._done[part] += more
        self.show(part, self._done[part], size)

    def show(self, part: str, done: int, size: int) -> None:
        """Show how much of a part is done; ``size`` is all of it."""
        if self._bars.disable:
            return
        if part not in self._tasks:
            self._tasks[part] = self._bars.add_task(part, completed=done, total=size)
        self._bars.update(self._tasks[part], completed=done, total=size)
        if self._bars.finished:
            self._bars.stop()
        elif time.monotonic() - self._began >= _HIDDEN_SECONDS:
            self._bars.start()


@contextmanager
def progress_bar(name: str, unit: str = "leaves", *, console: Console | None = None) -> Iterator[ProgressBar]:
    """Yield a bar for the block; ``name`` names the work, ``unit`` the things counted."""
    console = console or Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), _CountColumn(unit), TimeRemainingColumn(compact=True))
    bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    try:
        yield ProgressBar(bars, name)
    finally:
        bars.stop()


class _CountColumn(ProgressColumn):
    def __init__(self, unit: str) -> None:
        super().__init__()
        self._unit = unit

    def render(self, task: Task) -> Text:
        """Return text such as ``1,200 of 40,000 leaves, 310/s``."""
        rate = "" if task.speed is None else f", {task.speed:,.0f}/s"
        return Text(f"{task.completed:,.0f} of {task.total or 0:,.0f} {self._unit}{rate}")
