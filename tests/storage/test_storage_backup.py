"""A backup is the log at one moment; a restored one is the same log, and never written over another."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, Insert, Table

from referee.evidence.merkle import root
from referee.log import Checkpoint, CheckpointSigner, SlotKey
from referee.storage import (
    Append,
    Contribution,
    DataLossError,
    Store,
    StoreError,
    Writer,
    back_up,
    check_store,
    restore,
    restore_into,
)
from referee.storage.sqlite import FILE_NAME, open_sqlite, open_sqlite_file, open_sqlite_reader
from tests.storage.log_bench import Bench, Place
from tests.storage.real_rounds import LOG, ORIGIN, REQUESTS


def _fill(store: Store) -> None:
    with Writer(store, CheckpointSigner(LOG, key_name=LOG.name), origin=ORIGIN) as writer:
        for request in REQUESTS[:-1]:
            writer.submit(*request).result()
            step = request[-1].step
            if step is not None and step.kind.name == "OPEN":
                writer.contribute(Contribution(key=step.key, seat=1, seed=bytes(range(32)), signature=b"s" * 64))


def _all(store: Store) -> list[object]:
    """Everything that a store says of itself."""
    keys = [SlotKey("mau", 1), SlotKey("mau", 2), SlotKey("texas", 1), SlotKey("tien", 1)]
    rounds = [(store.round(key), store.marks(key), store.contributions(key)) for key in keys]
    return [store.origin, store.head(), list(store.iterate()), rounds, store.overdue_rounds(2**50, 9)]


def test_store_that_cannot_be_copied_says_so(tmp_path: Path):
    def read(connection: Connection) -> None:
        connection.exec_driver_sql("SELECT 1 FROM no_table")

    with closing(open_sqlite(tmp_path)) as store, pytest.raises(StoreError, match="the store could not be copied"):
        store.pour(read)


def test_restored_log_is_the_one_that_was_backed_up_and_goes_on(tmp_path: Path):
    """Everything it says is the same, the part that was never part of the log too; and the next request is taken."""
    with closing(open_sqlite(tmp_path / "data")) as store:
        _fill(store)
        said = _all(store)
        assert back_up(tmp_path / "data", tmp_path / "copy") == store.head()
    assert [path.name for path in tmp_path.iterdir() if "copy" in path.name] == ["copy"]
    assert restore(tmp_path / "copy", tmp_path / "again") == said[1]
    with closing(open_sqlite(tmp_path / "again")) as store:
        assert _all(store) == said
        with Writer(store, CheckpointSigner(LOG, key_name=LOG.name), origin=ORIGIN) as writer:
            assert not writer.submit(*REQUESTS[-1]).result()[0].is_repeat
        check_store(store)


def test_log_moves_from_a_file_into_any_store(tmp_path: Path, place: Place):
    """The same again in another kind of store, where it goes on too; a log that is there already is not poured over."""
    with closing(open_sqlite(tmp_path / "from")) as store:
        _fill(store)
        said = _all(store)
    back_up(tmp_path / "from", tmp_path / "copy")
    with closing(place.open()) as store:
        assert restore_into(store, tmp_path / "copy") == said[1]
        assert _all(store) == said
        with Writer(store, CheckpointSigner(LOG, key_name=LOG.name), origin=ORIGIN) as writer:
            assert writer.submit(*REQUESTS[-2]).result()[0].is_repeat
            assert not writer.submit(*REQUESTS[-1]).result()[0].is_repeat
        grown = _all(store)
        with pytest.raises(StoreError, match="already"):
            restore_into(store, tmp_path / "copy")
        assert _all(store) == grown


def test_backup_is_taken_while_the_log_grows(tmp_path: Path, bench: Bench):
    """Each is whole, none is older than the one before, and nobody waits for it."""
    data = tmp_path / "data"
    with bench.writing(open_sqlite(data)) as (store, writer):
        done = threading.Event()

        def grow() -> None:
            n = 0
            while not done.is_set():
                writer.append(Append(leaf=b"%d" % n))
                n += 1

        growing = threading.Thread(target=grow)
        growing.start()
        sizes = [back_up(data, tmp_path / f"copy {n}").size for n in range(8)]
        done.set()
        growing.join()
        assert sizes == sorted(sizes)
        assert sizes[-1] > sizes[0]
        leaves = list(store.iterate())
    for n, size in enumerate(sizes):
        with closing(open_sqlite_file(tmp_path / f"copy {n}")) as reader:
            assert list(reader.iterate()) == leaves[:size]
            assert check_store(reader).root == root(leaves[:size])


def test_nothing_is_written_over(tmp_path: Path):
    """Not another backup, not another log, not what a log's write-ahead log has left behind."""
    data = tmp_path / "data"
    with closing(open_sqlite(data)) as store:
        _fill(store)
    (tmp_path / "taken").write_bytes(b"precious")
    with pytest.raises(StoreError, match="taken exists already"):
        back_up(data, tmp_path / "taken")
    assert (tmp_path / "taken").read_bytes() == b"precious"
    back_up(data, tmp_path / "copy")
    with pytest.raises(StoreError, match="exists already"):
        restore(tmp_path / "copy", data)
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / f"{FILE_NAME}-wal").write_bytes(b"left behind")
    with pytest.raises(StoreError, match="exists already"):
        restore(tmp_path / "copy", tmp_path / "half")
    with pytest.raises(StoreError, match="no log"):
        back_up(tmp_path / "nowhere", tmp_path / "other")


def test_damaged_log_gives_no_backup_and_damaged_backup_no_log(tmp_path: Path):
    """What is not whole is found before it has a name."""
    data = tmp_path / "data"
    with closing(open_sqlite(data)) as store:
        _fill(store)
    back_up(data, tmp_path / "copy")
    for path in (data / FILE_NAME, tmp_path / "copy"):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE leaf SET data = ? WHERE position = 3", [b"edited"])
    with pytest.raises(DataLossError):
        back_up(data, tmp_path / "of damage")
    with pytest.raises(DataLossError):
        restore(tmp_path / "copy", tmp_path / "again")
    assert {path.name for path in tmp_path.iterdir()} == {"data", "copy", "again"}
    assert list((tmp_path / "again").iterdir()) == []


def test_backup_that_is_behind_what_is_known_is_refused(tmp_path: Path):
    """The log went on after its backup; a caller with the newer checkpoint finds out before anything is restored."""
    data = tmp_path / "data"
    with closing(open_sqlite(data)) as store:
        _fill(store)
        back_up(data, tmp_path / "copy")
        with Writer(store, CheckpointSigner(LOG, key_name=LOG.name), origin=ORIGIN) as writer:
            writer.submit(*REQUESTS[-1]).result()
        newest = store.head()
    known = [Checkpoint(ORIGIN, newest.size, newest.root)]
    with pytest.raises(DataLossError, match=f"checkpoint has {newest.size}$"):
        restore(tmp_path / "copy", tmp_path / "again", known=known)
    with pytest.raises(StoreError):
        open_sqlite_reader(tmp_path / "again")


def test_database_that_fails_half_way_holds_no_log(tmp_path: Path, place: Place, monkeypatch: pytest.MonkeyPatch):
    """The tables are filled in one transaction."""
    with closing(open_sqlite(tmp_path / "from")) as store:
        _fill(store)
    back_up(tmp_path / "from", tmp_path / "copy")
    poured: list[object] = []

    def insert_some(table: Table) -> Insert:
        poured.append(table)
        if len(poured) > 3:
            raise StoreError("no room")
        return table.insert()

    monkeypatch.setattr("referee.storage.backup.insert", insert_some)
    with closing(place.open()) as store:
        with pytest.raises(StoreError, match="no room"):
            restore_into(store, tmp_path / "copy")
        monkeypatch.undo()
        assert store.leaves(0, 9) == []
        assert restore_into(store, tmp_path / "copy").size == sum(map(len, REQUESTS[:-1]))
