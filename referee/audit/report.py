"""The report of an audit: how much it verified, how strongly rounds are proved, and every finding.

A report is data that can be written as JSON and read back. Everything is counted; of the findings so many are listed,
failures first, then by leaf.

>>> report = Report.empty(origin="log.example/1", now=0)
>>> report.is_clean, Report.from_json(report.to_json()) == report
(True, True)
"""

import enum

import msgspec

from referee.audit.finding import Code, Finding, Severity
from referee.audit.money import Money
from referee.log.keys import KeyRecord
from referee.suspicion.given_up import Shares
from referee.suspicion.score import Score
from referee.suspicion.tables import TableCounts
from referee.transcript.proof import EventLevel


class DealingLevel(enum.StrEnum):
    """How strongly a round's dealing is proved, beyond that nothing in it is broken."""

    L0 = "L0"
    """No commitment: the server's commitment is zeros, or the suite is the one for tests."""
    L1 = "L1"
    """The server's commitment alone, or a seat's seed uncommitted, trivial, used elsewhere, or unsigned despite a key.

    One player alone against the house needs no commitment: it shows its seed after the server is bound.
    """
    L2 = "L2"
    """Every seat committed to its own seed in OPEN, before the server showed anything."""
    L3 = "L3"
    """L2, and a witness cosigned OPEN before the seats' seeds were shown."""


class Checked(msgspec.Struct):
    """Numbers of signatures that verified, settlements replayed and deals dealt again with equal results."""

    signatures: int = 0
    replayed: int = 0
    redealt: int = 0


class Statistics(msgspec.Struct):
    """Comparison of the log's rounds with chance.

    ``scores`` are the least likely answers of each measure among ``asked``, by kind, least likely first. ``places`` has
    for each place of the deck how often each card, 1 to 52, was there among ``decks`` dealt again; empty without any.
    ``without_seed`` counts aborts by the owner of a missing seed, for the twelve with the most.
    """

    decks: int = 0
    asked: int = 0
    scores: tuple[Score, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    without_seed: dict[str, int] = msgspec.field(default_factory=dict)


class Report(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Result of an audit. ``root`` is lowercase hex; ``now`` is the time it was made for, ms since 1970 UTC.

    ``tables`` goes by table id, ``rounds`` is their sum. Levels count dealt, and settled, rounds. ``explained`` counts
    findings that are left out, and counted nowhere else, because damage or a wrong root key explains them.
    ``first_time`` and ``last_time`` are the earliest and latest time of a leaf, None in a log without times.
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
    explained: int = 0
    money: Money = Money()
    given_up: Shares = msgspec.field(default_factory=Shares)
    first_time: int | None = None
    last_time: int | None = None

    @classmethod
    def empty(cls, *, origin: str, now: int) -> "Report":
        """Make the report of nothing."""
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
        """Whether nothing failed, notes aside."""
        return self.count(Severity.FAIL) == 0

    def count(self, severity: Severity) -> int:
        """Count the findings of a severity, listed or not."""
        return sum(count for code, count in self.finding_counts.items() if code.severity is severity)

    @property
    def tenants_failures(self) -> int:
        """Number of failures, listed or not, for which frontends of tenants are to answer and not the operator."""
        return sum(
            count for code, count in self.finding_counts.items() if code.is_tenants and code.severity is Severity.FAIL
        )

    def to_json(self) -> bytes:
        """Encode the report as compact JSON."""
        return msgspec.json.encode(self)

    @classmethod
    def from_json(cls, data: bytes) -> "Report":
        """Decode a report; raise ValueError for anything else."""
        return msgspec.json.decode(data, type=cls)
