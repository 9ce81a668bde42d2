"""The result of one check: OK, WARN (serves, but not forever or not everywhere) or FAIL (must not serve).

>>> CheckResult.ok("disk", "12 GB free").level.name
'OK'
"""

import enum
from dataclasses import dataclass


class CheckLevel(enum.StrEnum):
    """Severity of a result."""

    OK = "OK"
    WARN = "WARN"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of one check. ``measured`` is one line for people; ``remedy`` is empty for OK."""

    check: str
    level: CheckLevel
    measured: str
    remedy: str = ""

    @classmethod
    def ok(cls, check: str, measured: str) -> "CheckResult":
        """Make a result without a remedy."""
        return cls(check, CheckLevel.OK, measured)

    @classmethod
    def warn(cls, check: str, measured: str, remedy: str) -> "CheckResult":
        """Make a result for what serves, but not forever or not everywhere."""
        return cls(check, CheckLevel.WARN, measured, remedy)

    @classmethod
    def fail(cls, check: str, measured: str, remedy: str) -> "CheckResult":
        """Make a result for what must not serve."""
        return cls(check, CheckLevel.FAIL, measured, remedy)
