"""Who may ask what: callers, proved by certificate or token, their roles, and the tables that are theirs."""

from referee.server.access.caller import EVERY_TENANT, Caller, CallerRole, SeatScope, tenant_of
from referee.server.access.settings import AccessSettings, Certified, Issuer, listen_problems

__all__ = [
    "EVERY_TENANT",
    "AccessSettings",
    "Caller",
    "CallerRole",
    "Certified",
    "Issuer",
    "SeatScope",
    "listen_problems",
    "tenant_of",
]
