"""The wall clock."""

import time
from collections.abc import Callable
from typing import TypeAlias

Clock: TypeAlias = Callable[[], int]


def system_clock() -> int:
    """Return the time in ms since 1970 UTC."""
    return time.time_ns() // 1_000_000
