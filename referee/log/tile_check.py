"""Tiles held against the leaves that they are said to be of, row by row, in one pass.

The law: what a tile holds must follow from the row below it, and the lowest row from the leaves. Where a tile differs
from the row below, the tile above may follow from either, so one change is one fault, in the lowest tile that shows it.
Memory holds one tile for each level.

It refuses to know where tiles are kept, and the checkpoint: whether the leaves are those that were signed is the root's
to say.

>>> from referee.evidence.merkle import leaf_hash
>>> class Folder:
...     def tile(self, level: int, index: int, width: int) -> list[bytes]:
...         return [leaf_hash(b"open"), leaf_hash(b"deal")][:width]
>>> check = TileCheck(Folder())
>>> check.take([leaf_hash(b"open"), leaf_hash(b"redeal")])
>>> check.finish()
>>> [(fault.path, fault.leaf_index) for fault in check.faults]
[('tile/0/000.p/2', 1)]
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from referee.evidence.merkle import root_of_hashes
from referee.log.proof import TILE_HEIGHT, TILE_WIDTH, Tiles
from referee.log.tile import HashTile, TileError


class TileFault(NamedTuple):
    """What is wrong with a tile: its path, the first leaf it concerns, and both hashes where it holds another.

    ``stored`` is what the tile holds, ``expected`` what the row below gives; None where the tile could not be read.
    """

    path: str
    leaf_index: int
    detail: str
    stored: bytes | None = None
    expected: bytes | None = None


@dataclass(slots=True)
class _Row:
    """The hashes that the tile of a row under way must hold, and by place those that it may hold in their stead."""

    index: int = 0
    hashes: list[bytes] = field(default_factory=list)
    others: dict[int, bytes] = field(default_factory=dict)


class TileCheck:
    """A check under way: leaves are taken in their order, 256 at a time."""

    def __init__(self, tiles: Tiles) -> None:
        self.faults: Final[list[TileFault]] = []
        self._tiles: Final = tiles
        self._rows: Final = [_Row()]

    def take(self, leaf_hashes: Sequence[bytes]) -> None:
        """The hashes of the next 256 leaves, or of the last few, are compared with their tile and those they end."""
        self._rows[0].hashes = list(leaf_hashes)
        self._compare(0)

    def finish(self) -> None:
        """The partial tiles of the upper rows are compared; call it once, after all leaves."""
        for level in range(1, len(self._rows)):
            if self._rows[level].hashes:
                self._compare(level)

    def _compare(self, level: int) -> None:
        row = self._rows[level]
        tile = HashTile(level=level, index=row.index, width=len(row.hashes))
        stored = self._stored(tile) or row.hashes
        for place, other in row.others.items():
            if stored[place] == other:
                row.hashes[place] = other
        if list(stored) != row.hashes:
            self._add_difference(tile, stored, row.hashes)
        if tile.is_full:
            self._raise(level + 1, root_of_hashes(row.hashes), root_of_hashes(stored))
            self._rows[level] = _Row(row.index + 1)

    def _raise(self, level: int, expected: bytes, other: bytes) -> None:
        """One more hash in a row above the leaves, and the tile that it fills."""
        if level == len(self._rows):
            self._rows.append(_Row())
        row = self._rows[level]
        if other != expected:
            row.others[len(row.hashes)] = other
        row.hashes.append(expected)
        if len(row.hashes) == TILE_WIDTH:
            self._compare(level)

    def _stored(self, tile: HashTile) -> Sequence[bytes] | None:
        detail = "there is no such tile"
        try:
            stored = self._tiles.tile(tile.level, tile.index, tile.width)
            if len(stored) == tile.width:
                return stored
        except TileError as error:
            detail = str(error)
        self.faults.append(TileFault(tile.path, _first_leaf(tile, 0), detail))
        return None

    def _add_difference(self, tile: HashTile, stored: Sequence[bytes], expected: Sequence[bytes]) -> None:
        places = [place for place, (one, other) in enumerate(zip(stored, expected, strict=True)) if one != other]
        below = "the leaves" if tile.level == 0 else "the tiles below it"
        detail = f"{len(places)} of its {tile.width} hashes are not those of {below}"
        first = places[0]
        self.faults.append(
            TileFault(tile.path, _first_leaf(tile, first), detail, stored=stored[first], expected=expected[first])
        )


def _first_leaf(tile: HashTile, place: int) -> int:
    """The first leaf below a hash of a tile."""
    return (TILE_WIDTH * tile.index + place) << TILE_HEIGHT * tile.level
