"""What a check of a deployment found: how it is, what was measured, and what to do where it is not well.

The law: a finding that is not OK has a remedy. WARN is what serves today and will not some day, or not everywhere;
FAIL is what a server does not start with, or must not serve with.

>>> CheckResult.ok("disk", "12 GB free").level.name
'OK'
"""

import enum
from dataclasses import dataclass


class CheckLevel(enum.StrEnum):
    """How it stands with what was checked."""

    OK = "OK"
    WARN = "WARN"
    FAIL = "FAIL"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check's outcome. ``measured`` is for people, in one line; ``remedy`` is empty where nothing is to be done."""

    check: str
    level: CheckLevel
    measured: str
    remedy: str = ""

    @classmethod
    def ok(cls, check: str, measured: str) -> "CheckResult":
        """All is well."""
        return cls(check, CheckLevel.OK, measured)

    @classmethod
    def warn(cls, check: str, measured: str, remedy: str) -> "CheckResult":
        """It serves, but not for ever, or not everywhere."""
        return cls(check, CheckLevel.WARN, measured, remedy)

    @classmethod
    def fail(cls, check: str, measured: str, remedy: str) -> "CheckResult":
        """It does not serve, or must not."""
        return cls(check, CheckLevel.FAIL, measured, remedy)
