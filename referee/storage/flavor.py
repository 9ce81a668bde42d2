"""What a database does its own way, so that one store fits all of them.

The law: a question may be asked again after the database was away, for it changes nothing; a transaction that was
begun may not, and whether a commit that was not answered has happened is for whoever asked to find out.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from sqlalchemy.engine.interfaces import DBAPICursor

_FIRST_PAUSE: Final = 0.01
_LONGEST_PAUSE: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Flavor:
    """How one kind of database begins, commits and fails."""

    begin: str
    """Begins a transaction from which no second writer can be in one."""
    commit: Callable[[DBAPICursor], None]
    """Ends a transaction so that it is durable; raises a driver's error where it is not, or where nobody knows."""
    is_busy: Callable[[Exception], bool]
    """Whether an error of the driver says that another writer was in the way."""
    is_gone: Callable[[Exception], bool]
    """Whether an error of the driver says that the connection is lost or the server away."""
    compact: Callable[[DBAPICursor], None]
    """Does what commits left for later."""
    patience: float
    """Seconds for which a server that is away is waited for."""


class Patience:
    """How long is still to be waited for a server that is away; it begins to run out at once."""

    def __init__(self, flavor: Flavor) -> None:
        self._flavor: Final = flavor
        self._end: Final = time.monotonic() + flavor.patience
        self._pause = _FIRST_PAUSE

    def bears(self, error: Exception) -> bool:
        """Whether it is worth trying again after this error of the driver; a pause has passed then."""
        if not self._flavor.is_gone(error) or time.monotonic() + self._pause > self._end:
            return False
        time.sleep(self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        return True
