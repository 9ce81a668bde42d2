"""Where a log is kept: in the file of a data folder, or in the database that a URL names."""

from pathlib import Path

from referee.storage.postgres import is_postgres, open_postgres, open_postgres_reader
from referee.storage.reader import RelationalReader
from referee.storage.relational import RelationalStore
from referee.storage.sqlite import open_sqlite, open_sqlite_reader
from referee.storage.store import StoreError


def open_store(folder: Path, *, database: str | None = None) -> RelationalStore:
    """The store of a database, or of a data folder where none is named; StoreError where it cannot be opened."""
    if database is None:
        return open_sqlite(folder)
    _check(database)
    return open_postgres(database)


def open_reader(folder: Path, *, database: str | None = None) -> RelationalReader:
    """The log of a database, or of a data folder where none is named, only read; StoreError where there is none."""
    if database is None:
        return open_sqlite_reader(folder)
    _check(database)
    return open_postgres_reader(database)


def _check(database: str) -> None:
    # The URL may hold a password, so it is not repeated.
    if not is_postgres(database):
        msg = "a database is named by a URL such as postgresql://user@host/database"
        raise StoreError(msg)
