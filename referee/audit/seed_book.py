"""Collection of a log's seeds, which finds in bounded memory the seeds that several leaves show.

Seeds are compared whole, so there are no false alarms. Records of 40 bytes (kind, seed, leaf) are collected in memory,
sorted and written to a temporary file in runs of 65,536, and at the end the sorted runs are merged, which brings equal
seeds together. Memory is one run, and a small buffer for each run.

>>> book = SeedBook()
>>> for leaf, seed in enumerate([b"a" * 32, b"b" * 32, b"a" * 32]):
...     book.add(SeedKind.CLIENT, seed, leaf=leaf)
>>> [(again.first_leaf, again.leaf) for again in book.repeated()]
[(0, 2)]
"""

import enum
import heapq
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Final, Self

from referee.dealing.commitment import SEED_SIZE

_RUN: Final = 65_536
_RECORD: Final = 40
_SEED: Final = slice(0, 33)
_LEAF: Final = slice(33, 40)
_READ: Final = 64
"""Records read at once from a stored run."""


class SeedKind(enum.IntEnum):
    """Kind of a seed."""

    SERVER = 0
    CLIENT = 1
    DECK = 2
    """The hash of a deck's cards in their order, which is searched for repetitions as seeds are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """A seed that ``leaf`` shows again, and the earliest leaf that shows it."""

    kind: SeedKind
    first_leaf: int
    leaf: int


class SeedBook:
    """Collection of all seeds of a log with their leaves, which finds the seeds that several leaves show.

    ``run`` is the most seeds held in memory; the others are in a temporary file, which leaving the context deletes.
    """

    def __init__(self, *, run: int = _RUN) -> None:
        self._run = run
        self._buffer = bytearray()
        self._file: IO[bytes] | None = None
        self._ends: list[int] = [0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Delete the temporary file."""
        if self._file is not None:
            self._file.close()

    def add(self, kind: SeedKind, *seeds: bytes, leaf: int) -> None:
        """Add the seeds of 32 bytes that a leaf shows; raise ValueError for a seed of another size."""
        for seed in seeds:
            if len(seed) != SEED_SIZE:
                raise ValueError(f"a seed has {SEED_SIZE} bytes, not {len(seed)}")
            self._buffer += b"%c%b%b" % (kind, seed, leaf.to_bytes(7, "big"))
        if len(self._buffer) >= self._run * _RECORD:
            self._put_away()

    def repeated(self) -> Iterator[Repeated]:
        """Yield each leaf that shows a seed which an earlier leaf shows, sorted by kind, seed and leaf.

        A leaf that shows the same seed several times is yielded at most once for it.
        """
        runs = [self._stored(start, end) for start, end in zip(self._ends, self._ends[1:], strict=False)]
        seed, first, latest = b"", -1, -1
        for record in heapq.merge(iter(self._sorted()), *runs):
            leaf = int.from_bytes(record[_LEAF], "big")
            if record[_SEED] != seed:
                seed, first = record[_SEED], leaf
            elif leaf != latest:
                yield Repeated(kind=SeedKind(record[0]), first_leaf=first, leaf=leaf)
            latest = leaf

    def _sorted(self) -> list[bytes]:
        data = bytes(self._buffer)
        return sorted([data[at : at + _RECORD] for at in range(0, len(data), _RECORD)])

    def _put_away(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="referee-audit-")  # noqa: SIM115 - closed with the book
        self._file.seek(self._ends[-1])
        self._file.write(b"".join(self._sorted()))
        self._ends.append(self._file.tell())
        self._buffer.clear()

    def _stored(self, start: int, end: int) -> Iterator[bytes]:
        while self._file is not None and start < end:
            self._file.seek(start)
            data = self._file.read(min(_READ * _RECORD, end - start))
            yield from (data[at : at + _RECORD] for at in range(0, len(data), _RECORD))
            start += len(data)
