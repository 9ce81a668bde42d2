"""Findings of a report as the page shows them: by cause, then by code, the first few of each with their places."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from referee.audit.cause import Cause, cause_of
from referee.audit.explanation import Explanation, explain
from referee.audit.report import Report
from referee.finding import Code, Finding, Severity

MAX_PLACES: Final = 12
"""Most findings of one code that the page lists with their places."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingGroup:
    """Findings of one code and number: the code's texts, the first few findings, and how many there are."""

    code: Code
    number: int
    severity: Severity
    texts: Explanation
    shown: tuple[Finding, ...]
    count: int

    @property
    def left_out(self) -> int:
        """Number of findings that are not shown."""
        return self.count - len(self.shown)


def faults_by_cause(report: Report) -> Sequence[tuple[Cause, Sequence[FindingGroup]]]:
    """Group findings by cause, then by code and number, failures first within a cause.

    Findings that the report counts and does not list are counted with the first group of their code.
    """
    listed: dict[tuple[Code, int], list[Finding]] = {}
    for finding in report.findings:
        listed.setdefault((finding.code, finding.number), []).append(finding)
    unlisted = dict(report.finding_counts)
    for (code, _), found in listed.items():
        unlisted[code] -= len(found)
    faults = []
    for (code, number), found in listed.items():
        more = unlisted.pop(code, 0)
        faults.append(
            FindingGroup(
                code=code,
                number=number,
                severity=code.severity,
                texts=explain(code),
                shown=tuple(found[:MAX_PLACES]),
                count=len(found) + more,
            )
        )
    faults.sort(key=lambda fault: (cause_of(fault.code), fault.severity is Severity.NOTE, fault.number))
    return [(cause, tuple(group)) for cause, group in groupby(faults, key=lambda fault: cause_of(fault.code))]
