"""Time to verify a log at a server's start, by its leaves: ``python -m tests.bench.bench_start 10000 100000 1000000``.

The logs are made here, of leaves as large as a settlement's, without forcing them to disk. *Whole* is what the first
worker does; *since* is what every other worker and each restarted one does, with what the first has verified.
"""

import hashlib
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import psutil

from referee.evidence.merkle import EMPTY_ROOT
from referee.log import NO_LEAF, Checkpoint, CheckpointSigner, OpenStep, SlotKey
from referee.storage import Append, Store, check_store, open_sqlite
from referee.storage.batch import append_batch
from tests.bench.bench_workers import ORIGIN, BenchKey

BATCH: Final = 256
LEAF_BYTES: Final = 3_000
_SIGNER: Final = CheckpointSigner(BenchKey(), key_name=ORIGIN)


def main(sizes: list[int]) -> None:
    """Print the table."""
    sys.stdout.write(
        f"{'leaves':>10}{'made s':>9}{'whole CPU s':>13}{'us a leaf':>11}{'since CPU ms':>14}{'MB more':>9}\n"
    )
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            store, begun = open_sqlite(Path(folder)), time.monotonic()
            fill(store, size)
            made, memory = time.monotonic() - begun, psutil.Process().memory_info().rss
            whole = _cpu(partial(check_store, store))
            more = (psutil.Process().memory_info().rss - memory) / 2**20
            head = store.head()
            since = _cpu(partial(check_store, store, verified=Checkpoint(ORIGIN, head.size, head.root)))
            store.close()
        sys.stdout.write(
            f"{size:>10,}{made:>9.1f}{whole:>13.2f}{whole / size * 1e6:>11.1f}{since * 1000:>14.1f}{more:>9.1f}\n"
        )
        sys.stdout.flush()


def fill(store: Store, size: int) -> None:
    """Append so many leaves, which open rounds of as many tables, to a new store."""
    found(store)
    for first in range(0, size, BATCH):
        extend(store, first, min(first + BATCH, size))
        if first % (64 * BATCH) == 0:
            store.compact()


def found(store: Store) -> None:
    """Found a log, and force nothing to disk from here on."""
    store.found(ORIGIN, _SIGNER.sign(Checkpoint(ORIGIN, 0, EMPTY_ROOT)))
    with store.transaction() as transaction:
        del transaction
    store._connection.cursor().execute("PRAGMA synchronous=OFF")  # type: ignore[union-attr] # noqa: SLF001 - a bench


def extend(store: Store, first: int, last: int, *, leaf_bytes: int = LEAF_BYTES) -> None:
    """Append the leaves from one number to before another as one batch."""
    append_batch(store, _SIGNER, [[_append(number, leaf_bytes)] for number in range(first, last)])


def _append(number: int, leaf_bytes: int) -> Append:
    return Append(
        leaf=hashlib.sha256(b"%d" % number).digest() * (leaf_bytes // 32),
        step=OpenStep(
            SlotKey(f"t-{number}", 1), round_id=bytes(32), previous_leaf=NO_LEAF, deal_deadline=1, round_deadline=2
        ),
        request_digest=bytes(32),
    )


def _cpu(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:]] or [10_000, 100_000])
