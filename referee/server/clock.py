"""The clock: the only reading of time that decides anything, in milliseconds since 1970 UTC."""

import time
from collections.abc import Callable
from typing import TypeAlias

Clock: TypeAlias = Callable[[], int]


def system_clock() -> int:
    """Now, in milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000
