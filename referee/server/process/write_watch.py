"""A thread that watches whether the log can be written: what health, metrics and log lines say of it.

Appends show it, and where none came for a while a commit that changes nothing a reader sees. A commit that does not
return is trouble like one that fails. A log that cannot be written is tried every second, so that the server serves
again as soon as the cause is gone. The thread that watches waits for nothing: the writer's thread commits, and another
one asks the database why that takes long.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

import structlog

from referee.storage import Writer, WriteTrouble
from referee.threads import lasting

POLL_SECONDS: Final = 0.5
IDLE_SECONDS: Final = 5.0
"""Time without an append after which the log is tried."""
RETRY_SECONDS: Final = 1.0
"""Time between two tries of a log that cannot be written."""
_EXPLAIN_SECONDS: Final = 3.0
"""Age of a batch at which the database is asked why; it has until ``STALL_SECONDS`` for its answer to be reported."""
REMINDER_SECONDS: Final = 60.0

_log = structlog.get_logger("referee.log")


class WriteWatch:
    """Watch over one writer. ``on_change`` gets the trouble when it begins, and None when it is over."""

    def __init__(self, writer: Writer, *, on_change: Callable[[WriteTrouble | None], None]) -> None:
        self._writer = writer
        self._on_change = on_change
        self.trouble: WriteTrouble | None = None
        """Why the log cannot be written, as last reported; None while it can."""
        self._since = self._reminded = self._tried = 0.0
        self._asking: threading.Thread | None = None
        self._closing = threading.Event()
        self._thread = lasting(self._watch, name="write-watch")

    def start(self) -> None:
        """Report what is known from the start, such as a clock behind the log; then start the thread."""
        self._report(self._writer.trouble)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread."""
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        while not self._closing.wait(POLL_SECONDS):
            self.look()

    def look(self) -> None:
        """Report what is known, then have a write tried where none came for a while or the last one failed."""
        writer, now = self._writer, time.monotonic()
        self._report(writer.trouble)
        waited = now - self._tried
        if writer.batch_seconds >= _EXPLAIN_SECONDS:
            if waited >= RETRY_SECONDS and (self._asking is None or not self._asking.is_alive()):
                self._tried = now
                self._asking = lasting(writer.explain, name="write-cause")
                self._asking.start()
        elif waited >= (IDLE_SECONDS if writer.trouble is None else RETRY_SECONDS) and (
            writer.trouble is not None or writer.idle_seconds >= IDLE_SECONDS
        ):
            self._tried = now
            writer.prove_soon()

    def _report(self, trouble: WriteTrouble | None) -> None:
        before, self.trouble = self.trouble, trouble
        now = time.monotonic()
        if trouble is None:
            if before is not None:
                _log.warning("log written again", after_seconds=round(now - self._since, 1))
                self._on_change(None)
            return
        if before is None:
            self._since = now
            self._on_change(trouble)
        if before is None or before.kind != trouble.kind or now - self._reminded >= REMINDER_SECONDS:
            self._reminded = now
            _log.error(
                "log cannot be written",
                kind=trouble.kind,
                cause=trouble.cause,
                remedy=trouble.remedy,
                for_seconds=round(now - self._since, 1),
            )
