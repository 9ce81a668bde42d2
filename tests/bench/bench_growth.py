"""What grows with the log: ``python -m tests.bench.bench_growth 10000 100000 1000000``, sizes in leaves, ascending.

One generated log of four-seat Mậu Binh rounds at twenty tables, each event with a receipt, is audited at each size, in
a process of its own. A store of as many leaves of 256 bytes is appended to, in batches that are not forced to disk,
gives proofs for leaves and sizes chosen by chance, and is verified whole, as the check behind a start does. Times
are of the processor: the least of three audits, and the least of five times a hundred appends and proofs. With
``--keep FOLDER`` the generated log is left there and found again.
"""

import argparse
import hashlib
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from referee.storage import Store, check_store
from referee.storage.batch import append_batch
from referee.storage.sqlite import open_sqlite
from tests.bench.generated_log import Head, audit_apart, write_growing
from tests.bench.openings import SIGNER, found, opening_of

LEAVES_A_ROUND: Final = 4
BATCH: Final = 256
LEAF_BYTES: Final = 256
REPEATS: Final = 5
PROOFS: Final = 100


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bench_growth")
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--audits", type=int, default=3)
    arguments = parser.parse_args()
    sys.stdout.write(
        f"{'leaves':>10}{'append us':>11}{'64 at once':>12}{'inclusion us':>14}{'consistency us':>16}"
        f"{'check s':>9}{'audit us a round':>18}{'peak MB':>9}\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        logs = arguments.keep or Path(folder)
        heads = _logs(logs, arguments.sizes)
        store, size = open_sqlite(Path(folder)), 0
        _create(store)
        for wanted, head in zip(arguments.sizes, heads, strict=True):
            while size < wanted:
                size = _extend(store, size, min(BATCH, wanted - size))
                if size % (64 * BATCH) == 0:
                    store.compact()
            single, size = _least(lambda at: _extend(store, at, 1), size)
            many, size = _least(lambda at: _extend(store, at, 64), size, calls=PROOFS // 64 + 1)
            inclusion = _proofs(size, lambda luck, of: store.inclusion_proof(index=luck.randrange(of), size=of))
            consistency = _proofs(
                size, lambda luck, of: store.consistency_proof(old_size=luck.randrange(1, of), new_size=of)
            )
            begun = time.process_time()
            check_store(store)
            check = time.process_time() - begun
            rounds = wanted // LEAVES_A_ROUND
            audits = [audit_apart(logs / "log", head, rounds) for _ in range(arguments.audits)]
            audit = min(audited.seconds for audited in audits) / rounds * 1e6
            sys.stdout.write(
                f"{wanted:>10,}{single:>11.0f}{many / 64:>12.1f}{inclusion:>14.0f}{consistency:>16.0f}"
                f"{check:>9.2f}{audit:>18.0f}"
                f"{max(audited.peak for audited in audits):>9.1f}\n"
            )
            sys.stdout.flush()
        store.close()


def _logs(folder: Path, sizes: Sequence[int]) -> list[Head]:
    """Write the log, or find it; return what it is audited with at each size."""
    heads = folder / "heads.json"
    if not heads.is_file():
        rounds = [size // LEAVES_A_ROUND for size in sizes]
        heads.write_text(json.dumps(write_growing(folder / "log", rounds)))
    return [tuple(head) for head in json.loads(heads.read_text())]


def _create(store: Store) -> None:
    """Create an empty log, and force nothing to disk from here on."""
    found(store)
    with store.transaction() as transaction:
        del transaction
    store._connection.cursor().execute("PRAGMA synchronous=OFF")  # type: ignore[union-attr] # noqa: SLF001 - a bench


def _extend(store: Store, at: int, count: int) -> int:
    """Append so many leaves, which open rounds of as many tables, as one batch; return the new size."""
    leaves = [hashlib.sha256(b"%d" % number).digest() * (LEAF_BYTES // 32) for number in range(at, at + count)]
    append_batch(store, SIGNER, [[opening_of("t", number, leaf=leaf)] for number, leaf in enumerate(leaves, at)])
    return at + count


def _least(append: Callable[[int], int], size: int, *, calls: int = PROOFS) -> tuple[float, int]:
    """Return the least CPU microseconds of an append, and the size of the log after all of them."""
    least = float("inf")
    for _ in range(REPEATS):
        begun = time.process_time()
        for _ in range(calls):
            size = append(size)
        least = min(least, (time.process_time() - begun) / calls * 1e6)
    return least, size


def _proofs(size: int, prove: Callable[[random.Random, int], object]) -> float:
    """Return the least CPU microseconds of a proof."""
    least = float("inf")
    for repeat in range(REPEATS):
        luck = random.Random(repeat)  # noqa: S311 - the same leaves in every run
        begun = time.process_time()
        for _ in range(PROOFS):
            prove(luck, size)
        least = min(least, (time.process_time() - begun) / PROOFS * 1e6)
    return least


if __name__ == "__main__":
    main()
