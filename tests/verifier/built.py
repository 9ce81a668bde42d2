"""Fixtures of the verifier's tests: the built project, and a function that runs it on many logs at once."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.node_project import build, install
from tests.verifier.verifier_project import PROJECT, run

Verdicts = Callable[[Iterable[dict[str, Any]]], list[dict[str, Any]]]


@pytest.fixture(scope="session")
def project() -> Path:
    """Install the pinned dependencies, build the verifier and return its folder; skip if that is not possible.

    Types are not checked here: ``npm run check`` does that.
    """
    if why := install(PROJECT):
        pytest.skip(f"the TypeScript verifier is not tested: {why}")
    build(PROJECT, "build:test")
    return PROJECT


@pytest.fixture(scope="session")
def verdicts(project: Path) -> Verdicts:
    """Return a function that verifies several logs or bundles in one process and returns a result for each."""

    def ask(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        answered = run("node", str(project / "build" / "test" / "verdicts.js"), stdin=lines)
        assert answered.returncode == 0, answered.stderr
        return [json.loads(line) for line in answered.stdout.splitlines()]

    return ask
