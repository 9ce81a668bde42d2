"""The time that the server sees: it runs or is stopped, and tests move it forward.

It never goes back, because a log's rounds do not.

>>> clock = Clock(start=1_800_000_000_000, is_running=False)
>>> clock.advance(500)
1800000000500
>>> clock()
1800000000500
"""

import threading
import time

from referee_harness.refusal import HarnessError


class Clock:
    """Clock of a test server in ms since 1970 UTC; it begins at ``start``, or at the machine's time if that is None."""

    def __init__(self, *, start: int | None = None, is_running: bool = True) -> None:
        self._lock = threading.Lock()
        self._base = time.time_ns() // 1_000_000 if start is None else start
        self._since = time.monotonic_ns()
        self._is_running = is_running

    def __call__(self) -> int:
        """Return the time."""
        with self._lock:
            return self._now()

    @property
    def is_running(self) -> bool:
        """Whether it goes on by itself."""
        return self._is_running

    def advance(self, milliseconds: int) -> int:
        """Move the time forward and return it; raise HarnessError for a negative step."""
        with self._lock:
            if milliseconds < 0:
                raise HarnessError(field="advance_ms", message=f"the clock never goes back {-milliseconds} ms")
            self._base += milliseconds
            return self._now()

    def set(self, now: int) -> int:
        """Set the time and return it; raise HarnessError if it has passed already."""
        with self._lock:
            if now < self._now():
                raise HarnessError(field="now", message=f"it is {self._now()}; the clock never goes back to {now}")
            self._base, self._since = now, time.monotonic_ns()
            return self._now()

    def run(self, *, is_running: bool) -> int:
        """Let the clock run or stop it, and return the time."""
        with self._lock:
            self._base, self._since = self._now(), time.monotonic_ns()
            self._is_running = is_running
            return self._base

    def _now(self) -> int:
        passed = (time.monotonic_ns() - self._since) // 1_000_000 if self._is_running else 0
        return self._base + passed
