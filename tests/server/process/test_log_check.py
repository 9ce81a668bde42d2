"""A start reads little of a long log, damage deep in it is found before its use, and the rest is checked behind it."""

import shutil
import sqlite3
import urllib.request
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from referee.evidence.merkle import verify_consistency
from referee.evidence.note import Note
from referee.log import Checkpoint
from referee.log.proof import TILE_WIDTH
from referee.server.keys.rotation import KeyRotation
from referee.server.keys.signed_head import FILE_NAME, LostLeavesError, keys_line
from referee.server.process import log_check
from referee.server.process.app import Application
from referee.server.process.log_check import CheckRecord, CheckState, CheckTask, check_behind
from referee.server.process.opened_log import OpenedLog
from referee.storage import DataLossError, Store
from referee.storage.sqlite import open_sqlite, open_sqlite_reader
from referee.v1 import log_pb2, log_pb2_grpc
from tests.driver.refusal import ending_of
from tests.server.options import server_options
from tests.server.processes import Process, Serve
from tests.storage.long_log import Work, counted, extend
from tests.waiting import until

SIZE: Final = 3_000
DEEP: Final = 700
"""A leaf far below the newest tile, and above the first one, which has the keys."""
WAIT: Final = 600
"""Seconds that a test waits at most for a process of low priority on a machine that does other work."""
MOST_ROWS: Final = 4_000
"""Rows that a start reads at most: a few tiles of 256 on each level of the tree, and the leaves that it uses."""


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a stopped server with a revoked key, a START and thousands of leaves after them."""
    data = tmp_path_factory.mktemp("grown") / "data"
    with Application(server_options(data=data)):
        pass
    with KeyRotation.of(data, root=None, entropy=lambda count: b"e" * count) as rotation:
        rotation.rotate("referee")
    extend(data, SIZE)
    return data


@pytest.fixture
def data(grown: Path, tmp_path: Path) -> Path:
    """Return a copy of that folder."""
    return Path(shutil.copytree(grown, tmp_path / "data"))


def damage(data: Path, *statements: str) -> None:
    with closing(sqlite3.connect(data / "log.sqlite3")) as connection, connection:
        for statement in statements:
            connection.execute(statement, {"deep": DEEP, "beside": DEEP ^ 1, "last": SIZE - 1, "cut": SIZE - 300})


def opened(data: Path, **more: Any) -> Work:  # noqa: ANN401 - an option
    """Open the log as a start does, and return the work of it."""
    with ExitStack() as kept, counted() as work:
        OpenedLog.open(server_options(data=data, **more), (), kept)
    return work


def check(data: Path, report: Callable[[CheckState], None] = lambda _: None) -> None:
    """Check the log behind a start, in this process."""
    with ExitStack() as kept:
        log = OpenedLog.open(server_options(data=data), (), kept)
        head = log.store.head()
        task = CheckTask(data=str(data), size=head.size, root=head.root, keys=log.registry.leaves)
        with closing(open_sqlite_reader(data)) as reader:
            check_behind(reader, task, report)


def test_start_costs_the_same_for_a_thousand_leaves_and_a_hundred_thousand(data: Path) -> None:
    """Only rows of the tree's right edge differ, of which there is one tile more with each level."""
    small = opened(data)
    extend(data, 100_000)
    large = opened(data)
    assert small.rows > TILE_WIDTH / 2, "the newest tile was not read"
    assert max(small.rows, large.rows) < MOST_ROWS
    assert max(small.hashes, large.hashes) < MOST_ROWS
    whole = opened(data, check_first=True)
    assert whole.rows > 2 * 100_000


DAMAGES: Final = {
    "revocation's row removed": ("DELETE FROM noted WHERE kind = 0 AND position = 5",),
    "revocation's row removed and not counted": (
        "DELETE FROM noted WHERE kind = 0 AND position = 5",
        "UPDATE head SET roundless = roundless - 1",
    ),
    "revocation's row changed": ("UPDATE noted SET position = :deep WHERE kind = 0 AND position = 5",),
    "key's row removed": ("DELETE FROM noted WHERE kind = 0 AND position = 0",),
    "row of a key that is none added": ("INSERT INTO noted VALUES (0, '', :deep)",),
    "key's leaf edited": ("UPDATE leaf SET data = CAST(data || ' ' AS BLOB) WHERE position = 1",),
    "revocation's leaf edited": ("UPDATE leaf SET data = CAST(data || ' ' AS BLOB) WHERE position = 5",),
    "START's row changed": ("UPDATE noted SET position = :deep WHERE kind = 1",),
    "START's leaf edited": ("UPDATE leaf SET data = CAST(data || ' ' AS BLOB) WHERE position = 3",),
    "hash above the leaves edited": ("UPDATE node SET hash = zeroblob(32) WHERE level = 1 AND position = 2",),
    "newest leaf edited": ("UPDATE leaf SET data = CAST(data || ' ' AS BLOB) WHERE position = :last",),
    "newest hash edited": ("UPDATE node SET hash = zeroblob(32) WHERE level = 0 AND position = :last",),
    "root edited": ("UPDATE head SET root = zeroblob(32)",),
    "leaves cut off": ("DELETE FROM leaf WHERE position >= :cut",),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_to_what_a_start_uses_stops_it(data: Path, name: str) -> None:
    damage(data, *DAMAGES[name])
    with pytest.raises(DataLossError), Application(server_options(data=data)):
        pass


def test_log_cut_back_whole_is_refused_by_the_record_beside_the_keys(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "old")
    extend(data, SIZE + 600)
    for path in data.glob("log.sqlite3*"):
        path.unlink()
    for path in (tmp_path / "old").glob("log.sqlite3*"):
        shutil.copy(path, data)
    with pytest.raises(LostLeavesError, match="600"):
        opened(data)


def rewrite_root(note: bytes) -> bytes:
    checkpoint = Checkpoint.parse(Note.parse(note.partition(b"keys ")[0]).text)
    return note.replace(checkpoint.body.splitlines()[2].encode(), b"A" * 43 + b"=")


@pytest.mark.parametrize(
    ("rewrite", "error"),
    [
        (rewrite_root, LostLeavesError),
        (lambda note: note.partition(b"keys ")[0] + keys_line([0, 1, 2, 4]), DataLossError),
        (lambda note: note.partition(b"keys ")[0] + b"keys\n", Exception),
    ],
    ids=["another root", "other keys", "no line"],
)
def test_record_that_was_rewritten_is_noticed(
    data: Path, rewrite: Callable[[bytes], bytes], error: type[Exception]
) -> None:
    path = data / "keys" / FILE_NAME
    path.write_bytes(rewrite(path.read_bytes()))
    with pytest.raises(error):
        opened(data)


def test_log_without_a_record_of_its_keys_is_checked_whole_before_it_is_served(data: Path) -> None:
    """So a revocation whose row is gone is found too where nothing beside the keys says that it was there."""
    path = data / "keys" / FILE_NAME
    whole = path.read_bytes()
    path.write_bytes(whole.partition(b"keys ")[0])
    assert opened(data).rows > 2 * SIZE
    path.write_bytes(whole.partition(b"keys ")[0])
    damage(data, *DAMAGES["revocation's row removed and not counted"])
    with pytest.raises(DataLossError, match="leaf 5 is, and the store does not name it as a KEY leaf"):
        opened(data)


def reads_of(store: Store) -> dict[str, Callable[[], object]]:
    """Return each way of reading the deep leaf, or something that its hash decides."""
    size = store.head().size
    return {
        "leaf": lambda: store.leaf(DEEP),
        "leaves": lambda: store.leaves(DEEP - 2, DEEP + 2),
        "iterate": lambda: list(store.iterate(DEEP - 9, DEEP + 9)),
        "receipt": lambda: store.receipt(DEEP),
        "logged": lambda: store.logged(DEEP),
        "inclusion": lambda: store.inclusion_proof(index=DEEP, size=size),
        "inclusion in an older tree": lambda: store.inclusion_proof(index=DEEP, size=DEEP + 5),
    }


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE leaf SET data = CAST(data || ' ' AS BLOB) WHERE position = :deep",
        "UPDATE node SET hash = zeroblob(32) WHERE level = 0 AND position = :beside",
    ],
    ids=["leaf edited", "hash edited"],
)
def test_deep_damage_is_found_before_anything_is_answered_from_it(data: Path, statement: str) -> None:
    """The start does not see it; each read of it is refused and stops the log, and so does the check behind it."""
    damage(data, statement)
    for name in reads_of(open_sqlite(data)):
        with Application(server_options(data=data, checks=False)) as server:
            store = server.log.store
            with pytest.raises(DataLossError):
                reads_of(store)[name]()
            assert server.log.writer is not None
            assert server.log.writer.fault is not None, name
            with pytest.raises(DataLossError):
                server.keys.signer("referee").sign(b"anything")
            assert store.leaf(DEEP + TILE_WIDTH).startswith(b"leaf ")
    with pytest.raises(DataLossError):
        check(data)


def test_consistency_proof_over_a_damaged_hash_is_not_answered(data: Path) -> None:
    damage(data, "UPDATE node SET hash = zeroblob(32) WHERE level = 0 AND position = :deep")
    with Application(server_options(data=data, checks=False)) as server:
        store = server.log.store
        old, new = 2 * TILE_WIDTH, store.head()
        proof = store.consistency_proof(old_size=old, new_size=new.size)
        with closing(open_sqlite_reader(data)) as reader:
            old_root = reader._root(old)  # noqa: SLF001 - the tree's own
        verify_consistency(old_size=old, new_size=new.size, old_root=old_root, new_root=new.root, proof=proof)
        with pytest.raises(DataLossError):
            store.consistency_proof(old_size=DEEP + 1, new_size=new.size)


def test_callers_get_data_loss_for_a_damaged_leaf_and_the_server_stops_writing(data: Path) -> None:
    damage(data, "UPDATE leaf SET data = CAST(data || ' ' AS BLOB) WHERE position = :deep")
    with (
        Application(server_options(data=data, checks=False)) as server,
        grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel,
    ):
        log = log_pb2_grpc.LogServiceStub(channel)
        assert ending_of(log.ListEntries, log_pb2.ListEntriesRequest(start=DEEP - 9))[0] == "DATA_LOSS"
        until(lambda: bool(server.health.problem), seconds=30)


@pytest.mark.parametrize("is_added", [True, False], ids=["unknown to the start", "no such leaf"])
def test_start_leaf_that_the_start_did_not_know_stops_the_log(data: Path, *, is_added: bool) -> None:
    """The check finds it where the row of a START is gone, or names another leaf of another instance."""
    damage(data, "INSERT INTO noted VALUES (1, 'other', :deep)" if is_added else "DELETE FROM noted WHERE kind = 1")
    with pytest.raises(DataLossError, match="as a START leaf"):
        check(data)


def test_check_passes_every_leaf_and_says_how_far_it_is(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_check, "SAVED_TILES", 3)
    states: list[CheckState] = []
    check(data, states.append)
    edge = SIZE // TILE_WIDTH * TILE_WIDTH
    assert [sum(map(len, state.ranges)) for state in states] == [*range(edge, 0, -3 * TILE_WIDTH), 0]
    assert CheckRecord.read(data).ended_time == states[-1].since > 0


def test_check_that_was_killed_goes_on_where_it_was(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes round to where it began: what a former start passed is proved until this one has passed it."""
    monkeypatch.setattr(log_check, "SAVED_TILES", 2)
    states: list[CheckState] = []

    def die(state: CheckState) -> None:
        if state.unpassed[0][0] == 6 * TILE_WIDTH:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(data, die)
    check(data, states.append)
    edge = SIZE // TILE_WIDTH * TILE_WIDTH
    assert states[0].unpassed == ((6 * TILE_WIDTH, edge), (0, 6 * TILE_WIDTH))
    assert states[1].unpassed == ((8 * TILE_WIDTH, edge), (0, 6 * TILE_WIDTH))
    assert states[-2].unpassed[-1][1] == 6 * TILE_WIDTH
    assert states[-1].unpassed == ()
    assert CheckRecord.read(data).next_tile == 0


@pytest.mark.parametrize("record", [b"", b"[" * 9_000, b'{"next_tile":-1}', b'{"next_tile":99999999}', b"\xff"])
def test_record_of_the_check_that_makes_no_sense_begins_it_anew(data: Path, record: bytes) -> None:
    (data / log_check.FILE_NAME).write_bytes(record)
    states: list[CheckState] = []
    check(data, states.append)
    assert states[0].unpassed == ((0, SIZE // TILE_WIDTH * TILE_WIDTH),)
    assert states[-1].unpassed == ()


def test_server_checks_its_log_in_a_process_of_its_own(data: Path) -> None:
    with Application(server_options(data=data)) as server:
        assert server.log.store.unpassed
        until(lambda: not server.log.store.unpassed, seconds=WAIT)
        assert server.log.writer is not None
        assert server.log.writer.fault is None
    assert CheckRecord.read(data).ended_time > 0


def test_damage_that_the_check_finds_stops_a_running_server(data: Path) -> None:
    damage(data, "UPDATE leaf SET data = CAST(data || ' ' AS BLOB) WHERE position = :deep")
    with Application(server_options(data=data)) as server:
        writer = server.log.writer
        assert writer is not None
        until(lambda: writer.fault is not None, seconds=WAIT)
        with pytest.raises(DataLossError):
            server.keys.signer("referee").sign(b"anything")
        until(lambda: "damaged" in server.health.problem or "log" in server.health.problem, seconds=30)
        assert server.log.store.unpassed, "what the check has not passed is still proved"


def figures(process: Process, name: str) -> list[float]:
    """Return a metric of each worker; empty while one does not answer."""
    values = []
    for worker in process.ready["workers"]:
        try:
            with urllib.request.urlopen(f"http://{worker['metrics']}/metrics", timeout=10) as answer:
                text = answer.read().decode()
        except OSError:
            return []
        values += [float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} ")]
    return values


def test_supervisor_checks_the_log_once_for_all_workers(data: Path, serve: Serve, tmp_path: Path) -> None:
    process = serve("--workers", "2", "--metrics", "127.0.0.1:0", data=data)
    until(lambda: figures(process, "referee_log_unchecked_leaves") == [0, 0], seconds=WAIT)
    assert all(age < 3_600 for age in figures(process, "referee_log_check_age_seconds"))
    until(lambda: (tmp_path / "errors.log").read_text().count('"event":"log checked"') == 1, seconds=WAIT)
    assert process.stop() == 0
    assert (tmp_path / "errors.log").read_text().count('"event":"log checked"') == 1


def test_damage_that_the_supervisors_check_finds_stops_every_worker(data: Path, serve: Serve) -> None:
    damage(data, "UPDATE leaf SET data = CAST(data || ' ' AS BLOB) WHERE position = :deep")
    process = serve("--workers", "2", "--metrics", "127.0.0.1:0", data=data)
    until(lambda: figures(process, "referee_log_stopped") == [1, 1], seconds=WAIT)
    process.stop()
