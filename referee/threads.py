"""Threads that last: the one place that starts them, and what happens when one dies.

A server whose thread died, or that can start none, would live on without doing that thread's work, and every call would
wait for ever. A command that serves lets ``ending_process`` end the process instead, so that it is started again.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

DEAD: Final = 70
"""Exit code of a process one of whose threads died."""
REPORT_SECONDS: Final = 5
"""Time for the report of it."""


def lasting(work: Callable[..., object], *args: Any, name: str) -> threading.Thread:  # noqa: ANN401 - what ``work`` takes
    """Return a thread, not started, that calls ``work`` with the arguments; it ends with its process.

    Its ``start`` raises RuntimeError if the system allows no more threads.
    """
    return threading.Thread(target=work, args=args, name=name, daemon=True)


@contextmanager
def ending_process(report: Callable[[str, BaseException], None]) -> Iterator[None]:
    """End the process at once if a thread dies of an error in the block, also one that gRPC has started.

    ``report`` gets the thread's name and its error first; if it does not return in time, SIGALRM ends the process.
    """
    before = threading.excepthook

    def end(dead: threading.ExceptHookArgs) -> None:
        signal.alarm(REPORT_SECONDS)
        try:
            report(dead.thread.name if dead.thread else "unknown", dead.exc_value or dead.exc_type())
        finally:
            os._exit(DEAD)

    threading.excepthook = end
    try:
        yield
    finally:
        threading.excepthook = before
