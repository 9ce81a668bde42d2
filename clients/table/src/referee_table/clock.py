"""The time that a table goes by, handed in so that tests can move it."""

import asyncio
import time
from typing import Final, Protocol

_LONGEST_NAP: Final = 60.0


class Clock(Protocol):
    """A source of time that can wait. Times are milliseconds since 1970 UTC."""

    def now(self) -> int:
        """Return the time."""

    async def wait_until(self, moment: int) -> None:
        """Return once the time is reached, at once if it has passed."""


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """Return the time."""
        return time.time_ns() // 1_000_000

    async def wait_until(self, moment: int) -> None:
        """Return once the time is reached; check every minute, since clocks can be set."""
        while (left := moment - self.now()) > 0:  # noqa: ASYNC110 - nothing reports that a clock was set
            await asyncio.sleep(min(left / 1000, _LONGEST_NAP))
