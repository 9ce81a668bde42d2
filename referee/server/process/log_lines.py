"""Log lines: one line of JSON for each call, on standard error, without the content of requests and answers.

A thread writes all lines that were logged within ``GATHER_SECONDS`` at once, so that no call waits for a file. A
warning or an error is written before the call that logs it returns. A line that cannot be written, because the disk is
full or the reader is gone, is lost without an error.
"""

import atexit
import logging
import select
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from typing import BinaryIO, Final, cast

import orjson
import structlog
from structlog.typing import EventDict, WrappedLogger

from referee.evidence.printable import ascii_json
from referee.threads import lasting

_DELETE: Final = 0x7F
GATHER_SECONDS: Final = 0.05
MOST_LINES: Final = 4096
"""Most lines that wait to be written; the call that logs one more writes them all itself."""


def configure(*, quiet: bool, worker: int | None = None) -> None:
    """Write log lines to standard error; with ``quiet`` only warnings and errors.

    Each line names the number of the ``worker``, unless it is None.
    """
    file = cast("BinaryIO", getattr(sys.stderr.buffer, "raw", sys.stderr.buffer))  # a buffer would try again at exit
    lines = LineWriter(file)
    structlog.configure(
        cache_logger_on_first_use=True,
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING if quiet else logging.INFO),
        processors=[
            *([] if worker is None else [lambda _logger, _method, event: {**event, "worker": worker}]),
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            _render,
        ],
        logger_factory=lambda *_: lines,
    )
    root = logging.getLogger()
    if not any(isinstance(handler, _LibraryHandler) for handler in root.handlers):
        root.addHandler(_LibraryHandler(logging.WARNING))


class _LibraryHandler(logging.Handler):
    """Handler that writes the warnings of libraries, such as the gateway's web server, as log lines like all others."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record as a line."""
        log = structlog.get_logger(record.name)
        write = log.error if record.levelno >= logging.ERROR else log.warning
        write("library reports", logger=record.name, message=record.getMessage(), exc_info=record.exc_info or None)


class LineWriter:
    """A logger that appends lines to a file from a thread of its own; several processes may share the file.

    A write is no larger than a pipe takes in one piece, unless it is a single long line, so lines are never mixed.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lines: deque[bytes] = deque()
        self._came = threading.Event()
        self._writing = threading.Lock()
        self._starting = threading.Lock()
        self._is_started = False

    def info(self, line: bytes) -> None:
        """Add a line, which the thread writes soon."""
        self._lines.append(line + b"\n")
        if len(self._lines) > MOST_LINES:
            self.flush()
        elif not self._came.is_set():
            self._came.set()
            if not self._is_started:
                self._start()

    debug = info

    def warning(self, line: bytes) -> None:
        """Write a line and all lines that wait, at once."""
        self._lines.append(line + b"\n")
        self.flush()

    error = critical = exception = warning

    def flush(self) -> None:
        """Write all lines that wait."""
        with self._writing:
            chunk = b""
            while self._lines:
                line = self._lines.popleft()
                if chunk and len(chunk) + len(line) > select.PIPE_BUF:
                    self._write(chunk)
                    chunk = b""
                chunk += line
            self._write(chunk)

    def _write(self, chunk: bytes) -> None:
        """Write lines; if the file fails, drop the rest."""
        with suppress(OSError, ValueError):  # ValueError if the file is closed
            while chunk:
                chunk = chunk[self._file.write(chunk) or len(chunk) :]

    def _start(self) -> None:
        with self._starting:
            if not self._is_started:
                try:
                    lasting(self._write_all, name="log-lines").start()
                except RuntimeError:  # the system allows no more threads
                    self._came.clear()
                    self.flush()
                    return
                self._is_started = True
                atexit.register(self.flush)

    def _write_all(self) -> None:
        while True:
            self._came.wait()
            time.sleep(GATHER_SECONDS)
            self._came.clear()
            self.flush()


def _render(_logger: WrappedLogger, _method: str, event: EventDict) -> bytes:
    """Add the time to an event and encode it as a line of printable ASCII."""
    event["timestamp"] = datetime.now(UTC)
    line = orjson.dumps(event, option=orjson.OPT_UTC_Z)
    return line if line.isascii() and _DELETE not in line else ascii_json(line.decode()).encode()
