"""Witnesses and servers on loopback; their classes local_witness in a module beside this file."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from referee.server.keys.folder import KeyFolder
from referee.server.process.app import Application
from referee.server.settings.witnesses import Witnesses
from tests.server.cosigning.local_witness import ORIGIN, House, LocalWitness, settings


@pytest.fixture
def local_witnesses(tmp_path: Path) -> Iterator[list[LocalWitness]]:
    """Three witnesses, not listening yet."""
    made = [LocalWitness(tmp_path / name, name) for name in ("w1", "w2", "w3")]
    yield made
    for local_witness in made:
        local_witness.close()


@pytest.fixture
def log_key(tmp_path: Path) -> str:
    """Return the verifier key of the log in this test's data folder, made before its first start."""
    keys = KeyFolder.open_or_make(tmp_path / "data" / "keys", origin=ORIGIN, entropy=os.urandom)
    return keys.public["log"].text


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., House]]:
    """Start servers on this test's data folder, one at a time."""
    with ExitStack() as stack:
        running: list[ExitStack] = []

        def start(witnesses: Witnesses | None = None, **more: Any) -> House:  # noqa: ANN401
            while running:
                running.pop().close()
            running.append(stack.enter_context(ExitStack()))
            application = running[-1].enter_context(Application(settings(tmp_path, witnesses, **more)))
            return House(application, running[-1])

        yield start
