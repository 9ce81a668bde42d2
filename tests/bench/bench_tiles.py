"""What it costs to publish a log as tiles, and to audit it from them beside the store that they came from.

One log of four-seat Mậu Binh rounds at twenty tables, on one core. Ratios are of processor time to the audit from the
store in the same run; a publisher that follows pays for what is new alone.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, TypeVar

from referee.audit import LogSource, Report, TiledLog, audit_log
from referee.cli.stored_log import StoredLog
from referee.log import Checkpoint, CheckpointSigner
from referee.rulesets import load_builtin
from referee.storage import Append, Store, Writer, open_sqlite
from referee.tiles import FolderPlace, Publication, publish
from tests.bench.generated_log import FileLog, write_log

_LEAVES_A_ROUND: Final = 4
_TOGETHER: Final = 1_000

AnswerT = TypeVar("AnswerT")


def timed(act: Callable[[], AnswerT]) -> tuple[AnswerT, float, float]:
    """Return an act's result with its CPU seconds and elapsed seconds."""
    passed, used = time.perf_counter(), time.process_time()
    answer = act()
    return answer, time.process_time() - used, time.perf_counter() - passed


def print_row(name: str, leaves: int, used: float, passed: float, baseline: float) -> None:
    """One line of the table."""
    sys.stdout.write(
        f"{name:<34}{leaves:>9,}{used:>9.2f}{passed:>9.2f}{used / leaves * 1e6:>12,.1f}{used / baseline:>9.2f}x\n"
    )
    sys.stdout.flush()


def fill(folder: Path, file: Path, note: str, count: int) -> Store:
    """Open a store of the log in a file."""
    from tests.audit.audit_builder import LOG, ORIGIN  # noqa: PLC0415 - not in the publication's memory

    store = open_sqlite(folder)
    with Writer(store, CheckpointSigner(LOG, key_name=LOG.name), origin=ORIGIN) as writer:
        leaves = FileLog(str(file), note).leaves(0, count)
        while page := [Append(leaf=leaf) for leaf in islice(leaves, _TOGETHER)]:
            writer.submit(*page).result()
    return store


def measure(size: int, folder: Path) -> None:
    """Print the lines of one size, in leaves."""
    file = folder / "file"
    note, origin, log_key, root_key, now = write_log(file, size // _LEAVES_A_ROUND, received=False)
    count = Checkpoint.parse(note.partition("\n\n")[0] + "\n").size
    store, place, catalogue = fill(folder, file, note, count), FolderPlace(folder / "tiles"), load_builtin()

    def audited(source: LogSource) -> Report:
        return audit_log(source, origin=origin, log_key=log_key, root_key=root_key, catalogue=catalogue, now=now)

    def published() -> Publication:
        return publish(store, store.head().checkpoint, place)

    stored = StoredLog(store, store.head().checkpoint)
    from_store, baseline, passed = timed(lambda: audited(stored))
    print_row("audit from the store", count, baseline, passed, baseline)
    _, used, passed = timed(published)
    print_row("publish", count, used, passed, baseline)
    _, used, passed = timed(published)
    print_row("publish again, nothing new", count, used, passed, baseline)
    from_tiles, used, passed = timed(lambda: audited(TiledLog(place)))
    print_row("audit from the tiles", count, used, passed, baseline)
    store.close()
    if from_tiles != from_store or from_store.findings:
        sys.stdout.write("the two audits differ\n")


def main(sizes: Sequence[int]) -> None:
    """Print the table; sizes are in leaves."""
    header = ("leaves", "s used", "s passed", "us a leaf", "to store")
    sys.stdout.write(f"{'tiles':<34}{header[0]:>9}{header[1]:>9}{header[2]:>9}{header[3]:>12}{header[4]:>10}\n")
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            measure(size, Path(folder))


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [10_000, 100_000])
