"""Waiting for what another thread or process does."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until(ask: Callable[[], T], words: str = "it did not happen in time", *, seconds: float = 60) -> T:
    """Ask until the answer is true, and return it; fail the test with these words if it is not true in time."""
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, words
        time.sleep(0.02)
    return answer
