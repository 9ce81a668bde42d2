"""A caller as far as it was authenticated, and the tables it may name.

A table belongs to the tenant named before its first dot: ``acme.vip-7`` to ``acme``, ``vip-7`` to none. The table's
name is in every header and leaf, so ownership needs no storage and cannot change. The tenant ``*`` has all tables.

>>> an = Caller(name="an", role=CallerRole.FRONTEND, tenant="acme", tables="acme.vip-*")
>>> [an.has(table) for table in ("acme.vip-7", "acme.7", "acme2.vip-7", "vip-7", "")]
[True, False, False, False, False]
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from referee.server.settings.caller_role import EVERY_TENANT, CallerRole


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatScope:
    """One seat of one round."""

    table: str
    round_number: int
    seat: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """A caller. ``tables`` restricts the tenant's tables by a pattern in which ``*`` matches any characters."""

    name: str
    role: CallerRole
    tenant: str = ""
    tables: str = "*"
    place: SeatScope | None = None
    """The seat that a caller of role SEAT acts for; None for other roles."""

    def has(self, table: str) -> bool:
        """Return whether the caller may name the table."""
        if self.place is not None and table != self.place.table:
            return False
        if self.tenant not in (EVERY_TENANT, tenant_of(table)) or not self.tenant:
            return False
        return self.tables == "*" or _matcher(self.tables).fullmatch(table) is not None

    def has_each(self, prefix: str) -> bool:
        """Return whether the caller may name every table whose id begins so.

        >>> an = Caller(name="an", role=CallerRole.FRONTEND, tenant="acme", tables="acme.vip-*")
        >>> [an.has_each(prefix) for prefix in ("acme.vip-", "acme.vip-7", "acme.", "")]
        [True, True, False, False]
        """
        head, star, rest = self.tables.partition("*")
        is_its_tenants = self.tenant == EVERY_TENANT or (self.tenant and prefix.startswith(f"{self.tenant}."))
        return bool(self.place is None and is_its_tenants and star and not rest and prefix.startswith(head))


@dataclass(frozen=True, slots=True)
class ProvedToken:
    """A token whose signature was verified; its times are in ms since 1970 UTC."""

    caller: Caller
    revoked_by: tuple[str, ...]
    """Names that revoke it: its id, if it has one, and its issuer or the issuer's key."""
    not_before: int
    expires: int
    is_current: Callable[[], bool] = lambda: True
    """Whether its issuer's key is still valid; revocation aside."""


def tenant_of(table: str) -> str:
    """Return the tenant that a table belongs to: its id up to the first dot; empty where it has no dot."""
    tenant, dot, _ = table.partition(".")
    return tenant if dot else ""


def _matcher(pattern: str) -> "re.Pattern[str]":
    return re.compile("[A-Za-z0-9._-]*".join(map(re.escape, pattern.split("*"))))
