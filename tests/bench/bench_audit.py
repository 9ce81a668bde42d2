"""How fast a log is audited on one core with every check on, beside the time of its signature checks alone.

``python -m tests.bench.bench_audit 25`` audits each log 25 times, and verifies what it verified in between. Keyed seats
sign their seeds and their courses. *At 55 us* is the rate if a signature took that long, with all else as measured.
What an audit costs by the size of the log is measured by ``bench_growth``.
"""

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from unittest import mock

from nacl.bindings import crypto_sign_open

from referee.evidence import ed25519
from tests.audit.audit_builder import FAR, LOG, ORIGIN, ROOT, LogBuilder, Table
from tests.driver.auditing import counted, terms_of

COUNT: Final = 100
NOMINAL: Final = 55
_MAU_BINH: Final = {"ruleset_id": "mau_binh.chi_2020", "seats": 4}
_TIEN_LEN: Final = {"ruleset_id": "tien_len.mien_nam", "seats": 4}
_TEXAS: Final = {"ruleset_id": "ultimate_texas.casino", "seats": 6}
ROUNDS: Final[Mapping[str, tuple[Mapping[str, Any], str]]] = {
    "Mậu Binh, reported": ({**_MAU_BINH, "received": False}, ">= 2,000 at 55 us"),
    "Mậu Binh, received": (_MAU_BINH, ">= 2,000 at 55 us"),
    "Mậu Binh, keyed": ({**_MAU_BINH, "keyed": True}, "<= 2x"),
    "Tiến Lên, received": (_TIEN_LEN, ">= 800"),
    "Tiến Lên, keyed": ({**_TIEN_LEN, "keyed": True}, "<= 2x"),
    "Ultimate Texas, received": (_TEXAS, ""),
    "Ultimate Texas, keyed": ({**_TEXAS, "keyed": True}, "<= 2x"),
}


def main(repeats: int) -> None:
    """Print the table."""
    sys.stdout.write(
        f"{'audit of rounds':<28}{'signatures':>11}{'us each':>9}{'us a round':>12}{'median':>8}{'to signatures':>15}"
        f"{'a second':>10}{'at 55 us':>10}  aim\n"
    )
    for name, (table, aim) in ROUNDS.items():
        found = measure(table, repeats)
        ratio = found.least / found.signatures / found.verified
        rate = 1e6 / (found.least + found.signatures * (NOMINAL - found.verified))
        sys.stdout.write(
            f"{name:<28}{found.signatures:>11.1f}{found.verified:>9.1f}{found.least:>12,.0f}{found.median:>8,.0f}"
            f"{ratio:>14.2f}x{1e6 / found.least:>10,.0f}{rate:>10,.0f}  {aim}\n"
        )
        sys.stdout.flush()


class Measured(NamedTuple):
    """CPU microseconds of a round's audit, and the number of its signatures with the time to verify each by PyNaCl."""

    least: float
    median: float
    signatures: float
    verified: float


def measure(table: Mapping[str, Any], repeats: int) -> Measured:
    """Audit a log of a hundred rounds at five tables, and verify its signatures alone, many times in turn."""
    builder, verify = LogBuilder.founded(), crypto_sign_open
    terms = terms_of(origin=ORIGIN, log_key=LOG.text, root_key=ROOT.text, now=FAR)
    for number in range(COUNT):
        builder.play(Table(name=f"table-{number % 5}", **table), seed=number)
    log, checks = builder.bundle(), []

    def noted(signed: bytes, key: bytes) -> bytes:
        checks.append((signed, key))
        return verify(signed, key)

    def audit() -> None:
        report = counted(log, *terms)
        assert report.is_clean
        assert report.checked.replayed == report.checked.redealt == COUNT

    def verify_all() -> None:
        for check in checks:
            verify(*check)

    with mock.patch.object(ed25519, "crypto_sign_open", noted):
        audit()
    audits, alone = [], []
    for _ in range(repeats):
        audits.append(_cpu(audit))
        alone.append(_cpu(verify_all))
    signatures = len(checks) / COUNT
    return Measured(min(audits) / COUNT, statistics.median(audits) / COUNT, signatures, min(alone) / COUNT / signatures)


def _cpu(act: Callable[[], None]) -> float:
    begun = time.process_time()
    act()
    return (time.process_time() - begun) * 1e6


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 25)
