"""Scenes: a referee with a clock that tests move, and table servers beside it."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from tests.table.table_scene import Court, MovedClock, Scene


@pytest.fixture(scope="module", autouse=True)
def _quiet_calls() -> Iterator[None]:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.reset_defaults()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Return a scene with its referee running; ``open`` starts its table server."""
    court = Court(tmp_path / "referee", MovedClock())
    yield Scene(court, tmp_path / "table")
    court.close()
