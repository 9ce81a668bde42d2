"""The journal of a frontend's rounds: data that must survive if its process is killed.

It has one record for each table, about its newest round. The record is replaced as a whole, durably, before the call is
sent that the change is about. It holds the seats' secrets, so only the file's owner can read it.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     journal = Journal(Path(folder) / "rounds.sqlite3")
...     journal.save("t-1", 1, b"{}")
...     print(journal.tables(), journal.load("t-1"))
...     journal.forget("t-1", 1)
...     print(journal.tables(), journal.load("t-1"))
...     journal.close()
['t-1'] b'{}'
[] None
"""

import os
import sqlite3
import threading
from pathlib import Path
from typing import Final, Protocol

_SECONDS: Final = 30.0
"""Seconds that a write waits for another process that writes to the same file."""
_SCHEMA: Final = """
    CREATE TABLE IF NOT EXISTS rounds (
        table_id TEXT PRIMARY KEY,
        round_number INTEGER NOT NULL,
        record BLOB NOT NULL
    ) STRICT
"""
_SAVE: Final = """
    INSERT INTO rounds VALUES (?, ?, ?)
    ON CONFLICT (table_id) DO UPDATE SET round_number = excluded.round_number, record = excluded.record
    WHERE excluded.round_number >= round_number
"""


class RoundJournal(Protocol):
    """Store for the records of unfinished rounds.

    ``Journal`` keeps them in a file; another class may use a database.
    """

    def save(self, table: str, round_number: int, record: bytes) -> None:
        """Replace the table's record durably, unless the record is of a later round."""

    def load(self, table: str) -> bytes | None:
        """Return the table's record; None if it has none."""

    def forget(self, table: str, round_number: int) -> None:
        """Delete the table's record if it is of this round."""

    def tables(self) -> list[str]:
        """Return the names of the tables that have a record, sorted."""

    def close(self) -> None:
        """Close the journal; it must not be used afterwards."""


class Journal:
    """Journal in a SQLite file, which is made if it is missing; several threads and processes may share it."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path: Path = Path(path)
        """Path of the file."""
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        self._lock = threading.Lock()
        self._database = sqlite3.connect(self.path, timeout=_SECONDS, isolation_level=None, check_same_thread=False)
        for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", _SCHEMA):
            self._database.execute(statement)

    def save(self, table: str, round_number: int, record: bytes) -> None:
        """Replace the table's record durably, unless the record is of a later round."""
        with self._lock:
            self._database.execute(_SAVE, (table, round_number, record))

    def load(self, table: str) -> bytes | None:
        """Return the table's record; None if it has none."""
        with self._lock:
            found = self._database.execute("SELECT record FROM rounds WHERE table_id = ?", (table,)).fetchone()
        return None if found is None else bytes(found[0])

    def forget(self, table: str, round_number: int) -> None:
        """Delete the table's record if it is of this round."""
        with self._lock:
            self._database.execute("DELETE FROM rounds WHERE table_id = ? AND round_number = ?", (table, round_number))

    def tables(self) -> list[str]:
        """Return the names of the tables that have a record, sorted."""
        with self._lock:
            return [name for (name,) in self._database.execute("SELECT table_id FROM rounds ORDER BY table_id")]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()


def open_journal(journal: "str | os.PathLike[str] | RoundJournal | None") -> RoundJournal | None:
    """Open the journal at a path; return a ``RoundJournal`` as it is, and None for None."""
    return Journal(journal) if isinstance(journal, str | os.PathLike) else journal
