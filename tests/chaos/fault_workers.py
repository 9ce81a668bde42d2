"""Processes that are killed and frozen, cannot start a thread, cannot commit, or have a clock that is set.

Allowed: UNAVAILABLE, from the way to a process that is gone and from a log that another one holds. What was answered
stays so whatever the clock says later, and the audit is clean: the times of leaves may go back, and the order of leaves
does not rest on them.
"""

import json
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import grpc
import psutil
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.dealing.leaf import DEAL_TYPE, DealLeaf, parse
from referee.evidence.dsse import Envelope
from referee.storage import open_reader
from referee.threads import DEAD
from tests.chaos.process import Server
from tests.chaos.scene import Scene
from tests.waiting import until

BUSY: Final = ("UNAVAILABLE", "UNAVAILABLE/LOG_BUSY", "RESOURCE_EXHAUSTED/OVERLOADED")
"""What every ended wait for the log gets, and a call for which there is no room."""
GONE: Final = ("UNAVAILABLE", "UNAVAILABLE/LOG_BUSY", "CANCELLED")
"""CANCELLED is how a call ends that a stopping server cuts off after its grace."""
OF_THE_CLOCK: Final = (
    *("FAILED_PRECONDITION/DEADLINE_PASSED", "FAILED_PRECONDITION/EXPIRED", "FAILED_PRECONDITION/ABORTED"),
    *("INVALID_ARGUMENT/INVALID_HEADER", "UNAVAILABLE/CLOCK_BEHIND", "VIOLATION/*"),
)
"""A round under way is past its deadlines where the clock moves on, and its times lie ahead where it moves back."""
_FURTHEST: Final = 4.8
"""Seconds by which a clock is off at most; one that falls back by more than ten is refused until it is right again."""


def workers(scene: Scene) -> None:
    """Two workers on one file; one after the other something befalls one of them, or all."""
    server = scene.server("--workers", "2")
    with scene.load(server, each=4) as load:
        load.more(4)
        for what in scene.befalling((*[_KILLED] * 6, *[_FROZEN] * 3, _ALL_KILLED, _STOPPED), whole=70):
            _befall(scene, server, what)
            scene.done(what)
        load.more(4)
    scene.conclude(server, allowed=GONE)


_KILLED: Final = "a worker killed (SIGKILL)"
_FROZEN: Final = "a worker stopped for a while (SIGSTOP, SIGCONT)"
_ALL_KILLED: Final = "the server killed with its workers, and started again"
_STOPPED: Final = "the server stopped (SIGTERM) and started again"


def _befall(scene: Scene, server: Server, what: str) -> None:
    with suppress(psutil.NoSuchProcess):
        worker = scene.luck.choice(server.workers)
        if what == _KILLED:
            worker.kill()
        elif what == _FROZEN:
            worker.send_signal(signal.SIGSTOP)
            time.sleep(scene.luck.uniform(0.2, 3))
            worker.send_signal(signal.SIGCONT)
        elif what == _ALL_KILLED:
            for one in server.workers:
                one.kill()
            server.kill()
        else:
            server.stop()
    if not server.is_running:
        server.start()


def kill_servers(scene: Scene, *, database: str | None, kills: int) -> None:
    """Two servers on one log, of which one is killed at a time and started again."""
    servers = [scene.server(database=database) for _ in range(2)]
    with scene.load(*servers, each=3) as load:
        for number in range(kills):
            time.sleep(scene.luck.uniform(0.05, 0.5))
            servers[number % 2].kill()
            servers[number % 2].start()  # its start-up check passes, or it would not listen
            scene.done("a server killed (SIGKILL)")
        load.more(4)
    scene.conclude(*servers, allowed=GONE)


def threads(scene: Scene) -> None:
    """Let a server start no thread: at first, so that it ends, and once it has threads enough, so that it goes on."""
    flag = scene.folder / "no-threads"
    server = scene.server("--set", "serve.threads=1", broken=[f"no-threads={flag}"])
    flag.touch()
    with scene.load(server, each=8) as load:
        code = server.wait()
        scene.done(f"a server without threads ended with exit code {code}")
        scene.expect(code == DEAD, f"it ended with {code} instead of {DEAD}")
        flag.unlink()
        server.start()
        load.more(4)
        flag.touch()
        load.more(4)
        scene.done("a server with threads enough went on without more")
        flag.unlink()
        load.more(4)
    scene.conclude(server, allowed=GONE)


def hanging(scene: Scene) -> None:
    """Let a disk finish no write, and another process hold the file's lock, so often in turn."""
    gate = scene.folder / "hangs"
    server = scene.server(broken=[f"hangs={gate}"])
    with scene.load(server) as load:
        load.more(3)
        for number in range(scene.times(4, least=2)):
            kind, befall = (("STALLED", _hung(gate)), ("BUSY", _locked(server)))[number % 2]
            before, begun = len(lines_of(scene, "log cannot be written")), time.monotonic()
            with befall:
                until(lambda: _health(server) == "NOT_SERVING", "still SERVING")
                scene.notes.append(f"{kind}: NOT_SERVING after {time.monotonic() - begun:.1f} s")
                time.sleep(scene.luck.uniform(0, 2))
            until(lambda: _health(server) == "SERVING", "still NOT_SERVING")
            kinds = {line["kind"] for line in lines_of(scene, "log cannot be written")[before:]}
            scene.expect(kind in kinds, f"no line says {kind}: {kinds}")
            scene.done({"STALLED": "commit that hangs", "BUSY": "lock held by another process"}[kind])
            load.more(3)
    scene.conclude(server, allowed=BUSY)


@contextmanager
def _hung(gate: Path) -> Iterator[None]:
    gate.touch()
    yield
    gate.unlink()


@contextmanager
def _locked(server: Server) -> Iterator[None]:
    with closing(sqlite3.connect(server.data / "log.sqlite3", isolation_level=None, timeout=30)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def lines_of(scene: Scene, event: str) -> list[dict[str, Any]]:
    """Return the log lines of an event of the scene's servers."""
    text = (scene.folder / "errors.log").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == event]


def _health(server: Server) -> str:
    with grpc.insecure_channel(server.address) as channel:
        answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=20)
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


def clock(scene: Scene) -> None:
    """Shift the server's clock by up to five seconds either way, as by a bad time source; set it right at the end."""
    file = scene.folder / "clock"
    file.write_text("0")
    server, offset = scene.server(broken=[f"clock={file}"]), 0.0
    with scene.load(server, each=6) as load:
        load.more(4)
        for number in range(scene.times(12, least=2)):
            shift = scene.luck.choice((-1, 1)) * scene.luck.uniform(0.5, 4.8) if number > 1 else (4.5, -9.0)[number]
            shift = -shift if abs(offset + shift) > _FURTHEST else shift
            offset += shift
            _set(file, offset)
            scene.done(f"set {'forward' if shift > 0 else 'back'}")
            time.sleep(scene.luck.uniform(0.5, 1.5))
            load.more(2)
        _set(file, 0)
        load.more(4)
    scene.conclude(server, allowed=OF_THE_CLOCK)
    scene.notes.append(_order_of_times(server.data))


def _set(file: Path, seconds: float) -> None:
    new = file.with_suffix(".new")
    new.write_text(str(int(1000 * seconds)))
    new.replace(file)


def _order_of_times(data: Path) -> str:
    """Describe the order of the times in the log."""
    with closing(open_reader(data)) as reader:
        envelopes = [Envelope.parse(leaf) for leaf in reader.iterate()]
    times = [parse(one.payload, DealLeaf).dealt_time for one in envelopes if one.payload_type == DEAL_TYPE]
    back = [(before - after) / 1000 for before, after in pairwise(times) if before - after > 1000]
    return (
        f"of {len(times)} deals {len(back)} are dated more than a second before their predecessor, "
        f"the furthest {max(back, default=0):.1f} s: times are the clock's, the order is the log's"
    )
