"""Guard of a running server's keys: nothing is signed once another process has changed the keys that the log names.

A server shares the log's lock, so that a change of keys is refused while it runs. Should it lose the lock, with its
connection to the database or because somebody removed a file, the next batch of appends finds that a leaf outside any
round was added, in the transaction that would append it. A thread finds the same within a second where nothing is
appended; it also records the newest head beside the keys.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import structlog

from referee.evidence.ed25519 import SignerRetiredError
from referee.server.keys.folder import KeyFolder
from referee.server.keys.signed_head import HeadRecord
from referee.storage import DataLossError, Head, LogLock, Store, StoreError
from referee.threads import lasting

POLL_SECONDS: Final = 1.0
_log = structlog.get_logger("referee.keys")


class KeyGuard:
    """Guard of the keys of one process; it holds a shared ``lock`` on the log until closed."""

    def __init__(self, store: Store, lock: LogLock, record: HeadRecord) -> None:
        self._store = store
        self._lock = lock
        self._record = record
        self._named: int | None = None
        self._why = ""
        self._damage = ""
        self._is_reached = True
        self._on_retired: Callable[[str], None] = lambda _why: None
        self._closing = threading.Event()
        self._thread = lasting(self._watch, name="key-guard")

    def trust(self, head: Head) -> None:
        """Take a head that was verified and whose keys were loaded: from now on these keys are guarded."""
        self._named = head.roundless

    def stop(self, damage: DataLossError) -> None:
        """Sign nothing more, because the log is damaged."""
        self._damage = str(damage)

    def start(self, on_retired: Callable[[str], None]) -> None:
        """Start the thread; ``on_retired`` is called once, with the reason, if the keys are changed."""
        self._on_retired = on_retired
        self._thread.start()

    def over(self, keys: KeyFolder) -> KeyFolder:
        """Return keys that sign nothing any more once the log's keys were changed."""
        return keys.guarded(self._refuse)

    def check(self, head: Head) -> None:
        """Raise SignerRetiredError if the log has named or revoked a key since it was verified."""
        if self._named is not None and head.roundless != self._named and not self._why:
            self._why = (
                "the log's keys were changed by another process while this server ran; it signs nothing more and "
                "stops: start it again with the keys folder as it is after that change"
            )
            _log.error("keys changed", error=self._why)
        self._refuse()

    def close(self) -> None:
        """Stop the thread, record the newest head and release the lock."""
        self._closing.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()
        if self._named is not None and self._is_reached:  # without waiting for a database that is away
            with suppress(StoreError, DataLossError):
                self._record.keep(self._store.head())
        self._lock.close()

    def _refuse(self) -> None:
        if self._damage:
            raise DataLossError(self._damage)
        if self._why:
            raise SignerRetiredError(self._why)

    def _watch(self) -> None:
        is_held = True
        while not self._closing.wait(POLL_SECONDS):
            try:
                was_held, is_held = is_held, self._lock.keep()
                if was_held and not is_held:
                    _log.error("lock on the log lost", error="the keys of this log are being changed")
                head = self._store.head()
                self._is_reached = True
                self.check(head)
                self._record.keep(head)
            except SignerRetiredError:
                self._on_retired(self._why)
                return
            except (StoreError, DataLossError):  # the next call says so
                self._is_reached = False
