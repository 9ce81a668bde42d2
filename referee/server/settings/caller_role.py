"""Roles of callers, and the texts that name tenants and patterns of tables."""

import enum
import re
from typing import Final

EVERY_TENANT: Final = "*"
_TENANT: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_PATTERN: Final = re.compile(r"[A-Za-z0-9._*-]{1,64}")


class CallerRole(enum.StrEnum):
    """Role of a caller; ``roles.TABLE`` has the methods of each."""

    ANYONE = "anyone"
    """Caller without credentials."""
    SEAT = "seat"
    """One seat of one round."""
    FRONTEND = "frontend"
    """Operator of tables: opens, deals, reports events, settles."""
    AUDITOR = "auditor"
    """Reader of the log."""
    SHUFFLER = "shuffler"
    """Dealer for a frontend that only reports and settles."""
    ADMIN = "admin"
    """Operator who ends rounds that hang and reads everything but hands."""


def is_tenant(text: str) -> bool:
    """Return whether the text names one tenant, or ``*`` for all."""
    return text == EVERY_TENANT or _TENANT.fullmatch(text) is not None


def is_pattern(text: str) -> bool:
    """Return whether the text is a pattern of table ids."""
    return _PATTERN.fullmatch(text) is not None
