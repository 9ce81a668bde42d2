"""Scenes: a referee with a clock that tests move, and table servers beside it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.table.table_scene import Court, MovedClock, Scene


@pytest.fixture
def scene(tmp_path: Path, quiet_calls: None) -> Iterator[Scene]:  # noqa: ARG001 - it makes the log of calls quiet
    """Return a scene with its referee running; ``open`` starts its table server."""
    court = Court(tmp_path / "referee", MovedClock())
    yield Scene(court, tmp_path / "table")
    court.close()
