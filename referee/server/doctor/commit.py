"""Check of a commit: one that changes nothing a reader sees, and that need not return."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from referee.server.doctor.check_result import CheckResult
from referee.storage import DataLossError, Store, StoreError, WriteTrouble, open_store, stall_of, trouble_of
from referee.storage.writer import STALL_SECONDS
from referee.threads import lasting

_SLOW_MS: Final = 500.0
"""Time of a commit from which it is warned of, as the alert on slow commits does."""


class _Commit:
    """A commit on a thread of its own, which is left to itself if it does not return."""

    def __init__(self, data: Path, database: str | None) -> None:
        self.store: Store | None = None
        self.trouble: WriteTrouble | None = None
        self.seconds = 0.0
        self._thread = lasting(self._run, data, database, name="doctor-commit")
        self._thread.start()

    def has_ended(self, seconds: float) -> bool:
        """Wait for so many seconds, and return whether the commit has returned by then."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self, data: Path, database: str | None) -> None:
        try:
            self.store = open_store(data, database=database)
            began = time.perf_counter()
            self.store.touch()
            self.seconds = time.perf_counter() - began
        except (StoreError, DataLossError) as error:
            self.trouble = trouble_of(error)
        finally:
            if self.store is not None:
                self.store.close()


def check_commit(data: Path, database: str | None) -> Iterator[CheckResult]:
    """Commit once, also beside a running server, and say of a commit that does not return what it waits for."""
    commit = _Commit(data, database)
    if not commit.has_ended(STALL_SECONDS):
        stage = commit.store.stage if commit.store is not None else "COMMIT"
        commit.trouble = trouble_of(stall_of(database, stage=stage, seconds=STALL_SECONDS))
    if commit.trouble is not None:
        trouble = commit.trouble
        yield CheckResult.fail("commit", trouble.cause, trouble.remedy)
        return
    measured = f"returned in {commit.seconds * 1000:,.0f} ms"
    if commit.seconds * 1000 > _SLOW_MS:
        yield CheckResult.warn("commit", measured, "look at the disk, the line to the database, and its standby")
    else:
        yield CheckResult.ok("commit", measured)
    for note in commit.store.notes if commit.store is not None else ():
        what, _, remedy = note.partition("; ")
        yield CheckResult.warn("replication", what, remedy)
