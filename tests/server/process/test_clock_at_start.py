"""Servers started with a wrong clock, or with a right one after a wrong one: what they say and what they refuse."""

import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from structlog.testing import capture_logs

from referee.log.times import SLACK_MS
from referee.server.process.app import Application
from tests.command import referee
from tests.server.options import server_options

Process: TypeAlias = Any  # made by a fixture, and has its class in conftest
Serve: TypeAlias = Callable[..., Process]

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


def refusal(server: Process, table: str) -> tuple[str, float]:
    """Try to play a round; return the reason for which it is refused, and after how many seconds to ask again."""
    with pytest.raises(grpc.RpcError) as caught:
        server.play(table)
    status = rpc_status.from_call(caught.value)
    assert status is not None
    info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    for detail in status.details:
        assert detail.Unpack(info) or detail.Unpack(retry)
    return info.reason, retry.retry_delay.ToTimedelta().total_seconds()


def clock_lines(folder: Path, event: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in (folder / "errors.log").read_text().splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == event]


def test_log_that_was_dated_ahead_waits_until_that_time(serve: Serve, tmp_path: Path) -> None:
    """The server starts, reads, and says by how much, what is allowed, what to do, and when it takes leaves again."""
    ahead = serve("--quiet", program=off_by(tmp_path, TEN_MINUTES))
    ahead.play("ahead")
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
    reason, seconds = refusal(server, "now")
    assert (reason, 0 < seconds <= (TEN_MINUTES - SLACK_MS) / 1000) == ("CLOCK_BEHIND", True)
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
    right.play("right")
    assert right.stop() == 0
    server = serve("--metrics", "127.0.0.1:0", program=off_by(tmp_path, -TEN_MINUTES))
    assert "behind the log's newest leaf" in probe(server)
    assert refusal(server, "now")[0] == "CLOCK_BEHIND"
    (tmp_path / "clock").write_text("0")
    end = time.monotonic() + 60
    while probe(server) != "ready\n":
        assert time.monotonic() < end, "the server did not become ready"
        time.sleep(0.2)
    assert server.play("now").opened.header


def test_clock_a_little_behind_serves_and_says_so(tmp_path: Path, caller_type: type[Any]) -> None:
    now = [1_800_000_000_000]
    options = server_options(data=tmp_path / "data", clock=lambda: now[0])

    def play(table: str) -> Any:  # noqa: ANN401 - a table of conftest
        with Application(options) as server, grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
            return caller_type(channel).play(table)

    before = play("before").dealt.dealt_time
    now[0] -= SLACK_MS
    with capture_logs() as lines:
        assert play("now").dealt.dealt_time == before - SLACK_MS
    (line,) = [line for line in lines if line["event"] == "clock behind the log"]
    assert (line["log_level"], line["behind_seconds"] * 1000) == ("warning", SLACK_MS)
    assert "clock right" in line["remedy"]


def test_right_clock_is_said_too(serve: Serve, tmp_path: Path) -> None:
    first = serve("--quiet")
    first.play("first")
    assert first.stop() == 0
    serve()
    (line,) = clock_lines(tmp_path, "clock ahead of the log")
    assert line["ahead_seconds"] >= 0
