"""What an append costs: run it as a program. Processor time of one append in a batch of 1 and of 64, and its parts.

``fsync`` is what the disk takes on top; the first lines are measured with it switched off, which only a benchmark may.
"""

import sys
import tempfile
import time
from pathlib import Path

from referee.storage import Append, Writer, check_store
from referee.storage.batch import append_batch
from referee.storage.sqlite import open_sqlite
from tests.bench.openings import ORIGIN, SIGNER, found, opening_of

COUNT = 2_048


def _appends(table: str) -> list[Append]:
    return [opening_of(table, n, leaf=b"x" * 1_500, memo=b"m" * 200) for n in range(COUNT)]


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_sqlite(Path(folder))
        found(store)
        for forced in (False, True):
            with store.transaction() as transaction:
                del transaction
            assert store._connection is not None  # noqa: SLF001 - as below
            store._connection.cursor().execute(f"PRAGMA synchronous={'FULL' if forced else 'OFF'}")  # noqa: SLF001
            for size in (1, 64):
                appends = _appends(f"{forced}-{size}")
                start, wall = time.process_time(), time.perf_counter()
                for at in range(0, COUNT, size):
                    append_batch(store, SIGNER, [[append] for append in appends[at : at + size]])
                spent, passed = time.process_time() - start, time.perf_counter() - wall
                sys.stdout.write(
                    f"batch of {size:3}, {'forced to disk' if forced else 'not forced'}: "
                    f"{spent / COUNT * 1e6:6.1f} us processor, {passed / COUNT * 1e6:6.1f} us passed, an append\n"
                )
        with Writer(store, SIGNER, origin=ORIGIN) as writer:
            appends = _appends("writer")
            wall = time.perf_counter()
            for future in [writer.submit(append) for append in appends]:
                future.result()
            sys.stdout.write(f"through the writer: {COUNT / (time.perf_counter() - wall):.0f} appends a second\n")
        wall = time.perf_counter()
        size = check_store(store).size
        sys.stdout.write(f"check: {(time.perf_counter() - wall) / size * 1e6:.1f} us a leaf\n")
        wall = time.perf_counter()
        for index in range(0, size, 50):
            store.receipt(index)
        sys.stdout.write(f"receipt of an old leaf: {(time.perf_counter() - wall) / (size / 50) * 1e6:.0f} us\n")
        store.close()


if __name__ == "__main__":
    main()
