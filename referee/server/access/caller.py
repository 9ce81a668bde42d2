"""Who calls, as far as it was proved, and whether a table is theirs.

The law: a table belongs to the tenant whose name stands before its first dot: ``acme.vip-7`` is a table of ``acme``,
and ``vip-7`` is nobody's. The owner is a part of the name, and the name stands in every header, and so in every round
id, certificate, receipt and leaf; it needs no memory, cannot change under a round, and is the same on every server,
after every restore, and for whoever audits. A caller for every tenant, written ``*``, has all tables.

>>> an = Caller(name="an", role=CallerRole.FRONTEND, tenant="acme", tables="acme.vip-*")
>>> [an.has(table) for table in ("acme.vip-7", "acme.7", "acme2.vip-7", "vip-7", "")]
[True, False, False, False, False]
"""

import enum
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

EVERY_TENANT: Final = "*"
_TENANT: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_PATTERN: Final = re.compile(r"[A-Za-z0-9._*-]{1,64}")


class CallerRole(enum.StrEnum):
    """What a caller is there for. What each may ask stands in ``roles.TABLE`` alone."""

    ANYONE = "anyone"
    """Who proved nothing."""
    SEAT = "seat"
    """One seat of one round."""
    FRONTEND = "frontend"
    """Whoever runs tables: opens, deals, tells what happened, settles."""
    AUDITOR = "auditor"
    """Reads the log, and changes nothing."""
    SHUFFLER = "shuffler"
    """Deals for a frontend that only plays and settles, and does neither."""
    ADMIN = "admin"
    """Ends rounds that hang, and reads everything but hands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatScope:
    """One seat of one round, for which a caller speaks."""

    table: str
    round_number: int
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls. ``tables`` narrows the tenant's tables by a pattern in which ``*`` stands for any characters."""

    name: str
    role: CallerRole
    tenant: str = ""
    tables: str = "*"
    place: SeatScope | None = None
    """For a seat, which; None for all others."""

    def has(self, table: str) -> bool:
        """Whether the table is one that the caller may name."""
        if self.place is not None and table != self.place.table:
            return False
        if self.tenant not in (EVERY_TENANT, tenant_of(table)) or not self.tenant:
            return False
        return self.tables == "*" or _matcher(self.tables).fullmatch(table) is not None

    @property
    def has_all(self) -> bool:
        """Whether every table of every tenant is the caller's."""
        return self.place is None and self.tenant == EVERY_TENANT and self.tables == "*"


def tenant_of(table: str) -> str:
    """The tenant that a table belongs to; empty for a table that is nobody's."""
    tenant, dot, _ = table.partition(".")
    return tenant if dot else ""


def is_tenant(text: str) -> bool:
    """Whether the text names one tenant, or ``*`` for every one."""
    return text == EVERY_TENANT or _TENANT.fullmatch(text) is not None


def is_pattern(text: str) -> bool:
    """Whether the text is a pattern of table ids."""
    return _PATTERN.fullmatch(text) is not None


@lru_cache(maxsize=1024)
def _matcher(pattern: str) -> "re.Pattern[str]":
    return re.compile("[A-Za-z0-9._-]*".join(map(re.escape, pattern.split("*"))))
