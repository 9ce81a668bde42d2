"""Servers started with a wrong clock, or with a right one after a wrong one: what they say and what they refuse."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

from referee.log.times import SLACK_MS
from tests.command import referee

Process: TypeAlias = Any  # made by a fixture, and has its class in conftest
Serve: TypeAlias = Callable[..., Process]

ROOT: Final = Path(__file__).parents[2]
TEN_MINUTES: Final = 600_000


def off_by(folder: Path, milliseconds: int) -> list[str]:
    """Return the program under a clock that is off by so many milliseconds."""
    clock = folder / "clock"
    clock.write_text(str(milliseconds))
    return ["-m", "tests.chaos.broken", f"clock={clock}", "--"]


def refused_start(folder: Path, *options: str, program: list[str]) -> str:
    """Start a server that must not start; return what it says."""
    command = [sys.executable, *program, "serve", "--data", str(folder / "data"), "--listen", "127.0.0.1:0", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    return " ".join(done.stderr.split())


def clock_lines(folder: Path, event: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / "errors.log").read_text().splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == event]


def test_clock_set_right_after_it_was_ahead_is_refused_and_explained(serve: Serve, tmp_path: Path) -> None:
    """The start says by how much, what is allowed, what to do and when the log takes leaves again; so does doctor."""
    ahead = serve("--quiet", program=off_by(tmp_path, TEN_MINUTES))
    ahead.play("ahead")
    assert ahead.stop() == 0
    words = refused_start(tmp_path, program=["-m", "referee"])
    behind, allowed = re.findall(
        r"clock is ([0-9.,]+) s behind the log's newest leaf, and ([0-9]+) s are allowed", words
    )[0]
    assert SLACK_MS < float(behind.replace(",", "")) * 1000 <= TEN_MINUTES
    assert int(allowed) * 1000 == SLACK_MS
    assert "Set the clock right" in words
    assert "takes leaves again in" in words
    done = referee("doctor", "--data", tmp_path / "data", "--json")
    clock = next(one for one in json.loads(done.stdout)["checks"] if (one["group"], one["check"]) == ("clock", "log"))
    assert clock["level"] == "FAIL"
    assert "behind the log's newest leaf" in clock["measured"]
    assert "Set the clock right" in clock["remedy"]
    reader = serve("--services", "rulesets,log")
    assert len(reader.leaves()) > 0
    assert clock_lines(tmp_path, "clock behind the log")[-1]["level"] == "warning"


def test_clock_ten_minutes_behind_is_refused_at_the_start(serve: Serve, tmp_path: Path) -> None:
    right = serve("--quiet")
    right.play("right")
    assert right.stop() == 0
    words = refused_start(tmp_path, program=off_by(tmp_path, -TEN_MINUTES))
    assert "behind the log's newest leaf" in words


def test_clock_a_little_behind_serves_and_says_so(serve: Serve, tmp_path: Path) -> None:
    ahead = serve("--quiet", program=off_by(tmp_path, SLACK_MS // 2))
    ahead.play("ahead")
    assert ahead.stop() == 0
    server = serve("--quiet")
    (line,) = clock_lines(tmp_path, "clock behind the log")
    assert (line["level"], 0 < line["behind_seconds"] * 1000 <= SLACK_MS // 2) == ("warning", True)
    assert "clock right" in line["remedy"]
    assert server.play("now").opened.header


def test_right_clock_is_said_too(serve: Serve, tmp_path: Path) -> None:
    first = serve("--quiet")
    first.play("first")
    assert first.stop() == 0
    serve()
    (line,) = clock_lines(tmp_path, "clock ahead of the log")
    assert line["ahead_seconds"] >= 0
