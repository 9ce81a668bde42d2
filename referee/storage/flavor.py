"""Flavor: the differences between kinds of databases; Retry: the pauses while a database server is away."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy import Engine
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError

from referee.storage.record import StoreAwayError, StoreBusyError, StoreError, StoreFullError, StoreStalledError

_FIRST_PAUSE: Final = 0.01
_LONGEST_PAUSE: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class LockStatements:
    """Statements for a lock on a log; the database releases the lock when the connection ends."""

    shared: str
    """Takes the lock together with other sharers; its first value is whether it was granted."""
    alone: str
    """Takes the lock exclusively; its first value is whether it was granted."""
    holders: str
    """Lists the other holders: address and process number of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """Kind of database: how its transactions begin, commit and fail."""

    begin: str
    """Statement that begins a transaction and makes other writers wait until it ends."""
    snapshot: str
    """Statement that begins a transaction whose reads all see the store at one moment."""
    commit: Callable[[DBAPICursor], None]
    """Commits durably; raises a driver's error if that failed or the outcome is unknown."""
    is_busy: Callable[[Exception], bool]
    """Whether a driver's error says that another writer was in the way."""
    is_gone: Callable[[Exception], bool]
    """Whether a driver's error says that the connection is lost or the server away."""
    is_full: Callable[[Exception], bool]
    """Whether a driver's error says that the disk is full."""
    compact: Callable[[DBAPICursor], None]
    """Does the work that commits have postponed."""
    timeout: float
    """Seconds to wait for a server that is away."""
    remedy: Callable[[Exception], str] = lambda _error: ""
    """Advice about a driver's error, which is added to the error's text; empty if there is none."""
    lock: LockStatements | None = None
    """Statements for the lock on a log; None if the log is a file, which only one machine opens."""
    check_room: Callable[[], None] = lambda: None
    """Raises StoreFullError if the disk is known to be full."""
    is_replicated: bool = False
    """Whether readers may see what a failover would lose, so that what they read has to be certain."""
    busy_seconds: float = 0
    """Seconds for which a beginning is tried again while another writer is in the way."""
    free: Callable[[DBAPICursor], str] = lambda _cursor: ""
    """Ends a writer that holds the store and says nothing; returns who holds it, as words for an error."""
    stalled: Callable[[Engine, str, float], StoreError] = lambda _engine, stage, seconds: stalled_file(stage, seconds)
    """Returns the error of a transaction that has been in a stage for so many seconds, with its cause."""

    def failure(self, error: Exception, *, what: str) -> StoreError:
        """Return a StoreError for a driver's error, which SQLAlchemy may have wrapped; ``what`` begins its text."""
        if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
            return self.failure(error.orig, what=what)
        if self.is_busy(error):
            return StoreBusyError(f"another writer holds the store: {error}")
        kind = StoreAwayError if self.is_gone(error) else StoreFullError if self.is_full(error) else StoreError
        return kind(f"{what}: {error}{self.remedy(error)}")


def stalled_file(stage: str, seconds: float) -> StoreError:
    """Return the error of a transaction on a file that has been in a stage for so many seconds."""
    if stage == "BEGIN":
        return StoreBusyError(f"another process has held the lock of the log's file for {seconds:.0f} s")
    what = "forced a commit of the log's file" if stage == "COMMIT" else "written the log's file"
    return StoreStalledError(f"the disk has not {what} for {seconds:.0f} s")


class Retry:
    """Pauses between tries while a database server is away. Its timeout runs from its construction, at the first error.

    A read may be tried again, because it changes nothing, and so may the beginning of a transaction; a commit may not.
    """

    def __init__(self, flavor: Flavor) -> None:
        self._flavor: Final = flavor
        self._end: Final = time.monotonic() + flavor.timeout
        self._pause = _FIRST_PAUSE

    def is_worth(self, error: Exception) -> bool:
        """Pause, then return True, if the driver's error says that the server is away and the timeout allows a try.

        Return False at once otherwise.
        """
        if not self._flavor.is_gone(error) or time.monotonic() + self._pause > self._end:
            return False
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        return True
