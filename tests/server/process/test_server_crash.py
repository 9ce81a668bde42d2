"""Servers that die under load, two at a time on one log: every answer given remains true, and no head has a rival.

One is killed, or asked to stop, in the middle of its work.
"""

import itertools
import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from referee.audit import MemoryLog, audit_log
from referee.evidence.merkle import Frontier, grow, leaf_hash, root
from referee.evidence.note import Note
from referee.log import Checkpoint
from referee.rulesets import load_builtin
from referee.server.clock import system_clock
from referee.server.keys.folder import read_public_keys
from referee.storage import check_store, open_reader
from referee.v1 import log_pb2
from tests.server.processes import Process, Serve, Table
from tests.storage.postgres_server import PostgresServer
from tests.waiting import until

LOADED_THREADS: Final = 6


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
def test_servers_killed_forty_times_take_nothing_back(serve: Serve, tmp_path, database: str | None, capsys) -> None:
    """The same, for long."""
    leaves, heads = _kill_under_load(serve, database, tmp_path / "data", kills=40)
    with capsys.disabled():
        print(f"\n40 servers killed: {leaves} leaves answered and {heads} heads handed out all stand")  # noqa: T201
    assert leaves > 200
    assert heads > 50


@pytest.mark.slow("kills processes again and again")
def test_database_that_restarts_is_waited_for(serve: Serve, postgres: PostgresServer, url: str, tmp_path: Path) -> None:
    """The server lives through it, and what it answered before and after is one log."""
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


def leaves_of(process: Process) -> list[bytes]:
    """All leaves, once their root was found to be the checkpoint's."""
    note = process.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
    head = Checkpoint.parse(Note.parse(note.encode()).text)
    leaves = process.leaves()
    assert root(leaves[: head.size]) == head.root
    return leaves


def find(process: Process, table: str) -> log_pb2.GetTableRoundResponse:
    """State of the table's round."""
    found: log_pb2.GetTableRoundResponse = process.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id=table))
    return found


@pytest.mark.parametrize(
    "enough",
    [9, *(pytest.param(count, marks=pytest.mark.slow("kills processes again and again")) for count in (1, 25))],
)
def test_killed_while_settling_no_answered_settlement_is_lost(serve: Serve, enough: int) -> None:
    """Eight threads settle until the process is killed; after a restart every answer is in the log and more settle."""
    process = serve("--quiet")
    tables = {f"k-{number}": process.play(f"k-{number}") for number in range(48)}
    answered: dict[str, Any] = {}
    reached = threading.Event()

    def settle(item: tuple[str, Table]) -> None:
        name, table = item
        try:
            answered[name] = process.referee.SettleRound(table.request).log_receipt
        except grpc.RpcError:
            return
        if len(answered) >= enough:
            reached.set()

    with ThreadPoolExecutor(8) as threads:
        for item in tables.items():
            threads.submit(settle, item)
        assert reached.wait(20)
        process.kill()
    assert enough <= len(answered) < len(tables)

    again = serve("--quiet")
    leaves = leaves_of(again)
    assert all(leaves[receipt.leaf_index] == receipt.leaf for receipt in answered.values())
    assert len(leaves) >= 3 + 2 * len(tables) + len(answered)
    for name, table in tables.items():
        receipt = again.referee.SettleRound(table.request).log_receipt
        assert name not in answered or receipt.leaf == answered[name].leaf
    revealed = log_pb2.ROUND_STAGE_REVEALED
    until(lambda: all(find(again, name).stage == revealed for name in tables), "a seed was not revealed", seconds=10)
    assert len(leaves_of(again)) == 4 + 4 * len(tables)


@pytest.mark.slow("starts many processes")
def test_killed_before_the_reveal_the_next_start_reveals(serve: Serve) -> None:
    """Without the shuffler nobody reveals; a process that has it does, without being asked."""
    process = serve("--quiet")
    table = process.play("t")
    process.kill()
    judge = serve("--quiet", "--services", "referee,log")
    judge.referee.SettleRound(table.request)
    assert find(judge, "t").stage == log_pb2.ROUND_STAGE_SETTLED
    judge.kill()
    again = serve("--quiet")
    until(lambda: find(again, "t").stage == log_pb2.ROUND_STAGE_REVEALED, seconds=10)


def test_seed_of_a_round_that_another_process_settles_is_revealed(serve: Serve) -> None:
    """One process deals, another judges, both on one folder: the dealing one notices."""
    dealer, judge = serve("--quiet"), serve("--quiet", "--services", "referee,log")
    table = dealer.play("t")
    judge.referee.SettleRound(table.request)
    until(lambda: find(dealer, "t").stage == log_pb2.ROUND_STAGE_REVEALED, seconds=10)


def test_asked_to_stop_it_answers_what_it_has_accepted(serve: Serve) -> None:
    """SIGTERM while eight threads settle: exit code 0, and the log holds what was answered."""
    process = serve("--quiet")
    tables = {f"s-{number}": process.play(f"s-{number}") for number in range(32)}
    answered: dict[str, bytes] = {}

    def settle(item: tuple[str, Table]) -> str:
        name, table = item
        try:
            answered[name] = process.referee.SettleRound(table.request).log_receipt.leaf
        except grpc.RpcError as error:
            return str(error.code().name)
        if len(answered) == 4:
            process.terminate()
        return "OK"

    with ThreadPoolExecutor(8) as threads:
        message = list(threads.map(settle, tables.items()))
    assert process.stop() == 0
    assert set(message) <= {"OK", "UNAVAILABLE", "CANCELLED"}
    again = serve("--quiet")
    assert set(answered.values()) <= set(leaves_of(again))
    assert all(find(again, name).stage == log_pb2.ROUND_STAGE_REVEALED for name in answered)
