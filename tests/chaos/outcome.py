"""What one fault run did and found, and how the report says it."""

import logging
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tests.chaos.ledger import Ledger
from tests.chaos.process import Server
from tests.chaos.verdict import Verdict, ask_again, judge

LOG: Final = logging.getLogger("chaos")
"""Progress of a run."""


@dataclass(slots=True)
class Outcome:
    """One run of one fault. ``did`` counts what was done; ``notes`` say what was seen besides."""

    title: str
    did: Counter[str] = field(default_factory=Counter)
    ledger: Ledger = field(default_factory=Ledger)
    verdict: Verdict = field(default_factory=Verdict)
    notes: list[str] = field(default_factory=list)
    begun: float = field(default_factory=time.monotonic)
    seconds: float = 0.0
    skipped: str = ""

    def hold(self, faults: Iterable[str]) -> None:
        """More that was found wrong."""
        self.verdict.faults += faults

    def done(self, what: str) -> None:
        """Count what was done, and log it as progress."""
        self.did[what] += 1
        LOG.info("%s: %d settled", what, len(self.ledger.settled))

    def conclude(self, *servers: Server, allowed: Iterable[str]) -> None:
        """Ask the last server for settlements again, stop all, which must have lived until now, and judge their log."""
        self.hold(ask_again(self.ledger, servers[-1].address))
        for server in servers:
            if not server.is_running or server.stop():
                self.hold(["the server did not live through it"])
        self.judge(servers[0], allowed=allowed)

    def judge(self, server: Server, *, allowed: Iterable[str]) -> None:
        """Judge the statuses of the calls, and the log that a stopped server left."""
        self.hold(self.ledger.outside(allowed))
        verdict = judge(self.ledger, server.data, database=server.database)
        verdict.faults += self.verdict.faults
        self.verdict, self.seconds = verdict, time.monotonic() - self.begun

    @property
    def is_well(self) -> bool:
        """Whether nothing was found."""
        return not self.verdict.faults

    @property
    def lines(self) -> Sequence[str]:
        """The outcome as a part of the report, in Markdown."""
        if self.skipped:
            return [f"## {self.title}", "", f"Skipped: {self.skipped}", ""]
        ledger, verdict = self.ledger, self.verdict
        found = [
            ("done", _counted(self.did)),
            ("calls answered", f"{ledger.answered:,}" if ledger.answered else ""),
            ("tries that failed, by status", _counted(ledger.statuses)),
            ("tried again", f"{ledger.retried:,}" if ledger.acknowledged else ""),
            ("leaves acknowledged", _counted(Counter(one.kind for one in ledger.acknowledged))),
            ("rounds given up, by last status", _counted(ledger.abandoned)),
            ("leaves in the log", _leaves(verdict)),
            ("longest call", f"{ledger.longest:.1f} s" if ledger.acknowledged else ""),
        ]
        return [
            f"## {self.title}",
            "",
            *[f"- {name}: {words}" for name, words in found if words],
            *[f"- {note}" for note in self.notes],
            f"- verdict after {self.seconds:.0f} s: **{'nothing wrong' if self.is_well else 'WRONG'}**",
            *[f"  - {fault}" for fault in verdict.faults[:50]],
            "",
        ]


def _leaves(verdict: Verdict) -> str:
    settled = f", {verdict.settled:,} of them settlements" if verdict.settled else ""
    return f"{verdict.leaves:,}{settled}" if verdict.leaves else ""


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{count:,} x {name}" for name, count in counts.most_common())
