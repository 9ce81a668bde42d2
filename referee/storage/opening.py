"""Opening of a log in the database that a URL names, or else in the file of a data folder."""

from pathlib import Path

from referee.storage.postgres import open_postgres, open_postgres_reader
from referee.storage.reader import Reader
from referee.storage.sqlite import open_sqlite, open_sqlite_reader
from referee.storage.store import Store


def open_store(folder: Path, *, database: str | None = None) -> Store:
    """Open the store of a database, or of the data folder if none is named; raise StoreError if that fails."""
    return open_sqlite(folder) if database is None else open_postgres(database)


def open_reader(folder: Path, *, database: str | None = None) -> Reader:
    """Open a log for reading only, as ``open_store`` does; raise StoreError if there is none."""
    return open_sqlite_reader(folder) if database is None else open_postgres_reader(database)
