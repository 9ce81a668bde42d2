"""The report of a run of ``.ci/run``: what a reader of its last lines and of its file learns."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

REPORT = Path(__file__).parents[2] / ".ci" / "report.py"
PASSED = "=========== 7 passed, 2 skipped, 31 deselected in 61.20s (0:01:01) ==========="
BROKEN = f"""\
seeds of random tests: TEST_SEED=0
F.....
FAILED tests/a/test_b.py::test_c[x - y] - AssertionError: 1 == 2
ERROR tests/a/test_d.py::test_e - OSError
{PASSED.replace("7 passed", "1 failed, 5 passed, 1 error")}
make: *** [Makefile:29: test] Error 1
"""


@pytest.fixture
def report(tmp_path: Path) -> Callable[..., str]:
    """Return a function that calls a copy of the script and returns what it prints."""
    script = shutil.copy(REPORT, tmp_path)

    def call(*words: str) -> str:
        command = [sys.executable, script, *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout

    return call


def run(report: Callable[..., str], folder: Path, log: str, *, stage: str, code: int) -> dict[str, Any]:
    """Run a stage that prints this log; return the file afterwards."""
    (folder / "log").write_text(log, encoding="utf-8")
    report("begin", stage)
    report("end", stage, str(code), str(folder / "log"))
    found: dict[str, Any] = json.loads((folder / "last.json").read_text("utf-8"))
    return found


def test_run_that_passed_ends_with_the_summary_and_leaves_counts(report: Callable[..., str], tmp_path: Path) -> None:
    run(report, tmp_path, "installed\n", stage="install", code=0)
    assert not run(report, tmp_path, f"{PASSED}\n", stage="test", code=0)["is_passed"]
    last = run(report, tmp_path, f"{PASSED}\n", stage="rest", code=0)
    assert last["is_passed"]
    assert list(last["stages"]) == ["install", "test", "rest"]
    assert last["stages"]["test"]["counts"] == {"passed": 7, "skipped": 2, "deselected": 31}
    assert last["stages"]["test"]["seconds"] >= 0
    assert report("show", str(tmp_path / "log")).splitlines()[-1] == PASSED


def test_stage_that_broke_is_named_with_its_tests_and_seeds(report: Callable[..., str], tmp_path: Path) -> None:
    run(report, tmp_path, "", stage="install", code=0)
    last = run(report, tmp_path, BROKEN, stage="test", code=2)
    broken = ["tests/a/test_b.py::test_c[x - y]", "tests/a/test_d.py::test_e"]
    assert (last["is_passed"], last["stage"]) == (False, "test")
    assert (last["stages"]["test"]["code"], last["stages"]["test"]["failed"]) == (2, broken)
    shown = report("show", str(tmp_path / "log")).splitlines()
    assert [line for line in shown if line.startswith("FAILED")] == [f"FAILED {test}" for test in broken]
    assert sum("TEST_SEED=0 .venv/bin/pytest -n 0" in line for line in shown) == len(broken)
    assert "1 failed, 5 passed, 1 error, 2 skipped" in shown[-1]


def test_stage_without_tests_ends_with_its_own_last_line(report: Callable[..., str], tmp_path: Path) -> None:
    run(report, tmp_path, "checked\nmake: *** [check] Error 1\n\n", stage="install", code=2)
    assert report("show", str(tmp_path / "log")).splitlines()[-1] == "make: *** [check] Error 1"


def test_stage_that_was_cut_short_has_no_code(report: Callable[..., str], tmp_path: Path) -> None:
    report("begin", "install")
    last = json.loads((tmp_path / "last.json").read_text("utf-8"))
    assert (last["stage"], last["is_passed"], "code" in last["stages"]["install"]) == ("install", False, False)
