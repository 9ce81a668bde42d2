"""The report of a run of everything, which ``make chaos`` writes, and its fixture."""

import os
import platform
import sqlite3
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

import psutil
import pytest

from tests.budget import sample
from tests.randomness import AGAIN

REPORT: Final = Path(__file__).with_name("REPORT.md")
SECONDS: Final = 600.0
"""What all faults together take by default, on a quiet machine with two cores."""
SHARE: Final = float(os.environ.get("CHAOS_SECONDS", sample(0, whole=SECONDS / 3))) / SECONDS
"""How long this run's faults are in proportion to that; 0 is the least, of tests."""
LAW: Final = """\
# What was broken, and what held

Written by `make chaos`. Real servers on loopback, real rounds of the three games; every answer is remembered and
held against the log afterwards: each acknowledged leaf is in the log at its index, once; a settlement that is asked
for again is answered alike; and an audit that is given every receipt and checkpoint finds nothing. A status outside
the set that the fault's module names is a fault.
"""
PACKAGES: Final = ("referee", "grpcio", "protobuf", "SQLAlchemy", "PyNaCl")


class Report:
    """Parts by their titles, in the order of their runs."""

    def __init__(self) -> None:
        self._parts: dict[str, Sequence[str]] = {}
        self._begun = time.monotonic()

    def add(self, title: str, lines: Sequence[str]) -> None:
        """Add a part."""
        self._parts[title] = lines

    def write(self) -> None:
        """Write the file: when and where it was, whether all held, and the parts."""
        wrong = [title for title, lines in self._parts.items() if any("**WRONG**" in line for line in lines)]
        cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("model name")[2].splitlines()[0].strip("\t :")
        versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
        memory = psutil.virtual_memory().total >> 30
        seconds = time.monotonic() - self._begun
        lines = [
            LAW,
            f"- {time.strftime('%Y-%m-%d')}, {seconds:.0f} s, CHAOS_SECONDS={os.environ['CHAOS_SECONDS']} {AGAIN}",
            f"- {cpu}, {os.cpu_count()} cores, {memory} GB, {platform.platform()}",
            f"- Python {platform.python_version()}, {versions}, SQLite {sqlite3.sqlite_version}",
            f"- verdict: **{'WRONG: ' + ', '.join(wrong) if wrong else 'nothing wrong'}**",
            "",
            *(line for lines in self._parts.values() for line in lines),
        ]
        REPORT.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


@pytest.fixture(scope="session")
def chaos_report() -> Iterator[Report]:
    """Collect the parts of a report; write it at the end of ``make chaos``, unless that ran a few faults only."""
    report = Report()
    yield report
    if os.environ.get("CHAOS_SECONDS") and not os.environ.get("FAULTS"):
        report.write()
