"""What grows with the log: ``python -m tests.bench.bench_growth 10000 100000 1000000``, sizes in leaves, ascending.

The log of one server gets so many leaves of 3 kB that no step reads. At each size every operation of the table is done
as its command or call does it: CPU seconds of the process, commits not forced. Single calls are the least of five times
a hundred, at leaves and sizes chosen by a fixed seed; what runs once is done once. *new* operations follow a thousand
more leaves. The audit is of another log, of four-seat Mậu Binh rounds at twenty tables, each event with a receipt, in
a process of its own, with its peak memory. ``--picture FILE`` draws the curves, ``--keep FOLDER`` leaves the audited
log there and finds it again.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Final

from referee.server.doctor import CheckDepth, examine
from referee.server.process.app import Application
from referee.server.process.opened_log import OpenedLog
from referee.storage import back_up, extend_backup, open_reader
from referee.storage.batch import append_batch
from referee.storage.round_index import EVERY
from referee.storage.sqlite import open_sqlite
from referee.tiles import open_place, publish
from tests.bench.generated_log import Head, audit_apart, write_growing
from tests.bench.growth_picture import draw
from tests.bench.openings import SIGNER, found, opening_of
from tests.server.doctor.examining import configured
from tests.server.options import server_options
from tests.storage.long_log import extend

LEAVES_A_ROUND: Final = 4
LEAF_BYTES: Final = 3_000
NEW: Final = 1_000
"""Leaves that are new to a backup and to a publication that go on."""
REPEATS: Final = 5
CALLS: Final = 100
PAGE: Final = 100
"""Rounds and leaves of a page that a caller lists."""

Figures = dict[str, float]
"""CPU seconds by operation, and megabytes by name."""


def main() -> None:
    """Print the table, an operation a line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bench_growth")
    parser.add_argument("sizes", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    by_size: dict[int, Figures] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        heads = _logs(arguments.keep or folder, arguments.sizes)
        with Application(server_options(data=folder / "data")):
            pass
        for size, head in zip(arguments.sizes, heads, strict=True):
            sys.stderr.write(f"{size:,} leaves\n")
            by_size[size] = _whole(folder, size) | _calls(folder / f"calls {size}", size)
            audit = audit_apart((arguments.keep or folder) / "log", head, size // LEAVES_A_ROUND)
            by_size[size] |= {"audit, a round": audit.seconds / (size // LEAVES_A_ROUND), "audit, peak MB": audit.peak}
    sys.stdout.write(f"{'leaves':<24}" + "".join(f"{size:>14,}" for size in by_size) + "\n")
    for operation in by_size[arguments.sizes[0]]:
        cells = (_written(operation, figures[operation]) for figures in by_size.values())
        sys.stdout.write(f"{operation:<24}" + "".join(f"{cell:>14}" for cell in cells) + "\n")
    if arguments.picture:
        arguments.picture.write_text(draw(by_size), encoding="utf-8")


def _written(operation: str, figure: float) -> str:
    if operation.endswith("MB"):
        return f"{figure:.1f} MB"
    return f"{figure * 1e6:,.0f} us" if figure < 1e-2 else f"{figure:,.2f} s"


@contextmanager
def _timed(figures: Figures, operation: str) -> Iterator[None]:
    begun = time.process_time()
    yield
    figures[operation] = time.process_time() - begun


def _whole(folder: Path, size: int) -> Figures:
    """Measure what reads a whole log, or what is new of it, at this size."""
    figures: Figures = {}
    data, backup, tiles = folder / "data", folder / f"backup {size}", folder / f"tiles {size}"
    extend(data, size - NEW, leaf_bytes=LEAF_BYTES)
    with _timed(figures, "backup"):
        back_up(data, backup)
    with _timed(figures, "publish"):
        _publish(data, tiles)
    extend(data, size, leaf_bytes=LEAF_BYTES)
    with _timed(figures, "backup, new"):
        extend_backup(data, backup)
    with _timed(figures, "publish, new"):
        _publish(data, tiles)
    for operation, is_full in (("start", False), ("start, all checked", True)):
        with ExitStack() as kept, _timed(figures, operation):
            OpenedLog.open(server_options(data=data, check_first=is_full), (), kept)
    for operation, is_full in (("doctor", False), ("doctor --full", True)):
        with _timed(figures, operation):
            list(examine(configured(data=data), depth=CheckDepth(is_full=is_full)))
    return figures


def _publish(data: Path, tiles: Path) -> None:
    with closing(open_reader(data, database=None, is_certain=True)) as reader:
        publish(reader, reader.head().checkpoint, open_place(str(tiles)))


def _calls(folder: Path, size: int) -> Figures:
    """Measure calls on a log whose leaves each open a round."""
    figures: Figures = {}
    with closing(open_sqlite(folder)) as store:
        found(store)
        with store.transaction() as transaction:
            del transaction
        store._connection.cursor().execute("PRAGMA synchronous=OFF")  # type: ignore[union-attr] # noqa: SLF001 - a bench
        at = 0

        def append(count: int) -> None:
            nonlocal at
            leaves = [(b"leaf %d " % number).ljust(LEAF_BYTES, b".") for number in range(at, at + count)]
            openings = [[opening_of("t", number, leaf=leaf)] for number, leaf in enumerate(leaves, at)]
            append_batch(store, SIGNER, openings)
            at += count

        while at < size:
            append(min(256, size - at))
            if at % (64 * 256) == 0:
                store.compact()
        figures["append of one"] = _least(lambda _: append(1))
        figures["append, of 64"] = _least(lambda _: append(64), calls=2) / 64
        figures["inclusion proof"] = _least(
            lambda luck: store.inclusion_proof(index=luck.randrange(at), size=at),
        )
        figures["consistency proof"] = _least(
            lambda luck: store.consistency_proof(old_size=luck.randrange(1, at), new_size=at),
        )
        figures["ListRounds, a page"] = _least(
            lambda luck: store.listed(EVERY, since=0, before=(0, at - luck.randrange(at - PAGE)), count=PAGE),
        )
        figures["ListEntries, a page"] = _least(
            lambda luck: store.leaves(start := luck.randrange(at), start + PAGE),
        )
    return figures


def _least(call: Callable[[random.Random], object], *, calls: int = CALLS) -> float:
    """Return the least CPU seconds of a call."""
    least = float("inf")
    for repeat in range(REPEATS):
        luck = random.Random(repeat)  # noqa: S311 - the same leaves in every run
        begun = time.process_time()
        for _ in range(calls):
            call(luck)
        least = min(least, (time.process_time() - begun) / calls)
    return least


def _logs(folder: Path, sizes: Sequence[int]) -> list[Head]:
    """Write the log to audit, or find it; return what it is audited with at each size."""
    heads = folder / "heads.json"
    if not heads.is_file():
        rounds = [size // LEAVES_A_ROUND for size in sizes]
        heads.write_text(json.dumps(write_growing(folder / "log", rounds)))
    return [tuple(head) for head in json.loads(heads.read_text())]


if __name__ == "__main__":
    main()
