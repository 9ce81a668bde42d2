"""A log read from its published tiles, each tile held against the leaves as they go by.

The law: the leaves are what is audited, and the tiles must say the same of them. A tile that says otherwise, or is not
there, is a fault beside whatever the leaves come to; a bundle that is missing or cannot be read ends the log there.

It refuses to know where the tiles are kept.
"""

from collections.abc import Iterator
from typing import Final

from referee.audit.finding import Code, Difference, Finding
from referee.evidence.merkle import leaf_hash
from referee.log.proof import TILE_WIDTH
from referee.log.tile import EntryTile, TileError
from referee.log.tile_check import TileCheck, TileFault
from referee.tiles import Place, PublishedLog, read_note


class TiledLog:
    """A log in a place where it was published; its checkpoint is the one that stood when the audit began."""

    def __init__(self, place: Place) -> None:
        self.checkpoint: Final = read_note(place)
        self._place: Final = place
        self._faults: list[Finding] = []

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What is wrong with the tiles, as far as the last reading of the leaves has come."""
        return tuple(self._faults)

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """The leaves from ``start`` to before ``stop`` in order; fewer where a bundle is missing or none.

        Only a reading of all leaves checks the tiles above them. NoteError or CheckpointError without a checkpoint.
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
                self._faults.append(Finding.of(Code.TILE_MISMATCH, f"{path} is not there", leaf_index=at))
        if check is not None:
            if at == log.size:
                check.finish()
            self._faults.extend(_finding(fault) for fault in check.faults)


def _finding(fault: TileFault) -> Finding:
    difference = None
    if fault.stored is not None and fault.expected is not None:
        difference = Difference(fault.path, fault.stored.hex(), fault.expected.hex())
    return Finding.of(
        Code.TILE_MISMATCH, f"{fault.path}: {fault.detail}", leaf_index=fault.leaf_index, difference=difference
    )
