"""Findings of one audit: all are counted, and of each severity and cause the first ``MAX_FINDINGS`` are kept."""

from collections import Counter, defaultdict
from typing import Final

from referee.audit.cause import Cause, cause_of, sort_findings
from referee.audit.report import Report
from referee.finding import Code, Finding, Severity

MAX_FINDINGS: Final = 1_000
"""Most findings of one severity that a report lists; it counts all."""


class AuditFindings:
    """Findings of an audit, in the order in which they are made."""

    def __init__(self) -> None:
        self._counts: Counter[Code] = Counter()
        self._certain: Counter[Code] = Counter()
        self._kept: defaultdict[tuple[Severity, Cause], list[Finding]] = defaultdict(list)

    def add(self, finding: Finding, *, is_certain: bool = False) -> None:
        """Add a finding. ``is_certain`` says that signed notes alone prove it, whatever the cause of its code is."""
        self._counts[finding.code] += 1
        cause = cause_of(finding.code)
        if is_certain:
            self._certain[finding.code] += 1
            cause = min(cause, Cause.STATEMENTS)
        kept = self._kept[finding.severity, cause]
        if len(kept) < MAX_FINDINGS:
            kept.append(finding)

    def fill(self, report: Report, *, is_explained: bool = False) -> None:
        """Fill in the report's findings; with ``is_explained``, leave out all that only the leaves prove."""
        counts, kept = self._counts, self._kept
        if is_explained:
            counts = Counter(
                {
                    code: count if cause_of(code) < Cause.LEAVES else self._certain[code]
                    for code, count in counts.items()
                    if cause_of(code) < Cause.LEAVES or code in self._certain
                }
            )
            kept = defaultdict(list, {key: found for key, found in kept.items() if key[1] < Cause.LEAVES})
        report.explained = self._counts.total() - counts.total()
        report.finding_counts = dict(sorted(counts.items()))
        listed: list[Finding] = []
        for severity in Severity:
            own = [one for (weight, _), found in sorted(kept.items()) if weight is severity for one in found]
            listed += sort_findings(own)[:MAX_FINDINGS]
        report.findings = tuple(listed)
