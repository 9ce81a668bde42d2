"""The log beside pymerkle and plain SQLite: appends forced to disk, proofs, and their verification."""

import importlib
import random
import sqlite3
import tempfile
import time
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Final

from referee.evidence.merkle import leaf_hash, verify_inclusion
from referee.storage.batch import append_batch
from referee.storage.sqlite import open_sqlite
from referee.storage.store import Store
from tests.bench.openings import SIGNER, found, opening_of
from tests.bench.peers.rows import Row, compared

LEAF_BYTES: Final = 1_500
SIZE: Final = 4_096
BATCH: Final = 64
OURS_MORE: Final = "a row for the round, its mark and the listing; a signed checkpoint; the proof of each leaf"


class OurLog:
    """A log of our own in a folder, and what appends to it."""

    def __init__(self, folder: Path) -> None:
        self.store: Store = open_sqlite(folder)
        found(self.store)
        self._numbers = count()

    def append(self, size: int) -> int:
        """Append a batch of OPEN leaves, each of a table of its own, in one forced commit."""
        numbers = [next(self._numbers) for _ in range(size)]
        leaves = [number.to_bytes(8, "big") + bytes(LEAF_BYTES - 8) for number in numbers]
        appends = [
            opening_of("table", number, leaf=leaf, memo=bytes(200))
            for number, leaf in zip(numbers, leaves, strict=True)
        ]
        append_batch(self.store, SIGNER, [[append] for append in appends])
        return size


class PlainSqlite:
    """A table of blobs, with the same guarantee: a write-ahead log and ``synchronous=FULL``."""

    def __init__(self, file: Path) -> None:
        self._connection = sqlite3.connect(file, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=FULL")
        self._connection.execute("CREATE TABLE entry (id INTEGER PRIMARY KEY, at INTEGER, data BLOB)")

    def append(self, size: int) -> int:
        """Insert rows in one forced commit."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO entry (at, data) VALUES (?, ?)", [(1, bytes(LEAF_BYTES))] * size)
        self._connection.execute("COMMIT")
        return size

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def beside_sqlite() -> list[Row]:
    """Measure appends of one and of 64 beside a table of blobs."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ours, theirs = OurLog(folder / "log"), PlainSqlite(folder / "plain.sqlite")
        stack.callback(ours.store.close)
        stack.callback(theirs.close)
        return [
            compared(
                f"append of {size}, forced, a leaf{name}",
                "plain SQLite",
                theirs=lambda size=size: theirs.append(size),  # type: ignore[misc] # bound now
                ours=lambda size=size: ours.append(size),  # type: ignore[misc] # as above
                ours_more=OURS_MORE,
                clock=clock,
            )
            for size in (1, BATCH)
            for name, clock in (("", time.process_time), (", time passed", time.perf_counter))
        ]


def beside_pymerkle() -> list[Row]:
    """Measure an append of one, an inclusion proof and its verification."""
    pymerkle = importlib.import_module("pymerkle")
    dice = random.Random(9)  # noqa: S311 - a fixed sample
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ours = OurLog(folder / "log")
        stack.callback(ours.store.close)
        stored = stack.enter_context(pymerkle.SqliteTree(str(folder / "pymerkle.sqlite")))
        stored.con.execute("PRAGMA synchronous=FULL")

        def append() -> int:
            stored.append_entry(bytes(LEAF_BYTES))
            return 1

        rows = [
            compared(
                "append of one, forced",
                "pymerkle, SQLite",
                theirs=append,
                ours=lambda: ours.append(1),
                ours_more=OURS_MORE,
            )
        ]
        while (size := ours.store.head().size) < SIZE:
            ours.append(min(BATCH, SIZE - size))
        leaves = ours.store.leaves(0, ours.store.head().size)
        memory = pymerkle.InmemoryTree()
        for leaf in leaves:
            memory.append_entry(leaf)
        head = ours.store.head()
        size, root = head.size, head.root
        assert memory.get_root() == root
        places = [dice.randrange(size) for _ in range(100)]

        def prove() -> int:
            return len([ours.store.inclusion_proof(index=place, size=size) for place in places])

        proofs = [ours.store.inclusion_proof(index=place, size=size) for place in places]
        their_proofs = [memory.prove_inclusion(place + 1) for place in places]
        hashes = [leaf_hash(leaves[place]) for place in places]

        def verify() -> int:
            for place, hashed, proof in zip(places, hashes, proofs, strict=True):
                verify_inclusion(hashed, index=place, size=size, proof=proof, root=root)
            return len(places)

        def their_verify() -> int:
            for hashed, proof in zip(hashes, their_proofs, strict=True):
                pymerkle.verify_inclusion(hashed, root, proof)
            return len(places)

        rows.append(
            compared(
                f"inclusion proof, {size:,} leaves",
                "pymerkle, in memory",
                theirs=lambda: len([memory.prove_inclusion(place + 1) for place in places]),
                ours=prove,
                ours_more="reads the head from SQLite, and tiles that it does not hold",
            )
        )
        rows.append(compared("verification of such a proof", "pymerkle", theirs=their_verify, ours=verify))
        return rows
