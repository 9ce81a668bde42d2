"""Fixtures of the verifier's tests: the built project, and a function that runs it on logs."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.fuzz_verdicts import TypeScript
from tests.node_project import build, install
from tests.verifier.verifier_project import PROJECT

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
def verdicts(project: Path) -> Iterator[Verdicts]:
    """Return a function that verifies logs or bundles, all in one process of Node, and returns a result for each."""
    assert project.is_dir()
    with TypeScript() as verifier:

        def ask(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
            results = []
            for row in rows:
                verifier.ask(row)
                results.append(verifier.verdict())
            return results

        yield ask
