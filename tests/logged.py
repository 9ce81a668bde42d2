"""What modules of tests find of structlog: as it is imported, and quiet where they ask for it."""

import logging
from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
import structlog


@pytest.fixture(scope="session", autouse=True)
def uncached_loggers() -> Iterator[None]:
    """Have no command that runs in this process keep its loggers: a later test could capture no line of theirs."""
    configure = structlog.configure

    def uncached(**settings: Any) -> None:  # noqa: ANN401 - settings of structlog
        configure(**settings | {"cache_logger_on_first_use": False})

    with mock.patch.object(structlog, "configure", uncached):
        yield


@pytest.fixture(scope="module", autouse=True)
def default_logging(uncached_loggers: None) -> None:
    """Begin each module with structlog as it is imported, whatever a thread or a command of another module left."""
    del uncached_loggers
    structlog.reset_defaults()


@pytest.fixture(scope="module")
def quiet_calls(default_logging: None) -> Iterator[None]:
    """Print no line of the log of calls for the tests of a module."""
    del default_logging
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.reset_defaults()
