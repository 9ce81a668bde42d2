"""A report: what an audit looked at, how much of it is proved, and everything that does not hold.

The law: a report is data and can be written as JSON and read back. Everything is counted; of the findings so many are
listed, failures first, then by leaf. ``is_clean`` says that nothing failed, notes aside.

>>> report = Report.empty(origin="log.example/1", now=0)
>>> report.is_clean, Report.from_json(report.to_json()) == report
(True, True)
"""

import msgspec

from referee.audit.finding import Code, Finding, Severity
from referee.audit.keys import KeyRecord
from referee.audit.level import DealingLevel, EventLevel
from referee.audit.score import Score
from referee.audit.table import TableCounts


class Checked(msgspec.Struct):
    """How much was verified: signatures, settlements replayed and deals dealt again, as far as they held."""

    signatures: int = 0
    replayed: int = 0
    redealt: int = 0


class Statistics(msgspec.Struct):
    """What the log's rounds look like beside chance.

    ``scores`` are the least likely answers of each measure among ``asked``, by kind, least likely first. ``places`` has
    for each place of the deck how often each card, 1 to 52, was there among ``decks`` dealt again; empty without any.
    """

    decks: int = 0
    asked: int = 0
    scores: tuple[Score, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()


class Report(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What an audit found. ``root`` is lowercase hex; ``now`` is the time it was made for, ms since 1970 UTC.

    ``tables`` goes by table id, ``rounds`` is their sum. Levels count dealt, and settled, rounds.
    """

    origin: str
    now: int
    size: int
    root: str
    checkpoint: str
    keys: tuple[KeyRecord, ...]
    rounds: TableCounts
    tables: dict[str, TableCounts]
    dealing_levels: dict[DealingLevel, int]
    event_levels: dict[EventLevel, int]
    checked: Checked
    statistics: Statistics
    finding_counts: dict[Code, int]
    findings: tuple[Finding, ...]

    @classmethod
    def empty(cls, *, origin: str, now: int) -> "Report":
        """The report of nothing."""
        return cls(
            origin=origin,
            now=now,
            size=0,
            root="",
            checkpoint="",
            keys=(),
            rounds=TableCounts(),
            tables={},
            dealing_levels=dict.fromkeys(DealingLevel, 0),
            event_levels=dict.fromkeys(EventLevel, 0),
            checked=Checked(),
            statistics=Statistics(),
            finding_counts={},
            findings=(),
        )

    @property
    def is_clean(self) -> bool:
        """Whether nothing failed."""
        return self.count(Severity.FAIL) == 0

    def count(self, severity: Severity) -> int:
        """How many findings of this severity there are, listed or not."""
        return sum(count for code, count in self.finding_counts.items() if code.severity is severity)

    def to_json(self) -> bytes:
        """The report as compact JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, data: bytes) -> "Report":
        """The report that JSON spells; ValueError where it spells none."""
        return msgspec.json.decode(data, type=cls)
