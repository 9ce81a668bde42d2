"""Audits that a test makes, kept with the log and what people held, and quarrels about the rounds of each."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Final

import msgspec
import pytest

from referee.audit import AuditTerms, AuditTime, MemoryLog, Report, TrustedKeys, audit_log
from referee.audit.cosignatures import NO_WITNESSING, Witnessing
from referee.audit.dispute.case import case_of_log
from referee.audit.dispute.dispute import Dispute, settle_dispute
from referee.audit.dispute.held import HeldPart, read_held
from referee.audit.documents import NO_DOCUMENTS, Documents
from referee.audit.source import LogSource

MOST: Final = 3
"""Rounds of one log about which a quarrel is answered: those with findings first, then the latest."""


@dataclass(frozen=True)
class Audit:
    """An audit that a test made: its log, its terms and its report."""

    source: LogSource
    terms: tuple[AuditTerms, TrustedKeys, AuditTime]
    report: Report
    witnessing: Witnessing = NO_WITNESSING
    documents: Documents = NO_DOCUMENTS

    @property
    def held(self) -> tuple[HeldPart, ...]:
        """What people held, as files."""
        files = [*self.documents.certificates, *self.documents.event_receipts]
        seeds = [msgspec.json.encode(one) for one in self.documents.seeds]
        return tuple(part for number, data in enumerate([*files, *seeds]) for part in read_held(f"held-{number}", data))

    def disputes(self) -> Iterator[Dispute]:
        """Answer quarrels about rounds of the log: those with findings first, then the latest of each table."""
        named = [
            (one.table_id, one.round_number)
            for one in self.report.findings
            if one.table_id is not None and one.round_number is not None
        ]
        chosen = list(dict.fromkeys([*named, *((table, 0) for table in self.report.tables)]))[:MOST]
        for key in chosen:
            case = case_of_log(self.source, key, *self.terms, witnessing=self.witnessing, seeds=self.documents.seeds)
            yield settle_dispute(case, self.held)


@dataclass
class Recorder:
    """Keeps every audit that is made through it."""

    audits: list[Audit] = field(default_factory=list)

    def __call__(
        self,
        source: LogSource,
        *terms: Any,  # noqa: ANN401 - what audit_log takes
        witnessing: Witnessing = NO_WITNESSING,
        documents: Documents = NO_DOCUMENTS,
        **options: Any,  # noqa: ANN401 - as above
    ) -> Report:
        """Audit a log and keep the audit."""
        witnessing = replace(witnessing, cosigned=list(witnessing.cosigned))
        report = audit_log(source, *terms, witnessing=witnessing, documents=documents, **options)
        size = int(source.checkpoint.split(b"\n", 2)[1])
        log = MemoryLog(checkpoint=source.checkpoint, entries=tuple(source.leaves(0, size)))
        self.audits.append(Audit(log, terms, report, witnessing, documents))
        return report

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        """Have the audits of a test and of ``referee audit`` recorded."""
        patch.setattr("tests.driver.auditing.audit_log", self)
        patch.setattr("referee.cli.audit.audit_log", self)
