"""What differs between kinds of databases, and how long to retry while a database server is away."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import DBAPIError

from referee.storage.record import StoreAwayError, StoreBusyError, StoreError, StoreFullError

_FIRST_PAUSE: Final = 0.01
_LONGEST_PAUSE: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class LockStatements:
    """Statements for a lock on a log that lives as long as its connection."""

    shared: str
    """Takes the lock beside others who share it; its one value says whether that was possible."""
    alone: str
    """The same, beside nobody."""
    holders: str
    """Lists the others who hold it: address and process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """How one kind of database begins, commits and fails."""

    begin: str
    """Statement that begins a transaction and keeps every second writer out of one."""
    snapshot: str
    """Statement that begins a transaction whose reads all see one moment."""
    commit: Callable[[DBAPICursor], None]
    """Commits durably; raises a driver's error if that failed or the outcome is unknown."""
    is_busy: Callable[[Exception], bool]
    """Whether a driver's error says that another writer was in the way."""
    is_gone: Callable[[Exception], bool]
    """Whether a driver's error says that the connection is lost or the server away."""
    is_full: Callable[[Exception], bool]
    """Whether a driver's error says that the disk is full."""
    compact: Callable[[DBAPICursor], None]
    """Does the work that commits left for later."""
    timeout: float
    """Seconds to wait for a server that is away."""
    remedy: Callable[[Exception], str] = lambda _error: ""
    """What to do about a driver's error, to add to its text; empty where that says it."""
    lock: LockStatements | None = None
    """Statements for the lock on a log; None where the log is a file, which only one machine opens."""
    check_room: Callable[[], None] = lambda: None
    """Raises StoreFullError where the disk is known to have no room."""

    def failure(self, error: Exception, *, what: str) -> StoreError:
        """Return the error of the store that a driver's error means, wrapped or not; ``what`` begins its text."""
        if isinstance(error, DBAPIError) and isinstance(error.orig, Exception):
            return self.failure(error.orig, what=what)
        if self.is_busy(error):
            return StoreBusyError(f"another writer holds the store: {error}")
        kind = StoreAwayError if self.is_gone(error) else StoreFullError if self.is_full(error) else StoreError
        return kind(f"{what}: {error}{self.remedy(error)}")


class Retry:
    """Pauses between tries while a server is away, until the timeout; it begins when this is made, at the first error.

    A read may be tried again, for it changes nothing, and so may beginning a transaction; a commit may not.
    """

    def __init__(self, flavor: Flavor) -> None:
        self._flavor: Final = flavor
        self._end: Final = time.monotonic() + flavor.timeout
        self._pause = _FIRST_PAUSE

    def is_worth(self, error: Exception) -> bool:
        """Pause and return True if it is worth trying again after this error of the driver."""
        if not self._flavor.is_gone(error) or time.monotonic() + self._pause > self._end:
            return False
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        return True
