"""Log lines are JSON on standard error, one a call, and never hold a request's or an answer's content."""

import logging
import sys

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
        logger_factory=structlog.BytesLoggerFactory(file=sys.stderr.buffer),
    )


def _naming(worker: int) -> Processor:
    def name(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event["worker"] = worker
        return event

    return name
