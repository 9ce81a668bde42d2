"""Backups: the log at one moment in one file, checked before it gets its name, and restored only where no log is.

A backup may be taken while others read and write; it has everything that was committed before it began. A restored log
is checked again. It lacks the leaves that were appended after its backup, so it contradicts later receipts and later
cosigned checkpoints. Keys are backed up elsewhere.
"""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.exc import DBAPIError

from referee.evidence.printable import error_words
from referee.log import Checkpoint
from referee.storage.check import check_store
from referee.storage.postgres import open_postgres_reader
from referee.storage.record import Head, StoreError
from referee.storage.schema import HEAD, METADATA, SCHEMA_VERSION
from referee.storage.sqlite import FILE_NAME, change_sqlite_file, open_sqlite, open_sqlite_file
from referee.storage.store import Store

Progress: TypeAlias = Callable[[int, int], None]
_ROWS: Final = 1_000
"""Number of rows that are copied with one statement."""


def _forget(_done: int, _size: int) -> None:
    """Show no progress."""


def back_up(folder: Path, target: Path, *, database: str | None = None, progress: Progress = _forget) -> Head:
    """Copy the log of a data folder, or of a database, into the new file ``target``; return its head.

    ``progress`` is called with the number of checked leaves of the copy and the number of all its leaves.
    Raises StoreError if there is no log or the file exists; DataLossError if the copy is not whole.
    """
    _check_free(target)
    if database is None:
        open_sqlite_file(folder / FILE_NAME).close()
        return _copy(folder / FILE_NAME, target, (), progress)
    with closing(open_postgres_reader(database)) as source, _beside(target) as place:
        with closing(open_sqlite(place)) as copy:
            copy.fill(lambda into: source.pour(lambda out: _pour(out, into)))
        return _copy(place / FILE_NAME, target, (), progress)


def restore(source: Path, folder: Path, *, known: Iterable[Checkpoint] = (), progress: Progress = _forget) -> Head:
    """Copy the log of a backup into a data folder that has none; return its head.

    Raises StoreError if the file holds no log or the folder holds one; DataLossError if the backup is not whole or does
    not continue the ``known`` checkpoints.
    """
    if source.with_name(f"{source.name}-journal").exists():
        with change_sqlite_file(source):
            pass  # undoes an extension that was killed
    open_sqlite_file(source).close()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for name in (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-journal"):
        _check_free(folder / name)
    return _copy(source, folder / FILE_NAME, known, progress)


def restore_into(store: Store, source: Path, *, known: Iterable[Checkpoint] = (), progress: Progress = _forget) -> Head:
    """Copy the log of a backup file into a store without a log, such as a database; raise the errors of ``restore``."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        restore(source, folder, known=known, progress=progress)
        with closing(open_sqlite(folder)) as copy:
            store.fill(lambda into: copy.pour(lambda out: _pour(out, into)))
    return check_store(store, progress=progress)


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Make a temporary folder beside ``target``, so on the same disk; remove it when the block ends."""
    try:
        with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as place:
            yield Path(place)
    except OSError as error:
        raise StoreError(f"the log could not be copied to {target}: {error_words(error)}") from error


def _pour(out: Connection, into: Connection) -> None:
    if into.execute(select(func.count()).select_from(HEAD)).scalar():
        raise StoreError("this store holds a log already; restore into an empty one")
    for table in METADATA.sorted_tables:
        if table is SCHEMA_VERSION:
            continue
        for rows in out.execute(select(table)).mappings().partitions(_ROWS):
            into.execute(insert(table), [dict(row) for row in rows])


def _copy(source: Path, target: Path, known: Iterable[Checkpoint], progress: Progress) -> Head:
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as old,
            closing(sqlite3.connect(part)) as new,
        ):
            old.backup(new)
            new.execute("PRAGMA journal_mode=DELETE")  # one file, with nothing beside it
        with closing(open_sqlite_file(part)) as reader:
            head = check_store(reader, known=known, progress=progress)
        _force(part)
        part.rename(target)
        _force(target.parent)
    except (sqlite3.Error, DBAPIError, OSError) as error:
        raise StoreError(f"the log could not be copied to {target}: {error_words(error)}") from error
    finally:
        part.unlink(missing_ok=True)
    return head


def _check_free(path: Path) -> None:
    if path.exists():
        raise StoreError(f"{path} exists already and is not overwritten; move it away, or choose another place")


def _force(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
