"""How fast a log is audited on one core with every check on, beside the time of its signature checks alone.

``python -m tests.bench.bench_audit 25`` audits each log 25 times, and verifies what it verified in between. Keyed seats
sign their seeds and their courses. *At 55 us* is the rate if a signature took that long, with all else as measured.
What an audit costs by the size of the log is measured by ``bench_growth``.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias
from unittest import mock

from nacl.bindings import crypto_sign_open

TABLES: Final = 20
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
_LENGTH: Final = 4
Head: TypeAlias = tuple[str, str, str, str, int]
"""Checkpoint, origin and keys of a log, and the time of its audit."""
_AUDIT: Final = "from tests.bench.bench_audit import audit_file; audit_file({file!r}, {head!r})"


def write_log(file: Path, rounds: int, *, received: bool) -> Head:
    """Write a log of so many rounds to a file, each leaf behind its length; return what it is audited with."""
    return write_growing(file, [rounds], received=received)[0]


def write_growing(file: Path, sizes: Sequence[int], *, received: bool) -> list[Head]:
    """Write a log of the last of these numbers of rounds to a file; return what it is audited with at each of them."""
    from referee.evidence.merkle import Frontier, leaf_hash  # noqa: PLC0415 - not in the audit's memory
    from referee.log import Checkpoint, CheckpointSigner  # noqa: PLC0415 - not in the audit's memory
    from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder, Table  # noqa: PLC0415 - not in the audit's memory

    builder, frontier, signer = LogBuilder.founded(), Frontier(), CheckpointSigner(LOG, key_name=LOG.name)
    tables = [
        Table(name=f"table-{number}", ruleset_id="mau_binh.chi_2020", seats=4, received=received)
        for number in range(TABLES)
    ]
    latest, heads = 0, []
    with file.open("wb") as out:
        for number in range(sizes[-1]):
            parts = builder.play(tables[number % TABLES], seed=number)
            latest = max(latest, parts.header.round_deadline)
            for leaf in builder.entries:
                out.write(len(leaf).to_bytes(_LENGTH, "big") + leaf)
                frontier = frontier.append(leaf_hash(leaf))
            builder.entries.clear()
            if number + 1 in sizes:
                checkpoint = signer.sign(Checkpoint(ORIGIN, frontier.size, frontier.root))
                heads.append((checkpoint.decode(), ORIGIN, LOG.text, ROOT.text, latest))
    return heads


class FileLog:
    """A log in such a file, read from its front."""

    def __init__(self, file: str, checkpoint: str) -> None:
        self.checkpoint = checkpoint.encode()
        self._file = file

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """Return the leaves from ``start`` to before ``stop``."""
        with Path(self._file).open("rb") as source:
            for index in range(stop):
                leaf = source.read(int.from_bytes(source.read(_LENGTH), "big"))
                if index >= start:
                    yield leaf


def audit_file(file: str, head: Sequence[str | int]) -> None:
    """Audit such a file and print seconds, findings, rounds replayed and dealt again, and peak memory in MB."""
    import resource  # noqa: PLC0415 - the audited process measures itself

    from referee.audit.audit import audit_log  # noqa: PLC0415 - so that its import is not timed twice
    from referee.rulesets import load_builtin  # noqa: PLC0415 - not in the audit's memory

    checkpoint, origin, log_key, root_key, now = head
    source = FileLog(file, str(checkpoint))
    catalogue = load_builtin()
    start = time.process_time()
    report = audit_log(
        source, origin=str(origin), log_key=str(log_key), root_key=str(root_key), catalogue=catalogue, now=int(now)
    )
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result = [seconds, sum(report.finding_counts.values()), report.checked.replayed, report.checked.redealt, peak]
    sys.stdout.write(json.dumps(result) + "\n")


class Audited(NamedTuple):
    """CPU seconds, findings, rounds replayed and dealt again, and peak memory in MB of an audit."""

    seconds: float
    findings: int
    replayed: int
    redealt: int
    peak: float


def audit_apart(file: Path, head: Head, rounds: int) -> Audited:
    """Audit a log in a process of its own; raise AssertionError unless all of its rounds hold."""
    code = _AUDIT.format(file=str(file), head=tuple(head))
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    audited = Audited(*json.loads(done.stdout))
    assert (audited.findings, audited.replayed, audited.redealt) == (0, rounds, rounds), audited
    return audited


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
    from referee.audit import audit_log  # noqa: PLC0415 - not in the memory of an audit apart
    from referee.evidence import ed25519  # noqa: PLC0415 - not in the memory of an audit apart
    from referee.rulesets import load_builtin  # noqa: PLC0415 - not in the memory of an audit apart
    from tests.audit.audit_builder import FAR, LOG, ORIGIN, ROOT, LogBuilder, Table  # noqa: PLC0415 - as above

    builder, catalogue, verify = LogBuilder.founded(), load_builtin(), crypto_sign_open
    for number in range(COUNT):
        builder.play(Table(name=f"table-{number % 5}", **table), seed=number)
    log, checks = builder.bundle(), []

    def noted(signed: bytes, key: bytes) -> bytes:
        checks.append((signed, key))
        return verify(signed, key)

    def audit() -> None:
        report = audit_log(log, origin=ORIGIN, log_key=LOG.text, root_key=ROOT.text, catalogue=catalogue, now=FAR)
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
