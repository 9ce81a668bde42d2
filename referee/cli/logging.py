"""Log lines are JSON on standard error, one a call, and never hold a request's or an answer's content.

A line that cannot be written, for the disk is full or the reader gone, is lost, and nothing else: the caller
must not suffer for it.
"""

import logging
import sys
from contextlib import suppress
from typing import BinaryIO, cast

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger


def configure(*, quiet: bool, worker: int | None = None) -> None:
    """Log lines go to standard error; quiet leaves out all but warnings. ``worker`` is said in each, where one is."""
    structlog.configure(
        cache_logger_on_first_use=True,
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING if quiet else logging.INFO),
        processors=[
            *([] if worker is None else [_naming(worker)]),
            structlog.processors.add_log_level,
            structlog.processors.format_exc_info,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(serializer=orjson.dumps),
        ],
        logger_factory=structlog.BytesLoggerFactory(file=cast("BinaryIO", _Lossy(sys.stderr.buffer))),
    )


class _Lossy:
    """A file that takes every line, and keeps those that it can."""

    def __init__(self, file: BinaryIO) -> None:
        self._file: BinaryIO = getattr(file, "raw", file)  # a buffer would try again when the process ends

    def write(self, line: bytes) -> None:
        """Write the line, whole or in part."""
        with suppress(OSError, ValueError):  # the latter where the file was closed
            self._file.write(line)

    def flush(self) -> None:
        """Nothing is kept back."""
        with suppress(OSError, ValueError):
            self._file.flush()


def _naming(worker: int) -> Processor:
    def name(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event["worker"] = worker
        return event

    return name
