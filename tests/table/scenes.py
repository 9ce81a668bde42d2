"""Scenes: a referee with a clock that tests move, and table servers beside it."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from tests.table.table_scene import Court, MovedClock, Scene


@pytest.fixture
def make_scene(tmp_path: Path, quiet_calls: None) -> Iterator[Callable[..., Scene]]:  # noqa: ARG001 - it makes the log of calls quiet
    """Return a function that makes a scene with its referee running; its arguments are those of Court."""
    with ExitStack() as stack:

        def make(**how: Any) -> Scene:  # noqa: ANN401 - of Court
            court = stack.enter_context(closing(Court(tmp_path / "referee", MovedClock(), **how)))
            return Scene(court, tmp_path / "table")

        yield make


@pytest.fixture
def new_scene(make_scene: Callable[..., Scene]) -> Scene:
    """Return a scene with its referee running; ``open`` starts its table server."""
    return make_scene()


@pytest.fixture
async def scene(new_scene: Scene) -> AsyncIterator[Scene]:
    """Return a scene with its referee and its table server running."""
    async with new_scene.open():
        yield new_scene
