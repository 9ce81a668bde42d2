"""Commits that hang, a writer that is cut off while it holds the log, and a commit whose wait for a standby is ended.

Allowed: UNAVAILABLE with LOG_BUSY, which every ended wait gets; nothing else. After a failover the log is judged on the
standby that took over: what was answered before is there.
"""

import json
import random
import sqlite3
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.chaos.fault_postgres import ALLOWED
from tests.chaos.frontend import Load
from tests.chaos.outcome import Outcome
from tests.chaos.process import Server
from tests.storage.cutting_proxy import Cut, CuttingProxy
from tests.storage.postgres_server import STANDBY, PostgresServer
from tests.waiting import until

CUTS: Final[tuple[Cut, ...]] = ("HALF", "PARSED", "GONE")
_WAITING: Final = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
_LONGEST: Final = 12.0
"""Seconds within which the other servers settle rounds again after a holder was cut off; the claim is 10."""


def lines_of(folder: Path, event: str) -> list[dict[str, Any]]:
    """Return the log lines of an event of the servers whose data is in a folder."""
    text = (folder / "errors.log").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == event]


def status_of(address: str) -> str:
    """Return a server's health."""
    with grpc.insecure_channel(address) as channel:
        answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=20)
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))


def hang_commits(folder: Path, *, rounds: int, luck: random.Random) -> Outcome:
    """Let a disk finish no write, and another process hold the file's lock, so often in turn."""
    outcome = Outcome("Commits that hang, and a file that is locked")
    gate = folder / "hangs"
    server = Server(folder / "data", broken=[f"hangs={gate}"])

    @contextmanager
    def hanging() -> Iterator[None]:
        gate.touch()
        try:
            yield
        finally:
            gate.unlink()

    @contextmanager
    def locked() -> Iterator[None]:
        with closing(sqlite3.connect(server.data / "log.sqlite3", isolation_level=None, timeout=30)) as other:
            other.execute("BEGIN IMMEDIATE")
            yield

    with Load(outcome.ledger, [server.address], each=4) as load:
        load.more(3)
        for number in range(rounds):
            kind, befall = (("STALLED", hanging), ("BUSY", locked))[number % 2]
            before = len(lines_of(folder, "log cannot be written"))
            begun = time.monotonic()
            with befall():
                until(lambda: status_of(server.address) == "NOT_SERVING", "still SERVING")
                outcome.notes.append(f"{kind}: NOT_SERVING after {time.monotonic() - begun:.1f} s")
                time.sleep(luck.uniform(0, 2))
            until(lambda: status_of(server.address) == "SERVING", "still NOT_SERVING")
            kinds = {line["kind"] for line in lines_of(folder, "log cannot be written")[before:]}
            if kind not in kinds:
                outcome.hold([f"no line says {kind}: {kinds}"])
            outcome.done({"STALLED": "commit that hangs", "BUSY": "lock held by another process"}[kind])
            load.more(3)
    outcome.conclude(server, allowed=ALLOWED)
    return outcome


def cut_holders(folder: Path, database: PostgresServer, *, rounds: int, luck: random.Random) -> Outcome:
    """Let one of two servers fall silent in mid-batch, behind a proxy that keeps every connection."""
    outcome = Outcome("Writers cut off while they hold the log")
    schema = f"chaos_{uuid.uuid4().hex}"
    url = database.make_schema(schema)
    proxy = CuttingProxy(database.port)
    first = Server(folder / "data", database=url)
    second = Server(folder / "data", database=database.url(schema, port=proxy.port))
    longest = 0.0
    with Load(outcome.ledger, [first.address], each=4) as load, Load(outcome.ledger, [second.address], name="u"):
        load.more(4)
        for number in range(rounds):
            cut = CUTS[number % len(CUTS)]
            proxy.has_cut.clear()
            proxy.cut()  # a new connection says each statement in full
            proxy.befalls = cut
            until(proxy.has_cut.is_set, "no insert came through the proxy")
            begun = time.monotonic()
            load.more(4, within=60)
            longest = max(longest, time.monotonic() - begun)
            outcome.done(f"cut off in mid-batch ({cut})")
            time.sleep(luck.uniform(0, 1))
        load.more(4)
    ended = [line for line in lines_of(folder, "silent holder of the log ended") if line["address"] == "127.0.0.1"]
    outcome.notes.append(
        f"longest wait of the others {longest:.1f} s; {len(ended)} lines name the holder that was ended"
    )
    if not ended or longest > _LONGEST:
        outcome.hold([f"{len(ended)} holders named, and the others waited {longest:.1f} s"])
    outcome.conclude(first, second, allowed=ALLOWED)
    proxy.close()
    return outcome


def cancel_and_promote(folder: Path, *, seconds: float, luck: random.Random) -> Outcome:
    """Take the standby away, cancel waiting commits and end their sessions; then let the standby take over."""
    outcome = Outcome("Commits cancelled while they wait for a standby, which then takes over")
    with ExitStack() as stack:
        primary = PostgresServer()
        stack.callback(primary.close)
        standby = PostgresServer(primary=primary)
        stack.callback(standby.close)
        primary.set("synchronous_standby_names", STANDBY)
        schema = f"chaos_{uuid.uuid4().hex}"
        primary.make_schema(schema)
        url = primary.both(schema, standby)
        servers = [Server(folder / "data", database=url) for _ in range(2)]
        with Load(outcome.ledger, [server.address for server in servers], each=4) as load:
            load.more(6)
            standby.stop()
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                until(lambda: primary.execute(f"SELECT pid {_WAITING}"), "no commit waits")
                how = luck.choice(("pg_cancel_backend", "pg_cancel_backend", "pg_terminate_backend"))
                primary.execute(f"SELECT {how}(pid) {_WAITING}")
                outcome.did["wait for the standby ended"] += 1
                time.sleep(luck.uniform(0, 0.2))
            primary.stop("immediate")
            standby.start()
            standby.promote()
            outcome.done("primary lost, and the standby promoted")
            load.more(6)
        outcome.conclude(*servers, allowed=ALLOWED)
    return outcome
