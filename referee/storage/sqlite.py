"""The log in one SQLite file of a data folder: durable at every commit, readable while it is written.

A commit that was answered survives a crash and a power cut (write-ahead log, ``synchronous=FULL``) as far as the disk
honours its flushes. ``compact`` moves the write-ahead log into the file; commits never do. Several processes may open
one folder: a transaction begins with the write lock, so they take turns.

``open_sqlite`` commits before anything is read: a killed process may have left commits in the write-ahead log that it
never forced to disk, and a power cut could undo them after they were read. Reading changes no byte of the file,
though SQLite may leave empty side files. The file must be on a local disk, as SQLite's locks do not hold on network
file systems.
"""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from referee.storage.flavor import Flavor
from referee.storage.reader import Reader
from referee.storage.record import StoreBusyError, StoreError, StoreFullError
from referee.storage.schema import open_schema
from referee.storage.store import Store
from referee.storage.upgrade import upgrade

FILE_NAME: Final = "log.sqlite3"

_LARGE_WAL: Final = 32_768
"""Pages of write-ahead log (64 MB) beyond which compacting makes writers wait, so that it does not grow further."""
_PAGE_SIZE: Final = 2_048
"""Bytes of a page: small, because a commit writes whole pages and an append changes a few bytes in each of six."""
_LEAST_ROOM: Final = 1_048_576
"""Free bytes on the disk below which the store counts as full, even if a small write would still succeed."""
_POOL: Final[dict[str, Any]] = {"pool_size": 8, "max_overflow": 64}
_BUSY: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_TOOBIG})


def open_sqlite(folder: Path, *, busy_timeout_ms: int = 10_000) -> Store:
    """Open the store of a data folder; make folder and file if they are missing. ``Store.found`` then makes the log.

    A transaction that waits longer than the timeout for another process raises StoreBusyError.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    (folder / FILE_NAME).touch(mode=0o600)  # SQLite gives the files beside it the same mode
    engine = _engine(f"file:{_quoted(folder / FILE_NAME)}?mode=rwc", timeout_ms=busy_timeout_ms)
    try:
        version = _make_tables(engine, folder / FILE_NAME, deadline=time.monotonic() + busy_timeout_ms / 1000)
    except BaseException:
        engine.dispose()
        raise
    flavor = replace(_FLAVOR, check_room=lambda: _check_room(folder))
    return Store(engine, flavor, found_version=version)


def open_sqlite_reader(folder: Path) -> Reader:
    """Open the log of a data folder for reading only; raise StoreError if there is none.

    This works while another process writes, and for a copy in a folder without write permission.
    """
    return open_sqlite_file(folder / FILE_NAME)


def open_sqlite_file(path: Path) -> Reader:
    """Open the log in one file, such as a backup, for reading only; raise StoreError if there is none."""
    if not path.is_file():
        raise StoreError(f"there is no log at {path}")
    if not path.stat().st_size:
        raise StoreError(f"{path} is empty: it holds no log")
    mode = "mode=ro"
    if not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
        mode += "&immutable=1"
    reader = Reader(_engine(f"file:{_quoted(path)}?{mode}", timeout_ms=10_000), _FLAVOR)
    try:
        reader.origin  # noqa: B018 - raises if there is no log
    except StoreError:
        reader.close()
        raise
    return reader


@contextmanager
def change_sqlite_file(path: Path) -> Iterator[tuple[Connection, Reader]]:
    """Open the log in one file, such as a backup, for one transaction, which is committed when the block ends.

    Yield its connection, and a reader that sees what the transaction has written. If the block raises, nothing is
    changed. A transaction that was killed is undone first. Raises StoreError if there is no log, StoreBusyError if
    another process changes the file.
    """
    if not path.is_file() or not path.stat().st_size:
        raise StoreError(f"there is no log at {path}")
    engine = _engine(f"file:{_quoted(path)}?mode=rw", timeout_ms=0, pool={"poolclass": StaticPool})
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA synchronous=EXTRA")  # forces the removal of the rollback journal too
            connection.exec_driver_sql(_FLAVOR.begin)
            reader = Reader(engine, _FLAVOR)
            reader.origin  # noqa: B018 - raises if there is no log
            try:
                yield connection, reader
            except BaseException:
                connection.exec_driver_sql("ROLLBACK")
                raise
            connection.exec_driver_sql("COMMIT")
    except DBAPIError as error:
        raise _FLAVOR.failure(error, what=f"{path} could not be changed") from error
    finally:
        engine.dispose()


def _quoted(path: Path) -> str:
    return path.absolute().as_uri().removeprefix("file://")


def _engine(uri: str, *, timeout_ms: int, pool: dict[str, Any] = _POOL) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=uri, query={"uri": "true"}),
        connect_args={"timeout": timeout_ms / 1000, "check_same_thread": False},
        pool_reset_on_return=None,  # each read is one statement; a failed transaction's connection is dropped
        **pool,
    )
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 - SQLAlchemy's adapter of a driver connection
    connection.isolation_level = None  # transactions begin and end where they are written to
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA wal_autocheckpoint=0")
    cursor.close()


def _make_tables(engine: Engine, path: Path, *, deadline: float) -> int:
    while True:
        try:
            with engine.connect() as connection:
                connection.exec_driver_sql(f"PRAGMA page_size={_PAGE_SIZE}")
                connection.exec_driver_sql("PRAGMA journal_mode=WAL")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                version = open_schema(connection, upgrade)
                connection.exec_driver_sql("COMMIT")
        except Exception as error:
            # Two processes that turn one new file into write-ahead mode do not wait for each other by themselves.
            cause = getattr(error, "orig", error)
            if not _is_busy(cause):
                if not isinstance(cause, sqlite3.Error):
                    raise
                raise _FLAVOR.failure(cause, what=f"{path} could not be opened") from error
            if time.monotonic() > deadline:
                raise StoreBusyError("another process holds the store; stop it, or try again later") from error
            time.sleep(0.01)
        else:
            return version


def _is_busy(error: object) -> bool:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF in _BUSY  # the driver's own errors have no code


def _check_room(folder: Path) -> None:
    """Raise StoreFullError if the disk has fewer free bytes than ``_LEAST_ROOM``, which a batch may need."""
    disk = os.statvfs(folder)
    free = (disk.f_bavail if os.geteuid() else disk.f_bfree) * disk.f_frsize
    if free < _LEAST_ROOM:
        raise StoreFullError(f"the disk that holds {folder} has {free:,} bytes left")


def _compact(cursor: DBAPICursor) -> None:
    cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
    _busy, pages, _moved = cursor.fetchall()[0]
    if pages > _LARGE_WAL:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        cursor.fetchall()


def _remedy(error: object) -> str:
    if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF in _DAMAGED:
        return "; the file is damaged or cut short: restore the log from a backup (referee restore) and keep this file"
    return ""


_FLAVOR: Final = Flavor(
    begin="BEGIN IMMEDIATE",
    snapshot="BEGIN",
    commit=lambda cursor: cursor.execute("COMMIT"),
    is_busy=_is_busy,
    is_gone=lambda _: False,  # a file is there or it is not
    is_full=lambda error: getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF == sqlite3.SQLITE_FULL,
    compact=_compact,
    timeout=0,
    remedy=_remedy,
)
