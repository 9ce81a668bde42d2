"""The real program with something wrong with it: ``python -m tests.chaos.broken FAULT... -- ARGUMENTS OF REFEREE``.

``clock=FILE``: the wall clock is off by as many milliseconds as the file says, whenever the program looks at it; gRPC's
own look is left alone, for its core would not follow, and so is the clock that only measures time.
``loses-commits``: now and then a commit is undone, and answered as if it were not.
``hangs=FILE``: no commit returns while the file is there.
``forgets``: what was settled is settled anew when it is asked for again.
``no-threads=FILE``: no thread can be started while the file is there.
"""

import dataclasses
import itertools
import random
import runpy
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from referee.storage import batch, sqlite

_SOUND: Final = 40
"""Commits that are kept, so that there is a log to lose something of."""
_LOST: Final = 0.2


def move_clock(file: str) -> None:
    """Shift the wall clock by what the file says."""
    path, really = Path(file), time.time_ns

    def moved() -> int:
        return really() + int(path.read_text() or 0) * 1_000_000

    time.time_ns = moved


def lose_commits(_: str) -> None:
    """Undo some commits silently."""
    luck, count = random.Random(0), itertools.count()  # noqa: S311 - which commits
    really = sqlite._FLAVOR.commit  # noqa: SLF001 - broken on purpose

    def commit(cursor: Any) -> None:  # noqa: ANN401 - a driver's cursor
        if next(count) > _SOUND and luck.random() < _LOST:
            cursor.execute("ROLLBACK")
        else:
            really(cursor)

    sqlite._FLAVOR = dataclasses.replace(sqlite._FLAVOR, commit=commit)  # type: ignore[misc] # noqa: SLF001 - broken on purpose


def hang(file: str) -> None:
    """Let no commit return while a file exists."""
    path, really = Path(file), sqlite._FLAVOR.commit  # noqa: SLF001 - broken on purpose

    def commit(cursor: Any) -> None:  # noqa: ANN401 - a driver's cursor
        while path.exists():
            time.sleep(0.05)
        really(cursor)

    sqlite._FLAVOR = dataclasses.replace(sqlite._FLAVOR, commit=commit)  # type: ignore[misc] # noqa: SLF001 - broken on purpose


def forget(_: str) -> None:
    """Forget steps that were taken."""
    batch._Draft._repeated = lambda *_: None  # type: ignore[method-assign] # noqa: SLF001 - broken on purpose


def start_no_threads(file: str) -> None:
    """Let no thread be started while the file is there, as the system does beyond a limit."""
    path, really = Path(file), threading.Thread.start

    def start(thread: threading.Thread) -> None:
        if path.exists():
            raise RuntimeError("can't start new thread")
        really(thread)

    threading.Thread.start = start  # type: ignore[assignment,method-assign] # broken on purpose


FAULTS: Final[dict[str, Callable[[str], None]]] = {
    "clock": move_clock,
    "loses-commits": lose_commits,
    "hangs": hang,
    "forgets": forget,
    "no-threads": start_no_threads,
}


def main() -> None:
    """Break what is named, and run."""
    end = sys.argv.index("--")
    for fault in sys.argv[1:end]:
        name, _, value = fault.partition("=")
        FAULTS[name](value)
    sys.argv = ["referee", *sys.argv[end + 1 :]]
    runpy.run_module("referee", run_name="__main__")


if __name__ == "__main__":
    main()
