"""Places of a log: the database that a URL names, or else a file in the data folder; and how to open the log there."""

from pathlib import Path

from referee.storage.flavor import stalled_file
from referee.storage.postgres import open_postgres, open_postgres_reader, postgres_stall
from referee.storage.postgres_url import shown_database
from referee.storage.reader import Reader
from referee.storage.record import StoreError
from referee.storage.sqlite import FILE_NAME, open_sqlite, open_sqlite_reader
from referee.storage.store import Store


def open_store(folder: Path, *, database: str | None = None) -> Store:
    """Open the store of a database, or of the data folder if ``database`` is None; raise StoreError if that fails."""
    return open_sqlite(folder) if database is None else open_postgres(database)


def stall_of(database: str | None, *, stage: str, seconds: float) -> StoreError:
    """Return the error of a transaction on a log that has been in a stage for so long, with what its database says."""
    return stalled_file(stage, seconds) if database is None else postgres_stall(database, stage, seconds)


def is_missing(folder: Path, database: str | None) -> bool:
    """Return whether ``open_store`` would make a new log: the data folder has no log file or an empty one.

    False for any database, which is not asked.
    """
    file = folder / FILE_NAME
    return database is None and (not file.exists() or not file.stat().st_size)


def log_place(folder: Path, database: str | None) -> str:
    """Return the place of a log as text for people: the path of its file, or its database without the password.

    >>> log_place(Path("data"), None)
    'data/log.sqlite3'
    """
    return str(folder / FILE_NAME) if database is None else shown_database(database)


def open_reader(folder: Path, *, database: str | None = None, is_certain: bool = False) -> Reader:
    """Open a log for reading only, as ``open_store`` does; raise StoreError if there is none.

    If ``is_certain``, nothing is read that a failover of the database could still undo; see ``open_postgres_reader``.
    """
    return open_sqlite_reader(folder) if database is None else open_postgres_reader(database, is_certain=is_certain)
