"""A thread that looks once a second at what this process has open: the log's file, descriptors, and edited files.

A log's file only grows. One that was cut off, replaced or removed has lost what was signed, and SQLite notices that as
late as it reads there, so the process stops then.
"""

import errno
import os
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog

from referee.server.edited_files import EditedFiles
from referee.threads import lasting

POLL_SECONDS: Final = 1.0
REMINDER_SECONDS: Final = 60.0
_FEW: Final = 8
"""Descriptors of which so few are left that the next connection may find none."""
_FOLDER: Final = Path("/proc/self/fd")
_log = structlog.get_logger("referee.server")


class FileWatch:
    """Watch over the files of one process; ``on_damaged`` is called once, with the reason, if the log's was damaged."""

    def __init__(self, files: EditedFiles, log: Path | None, *, on_damaged: Callable[[str], None]) -> None:
        self._files = files
        self._log_file = log
        self._on_damaged = on_damaged
        self._known = None if log is None else _facts(log)
        self._reminded: float | None = None
        self._closing = threading.Event()
        self._thread = lasting(self._watch, name="file-watch")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread."""
        self._closing.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    def _watch(self) -> None:
        while not self._closing.wait(POLL_SECONDS):
            self.look()

    def look(self) -> None:
        """Look at everything once."""
        self._files.count()
        self._look_at_descriptors()
        if self._log_file is not None and (why := self._damage(self._log_file)):
            self._log_file = None
            self._on_damaged(why)

    def _look_at_descriptors(self) -> None:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = descriptors()
        if used is None or limit == resource.RLIM_INFINITY or used < limit - _FEW:
            if self._reminded is not None:
                _log.warning("files can be opened again", open=used, allowed=limit)
            self._reminded = None
        elif self._reminded is None or time.monotonic() >= self._reminded + REMINDER_SECONDS:
            self._reminded = time.monotonic()
            _log.error(
                "no more files can be opened: new connections are not answered",
                open=used,
                allowed=limit,
                remedy="raise the limit (LimitNOFILE, ulimit -n), or bound connections with limits.connections",
            )

    def _damage(self, path: Path) -> str:
        """Return what happened to the log's file that may not; empty if nothing did."""
        before, self._known = self._known, _facts(path)
        if before is None:
            return ""
        what = ""
        if self._known is None:
            what = "is gone"
        elif self._known[0] != before[0]:
            what = "was replaced by another file"
        elif self._known[1] < before[1]:
            what = f"was cut from {before[1]} to {self._known[1]} bytes"
        remedy = "this server stops: keep what is there, restore the log from its backup, and start it again"
        return what and f"the log's file {path} {what} while this server ran; {remedy}"


def descriptors() -> int | None:
    """Return the number of open descriptors; None where the system does not show it."""
    try:
        return len(os.listdir(_FOLDER))  # noqa: PTH208 - the names alone
    except OSError as error:
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return limit if error.errno in {errno.EMFILE, errno.ENFILE} else None


def _facts(path: Path) -> tuple[int, int] | None:
    """Return a file's number on its disk and its size; None if it is gone."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size
