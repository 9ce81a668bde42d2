"""An audit's memory does not grow with the log: an eightfold log takes no more, once the seeds' first run is full."""

import tracemalloc

import pytest

from referee.audit import MemoryLog
from referee.audit.totals import SeedBook, SeedKind
from tests.audit.audit_builder import FAR, Auditor, LogBuilder, Table

ROUNDS = 720
TABLE = Table(name="felt", ruleset_id="mau_binh.classic", seats=2, received=False)
KEYS, LEAVES = 3, 4


def peak(audit: Auditor, bundle: MemoryLog) -> int:
    """Return the peak bytes in use during an audit of a bundle, without the bundle itself."""
    tracemalloc.start()
    try:
        report = audit(bundle, now=FAR)
        assert report.is_clean
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_is_flat_in_the_length_of_the_log(audit: Auditor, monkeypatch: pytest.MonkeyPatch):
    """What is kept of leaves is bounded; with small bounds it is the same for both logs."""
    monkeypatch.setattr("referee.audit.totals.SeedBook", lambda: SeedBook(run=256))
    monkeypatch.setattr("referee.evidence.merkle._KEPT", 64)
    log = LogBuilder.of(TABLE, rounds=ROUNDS)
    part = LogBuilder(log.entries[: KEYS + LEAVES * ROUNDS // 8])
    audit(part.bundle())  # caches fill
    small, large = peak(audit, part.bundle()), peak(audit, log.bundle())
    assert large < 1.25 * small


def test_seed_book_holds_one_run_in_memory():
    with SeedBook(run=256) as book:
        tracemalloc.start()
        try:
            for number in range(50_000):
                book.add(SeedKind.CLIENT, number.to_bytes(32, "big"), leaf=number)
            assert tracemalloc.get_traced_memory()[1] < 100_000
        finally:
            tracemalloc.stop()
        assert list(book.repeated()) == []
