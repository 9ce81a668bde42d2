"""Logs that earlier programs wrote open, go on and audit clean; a new store is what a migrated one is."""

import gzip
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from referee.audit import Bundle, Report, audit_log
from referee.log import CheckpointSigner, Kind, SlotKey, Stage
from referee.rulesets import load_builtin
from referee.storage import Append, Reader, StoreError, Writer, check_store, open_sqlite, open_sqlite_reader
from referee.storage.migrations import STEPS, VERSION
from referee.storage.schema import METADATA
from referee.storage.sqlite import FILE_NAME

sys.path.insert(0, str(Path(__file__).parent))

from real_rounds import LOG, ORIGIN, ROOT, START  # beside this file

Place: TypeAlias = Any
Bench: TypeAlias = Any  # all are fixtures, and have their classes in conftest

OLD: Final = Path(__file__).parents[1] / "vectors" / "storage"
"""``log_of_schema_N.sqlite3.gz`` was written by a program whose schema was version N; ``sources.jsonl`` says which."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A folder with a log of the first schema: five rounds of three games, the last of them dealt and not ended."""
    folder = tmp_path / "old"
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(gzip.decompress((OLD / "log_of_schema_1.sqlite3.gz").read_bytes()))
    return folder


def _audit(reader: Reader) -> Report:
    return audit_log(
        Bundle(checkpoint=reader.head().checkpoint, entries=tuple(reader.iterate())),
        origin=ORIGIN,
        log_key=LOG.text,
        root_key=ROOT.text,
        catalogue=load_builtin(),
        now=START,
    )


def _tables(folder: Path) -> set[tuple[str, ...]]:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def test_old_log_is_migrated_audits_clean_and_goes_on(old: Path):
    """Leaves, head and rounds are as they were; a step that was taken is answered, and the next one is taken."""
    with closing(open_sqlite_reader(old)) as reader:
        before, leaves = reader.head(), list(reader.iterate())
        assert reader.version == 1
        marks = reader.marks(SlotKey("mau", 2))
    with closing(open_sqlite(old)) as store:
        assert store.version == VERSION
        assert check_store(store) == before
        assert list(store.iterate()) == leaves
        assert store.marks(SlotKey("mau", 2)) == marks
        assert [mark.kind for mark in marks] == [Kind.OPEN, Kind.DEAL]
        state = store.round(SlotKey("mau", 2))
        assert state is not None
        assert state.stage is Stage.DEALT
        report = _audit(store)
        assert report.is_clean
        assert (report.size, report.checked.redealt, report.checked.replayed) == (17, 3, 3)
        with Writer(store, CheckpointSigner(LOG, key_name=LOG.name), origin=ORIGIN) as writer:
            assert writer.append(Append(leaf=b"later")).receipt.index == 17
        assert check_store(store).size == 18


def test_old_log_that_is_only_read_stays_as_it_is(old: Path):
    """Reading migrates nothing, needs no new table, and the log audits clean."""
    before = (old / FILE_NAME).read_bytes()
    with closing(open_sqlite_reader(old)) as reader:
        check_store(reader)
        assert _audit(reader).is_clean
        assert reader.contributions(SlotKey("mau", 2)) == ()
        assert reader.newest_cosigned() is None
        assert reader.cosigned(0, 10) == []
    assert (old / FILE_NAME).read_bytes() == before


def test_migrated_store_has_the_tables_of_a_new_one(old: Path, tmp_path: Path):
    open_sqlite(old).close()
    open_sqlite(tmp_path / "new").close()
    assert _tables(old) == _tables(tmp_path / "new")
    assert {name for kind, name, *_ in _tables(old) if kind == "table"} == set(METADATA.tables)


def test_migration_that_fails_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch):
    """The steps are one transaction: the last one fails, and the first ones have not happened either."""

    def fail(_: object) -> None:
        msg = "no room"
        raise StoreError(msg)

    before = _tables(old)
    monkeypatch.setattr("referee.storage.migrations.STEPS", (*STEPS, fail))
    with pytest.raises(StoreError, match="no room"):
        open_sqlite(old)
    assert _tables(old) == before
    monkeypatch.undo()
    with closing(open_sqlite(old)) as store:
        assert store.version == VERSION


def test_processes_that_open_an_old_log_at_once_migrate_it_once(old: Path):
    opened: list[int] = []

    def migrate() -> None:
        with closing(open_sqlite(old)) as store:
            opened.append(store.version)

    threads = [threading.Thread(target=migrate) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert opened == [VERSION] * 6


def test_program_of_the_first_schema_refuses_what_was_migrated(old: Path):
    """It goes on only where ``head.format`` is 1."""
    open_sqlite(old).close()
    with closing(sqlite3.connect(old / FILE_NAME)) as connection:
        assert connection.execute("SELECT format FROM head").fetchall() == [(2,)]


@pytest.mark.parametrize("version", range(2, VERSION))
def test_every_version_between_is_brought_up_to_date(
    place: Place, bench: Bench, version: int, monkeypatch: pytest.MonkeyPatch
):
    """A store made by the first steps alone, with a leaf in it, in each kind of database; version 1 is a file."""
    monkeypatch.setattr("referee.storage.migrations.STEPS", STEPS[:version])
    monkeypatch.setattr("referee.storage.migrations.VERSION", version)
    with closing(place.open()) as store, Writer(store, bench.signer, origin=ORIGIN) as writer:
        writer.append(Append(leaf=b"first"))
    monkeypatch.undo()
    with closing(place.open()) as store, Writer(store, bench.signer, origin=ORIGIN) as writer:
        assert store.version == VERSION
        assert writer.append(bench.append("OPEN")).receipt.index == 1
        assert store.leaf(0) == b"first"
        assert check_store(store).size == 2
