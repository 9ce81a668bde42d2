"""Every fault for long, and the report of it: ``python -m tests.chaos`` (``make chaos``), ``CHAOS_SECONDS`` in all.

Each fault is a module that can also be run by the tests beside it, for seconds. The report is written whatever was
found; the command ends with 1 where something was.
"""

import logging
import os
import platform
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import psutil

from tests.chaos.fault_broken import BROKEN, play_broken, what_was_found
from tests.chaos.fault_messages import Fuzzed, fuzz, fuzz_over_socket, room_for
from tests.chaos.faults import FAULTS, place, play
from tests.chaos.outcome import LOG, Outcome

REPORT: Final = Path(__file__).with_name("REPORT.md")
SECONDS: Final = 600.0
"""What all faults together take by default, on a quiet machine with two cores."""
MESSAGES: Final = 1_000_000
SOCKET_MESSAGES: Final = 20_000
_LAW: Final = (
    "Written by `make chaos`. Real servers on loopback, real rounds of the three games; every answer is remembered and",
    "held against the log afterwards: each acknowledged leaf is in the log at its index, once; each receipt proves it;",
    "each checkpoint that was handed out is of this log; a settlement that is asked for again is answered alike; and",
    "`referee audit` ends with 0. A status outside the set that the fault's module names is a fault.",
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run of everything: how long in proportion to the default, and by which seed."""

    share: float
    seed: int

    def luck(self, name: str) -> random.Random:
        """Return the random source that schedules a fault; each fault has its own."""
        return random.Random(f"{self.seed} {name}")  # noqa: S311 - not for secrets


def messages(run: Run, folder: Path) -> Outcome:
    """Malformed messages in process, by as many processes as there are cores."""
    outcome = Outcome("Malformed messages, called in process")
    cores = len(os.sched_getaffinity(0))
    count = max(1000, round(MESSAGES * run.share / cores))
    rooms = [room_for(folder, str(number)) for number in range(cores)]
    slowest: list[tuple[float, str, bytes]] = []
    most_calls = 0
    with ProcessPoolExecutor(cores, get_context("spawn")) as pool:
        runs = [pool.submit(fuzz, room, count=count, seed=run.seed + number) for number, room in enumerate(rooms)]
    for number, ended in enumerate(runs):
        if error := ended.exception():
            outcome.hold([f"seed {run.seed + number} ended with {error!r}"])
            continue
        fuzzed = ended.result()
        _add(outcome, fuzzed, f"seed {run.seed + number}: ")
        slowest += fuzzed.slowest
        most_calls = max(most_calls, fuzzed.most_calls)
    for room in rooms:
        shutil.rmtree(room, ignore_errors=True)
    seconds, method, data = max(slowest, default=(0.0, "", b""))
    outcome.notes += [
        f"seeds {run.seed} to {run.seed + cores - 1}",
        f"most CPU for one message: {seconds * 1000:.0f} ms, {method} with {len(data):,} bytes",
        f"most calls of functions for one message of those that were counted: {most_calls:,}",
        "after every 20,000 messages a round was played; each log that was left audits clean",
    ]
    outcome.seconds = time.monotonic() - outcome.begun
    return outcome


def socket_messages(run: Run, folder: Path) -> Outcome:
    """Malformed messages over a real connection."""
    outcome = Outcome("Malformed messages over a socket")
    fuzzed = fuzz_over_socket(folder, count=max(500, round(SOCKET_MESSAGES * run.share)), seed=run.seed)
    _add(outcome, fuzzed)
    outcome.notes.append(f"seed {run.seed}; the log that was left audits clean" * (not fuzzed.finds))
    outcome.seconds = fuzzed.seconds
    return outcome


def controls(_run: Run, folder: Path) -> Outcome:
    """Servers that are broken on purpose, to see that they are caught."""
    outcome = Outcome("Broken on purpose: what the same checks say of it")
    for fault, (words, _) in BROKEN.items():
        room = folder / fault
        room.mkdir()
        found = what_was_found(play_broken(room, fault), fault)
        outcome.notes.append(f"{words}: “{found[:100]}”")
        if not found:
            outcome.hold([f"{words} was not caught"])
    outcome.seconds = time.monotonic() - outcome.begun
    return outcome


OTHERS: Final[dict[str, Callable[[Run, Path], Outcome]]] = {
    "messages": messages,
    "socket_messages": socket_messages,
    "controls": controls,
}


def outcome_of(name: str, run: Run) -> Outcome:
    """Run a fault by its name."""
    if name in FAULTS:
        return play(name, FAULTS[name].of_share(run.share), run.luck(name))
    with place() as folder:
        return OTHERS[name](run, folder)


def main() -> None:
    """Run what is named on the command line, or everything; only everything is reported."""
    seconds = float(os.environ.get("CHAOS_SECONDS") or SECONDS)
    run = Run(share=seconds / SECONDS, seed=int(os.environ.get("CHAOS_SEED") or time.time()))
    wanted = sys.argv[1:]
    begun, outcomes = time.monotonic(), []
    logging.basicConfig(format="%(asctime)s  %(message)s", datefmt="%H:%M:%S", stream=sys.stdout)
    LOG.setLevel(logging.INFO)
    for name in [name for name in (*FAULTS, *OTHERS) if not wanted or name in wanted]:
        LOG.info("%s begins", name)
        outcomes.append(outcome_of(name, run))
        LOG.info("%s", "\n".join(outcomes[-1].lines))
    lines = [*_head(run, time.monotonic() - begun, outcomes), *(line for one in outcomes for line in one.lines)]
    if not wanted:
        REPORT.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
        LOG.info("written to %s", REPORT)
    sys.exit(0 if all(one.is_well for one in outcomes) else 1)


def _head(run: Run, seconds: float, outcomes: Sequence[Outcome]) -> Iterator[str]:
    wrong = [one.title for one in outcomes if not one.is_well]
    model = next((line.partition(":")[2].strip() for line in _cpu() if line.startswith("model name")), "unknown")
    yield "# What was broken, and what held"
    yield ""
    yield from _LAW
    yield ""
    yield f"- {time.strftime('%Y-%m-%d')}, {seconds:.0f} s, seed {run.seed}, {run.share:.2g} of the default length"
    yield f"- {model}, {os.cpu_count()} cores, {psutil.virtual_memory().total >> 30} GB, {platform.platform()}"
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("referee", "grpcio", "protobuf", "SQLAlchemy", "PyNaCl")
    )
    yield f"- Python {platform.python_version()}, {packages}, SQLite {sqlite3.sqlite_version}, {_postgres_version()}"
    yield f"- verdict: **{'nothing wrong' if not wrong else 'WRONG: ' + ', '.join(wrong)}**"
    yield ""


def _cpu() -> Sequence[str]:
    info = Path("/proc/cpuinfo")
    return info.read_text(encoding="utf-8").splitlines() if info.exists() else ()


def _postgres_version() -> str:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not found:
        return "no PostgreSQL"
    return subprocess.run([found[-1], "--version"], capture_output=True, text=True, check=True).stdout.strip()


def _add(outcome: Outcome, fuzzed: Fuzzed, name: str = "") -> None:
    """Add what came of many messages."""
    outcome.ledger.answered += fuzzed.statuses.pop("OK", 0)
    outcome.ledger.statuses += fuzzed.statuses
    outcome.did["message sent"] += fuzzed.sent
    outcome.hold([f"{name}{one.method}: {one.what} ({one.data[:100].hex()})" for one in fuzzed.finds[:20]])
    outcome.verdict.leaves += fuzzed.leaves


if __name__ == "__main__":
    main()
