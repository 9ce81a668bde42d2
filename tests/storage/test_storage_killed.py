"""Processes that die at every place of an append, alone or with the power: what was promised holds.

The places are SQLite's own file operations, before, half-way through and after each, and the writer's steps between
them; ``faulty_disk`` and ``crash_runner`` say how. Finding 51 of the attacks is this test.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.budget import sample

RUNNER: Final = Path(__file__).with_name("crash_runner.py")
WAYS: Final = ("KILL", "CUT", "SHRED")
ALL_PLACES: Final = {
    *(f"write {file} {when}" for file in ("wal", "main") for when in ("before", "torn", "after")),
    *(f"force {file} {when}" for file in ("wal", "main") for when in ("before", "after")),
    *("BEGUN", "JUDGED", "SIGNED", "WRITTEN", "COMMITTED", "ANSWERED", "half", "restarted"),
}


def _run(folder: Path, *words: object) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(folder), *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _count(report: dict[str, Any]) -> int:
    return sum(sum(ways.values()) for ways in report["places"].values())


def _table(report: dict[str, Any]) -> str:
    rows = [
        ("died at", *WAYS),
        *((place, *(ways.get(way, 0) for way in WAYS)) for place, ways in report["places"].items()),
    ]
    return "\n".join(["", *("{:24}{:>7}{:>7}{:>7}".format(*row) for row in rows), f"{_count(report)} deaths"])


def test_some_deaths_lose_nothing_that_was_promised(tmp_path: Path):
    """A few of the many below."""
    swept, chained = _run(tmp_path, "sweep", 299), _run(tmp_path, "chain", 10, 1)
    assert swept["faults"] == chained["faults"] == []
    assert _count(swept) >= 12
    assert _count(chained) == 10


def test_commit_left_unforced_by_a_killed_process_is_forced_first(tmp_path: Path):
    """SQLite takes it as done when it opens the file again; opening a store forces it before anyone can read it."""
    report = _run(tmp_path, "reopen")
    assert report["faults"] == []
    assert report["places"] == {"force wal before": {"KILL": 1}, "restarted": {"CUT": 1}}


def test_store_that_does_not_force_its_commits_is_caught(tmp_path: Path):
    """The control: the same deaths on a store with ``synchronous=OFF`` lose answered leaves, and the test sees it."""
    report = _run(tmp_path, "control", 40, 1)
    assert any("was answered" in fault or "was handed out" in fault for fault in report["faults"])


@pytest.mark.slow("kills processes again and again")
@pytest.mark.smaller("some 250 deaths instead of 1,600, at every place all the same")
@pytest.mark.timeout(1_200)
def test_many_deaths_lose_nothing_that_was_promised(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """No answered leaf, no head that was handed out, no two heads of one size; and the log goes on to its end."""
    visited = _run(tmp_path, "places", *sorted(ALL_PLACES))
    swept = _run(tmp_path, "sweep", sample(43, whole=3))
    chained = _run(tmp_path, "chain", sample(30, whole=400), 2)
    with capsys.disabled():  # where and how often is what a reader wants
        print(_table(visited), _table(swept), _table(chained), sep="\n")  # noqa: T201
    assert visited["faults"] == swept["faults"] == chained["faults"] == []
    assert {place for place in ALL_PLACES if visited["places"].get(place, {}).keys() >= {*WAYS}} == ALL_PLACES
    assert _count(visited) + _count(swept) + _count(chained) >= sample(200, whole=1_600)
