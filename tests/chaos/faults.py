"""Faults as data: how each is run by the tests beside it, for seconds, and by ``make chaos``, in proportion."""

import random
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from tests.chaos.fault_clients import LONG, SHORT, crowd
from tests.chaos.fault_clock import step_clock
from tests.chaos.fault_commits import cancel_and_promote, cut_holders, hang_commits
from tests.chaos.fault_disk import fill_database_disk, fill_disk
from tests.chaos.fault_postgres import shake_database
from tests.chaos.fault_workers import kill_workers, start_no_threads
from tests.chaos.outcome import Outcome
from tests.storage.postgres_server import PostgresServer, missing

Amounts = Mapping[str, Any]
"""How long a fault lasts, or how often it befalls: arguments of its function by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault: its function, which plays rounds while things break and judges the log that is left."""

    run: Callable[..., Outcome]
    of_share: Callable[[float], Amounts]
    """Amounts of a run of everything, by its length in proportion to the default."""
    short: Amounts
    """Amounts of a test."""
    rounds: int
    """Rounds that a short run settles at least."""
    long: tuple[Amounts, int] | None = None
    """Amounts and rounds of a second, longer test."""
    needs: Literal["", "PROGRAMS", "DATABASE"] = ""
    """What is needed besides: the programs of PostgreSQL, or a running one as the second argument."""


def seconds(default: float, least: float = 0) -> Callable[[float], Amounts]:
    """Return the function that scales a number of seconds."""
    return lambda share: {"seconds": max(least, default * share)}


def times(default: int, least: int, name: str = "rounds", **others: Any) -> Callable[[float], Amounts]:  # noqa: ANN401 - any amount
    """Return the function that scales how often a fault befalls."""
    return lambda share: {name: max(least, round(default * share)), **others}


FAULTS: Final = {
    "workers": Fault(
        run=kill_workers, of_share=seconds(150), short={"seconds": 4}, rounds=8, long=({"seconds": 25}, 20)
    ),
    "threads": Fault(run=start_no_threads, of_share=lambda _: {}, short={}, rounds=12),
    "postgres": Fault(
        run=shake_database,
        of_share=seconds(110),
        short={"seconds": 8},
        rounds=8,
        long=({"seconds": 25}, 8),
        needs="DATABASE",
    ),
    "hanging": Fault(run=hang_commits, of_share=times(4, 2), short={"rounds": 2}, rounds=9),
    "cut_off": Fault(run=cut_holders, of_share=times(6, 3), short={"rounds": 3}, rounds=8, needs="DATABASE"),
    "cancelled": Fault(
        run=cancel_and_promote, of_share=seconds(15, 2), short={"seconds": 4}, rounds=12, needs="PROGRAMS"
    ),
    "disk": Fault(run=fill_disk, of_share=times(6, 2, full=4), short={"rounds": 2, "full": 1}, rounds=9),
    "database_disk": Fault(
        run=fill_database_disk,
        of_share=times(3, 1, full=4),
        short={"rounds": 2, "full": 3},
        rounds=6,
        needs="PROGRAMS",
    ),
    "clock": Fault(
        run=step_clock,
        of_share=times(12, 2, "steps", pause=1.5),
        short={"steps": 2, "pause": 0.5},
        rounds=12,
    ),
    "clients": Fault(
        run=crowd,
        of_share=lambda share: {"size": LONG if share >= 1 else SHORT},
        short={"size": SHORT},
        rounds=40,
        long=({"size": LONG}, 40),
    ),
}


@contextmanager
def place() -> Iterator[Path]:
    """Make a folder for one fault, which PostgreSQL's own user may enter; remove it afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="referee-chaos-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def play(name: str, amounts: Amounts, luck: random.Random) -> Outcome:
    """Run a fault and return its outcome, skipped if PostgreSQL is needed and missing."""
    fault = FAULTS[name]
    if fault.needs and (why := missing()):
        return Outcome(f"Fault {name}", skipped=why)
    database = PostgresServer() if fault.needs == "DATABASE" else None
    try:
        with place() as folder:
            return fault.run(*(one for one in (folder, database) if one is not None), **amounts, luck=luck)
    finally:
        if database is not None:
            database.close()
