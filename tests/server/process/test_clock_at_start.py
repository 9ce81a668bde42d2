"""Servers started with a wrong clock, or with a right one after a wrong one: what they say and what they refuse."""

import json
import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, Final

from structlog.testing import capture_logs

from referee.log.times import SLACK_MS
from tests.command import referee
from tests.driver.refusal import refusal_of
from tests.server.processes import Process, Serve, calling
from tests.waiting import until

TEN_MINUTES: Final = 600_000


def off_by(folder: Path, milliseconds: int) -> list[str]:
    """Return the program under a clock that is off by so many milliseconds."""
    clock = folder / "clock"
    clock.write_text(str(milliseconds))
    return ["-m", "tests.chaos.broken", f"clock={clock}", "--"]


def probe(server: Process) -> str:
    """Return what ``/readyz`` answers."""
    try:
        with urllib.request.urlopen(f"http://{server.ready['metrics']}/readyz", timeout=30) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        return str(error.read().decode())


def clock_lines(folder: Path, event: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / "errors.log").read_text().splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == event]


def test_log_that_was_dated_ahead_waits_until_that_time(serve: Serve, tmp_path: Path) -> None:
    """The server starts, reads, and says by how much, what is allowed, what to do, and when it takes leaves again."""
    ahead = serve("--quiet", program=off_by(tmp_path, TEN_MINUTES))
    ahead.driver.play("ahead")
    assert ahead.stop() == 0
    server = serve("--metrics", "127.0.0.1:0")
    words = " ".join(probe(server).split())
    behind, allowed = re.findall(
        r"clock is ([0-9.,]+) s behind the log's newest leaf, and ([0-9]+) s are allowed", words
    )[0]
    assert SLACK_MS < float(behind.replace(",", "")) * 1000 <= TEN_MINUTES
    assert int(allowed) * 1000 == SLACK_MS
    assert "Set the clock right" in words
    assert "takes leaves again in" in words
    size = len(server.leaves())
    assert size > 0
    refusal = refusal_of(server.driver.play, "now")
    assert refusal.reason == "CLOCK_BEHIND"
    assert 0 < refusal.retry_seconds <= (TEN_MINUTES - SLACK_MS) / 1000
    assert len(server.leaves()) == size
    (line,) = clock_lines(tmp_path, "clock behind the log")
    assert (line["level"], 0 < line["takes_leaves_in_seconds"] <= 590) == ("error", True)
    done = referee("doctor", "--data", tmp_path / "data", "--json")
    clock = next(one for one in json.loads(done.stdout)["checks"] if (one["group"], one["check"]) == ("clock", "log"))
    assert clock["level"] == "FAIL"
    assert "behind the log's newest leaf" in clock["measured"]
    assert "Set the clock right" in clock["remedy"]
    assert server.stop() == 0
    reader = serve("--services", "rulesets,log")
    assert len(reader.leaves()) == size
    assert clock_lines(tmp_path, "clock behind the log")[-1]["level"] == "warning"


def test_log_takes_leaves_again_once_the_clock_is_there(serve: Serve, tmp_path: Path) -> None:
    """Without a restart: the clock of a server that starts ten minutes behind is set right."""
    right = serve("--quiet")
    right.driver.play("right")
    assert right.stop() == 0
    server = serve("--metrics", "127.0.0.1:0", program=off_by(tmp_path, -TEN_MINUTES))
    assert "behind the log's newest leaf" in probe(server)
    assert refusal_of(server.driver.play, "now").reason == "CLOCK_BEHIND"
    (tmp_path / "clock").write_text("0")
    until(lambda: probe(server) == "ready\n", "the server did not become ready")
    assert server.driver.play("now").header


def test_clock_a_little_behind_serves_and_says_so(tmp_path: Path) -> None:
    now = [1_800_000_000_000]

    def dealt_time(table: str) -> int:
        with calling(data=tmp_path / "data", clock=lambda: now[0]) as (_, caller):
            return caller.driver.play(table).dealt_time

    before = dealt_time("before")
    now[0] -= SLACK_MS
    with capture_logs() as lines:
        assert dealt_time("now") == before - SLACK_MS
    (line,) = [line for line in lines if line["event"] == "clock behind the log"]
    assert (line["log_level"], line["behind_seconds"] * 1000) == ("warning", SLACK_MS)
    assert "clock right" in line["remedy"]


def test_right_clock_is_said_too(serve: Serve, tmp_path: Path) -> None:
    first = serve("--quiet")
    first.driver.play("first")
    assert first.stop() == 0
    serve()
    (line,) = clock_lines(tmp_path, "clock ahead of the log")
    assert line["ahead_seconds"] >= 0
