"""The index of rounds: each is listed by the time of its OPEN, once for every scope that it belongs to.

Scopes are all rounds, those of a table, those of a tenant, and those in which a key sits. Within a scope rounds are in
the order of their OPEN leaves, by time and then by index, which no later append changes.

>>> Listed(key=SlotKey("acme.vip-7", 1), opened_time=1_700_000_000_000, index=LeafIndex(5)).scopes
(b'', b'tacme.vip-7', b'nacme')
"""

from typing import Final

import msgspec

from referee.dealing.header import tenant_of
from referee.evidence.merkle import LeafIndex
from referee.log import SlotKey

EVERY: Final = b""
"""Scope of all rounds."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A round in the index: the time at which it was opened, in ms since 1970 UTC, and the index of its OPEN leaf.

    ``seat_keys`` are the keys of the seats that have one; empty in an entry that was read from the index.
    """

    key: SlotKey
    opened_time: int
    index: LeafIndex
    seat_keys: tuple[bytes, ...] = ()

    @property
    def scopes(self) -> tuple[bytes, ...]:
        """Scopes under which the round is listed; a table whose id has no dot belongs to no tenant."""
        table = self.key.table_id
        tenant = (of_tenant(tenant_of(table)),) if "." in table else ()
        return EVERY, of_table(table), *tenant, *map(of_seat, self.seat_keys)


def of_table(table: str) -> bytes:
    """Return the scope of a table's rounds."""
    return b"t" + table.encode()


def of_tenant(tenant: str) -> bytes:
    """Return the scope of the rounds of a tenant's tables."""
    return b"n" + tenant.encode()


def of_seat(key: bytes) -> bytes:
    """Return the scope of the rounds in which a seat has this key."""
    return b"k" + key
