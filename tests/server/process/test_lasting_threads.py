"""Threads of a server: one place starts them, a dead one ends the process with a line, and probes notice hung ones."""

import ast
import threading
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from referee.cli.options import FOUND
from referee.server.process import probes
from referee.server.process.app import Application
from referee.service.pool import CallPool
from referee.threads import DEAD
from referee.v1 import log_pb2
from tests.chaos.frames import PREFACE, dial, headers, settings
from tests.server.options import server_options
from tests.server.process.test_probes import probe
from tests.server.processes import Process, Serve
from tests.waiting import until

PACKAGE: Final = Path(probes.__file__).parents[2]
SECONDS: Final = 60
KEYS: Final = "/referee.v1.LogService/GetKeys"
ONE_PLACE: Final = "threads.py"
POOLS: Final = {
    "server/process/cosigner.py": "asks the witnesses once, at the start, and waits for them",
    "service/pool.py": "threads of streams, which gRPC gives calls; their errors are the calls'",
    "tiles/place.py": "uploads tiles, and waits for them",
}
"""Files that have a pool of threads, and why a pool, which keeps the errors of its work, hides no dead thread."""
PATCHED: Final = """
import os, threading
begin = threading.Thread.start
def start(thread):
    if os.path.exists({flag!r}):
        raise RuntimeError("can't start new thread")
    begin(thread)
threading.Thread.start = start
{more}
from referee.cli.main import app
app()
"""


def calls_of(tree: ast.AST) -> set[str]:
    """Return the names of what is called or inherited in a module."""
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    bases = [base for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases]
    return {node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "") for node in (*called, *bases)}


def test_threads_are_started_in_one_place() -> None:
    starting: dict[str, set[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        found = calls_of(ast.parse(path.read_text(encoding="utf-8")))
        starting[str(path.relative_to(PACKAGE))] = found & {"Thread", "Timer", "start_new_thread", "ThreadPoolExecutor"}
    assert starting.pop(ONE_PLACE) == {"Thread"}
    assert {name for name, found in starting.items() if found} == set(POOLS)
    assert set().union(*starting.values()) == {"ThreadPoolExecutor"}


def end_of(server: Process, errors: Path) -> str:
    """Wait until a server has ended because a thread died; return its last lines."""
    assert server.wait() == DEAD
    lines = [line for line in errors.read_text(encoding="utf-8").splitlines() if "thread died" in line]
    assert len(lines) == 1
    return lines[0]


def test_server_that_can_start_no_thread_ends_with_a_line(serve: Serve, tmp_path: Path) -> None:
    flag = tmp_path / "no threads"
    server = serve("--quiet", program=("-c", PATCHED.format(flag=str(flag), more="")))
    flag.touch()
    with pytest.raises(grpc.RpcError):
        server.log.GetKeys(log_pb2.GetKeysRequest(), timeout=SECONDS)
    assert "ulimit -u" in end_of(server, tmp_path / "errors.log")


@pytest.mark.parametrize(
    ("thread", "work"),
    [
        ("follower", "referee.server.process.follower.Follower._abort_some"),
        ("write-watch", "referee.server.process.write_watch.WriteWatch.look"),
        ("key-guard", "referee.server.keys.guard.KeyGuard.check"),
        ("timeouts", "referee.service.pool.Timeouts.expire"),
    ],
)
def test_server_whose_thread_dies_ends_with_a_line(serve: Serve, tmp_path: Path, thread: str, work: str) -> None:
    """Each works until the file is there."""
    flag = tmp_path / "broken"
    module, owner, name = work.rsplit(".", 2)
    more = f"""
import importlib
owner = getattr(importlib.import_module({module!r}), {owner!r})
work = owner.{name}
def broken(*args):
    if os.path.exists({str(flag)!r}):
        raise ValueError("a fault of a test")
    return work(*args)
owner.{name} = broken
"""
    program = ("-c", PATCHED.format(flag="/nowhere", more=more))
    server = serve("--quiet", "--set", "limits.request_seconds=0.2", program=program)
    flag.touch()
    with dial(server.ready["address"]) as peer:
        peer.sendall(PREFACE + settings() + headers(KEYS, stream=1))  # its request never comes
        line = end_of(server, tmp_path / "errors.log")
    assert f'"thread":"{thread}"' in line
    assert "a fault of a test" in line


def test_server_that_does_not_stop_in_time_ends_with_a_line(serve: Serve, tmp_path: Path) -> None:
    """Whatever it waits for when it is asked to stop, such as a database that is away."""
    more = """
import time, referee.cli.serve, referee.server.process.serving
referee.server.process.serving._STOPPING_SECONDS = 0.2
referee.server.process.serving.Application.close = lambda _: time.sleep(3600)
"""
    program = ("-c", PATCHED.format(flag="/nowhere", more=more))
    server = serve("--quiet", "--set", "serve.drain_grace=0", program=program)
    server.terminate()
    assert server.wait() == FOUND
    assert "stopped late" in (tmp_path / "errors.log").read_text(encoding="utf-8")


def test_server_with_enough_threads_answers_without_more(monkeypatch: pytest.MonkeyPatch) -> None:
    ready, go, done = threading.Barrier(3), threading.Event(), threading.Event()

    def hold() -> None:
        pool.begin_work()
        ready.wait(SECONDS)
        go.wait(SECONDS)

    def work() -> None:
        pool.begin_work()
        done.set()

    def start(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with CallPool(threads=2, queue=8) as pool:
        for _ in range(2):
            pool.submit(hold)
        ready.wait(SECONDS)
        with monkeypatch.context() as short:
            short.setattr(threading.Thread, "start", start)
            pool.submit(work)
        assert not done.is_set()
        go.set()
        assert done.wait(SECONDS)


class Hanging(grpc.ServerInterceptor):
    """Interceptor that holds up the thread that reads gRPC's events while ``hangs`` is set."""

    def __init__(self) -> None:
        self.hangs, self.go = False, threading.Event()

    def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:  # noqa: ANN401 - gRPC's
        """Wait, or pass the call on."""
        if self.hangs:
            self.go.wait(SECONDS)
        return continuation(handler_call_details)


def test_probes_say_that_a_process_answers_no_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "PROBE_SECONDS", 0.5)
    hanging = Hanging()
    options = server_options(data=tmp_path, metrics="127.0.0.1:0", sweep=False, interceptors=[hanging])
    with Application(options) as app:
        assert (probe(app, "/healthz")[0], probe(app, "/readyz")[0]) == (200, 200)
        hanging.hangs = True
        assert probe(app, "/healthz") == (503, "not alive: DEADLINE_EXCEEDED: the service does not answer\n")
        assert probe(app, "/readyz") == (503, "not ready: DEADLINE_EXCEEDED: the service does not answer\n")
        hanging.hangs = False
        hanging.go.set()
        until(lambda: probe(app, "/healthz")[0] == 200)
