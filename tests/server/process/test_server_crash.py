"""Servers that die under load, two at a time on one log: every answer given remains true, and no head has a rival.

One is killed, or asked to stop, in the middle of its work.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from referee_client import Proved, RefereeError

from referee.evidence.merkle import root
from referee.evidence.note import Note
from referee.log import Checkpoint
from referee.v1 import log_pb2
from tests.budget import sample
from tests.chaos.fault_workers import kill_servers
from tests.chaos.scene import Scene
from tests.driver.driver import AnyRound, settle
from tests.randomness import random_from
from tests.server.processes import Process, Serve
from tests.storage.postgres_server import PostgresServer
from tests.waiting import until


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(4, marks=pytest.mark.slow("kills processes again and again")),
        pytest.param(
            sample(10, whole=40),
            marks=[
                pytest.mark.slow("kills processes again and again"),
                pytest.mark.smaller("10 of 40 deaths, each of which starts a server and its process of advice again"),
                pytest.mark.timeout(900),
            ],
        ),
    ],
)
def test_killed_servers_on_one_log_take_nothing_back(tmp_path: Path, database: str | None, kills: int) -> None:
    """Of two servers one is killed at a time: every answer remains true, no size has two roots, the audit is clean."""
    scene = Scene("Servers killed", tmp_path, random_from(kills))
    with scene.stack:
        kill_servers(scene, database=database, kills=kills)
    assert scene.faults == []
    assert len(scene.ledger.receipts) > 5 * kills
    assert len(scene.ledger.settled) > kills


@pytest.mark.slow("kills processes again and again")
def test_database_that_restarts_is_waited_for(serve: Serve, postgres: PostgresServer, url: str, tmp_path: Path) -> None:
    """The server lives through it, and what it answered before and after is one log."""
    process = serve("--quiet", "--database", url)
    first = process.driver.play("before")
    postgres.stop("fast")
    postgres.start()
    answered = [settle(one) for one in (first, process.driver.play("after"))]
    leaves = leaves_of(process)
    assert [leaves[receipt.index] for receipt in answered] == [receipt.leaf for receipt in answered]
    assert process.stop() == 0
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
    tables = {f"k-{number}": process.driver.play(f"k-{number}") for number in range(48)}
    answered: dict[str, Proved] = {}
    reached = threading.Event()

    def settle_or_fail(item: tuple[str, AnyRound]) -> None:
        name, table = item
        try:
            answered[name] = settle(table)
        except RefereeError:
            return
        if len(answered) >= enough:
            reached.set()

    with ThreadPoolExecutor(8) as threads:
        for item in tables.items():
            threads.submit(settle_or_fail, item)
        assert reached.wait(20)
        process.kill()
    assert enough <= len(answered) < len(tables)

    again = serve("--quiet")
    leaves = leaves_of(again)
    assert all(leaves[receipt.index] == receipt.leaf for receipt in answered.values())
    assert len(leaves) >= 3 + 2 * len(tables) + len(answered)
    for name, table in tables.items():
        receipt = settle(again.driver.take(table))
        assert name not in answered or receipt.leaf == answered[name].leaf
    revealed = log_pb2.ROUND_STAGE_REVEALED
    until(lambda: all(find(again, name).stage == revealed for name in tables), "a seed was not revealed", seconds=10)
    assert len(leaves_of(again)) == 4 + 4 * len(tables)


@pytest.mark.slow("starts many processes")
def test_killed_before_the_reveal_the_next_start_reveals(serve: Serve) -> None:
    """Without the shuffler nobody reveals; a process that has it does, without being asked."""
    process = serve("--quiet")
    table = process.driver.play("t")
    process.kill()
    judge = serve("--quiet", "--services", "referee,log")
    settle(judge.driver.take(table))
    assert find(judge, "t").stage == log_pb2.ROUND_STAGE_SETTLED
    judge.kill()
    again = serve("--quiet")
    until(lambda: find(again, "t").stage == log_pb2.ROUND_STAGE_REVEALED, seconds=10)


def test_seed_of_a_round_that_another_process_settles_is_revealed(serve: Serve) -> None:
    """One process deals, another judges, both on one folder: the dealing one notices."""
    dealer, judge = serve("--quiet"), serve("--quiet", "--services", "referee,log")
    table = dealer.driver.play("t")
    settle(judge.driver.take(table))
    until(lambda: find(dealer, "t").stage == log_pb2.ROUND_STAGE_REVEALED, seconds=10)


def test_asked_to_stop_it_answers_what_it_has_accepted(serve: Serve) -> None:
    """SIGTERM while eight threads settle: exit code 0, and the log holds what was answered."""
    process = serve("--quiet")
    tables = {f"s-{number}": process.driver.play(f"s-{number}") for number in range(32)}
    answered: dict[str, bytes] = {}

    def settle_or_fail(item: tuple[str, AnyRound]) -> str:
        name, table = item
        try:
            answered[name] = settle(table).leaf
        except RefereeError as error:
            return error.code.name
        if len(answered) == 4:
            process.terminate()
        return "OK"

    with ThreadPoolExecutor(8) as threads:
        message = list(threads.map(settle_or_fail, tables.items()))
    assert process.stop() == 0
    assert set(message) <= {"OK", "UNAVAILABLE", "CANCELLED"}
    again = serve("--quiet")
    assert set(answered.values()) <= set(leaves_of(again))
    assert all(find(again, name).stage == log_pb2.ROUND_STAGE_REVEALED for name in answered)
