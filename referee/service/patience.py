"""How long anybody is waited for: whatever takes longer is cancelled, so that one who stands still holds nobody up.

The law: one thread looks, a few times as often as the shortest wait; so a wait may last a little longer than it was
given, and never shorter. Nothing is known of what is cancelled.

>>> with Patience(every=0.01) as patience:
...     ended = threading.Event()
...     patience.watch(ended.set, seconds=0.02) > 0, ended.wait(10)
(True, True)
"""

import itertools
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self


class Patience:
    """Waits that are watched until they are ``over`` or took too long."""

    def __init__(self, *, every: float = 1.0) -> None:
        self._every = every
        self._waits: dict[int, tuple[float, Callable[[], object]]] = {}
        self._numbers = itertools.count(1)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._look, name="patience", daemon=True)
        self._thread.start()

    def watch(self, cancel: Callable[[], object], *, seconds: float) -> int:
        """The number of a wait that ``cancel`` ends after so many seconds, on another thread."""
        number = next(self._numbers)
        self._waits[number] = time.monotonic() + seconds, cancel
        return number

    def over(self, number: int) -> None:
        """What was waited for has come; nothing where it was cancelled before."""
        self._waits.pop(number, None)

    def close(self) -> None:
        """Nothing is cancelled any more."""
        self._closed.set()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _look(self) -> None:
        while not self._closed.wait(self._every):
            now = time.monotonic()
            for number, (due, cancel) in self._waits.copy().items():
                if due < now and self._waits.pop(number, None) is not None:
                    cancel()
