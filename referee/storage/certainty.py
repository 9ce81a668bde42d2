"""What is known to be durable of a log whose database replicates: answers come from nothing else.

A commit that waits for a synchronous standby can be cancelled (``pg_cancel_backend``, a statement timeout), its session
ended, its server restarted. Then everybody sees what it wrote, and a promoted standby lacks it. So the head counts
commits, and beside that the commits that are known to be durable, which the next writer takes from its own commits that
returned without a warning. A reader that sees more commits is in doubt, and commits once: the order of the
database's own log then covers all earlier commits.
"""

import threading
import time
from collections.abc import Callable
from typing import Final

from referee.evidence.printable import error_words
from referee.storage.record import StoreAwayError, StoreBusyError
from referee.threads import lasting

WAIT_SECONDS: Final = 5.0
"""Time for a commit. One that takes longer is trouble, and nobody waits for it any more."""


class Certainty:
    """The commits that are known here to be durable. ``commit`` commits once, and calls ``returned`` if that is clean.

    It is None for a reader that cannot write; a reader in doubt is refused.
    """

    def __init__(self, commit: Callable[[], object] | None) -> None:
        self._commit: Final = commit
        self._changed: Final = threading.Condition()
        self._durable = 0
        self._since: float | None = None
        """Time at which the commit that settles doubts began; None while there is none."""
        self._failure = ""
        self.size = 0
        """Largest size of the log that is known to be durable."""

    @property
    def durable(self) -> int:
        """Number of commits known to be durable."""
        return self._durable

    def returned(self, commits: int, size: int) -> None:
        """Note that a commit returned without a warning, after which the head counted ``commits`` and ``size`` leaves.

        It covers all commits before it.
        """
        with self._changed:
            self._durable, self.size = max(self._durable, commits), max(self.size, size)
            self._changed.notify_all()

    def check(self, commits: int, durable: int, size: int, *, least: int) -> None:
        """Return once what a statement has read is durable; ``commits``, ``durable`` and ``size`` are of that moment.

        Raises StoreAwayError for a log of fewer leaves than ``least``, which were known to be durable before the read;
        StoreBusyError where a commit failed or takes too long.
        """
        if size < least:
            raise StoreAwayError(
                f"the database that was read has {size} leaves of the log, and {least} are durable: it is behind, "
                "as a server that was replaced in a failover"
            )
        if commits > durable and commits > self._durable:
            self._settle(commits)
        self.size = max(self.size, size)

    def _settle(self, commits: int) -> None:
        """Commit once, on a thread that all readers in doubt wait for; raise StoreBusyError if that does not help."""
        if self._commit is None:
            raise StoreBusyError(
                "the newest commit of the log is not known to be durable; a server of this log settles that with its "
                "next commit, or within ten seconds"
            )
        with self._changed:
            for _ in range(2):  # a commit that had begun before may not cover this one
                if self._since is None:
                    lasting(self._run, self._commit, name="log-certainty").start()
                    self._since, self._failure = time.monotonic(), ""
                begun = self._since
                while self._durable < commits and self._since == begun:
                    left = begun + WAIT_SECONDS - time.monotonic()
                    if left <= 0:
                        raise StoreBusyError(
                            "the newest commit of the log is not known to be durable, and the commit that would show "
                            f"it has not returned for {WAIT_SECONDS:.0f} s"
                        )
                    self._changed.wait(left)
                if self._durable >= commits:
                    return
        raise StoreBusyError(f"the newest commit of the log is not known to be durable: {self._failure}")

    def _run(self, commit: Callable[[], object]) -> None:
        failure = "a commit covered only earlier ones"
        try:
            commit()
        except Exception as error:  # noqa: BLE001 - those who wait get it
            failure = error_words(error)
        with self._changed:
            self._since, self._failure = None, failure
            self._changed.notify_all()
