"""Scenes: a referee with a clock that tests move, and table servers beside it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.table.table_scene import Court, MovedClock, Scene


@pytest.fixture
def new_scene(tmp_path: Path, quiet_calls: None) -> Iterator[Scene]:  # noqa: ARG001 - it makes the log of calls quiet
    """Return a scene with its referee running; ``open`` starts its table server."""
    court = Court(tmp_path / "referee", MovedClock())
    yield Scene(court, tmp_path / "table")
    court.close()


@pytest.fixture
async def scene(new_scene: Scene) -> AsyncIterator[Scene]:
    """Return a scene with its referee and its table server running."""
    async with new_scene.open():
        yield new_scene
