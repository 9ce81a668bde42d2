"""The demo's log: rounds of each ruleset, played once for all tests that read it."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.command import PLAIN
from tests.once import copy_of_one

ROUNDS: Final = 3
SECONDS: Final = 120


@dataclass(frozen=True, slots=True)
class DemoLog:
    """A data folder with three rounds of each ruleset, and what the command that played them printed."""

    data: Path
    printed: str


def make_demo_log(factory: pytest.TempPathFactory) -> DemoLog:
    """Run the command, or copy what another worker's run of it has left."""
    folder = copy_of_one(factory, "demo", _play)
    return DemoLog(folder / "data", (folder / "printed").read_text(encoding="utf-8"))


def _play(folder: Path) -> None:
    command = [sys.executable, "-m", "referee", "demo", "--rounds", str(ROUNDS), "--data", str(folder / "data")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=PLAIN, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "printed").write_text(done.stdout, encoding="utf-8")
