"""The built verifier, where node and npm are there; the builder of logs stands beside the audit's tests."""

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
    """The verifier's folder, its pinned dependencies installed and everything built; skips where that cannot be."""
    if why := install(PROJECT):
        pytest.skip(f"the TypeScript verifier is not tested: {why}")
    build(PROJECT, "build", "build:test")
    return PROJECT


@pytest.fixture(scope="session")
def verdicts(project: Path) -> Verdicts:
    """What the verifier finds in each of several logs or bundles, all told to one process."""

    def ask(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        told = "".join(json.dumps(row) + "\n" for row in rows)
        answered = run("node", str(project / "build" / "test" / "verdicts.js"), told=told)
        assert answered.returncode == 0, answered.stderr
        return [json.loads(line) for line in answered.stdout.splitlines()]

    return ask
