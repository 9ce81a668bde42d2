"""What several tests of commands ask for: keys and an exported round of the demo, and the TypeScript verifier."""

import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from referee.server.keys.folder import read_public_keys
from tests.command import referee
from tests.demo_log import DemoLog
from tests.node_project import build, install
from tests.verifier.verifier_project import PROJECT, run


@pytest.fixture(scope="module")
def keys(demo_log: DemoLog) -> list[str]:
    """Return the options with the keys of the demo's log."""
    public = read_public_keys(demo_log.data / "keys")
    return ["--log-key", public["log"], "--root-key", public["root"]]


@pytest.fixture
def bundle(demo_log: DemoLog, tmp_path: Path) -> Path:
    """Export a round of the demo."""
    file = tmp_path / "round.json"
    assert referee("export", "demo.tien_len.mien_nam", "--data", demo_log.data, "--out", file).returncode == 0
    return file


@pytest.fixture(scope="session")
def typescript() -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Return the command of the TypeScript verifier; skip with a reason where it cannot be built."""
    if why := install(PROJECT):
        pytest.skip(f"the TypeScript verifier is not asked: {why}")
    build(PROJECT, "build")
    return partial(run, "node", "dist/cli.js")
