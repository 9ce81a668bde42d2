"""The report of an audit: the numbers of what it verified, the levels of proof of the rounds, and the findings.

A report can be written as JSON and read back by msgspec. All findings are counted, and the first ``MAX_FINDINGS`` of
each severity listed, failures first, then by cause and leaf.

>>> report = Report.empty(origin="log.example/1", now=0)
>>> report.is_clean, msgspec.json.decode(msgspec.json.encode(report), type=Report) == report
(True, True)
"""

import enum
from typing import Self

import msgspec

from referee.finding import Code, Finding, Severity
from referee.log.keys import KeyRecord
from referee.log.starts import StartRecord
from referee.transcript.proof import EventLevel


class DealingLevel(enum.StrEnum):
    """Level of proof of a round's dealing; a failure in the round does not change its level."""

    L0 = "L0"
    """No commitment: the server's commitment is zeros, or the suite is the one for tests."""
    L1 = "L1"
    """Only the server committed, or a seat's seed is uncommitted, trivial, used twice, or unsigned despite a key.

    A single player against the house needs no commitment for L2: it shows its seed after the server committed.
    """
    L2 = "L2"
    """Every seat committed to its own seed in OPEN, together with the server."""
    L3 = "L3"
    """L2, and a quorum of witnesses cosigned OPEN before the seats' seeds were shown."""


class Checked(msgspec.Struct):
    """Numbers of valid signatures, of settlements recomputed and of decks dealt again, both with equal results."""

    signatures: int = 0
    replayed: int = 0
    redealt: int = 0


class TableCounts(msgspec.Struct):
    """Numbers of a table's rounds. Aborted rounds are counted by the blamed seats, such as ``0, 2``, or ``NOBODY``.

    ``sealed`` counts rounds of a sealed table, ``unseeded`` those aborted before any seat's seed was received,
    ``running`` those that have not ended, ``unrevealed`` those that have ended without a revealed seed.
    """

    opened: int = 0
    sealed: int = 0
    dealt: int = 0
    settled: int = 0
    aborted_before_deal: dict[str, int] = msgspec.field(default_factory=dict)
    aborted_after_deal: dict[str, int] = msgspec.field(default_factory=dict)
    unseeded: int = 0
    running: int = 0
    unrevealed: int = 0

    def add(self, other: "TableCounts") -> None:
        """Add another table's counts."""
        for name in self.__struct_fields__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, int):
                setattr(self, name, mine + theirs)
            else:
                for blamed, count in theirs.items():
                    mine[blamed] = mine.get(blamed, 0) + count


class MoneyRow(msgspec.Struct, kw_only=True):
    """Rounds and money of one ruleset in one currency. ``ruleset_digest`` is lowercase hex, amounts are minor units.

    ``settled`` counts the rounds whose settlement was recomputed; ``staked``, ``transferred`` and ``house`` are sums
    over these rounds. ``house`` is the house's net amount, positive if it won, from its own bets or as commission.
    """

    ruleset_id: str
    ruleset_version: str
    ruleset_digest: str
    currency: str
    opened: int = 0
    settled: int = 0
    staked: int = 0
    transferred: int = 0
    house: int = 0


class Money(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows of a log, sorted by ruleset id, version, digest and currency; ``left_out`` counts rounds without a row."""

    rows: tuple[MoneyRow, ...] = ()
    left_out: int = 0


class Report(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Result of an audit. ``root`` is lowercase hex, ``now`` the auditor's clock in ms since 1970 UTC.

    ``as_of`` is the time, in ms too, by which deadlines are judged: ``now`` for a running log, a copy's newest time.
    ``tables`` has counts by table id, ``rounds`` their sum. ``dealing_levels`` counts dealt rounds, ``event_levels``
    settled rounds. ``explained`` counts findings that are left out because damage or a wrong root key explains them;
    nothing else counts these. ``starts`` are the newest START leaves in the log's order, ``start_count`` the number of
    all. ``first_time`` and ``last_time`` are the earliest and latest time of a leaf, None in a log without times.
    """

    origin: str
    now: int
    as_of: int
    size: int
    root: str
    checkpoint: str
    keys: tuple[KeyRecord, ...]
    rounds: TableCounts
    tables: dict[str, TableCounts]
    dealing_levels: dict[DealingLevel, int]
    event_levels: dict[EventLevel, int]
    checked: Checked
    finding_counts: dict[Code, int]
    findings: tuple[Finding, ...]
    explained: int = 0
    money: Money = Money()
    first_time: int | None = None
    last_time: int | None = None
    starts: tuple[StartRecord, ...] = ()
    start_count: int = 0

    @classmethod
    def empty(cls, *, origin: str, now: int) -> Self:
        """Make a report without rounds and findings."""
        return cls(
            origin=origin,
            now=now,
            as_of=now,
            size=0,
            root="",
            checkpoint="",
            keys=(),
            rounds=TableCounts(),
            tables={},
            dealing_levels=dict.fromkeys(DealingLevel, 0),
            event_levels=dict.fromkeys(EventLevel, 0),
            checked=Checked(),
            finding_counts={},
            findings=(),
        )

    @property
    def is_clean(self) -> bool:
        """Whether there is no failure; notes do not matter."""
        return self.count(Severity.FAIL) == 0

    def count(self, severity: Severity) -> int:
        """Count the findings of a severity, listed or not."""
        return sum(count for code, count in self.finding_counts.items() if code.severity is severity)

    @property
    def unfinished(self) -> int:
        """Number of rounds that had not ended, or not shown their seed, as of ``as_of`` and should have by ``now``."""
        return self.finding_counts.get(Code.UNFINISHED_IN_COPY, 0)
