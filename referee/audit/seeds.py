"""Seeds that were used twice, found among any number of seeds with bounded memory.

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
from types import TracebackType
from typing import IO, Final, Self

from referee.dealing.commitment import SEED_SIZE

_RUN: Final = 65_536
_RECORD: Final = 40
_SEED: Final = slice(0, 33)
_LEAF: Final = slice(33, 40)
_READ: Final = 64
"""Records of a run that are read at once."""


class SeedKind(enum.IntEnum):
    """Kind of a seed."""

    SERVER = 0
    CLIENT = 1
    DECK = 2
    """Not a seed but the hash of a deck's cards in their order, whose repetition is found in the same way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """A seed in a leaf that the earlier leaf ``first_leaf`` was the first to have."""

    kind: SeedKind
    first_leaf: int
    leaf: int


class SeedBook:
    """Every seed of a log with its leaf. ``run`` is the number of seeds kept in memory."""

    def __init__(self, *, run: int = _RUN) -> None:
        self._run = run
        self._buffer = bytearray()
        self._file: IO[bytes] | None = None
        self._ends: list[int] = [0]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, kind: SeedKind, *seeds: bytes, leaf: int) -> None:
        """Add seeds of 32 bytes that a leaf shows; raise ValueError for another size."""
        for seed in seeds:
            if len(seed) != SEED_SIZE:
                raise ValueError(f"a seed has {SEED_SIZE} bytes, not {len(seed)}")
            self._buffer += b"%c%b%b" % (kind, seed, leaf.to_bytes(7, "big"))
        if len(self._buffer) >= self._run * _RECORD:
            self._put_away()

    def repeated(self) -> Iterator[Repeated]:
        """Yield each later leaf that shows a seed again, by kind, then seed; once for each leaf."""
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
