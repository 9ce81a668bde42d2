"""Work of an audit a round, counted and not timed: ``python -m tests.bench.audited_work``.

Two logs of one table are audited, one of twice as many rounds as the other, and the difference is divided by the rounds
more, so that what an audit does once is left out. The figures are the same on every machine.
"""

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from unittest import mock

from nacl.bindings import crypto_sign_open

from referee.audit import MemoryLog
from referee.evidence import canonical, ed25519
from tests.audit.audit_builder import FAR, LOG, ORIGIN, ROOT, LogBuilder, Table
from tests.bench.settled_work import WorkCounter
from tests.driver.auditing import counted, terms_of

TABLES: Final = {
    "Mậu Binh, reported": Table(name="felt", ruleset_id="mau_binh.chi_2020", seats=4, received=False),
    "Mậu Binh, received": Table(name="felt", ruleset_id="mau_binh.chi_2020", seats=4),
    "Mậu Binh, keyed": Table(name="felt", ruleset_id="mau_binh.chi_2020", seats=4, keyed=True),
    "Tiến Lên, received": Table(name="felt", ruleset_id="tien_len.mien_nam", seats=4),
    "Tiến Lên, keyed": Table(name="felt", ruleset_id="tien_len.mien_nam", seats=4, keyed=True),
    "Ultimate Texas, received": Table(name="felt", ruleset_id="ultimate_texas.casino", seats=4),
    "Ultimate Texas, keyed": Table(name="felt", ruleset_id="ultimate_texas.casino", seats=4, keyed=True),
}
ROUNDS: Final = 8


class AuditedWork(NamedTuple):
    """What was done to audit rounds."""

    events: float
    unseals: float
    verified: float
    """Signatures verified."""
    distinct: float
    """The same, each signature by a key over a message counted once."""
    hashed: float
    """SHA-256 hashes begun; those that continue a copied one are not counted."""
    encoded: float
    """Canonical texts written."""
    encoded_bytes: float
    leaf_bytes: float


def count() -> Mapping[str, AuditedWork]:
    """Count the work of a round of each kind, on average."""
    return {name: _work_of(table) for name, table in TABLES.items()}


def _work_of(table: Table) -> AuditedWork:
    log, events, unseals, works = LogBuilder.founded(), 0, 0, []
    for number in range(2 * ROUNDS):
        parts = log.play(table, seed=number)
        events, unseals = events + len(parts.inputs.events), unseals + len(parts.unseals)
        if number + 1 in {ROUNDS, 2 * ROUNDS}:
            works.append(AuditedWork(events, unseals, *_audit(log.bundle())))
    return AuditedWork(*[(after - before) / ROUNDS for before, after in zip(*works, strict=True)])


def _audit(log: MemoryLog) -> Sequence[int]:
    """Audit a log and return what is counted after events and unseals."""
    own = threading.get_ident()
    counter, verify = WorkCounter(lambda: threading.get_ident() == own), crypto_sign_open
    checks: set[tuple[bytes, bytes]] = set()
    terms = terms_of(origin=ORIGIN, log_key=LOG.text, root_key=ROOT.text, now=FAR)

    def verify_noted(signed: bytes, key: bytes) -> bytes:
        checks.add((signed, key))
        return verify(signed, key)

    def audit() -> None:
        sys.setprofile(counter)
        try:
            report = counted(log, *terms)
        finally:
            sys.setprofile(None)
        assert report.is_clean

    with (
        mock.patch.object(canonical, "_encoder", counter),
        mock.patch.object(ed25519, "crypto_sign_open", verify_noted),
    ):
        counts = counter.count(audit)
    named = [counts[name] for name in ("hashed", "encoded", "encoded_bytes")]
    return counts["verified"], len(checks), *named, sum(map(len, log.entries))


def main() -> None:
    """Print the table."""
    sys.stdout.write(f"{'a round of':<28}{''.join(f'{name:>15}' for name in AuditedWork._fields)}\n")
    for name, work in count().items():
        sys.stdout.write(f"{name:<28}{''.join(f'{number:>15,.1f}' for number in work)}\n")


if __name__ == "__main__":
    main()
