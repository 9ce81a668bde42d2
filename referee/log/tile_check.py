"""Comparison of a log's tiles with its leaves, row by row, in one pass.

A tile must follow from the row below it, and the lowest row from the leaves. Where a tile differs from the row below,
the tile above may follow from either, so one change is one fault, in the lowest tile that shows it. Memory holds one
tile for each level. Whether these leaves were signed is not checked here: the caller compares their root.

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
    """A fault of a tile: its path, and the index of the first leaf below its first wrong hash.

    ``stored`` is that hash and ``expected`` the right one by the row below. Both are None if the tile could not be
    read.
    """

    path: str
    leaf_index: int
    detail: str
    stored: bytes | None = None
    expected: bytes | None = None


@dataclass(slots=True)
class _Row:
    """The hashes that a row's current tile must hold; ``others`` has, by place, a second hash that is right there."""

    index: int = 0
    hashes: list[bytes] = field(default_factory=list)
    others: dict[int, bytes] = field(default_factory=dict)


class TileCheck:
    """A check in progress, which takes leaves in their order, 256 at a time."""

    def __init__(self, tiles: Tiles) -> None:
        self.faults: Final[list[TileFault]] = []
        self._tiles: Final = tiles
        self._rows: Final = [_Row()]

    def take(self, leaf_hashes: Sequence[bytes]) -> None:
        """Compare the hashes of the next 256 leaves, or of the last few, with the tiles that they complete."""
        self._rows[0].hashes = list(leaf_hashes)
        self._compare(0)

    def finish(self) -> None:
        """Compare the partial tiles of the upper rows; call it once, after all leaves."""
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
            self._add_node(level + 1, root_of_hashes(row.hashes), root_of_hashes(stored))
            self._rows[level] = _Row(row.index + 1)

    def _add_node(self, level: int, expected: bytes, other: bytes) -> None:
        """Append a hash, or another that is accepted too, to the row of a level; compare the row's tile once full."""
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
        places = [place for place, (mine, theirs) in enumerate(zip(stored, expected, strict=True)) if mine != theirs]
        below = "the leaves" if tile.level == 0 else "the tiles below it"
        detail = f"{len(places)} of its {tile.width} hashes are not those of {below}"
        first = places[0]
        self.faults.append(
            TileFault(tile.path, _first_leaf(tile, first), detail, stored=stored[first], expected=expected[first])
        )


def _first_leaf(tile: HashTile, place: int) -> int:
    """Return the first leaf below a hash of a tile."""
    return (TILE_WIDTH * tile.index + place) << TILE_HEIGHT * tile.level
