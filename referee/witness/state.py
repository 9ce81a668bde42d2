"""The checkpoint cosigned last for each origin, in a SQLite file; durable before it is answered, and never moved back.

A record moves only from the size and root that the caller read, so that of two concurrent moves one fails. The file
must be kept as safe as the key: a witness that lost the file could cosign a second history.

>>> import tempfile
>>> from pathlib import Path
>>> with tempfile.TemporaryDirectory() as folder:
...     state = WitnessState(Path(folder) / "witness.sqlite3")
...     moved = state.move("log.example/1", None, SeenCheckpoint(3, b"r" * 32, b"note"))
...     again = state.move("log.example/1", None, SeenCheckpoint(4, b"s" * 32, b"other"))
...     moved, again, state.last("log.example/1").size
...     state.close()
(True, False, 3)
"""

import sqlite3
import threading
from pathlib import Path
from typing import Final, NamedTuple

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS seen (
  origin TEXT PRIMARY KEY, size INTEGER NOT NULL, root BLOB NOT NULL, note BLOB NOT NULL
) WITHOUT ROWID
"""
_MOVE: Final = "UPDATE seen SET size = ?, root = ?, note = ? WHERE origin = ? AND size = ? AND root = ?"


class WitnessStateError(Exception):
    """The state could not be read or written; nothing moved, or the outcome is unknown and a retry is safe."""


class SeenCheckpoint(NamedTuple):
    """A cosigned checkpoint: size, root (32 bytes), and the note with the log's and the witness's signatures."""

    size: int
    root: bytes
    note: bytes


class WitnessState:
    """Records of one witness; safe for several threads and processes."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            self._connection = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=FULL")
            self._connection.execute(_TABLE)
        except sqlite3.Error as error:
            raise WitnessStateError(f"{path} cannot be opened: {error}") from error

    def last(self, origin: str) -> SeenCheckpoint | None:
        """Return the checkpoint cosigned last for an origin, or None if there is none."""
        rows = self._run("SELECT size, root, note FROM seen WHERE origin = ?", (origin,)).fetchall()
        return SeenCheckpoint(*rows[0]) if rows else None

    def move(self, origin: str, expected: SeenCheckpoint | None, new: SeenCheckpoint) -> bool:
        """Replace the record ``expected`` (None: no record) by ``new`` durably; return False if it is another one."""
        if expected is None:
            return self._run("INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?)", (origin, *new)).rowcount == 1
        return self._run(_MOVE, (*new, origin, expected.size, expected.root)).rowcount == 1

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _run(self, statement: str, parameters: tuple[object, ...]) -> sqlite3.Cursor:
        with self._lock:
            try:
                return self._connection.execute(statement, parameters)
            except sqlite3.Error as error:
                raise WitnessStateError(f"the witness's state cannot be used: {error}") from error
