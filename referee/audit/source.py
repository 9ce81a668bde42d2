"""Sources of a log: objects with a signed checkpoint that yield leaves in order.

An audit does not trust a source, whether it is a database, a folder of tiles or a file.

>>> log = MemoryLog(checkpoint=b"", entries=(b"open", b"deal", b"settle"))
>>> list(log.leaves(1, 3))
[b'deal', b'settle']
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from referee.evidence.merkle import leaf_hash
from referee.finding import Code, Difference, Finding
from referee.log.proof import TILE_WIDTH
from referee.log.tile import EntryTile, TileError
from referee.log.tile_check import TileCheck, TileFault
from referee.tiles import Place, PublishedLog, read_note


class LogSource(Protocol):
    """A log as an auditor reads it."""

    @property
    def checkpoint(self) -> bytes:
        """Signed note of the newest checkpoint."""

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the leaves from ``start`` to before ``stop`` in order; fewer if the source has no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryLog:
    """A whole log in memory."""

    checkpoint: bytes
    entries: tuple[bytes, ...]

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the leaves from ``start`` to before ``stop``; fewer if the log has no more."""
        return iter(self.entries[start:stop])


class TiledLog:
    """A log that was published as tiles. Reading all its leaves checks the hash tiles too.

    Its checkpoint is the one published when the object was made. A hash tile that contradicts the leaves, or is
    missing, is added to ``faults``, and reading goes on. If an entry bundle is missing or unreadable, the leaves end
    there.
    """

    def __init__(self, place: Place) -> None:
        self.checkpoint: Final = read_note(place)
        self._place: Final = place
        self._faults: list[Finding] = []

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Faults of the tiles that the latest call of ``leaves`` found."""
        return tuple(self._faults)

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the leaves from ``start`` to before ``stop`` in order; fewer if a bundle is missing or unreadable.

        Raise NoteError or CheckpointError if the published checkpoint cannot be read.
        """
        log = PublishedLog.unverified(self._place, self.checkpoint)
        self._faults = []
        stop = min(stop, log.size)
        check = TileCheck(log) if (start, stop) == (0, log.size) else None
        at = start // TILE_WIDTH * TILE_WIDTH
        if start >= stop:
            return
        try:
            for bundle in log.bundles(start // TILE_WIDTH):
                if check is not None:
                    check.take([leaf_hash(leaf) for leaf in bundle])
                yield from bundle[max(0, start - at) : stop - at]
                at += len(bundle)
                if at >= stop:
                    break
        except TileError as error:
            self._faults.append(Finding.of(Code.TILE_MISMATCH, str(error), leaf_index=at))
        else:
            if at < stop:
                path = EntryTile(index=at // TILE_WIDTH, width=min(TILE_WIDTH, log.size - at)).path
                self._faults.append(Finding.of(Code.TILE_MISMATCH, f"{path} is missing", leaf_index=at))
        if check is not None:
            if at == log.size:
                check.finish()
            self._faults.extend(_finding(fault) for fault in check.faults)


class FollowedLog:
    """A log of which ``follow`` gets each leaf that is read, with its index."""

    def __init__(self, source: LogSource, follow: Callable[[int, bytes], None]) -> None:
        self.checkpoint: Final = source.checkpoint
        self._source: Final = source
        self._follow: Final = follow

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Faults of the tiles that the latest call of ``leaves`` found."""
        return self._source.faults if isinstance(self._source, TiledLog) else ()

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield the leaves from ``start`` to before ``stop``; fewer if the log has no more."""
        for index, data in enumerate(self._source.leaves(start, stop), start):
            self._follow(index, data)
            yield data


def _finding(fault: TileFault) -> Finding:
    difference = None
    if fault.stored is not None and fault.expected is not None:
        difference = Difference(fault.path, fault.stored.hex(), fault.expected.hex())
    return Finding.of(
        Code.TILE_MISMATCH, f"{fault.path}: {fault.detail}", leaf_index=fault.leaf_index, difference=difference
    )
