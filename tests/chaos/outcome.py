"""What one fault run did and found, and how the report says it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tests.chaos.ledger import Ledger
from tests.chaos.verdict import Verdict


@dataclass(slots=True)
class Outcome:
    """One run of one fault. ``did`` counts what was done; ``notes`` say what was seen besides."""

    title: str
    did: Counter[str] = field(default_factory=Counter)
    ledger: Ledger = field(default_factory=Ledger)
    verdict: Verdict = field(default_factory=Verdict)
    notes: list[str] = field(default_factory=list)
    seconds: float = 0.0
    skipped: str = ""

    def hold(self, faults: Iterable[str]) -> None:
        """More that was found wrong."""
        self.verdict.faults += faults

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
            (
                "leaves in the log",
                _leaves(verdict),
            ),
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
