"""A lock on a log, which the database keeps while a connection lives. Servers share it; a change of keys has it alone.

The database frees it when the holder's process or machine is gone. A holder that loses its connection loses the lock
as well. So the lock only keeps changes of keys and servers apart; what makes concurrent writers safe is that each
compares the head in every transaction.
"""

import time
from typing import Any, Final, Self

from sqlalchemy import Engine, PoolProxiedConnection

from referee.storage.flavor import Flavor, LockStatements
from referee.storage.record import LogInUseError, StoreError

_PAUSE: Final = 0.1


class LogLock:
    """Lock on one log, shared or ``alone``. For a log in a SQLite file there is no such lock: it is always granted."""

    def __init__(self, engine: Engine, flavor: Flavor, *, alone: bool) -> None:
        self._engine: Final = engine
        self._statements: Final[LockStatements | None] = flavor.lock
        self._alone: Final = alone
        self._driver_error: type[Exception] = engine.dialect.loaded_dbapi.Error
        self._connection: PoolProxiedConnection | None = None

    def take(self, *, seconds: float) -> None:
        """Take the lock, waiting for it; after ``seconds`` raise LogInUseError, which names the holders."""
        end = time.monotonic() + seconds
        if self._statements is None:
            return
        while not self._try(self._statements):
            if time.monotonic() >= end:
                holders = self._ask(self._statements.holders)
                self.close()
                raise LogInUseError(self._refusal(sorted({f"{row[0]}, process {row[1]}" for row in holders})))
            time.sleep(_PAUSE)

    def keep(self) -> bool:
        """Return whether the lock is held; after a lost connection, try once to take it again.

        Raises StoreError while the database is away.
        """
        if self._statements is None:
            return True
        if self._connection is not None:
            try:
                self._ask("SELECT 1")
            except StoreError:
                self.close()
        return self._connection is not None or self._try(self._statements)

    def close(self) -> None:
        """Release the lock."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()  # a session that ends has no lock, whatever state it is in

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _try(self, statements: LockStatements) -> bool:
        is_held = bool(self._ask(statements.alone if self._alone else statements.shared)[0][0])
        if not is_held:
            self.close()
        return is_held

    def _ask(self, statement: str) -> list[Any]:
        try:
            if self._connection is None:
                self._connection = self._engine.raw_connection()
            cursor = self._connection.cursor()
            cursor.execute(statement)
            return list(cursor.fetchall())
        except self._driver_error as error:
            self.close()
            raise StoreError(f"the lock on the log could not be taken: {error}") from error

    def _refusal(self, holders: list[str]) -> str:
        places = "; ".join(holders) or "nobody by now: try again"
        if self._alone:
            return f"servers use this log; stop them all first (at {places})"
        return f"the keys of this log are being changed; start again when that is done (at {places})"
