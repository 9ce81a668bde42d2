"""Keys of the tests' logs, found by name and by public key, as an attacker who holds all of them would."""

from typing import Final

from tests.audit.audit_builder import LOG, REFEREE, ROOT, SHUFFLER, NamedSigner
from tests.audit.audit_watched import FIRST, NEW_LOG, SECOND

TABLES: Final = (
    *("table-1", "signed", "sealed", "board", "sealed.board", "turns", "watched", "felt", "green", "oak"),
    *("binh", "lon", "texas", "seal", "free", "given"),
)
"""Tables whose seats may have keys."""
FIXED: Final = (
    *(LOG, SHUFFLER, REFEREE, ROOT, FIRST, SECOND),
    *(NamedSigner(name) for name in ("somebody", "referee/2", "witness.example/third")),
)
_SEATS: Final = [NamedSigner(f"{table}/seat/{seat}") for table in TABLES for seat in range(6)]
NAMED: Final = {one.name: one for one in (*FIXED, *_SEATS)} | {"log.example/1/new": NEW_LOG}
BY_KEY: Final = {one.public_key: name for name, one in NAMED.items()}
STRANGERS: Final = ("somebody", LOG.name, ROOT.name, REFEREE.name, SHUFFLER.name, "turns/seat/0")
"""Keys that a leaf may be signed by in place of its own."""
