"""What is SQLite's own: durability settings, files, locks, full disks, and damage done behind the store's back."""

import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect

from referee.evidence.merkle import root
from referee.log import Checkpoint, SlotKey
from referee.storage import (
    Append,
    DataLossError,
    Head,
    SchemaVersionError,
    Store,
    StoreBusyError,
    StoreError,
    Writer,
    check_store,
)
from referee.storage.schema import METADATA, VERSION
from referee.storage.sqlite import FILE_NAME, open_sqlite, open_sqlite_reader
from referee.storage.statements import Statements
from tests.storage.log_bench import Bench

LEAVES = [f"leaf {n} ".encode() * 20 for n in range(600)]


def _fill(folder: Path, bench: Bench, *, count: int = 600) -> None:
    with bench.writing(open_sqlite(folder)) as (_, writer):
        for start in range(0, count, 100):
            writer.submit(*(Append(leaf=leaf) for leaf in LEAVES[start : min(count, start + 100)])).result()
        writer.append(bench.append("OPEN"))


def _damage(folder: Path, statement: str, *parameters: object) -> None:
    with sqlite3.connect(folder / FILE_NAME) as connection:
        assert connection.execute(statement, parameters).rowcount > 0
    connection.close()


def _pragma(store: Store, name: str) -> object:
    with store._engine.connect() as connection:  # noqa: SLF001 - nothing else can see the settings in force
        return connection.exec_driver_sql(f"PRAGMA {name}").scalar()


def test_every_commit_is_forced_to_disk_and_none_moves_the_write_ahead_log(tmp_path: Path):
    store = open_sqlite(tmp_path)
    found = {name: _pragma(store, name) for name in ("journal_mode", "synchronous", "wal_autocheckpoint", "page_size")}
    assert found == {"journal_mode": "wal", "synchronous": 2, "wal_autocheckpoint": 0, "page_size": 2_048}
    store.close()


def test_compacting_lets_the_write_ahead_log_start_over(tmp_path: Path, bench: Bench):
    """Without it the file grows with every commit; after it the next commit writes from its beginning."""
    wal = tmp_path / f"{FILE_NAME}-wal"
    store = open_sqlite(tmp_path)
    with Writer(store, bench.signer, origin=bench.origin) as writer:
        for n in range(50):
            writer.append(Append(leaf=LEAVES[n]))
        grown = wal.stat().st_size
        assert grown > 50 * 2_048
        store.compact()
        for n in range(20):
            writer.append(Append(leaf=LEAVES[50 + n]))
        assert wal.stat().st_size == grown
    assert check_store(store).size == 70
    store.close()
    assert not wal.exists()


def test_writer_compacts_by_itself_after_enough_leaves(tmp_path: Path, bench: Bench):
    """25 MB of leaves leave a write-ahead log of far less behind."""
    compacted = threading.Event()

    class Watched(Store):
        def compact(self) -> None:
            super().compact()
            compacted.set()

    plain = open_sqlite(tmp_path)
    store = Watched(plain._engine, plain._flavor)  # noqa: SLF001 - the same store, watched
    with Writer(store, bench.signer, origin=bench.origin) as writer:
        for _ in range(5):
            for _ in range(5):
                writer.submit(*(Append(leaf=b"x" * 50_000) for _ in range(20))).result()
            assert compacted.wait(30)
            compacted.clear()
        assert (tmp_path / f"{FILE_NAME}-wal").stat().st_size < 15_000_000
    store.close()


def test_held_lock_is_busy_and_nothing_is_appended(tmp_path: Path, bench: Bench):
    _fill(tmp_path, bench, count=100)
    with bench.writing(open_sqlite(tmp_path, busy_timeout_ms=50)) as (store, writer):
        other = sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError):
            writer.append(Append(leaf=b"while it is held"))
        assert store.head().size == 101  # readers are not held up
        other.execute("ROLLBACK")
        other.close()
        assert writer.append(Append(leaf=b"afterwards")).receipt.index == 101


def test_full_disk_fails_the_append_and_hurts_nothing(tmp_path: Path, bench: Bench):
    """A limit on the pages of the file imitates the disk; once it is lifted the log goes on."""
    _fill(tmp_path, bench, count=100)
    store = open_sqlite(tmp_path)
    with Writer(store, bench.signer, origin=bench.origin) as writer:
        writer.append(Append(leaf=b"before"))
        pages = _pragma(store, "page_count")
        assert store._connection is not None  # noqa: SLF001 - as below
        cursor = store._connection.cursor()  # noqa: SLF001 - the limit is the connection's own
        cursor.execute(f"PRAGMA max_page_count={pages}")
        with pytest.raises(StoreError, match="full"):
            writer.append(Append(leaf=b"x" * 60_000))
        assert check_store(store).size == 102
        assert writer.append(Append(leaf=b"x" * 60_000)).receipt.index == 102
    assert check_store(store).size == 103
    store.close()


def test_folder_without_a_log_is_not_read(tmp_path: Path, bench: Bench):
    with pytest.raises(StoreError):
        open_sqlite_reader(tmp_path)
    open_sqlite(tmp_path).close()
    with pytest.raises(StoreError):
        open_sqlite_reader(tmp_path)
    _fill(tmp_path, bench, count=0)
    reader = open_sqlite_reader(tmp_path)
    assert reader.origin == bench.origin
    reader.close()


@pytest.mark.parametrize("version", [0, VERSION + 1, 99])
def test_store_of_another_schema_version_is_refused_and_left_alone(tmp_path: Path, bench: Bench, version: int):
    """Neither read nor written; the error names both versions and what to do."""
    _fill(tmp_path, bench, count=0)
    _damage(tmp_path, "UPDATE schema_version SET version = ?", version)
    before = (tmp_path / FILE_NAME).read_bytes()
    for opening in (open_sqlite, open_sqlite_reader):
        with pytest.raises(SchemaVersionError, match=rf"version {version}, .* version {VERSION} only: use the release"):
            opening(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_store_without_a_schema_version_is_refused(tmp_path: Path, bench: Bench):
    _fill(tmp_path, bench, count=0)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("DROP TABLE schema_version")
    with pytest.raises(SchemaVersionError, match="version 0"):
        open_sqlite(tmp_path)
    with pytest.raises(StoreError, match="schema_version"):
        open_sqlite_reader(tmp_path)


def test_store_whose_schema_version_is_lost_is_refused_to_readers(tmp_path: Path, bench: Bench):
    _fill(tmp_path, bench, count=0)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("DELETE FROM schema_version")
    with pytest.raises(SchemaVersionError, match="version 0"):
        open_sqlite_reader(tmp_path)


def test_new_store_has_the_tables_of_the_schema(tmp_path: Path):
    open_sqlite(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert names == set(METADATA.tables)
        assert connection.execute("SELECT version, openings FROM schema_version").fetchall() == [(VERSION, 1)]


def test_reader_changes_nothing(tmp_path: Path, bench: Bench):
    """Not a byte of the file, and writing through it is impossible."""
    _fill(tmp_path, bench, count=100)
    before = (tmp_path / FILE_NAME).read_bytes()
    reader = open_sqlite_reader(tmp_path)
    assert check_store(reader).size == 101
    with pytest.raises(StoreError):
        reader._rows("DELETE FROM leaf")  # noqa: SLF001 - no public way tries to write
    reader.close()
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_copy_in_a_folder_that_cannot_be_written_is_read(tmp_path: Path, bench: Bench, monkeypatch: pytest.MonkeyPatch):
    """Nothing is put beside the file, where SQLite would otherwise want its shared memory."""
    _fill(tmp_path, bench, count=100)
    monkeypatch.setattr("referee.storage.sqlite.os.access", lambda *_: False)
    reader = open_sqlite_reader(tmp_path)
    assert check_store(reader).size == 101
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]
    reader.close()


def test_odd_folder_names_are_paths_and_no_options(tmp_path: Path, bench: Bench):
    """A folder may be called anything, also what SQLite would take for a query."""
    folder = tmp_path / "đa ta?mode=memory#100%25"
    _fill(folder, bench, count=3)
    assert (folder / FILE_NAME).is_file()
    reader = open_sqlite_reader(folder)
    assert list(reader.iterate(0, 3)) == LEAVES[:3]
    reader.close()


def test_progress_is_reported_up_to_the_end(tmp_path: Path, bench: Bench):
    _fill(tmp_path, bench)
    reader = open_sqlite_reader(tmp_path)
    reported: list[tuple[int, int]] = []
    check_store(reader, progress=lambda done, size: reported.append((done, size)))
    assert reported == [(256, 601), (512, 601), (601, 601)]
    reader.close()


@pytest.mark.parametrize(
    ("statement", "parameters"),
    [
        pytest.param("UPDATE leaf SET data = ? WHERE position = 0", [b"edited"], id="first leaf edited"),
        pytest.param("UPDATE leaf SET data = ? WHERE position = 300", [b"edited"], id="leaf edited in a full tile"),
        pytest.param("UPDATE leaf SET data = ? WHERE position = 600", [b"edited"], id="last leaf edited"),
        pytest.param("DELETE FROM leaf WHERE position = 0", [], id="first leaf lost"),
        pytest.param("DELETE FROM leaf WHERE position = 300", [], id="leaf lost"),
        pytest.param("DELETE FROM leaf WHERE position >= 590", [], id="log cut off"),
        pytest.param("DELETE FROM leaf", [], id="all leaves lost"),
        pytest.param("UPDATE leaf SET position = 9999 WHERE position = 600", [], id="leaf moved"),
        pytest.param("UPDATE node SET hash = ? WHERE position = 7 AND level = 0", [bytes(32)], id="hash edited"),
        pytest.param("UPDATE node SET hash = ? WHERE level = 1", [bytes(32)], id="upper hash edited"),
        pytest.param("DELETE FROM node WHERE position = 600 AND level = 0", [], id="hash lost"),
        pytest.param("UPDATE head SET root = ?", [bytes(32)], id="root edited"),
        pytest.param("UPDATE head SET size = 600", [], id="size edited"),
        pytest.param("UPDATE head SET peaks = ?", [bytes(32 * 5)], id="peaks edited"),
        pytest.param("UPDATE head SET peaks = ?", [b"short"], id="peaks cut off"),
        pytest.param("UPDATE head SET checkpoint = ?", [b"no note"], id="checkpoint is no note"),
        pytest.param("UPDATE head SET origin = 'log.example/2'", [], id="origin edited"),
        pytest.param("DELETE FROM head", [], id="head lost"),
    ],
)
def test_damage_is_found_before_the_log_goes_on(tmp_path: Path, bench: Bench, statement: str, parameters: list[bytes]):
    _fill(tmp_path, bench)
    store = open_sqlite(tmp_path)
    assert store.origin == bench.origin
    assert check_store(store).size == 601
    store.close()
    _damage(tmp_path, statement, *parameters)
    store = open_sqlite(tmp_path)
    with pytest.raises((DataLossError, StoreError)) as found:
        check_store(store)
    assert isinstance(found.value, DataLossError) or statement == "DELETE FROM head"
    store.close()


def test_head_put_back_with_its_tables_contradicts_a_known_checkpoint(tmp_path: Path, bench: Bench):
    """A backup is whole in itself. A checkpoint that a witness has cosigned shows that it is old, or another log."""
    folder, backup, fork = tmp_path / "data", tmp_path / "backup", tmp_path / "fork"
    _fill(folder, bench, count=300)
    shutil.copytree(folder, backup)
    shutil.copytree(folder, fork)

    def grow(where: Path, leaf: bytes) -> Head:
        store = open_sqlite(where)
        with Writer(store, bench.signer, origin=bench.origin) as writer:
            writer.append(Append(leaf=leaf))
        head = check_store(store)
        store.close()
        return head

    head = grow(folder, b"as witnessed")
    witnessed = Checkpoint(bench.origin, head.size, head.root)
    earlier = [Checkpoint(bench.origin, size, root(LEAVES[:size])) for size in (256, 1, 0, 300, 255)]
    grow(fork, b"otherwise")

    def check(where: Path, *known: Checkpoint) -> int:
        reader = open_sqlite_reader(where)
        try:
            return check_store(reader, known=known).size
        finally:
            reader.close()

    assert check(folder, witnessed, *earlier) == 302
    assert check(backup, *earlier) == 301
    assert check(fork, *earlier) == 302
    with pytest.raises(DataLossError, match="302"):
        check(backup, witnessed, *earlier)
    with pytest.raises(DataLossError, match="first 302"):
        check(fork, witnessed)
    with pytest.raises(DataLossError, match="first 255"):
        check(folder, Checkpoint(bench.origin, 255, bytes(32)))


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda reader: reader.receipt(40), id="receipt"),
        pytest.param(lambda reader: reader.inclusion_proof(index=40, size=100), id="inclusion"),
        pytest.param(lambda reader: reader.consistency_proof(old_size=30, new_size=100), id="consistency"),
    ],
)
def test_hashes_that_end_before_the_log_are_a_loss(tmp_path: Path, bench: Bench, ask: Callable[[Any], object]):
    """No row between two others is missing, so only the proof shows it."""
    _fill(tmp_path, bench, count=100)
    _damage(tmp_path, "DELETE FROM node WHERE position >= 50")
    reader = open_sqlite_reader(tmp_path)
    with pytest.raises(DataLossError):
        ask(reader)
    reader.close()


@pytest.mark.parametrize("unseals", [b"cut off", bytes(40)])
def test_openings_that_cannot_be_read_are_a_loss(tmp_path: Path, bench: Bench, unseals: bytes):
    """Not whole, or after an event that no course has: events count from 1."""
    _fill(tmp_path, bench, count=0)
    _damage(tmp_path, "UPDATE round SET unseals = ?", unseals)
    reader = open_sqlite_reader(tmp_path)
    with pytest.raises(DataLossError, match="a round's openings cannot be read"):
        reader.round(SlotKey("t", 1))
    reader.close()


def test_dialect_with_named_parameters_is_refused():
    """The statements' parameters go to the driver by position."""
    with pytest.raises(ValueError, match="by position"):
        Statements(sqlite_dialect(paramstyle="named"))


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda reader: reader.receipt(40), id="receipt"),
        pytest.param(lambda reader: reader.consistency_proof(old_size=30, new_size=100), id="consistency"),
        pytest.param(lambda reader: list(reader.iterate()), id="iterate"),
    ],
)
def test_hole_is_not_papered_over(tmp_path: Path, bench: Bench, ask: Callable[[Any], object]):
    """A question for what is lost raises DataLossError."""
    _fill(tmp_path, bench, count=100)
    _damage(tmp_path, "DELETE FROM node WHERE position = 50")
    _damage(tmp_path, "DELETE FROM leaf WHERE position = 50")
    reader = open_sqlite_reader(tmp_path)
    assert reader.round(SlotKey("t", 1)) is not None
    with pytest.raises(DataLossError):
        ask(reader)
    with pytest.raises(DataLossError, match=r"^a leaf is missing between 0 and 63$"):
        reader.leaves(0, 64)
    reader.close()
