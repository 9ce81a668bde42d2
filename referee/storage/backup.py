"""A backup is the log at one moment, in one file, proved before it is called a backup; restored only where no log is.

The law: a backup is taken while others read and write, and has everything that was committed before it began. A file
that is not finished never has the name that was asked for. A restored log is proved again, and lacks whatever was
appended after its backup: what was handed out of that, and what witnesses have cosigned, stands against it.

It refuses to know keys, which are kept elsewhere and backed up there.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import DBAPIError

from referee.log import Checkpoint
from referee.storage.check import check_store
from referee.storage.relational import RelationalStore
from referee.storage.schema import HEAD, METADATA, SCHEMA_VERSION
from referee.storage.sqlite import FILE_NAME, open_sqlite, open_sqlite_file
from referee.storage.store import Head, StoreError

_ROWS: Final = 1_000
"""Rows that are copied at once."""


def back_up(folder: Path, target: Path) -> Head:
    """The head of the log of a data folder, which now stands in the file ``target`` as well.

    Raises StoreError where there is no log, or a file of that name; DataLossError where what was copied is not whole.
    """
    open_sqlite_file(folder / FILE_NAME).close()
    _check_free(target)
    return _copied(folder / FILE_NAME, target, ())


def restore(source: Path, folder: Path, *, known: Iterable[Checkpoint] = ()) -> Head:
    """The head of the log of a backup, which now stands in a data folder that had none.

    Raises StoreError where there is no log in the file, or one in the folder already; DataLossError where the backup is
    not whole or does not continue the ``known`` checkpoints.
    """
    open_sqlite_file(source).close()
    folder.mkdir(parents=True, exist_ok=True)
    for name in (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-journal"):
        _check_free(folder / name)
    return _copied(source, folder / FILE_NAME, known)


def restore_into(store: RelationalStore, source: Path, *, known: Iterable[Checkpoint] = ()) -> Head:
    """The head of the log of a backup, which now stands in another kind of store that had none; raises as ``restore``.

    This is also how a log moves from a file into a database.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        restore(source, folder, known=known)
        with closing(open_sqlite(folder)) as copy:
            store.fill(lambda into: copy.pour(lambda out: _pour(out, into)))
    return check_store(store)


def _pour(out: Connection, into: Connection) -> None:
    if into.execute(select(func.count()).select_from(HEAD)).scalar():
        msg = "a log stands in this store already"
        raise StoreError(msg)
    for table in METADATA.sorted_tables:
        if table is SCHEMA_VERSION:
            continue
        for rows in out.execute(select(table)).mappings().partitions(_ROWS):
            into.execute(insert(table), [dict(row) for row in rows])


def _copied(source: Path, target: Path, known: Iterable[Checkpoint]) -> Head:
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(part)) as new,
        ):
            old.backup(new)
            new.execute("PRAGMA journal_mode=DELETE")  # one file, with nothing beside it
        with closing(open_sqlite_file(part)) as reader:
            head = check_store(reader, known=known)
        _force(part)
        part.rename(target)
        _force(target.parent)
    except (sqlite3.Error, DBAPIError, OSError) as error:
        msg = f"the log could not be copied to {target}: {error}"
        raise StoreError(msg) from error
    finally:
        part.unlink(missing_ok=True)
    return head


def _check_free(path: Path) -> None:
    if path.exists():
        msg = f"{path} exists already, and is not written over"
        raise StoreError(msg)


def _force(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
