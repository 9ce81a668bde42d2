"""Servers that die under load, two at a time on one log: every answer given remains true, and no head has a rival."""

import itertools
import random
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import pytest

from referee.audit import MemoryLog, audit_log
from referee.evidence.merkle import Frontier, leaf_hash
from referee.evidence.note import Note
from referee.log import Checkpoint, grow
from referee.rulesets import load_builtin
from referee.server.clock import system_clock
from referee.server.keys.folder import read_public_keys
from referee.storage import check_store, open_reader
from referee.v1 import log_pb2
from tests.storage.postgres_server import PostgresServer, running_postgres

Process: TypeAlias = Any  # made by a fixture, and has its class in conftest
Serve: TypeAlias = Callable[..., Process]

LOADED_THREADS: Final = 6


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server for this module."""
    yield from running_postgres()


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str | None:
    """Return the URL of an empty database, or None for the data folder."""
    if request.param == "sqlite":
        return None
    return str(request.getfixturevalue("postgres").make_schema(f"test_{uuid.uuid4().hex}"))


class Witnessed:
    """Everything that callers were answered, by whichever server."""

    def __init__(self) -> None:
        self.leaves: dict[int, bytes] = {}
        self.heads: dict[int, bytes] = {}
        self.faults: list[str] = []
        self._lock = threading.Lock()

    def record(self, receipt: Any) -> None:  # noqa: ANN401 - a message
        """Record an answered leaf."""
        with self._lock:
            if self.leaves.setdefault(receipt.leaf_index, receipt.leaf) != receipt.leaf:
                self.faults.append(f"leaf {receipt.leaf_index} is two leaves")

    def see(self, note: str) -> None:
        """Record a checkpoint."""
        head = Checkpoint.parse(Note.parse(note.encode()).text)
        with self._lock:
            if self.heads.setdefault(head.size, head.root) != head.root:
                self.faults.append(f"size {head.size} has two roots")

    def compare(self, leaves: list[bytes]) -> None:
        """Assert that this log has all of it."""
        assert self.faults == []
        assert {index: leaves[index] for index in self.leaves} == self.leaves
        edge, roots = Frontier(), {0: Frontier().root}
        for leaf in leaves:
            edge = grow(edge, [leaf_hash(leaf)]).frontier
            roots[edge.size] = edge.root
        assert {size: roots.get(size) for size in self.heads} == self.heads


def _load(process: Process, expected: Witnessed, numbers: Iterator[int], stop: threading.Event) -> None:
    """Play rounds at new tables and read checkpoints until the server is gone."""
    while not stop.is_set():
        try:
            table = process.play(f"t-{next(numbers)}")
            expected.record(table.opened.log_receipt)
            expected.record(table.dealt.log_receipt)
            expected.record(process.referee.SettleRound(table.request).log_receipt)
            expected.see(process.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint)
            time.sleep(0.02)
        except (grpc.RpcError, ValueError):  # the server was killed, and its channel closed
            return


def _audited(data: Path, database: str | None) -> list[bytes]:
    """Audit the log and return its leaves."""
    keys = read_public_keys(data / "keys")
    with closing(open_reader(data, database=database)) as reader:
        head = check_store(reader)
        leaves = list(reader.iterate(0, head.size))
        report = audit_log(
            MemoryLog(checkpoint=head.checkpoint, entries=tuple(leaves)),
            origin=reader.origin,
            log_key=keys["log"],
            root_key=keys["root"],
            catalogue=load_builtin(),
            now=system_clock(),
        )
    assert report.is_clean, report.finding_counts
    return leaves


def _kill_under_load(serve: Serve, database: str | None, data: Path, *, kills: int) -> tuple[int, int]:
    """Of two servers one is killed at a time, at random; how many leaves were answered, and how many heads seen."""
    options = ("--quiet",) if database is None else ("--quiet", "--database", database)
    luck = random.Random(kills)  # noqa: S311 - when to kill
    expected, stop = Witnessed(), threading.Event()
    numbers = itertools.count()
    servers = [serve(*options), serve(*options)]
    with ThreadPoolExecutor(2 * LOADED_THREADS + kills * LOADED_THREADS) as threads:

        def burden(process: Process) -> None:
            for _ in range(LOADED_THREADS // 2):
                threads.submit(_load, process, expected, numbers, stop)

        for process in servers:
            burden(process)
        for number in range(kills):
            time.sleep(luck.uniform(0.05, 0.5))
            servers[number % 2].kill()
            servers[number % 2] = serve(*options)  # its start-up check passes, or it would not listen
            burden(servers[number % 2])
        stop.set()
    for process in servers:
        assert process.stop() == 0
    expected.compare(_audited(data, database))
    return len(expected.leaves), len(expected.heads)


@pytest.mark.slow("kills processes again and again")
def test_killed_servers_on_one_log_take_nothing_back(serve: Serve, tmp_path: Path, database: str | None) -> None:
    """Four kills, two servers: every answer remains true, no size has two roots, and the audit is clean."""
    leaves, heads = _kill_under_load(serve, database, tmp_path / "data", kills=4)
    assert leaves > 20
    assert heads > 5


@pytest.mark.slow("kills processes again and again")
@pytest.mark.timeout(900)
def test_servers_killed_forty_times_take_nothing_back(
    serve: Serve, tmp_path: Path, database: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same, for long."""
    leaves, heads = _kill_under_load(serve, database, tmp_path / "data", kills=40)
    with capsys.disabled():
        print(f"\n40 servers killed: {leaves} leaves answered and {heads} heads handed out all stand")  # noqa: T201
    assert leaves > 200
    assert heads > 50


@pytest.mark.slow("kills processes again and again")
def test_database_that_restarts_is_waited_for(serve: Serve, postgres: PostgresServer, tmp_path: Path) -> None:
    """The server lives through it, and what it answered before and after is one log."""
    url = postgres.make_schema(f"test_{uuid.uuid4().hex}")
    process = serve("--quiet", "--database", url)
    first = process.play("before")
    postgres.stop("fast")
    postgres.start()
    expected = Witnessed()
    expected.record(process.referee.SettleRound(first.request).log_receipt)
    expected.record(process.referee.SettleRound(process.play("after").request).log_receipt)
    expected.see(process.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint)
    assert process.stop() == 0
    expected.compare(_audited(tmp_path / "data", url))
    assert not (tmp_path / "data" / "log.sqlite3").exists()
