"""Peaks of traced memory in bytes, each measured in a process in which nothing else runs."""

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Final
from unittest import mock

from referee.audit import MemoryLog
from referee.audit.seed_book import SeedBook, SeedKind
from tests.audit.audit_builder import FAR, LogBuilder, Table
from tests.audit.auditing import audited

ROUNDS: Final = 720
TABLE: Final = Table(name="felt", ruleset_id="mau_binh.classic", seats=2, received=False)
KEYS, LEAVES = 3, 4
RUN: Final = 256
SEEDS: Final = 50_000
LEAST_BOOK: Final = 32 * RUN
"""Bytes of the seeds of one run, which a book holds at least."""


def peaks_of_audits() -> tuple[int, int]:
    """Return the peaks of audits of an eighth of a log and of the whole, without the logs themselves."""
    with (
        mock.patch("referee.audit.audit.SeedBook", partial(SeedBook, run=RUN)),
        mock.patch("referee.suspicion.reader.SeedBook", partial(SeedBook, run=RUN)),
        mock.patch("referee.evidence.merkle._KEPT", 64),
    ):
        log = LogBuilder.of(TABLE, rounds=ROUNDS)
        part = LogBuilder(log.entries[: KEYS + LEAVES * ROUNDS // 8])
        _audit(part.bundle())  # caches fill
        small, large = (_peak(partial(_audit, made.bundle())) for made in (part, log))
    return small, large


def peak_of_book() -> int:
    """Return the peak while many seeds are added to a book of short runs."""

    def fill() -> None:
        for number in range(SEEDS):
            book.add(SeedKind.CLIENT, number.to_bytes(32, "big"), leaf=number)

    with SeedBook(run=RUN) as book:
        peak = _peak(fill)
        assert list(book.repeated()) == []
    return peak


def _audit(bundle: MemoryLog) -> None:
    assert audited(bundle, now=FAR).is_clean


def _peak(call: Callable[[], None]) -> int:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
