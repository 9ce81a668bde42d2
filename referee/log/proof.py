"""Proofs of a log of any size, read from its tiles: rows of up to 256 node hashes, eight levels of the tree apart.

Tile ``index`` of tile level ``level`` holds the hashes of the complete nodes at height ``8 * level`` from place
``256 * index`` on. A complete node never changes. Nodes between tile levels are computed from the row below them, and a
proof reads at most two tiles for each tile level.

>>> from referee.evidence.merkle import leaf_hash, root, verify_inclusion
>>> leaves = [bytes([n]) for n in range(5)]
>>> class Row:
...     def tile(self, level: int, index: int, width: int) -> list[bytes]:
...         return [leaf_hash(leaf) for leaf in leaves][:width]
>>> proof = inclusion_proof(Row(), index=3, size=5)
>>> verify_inclusion(leaf_hash(leaves[3]), index=3, size=5, proof=proof, root=root(leaves))

Source: https://c2sp.org/tlog-tiles, RFC 9162 section 2.1.
"""

import base64
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol

from referee.evidence.merkle import EMPTY_ROOT, HASH_SIZE, Frontier, node_hash, root_of_hashes

TILE_HEIGHT: Final = 8
TILE_WIDTH: Final = 1 << TILE_HEIGHT
MOST_WHOLE: Final = 128
"""Whole tiles that are kept: 4.8 MB."""

_LINE: Final = re.compile(r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=")
"""Canonical base64 of 32 bytes."""


class MissingNodeError(LookupError):
    """A node that its tile should hold and does not: the store has lost data."""


class Tiles(Protocol):
    """A source of tiles."""

    def tile(self, level: int, index: int, width: int) -> Sequence[bytes]:
        """Return the first ``width`` (1-256) hashes of a tile, in order; fewer if the store has fewer."""


class WholeTiles:
    """Source of tiles that keeps the hashes of whole ones, which never change, for the proofs that read them again.

    It keeps at most ``most`` whole tiles, each with the 255 nodes above its row (37 kB), and drops the least recently
    used. It may be used from several threads.
    """

    def __init__(self, tiles: Tiles, *, most: int = MOST_WHOLE) -> None:
        self._tiles = tiles
        self._kept = lru_cache(maxsize=most)(self._read)

    def tile(self, level: int, index: int, width: int) -> Sequence[bytes]:
        """Return the first ``width`` (1-256) hashes of a tile from the source; fewer if the source has fewer."""
        return self._tiles.tile(level, index, width)

    def node(self, level: int, index: int, *, above: int, offset: int) -> bytes:
        """Return the node ``above`` (0-8) levels over a whole tile's row, over the hash at ``offset`` of that row.

        Raise MissingNodeError if the source lacks a hash of the tile.
        """
        return self._kept(level, index)[above][offset >> above]

    def _read(self, level: int, index: int) -> tuple[tuple[bytes, ...], ...]:
        row = tuple(self._tiles.tile(level, index, TILE_WIDTH))
        if len(row) != TILE_WIDTH:
            raise MissingNodeError(f"the store lacks a node of tile {index} at level {level}, which is whole")
        rows = [row]
        while len(row) > 1:
            row = tuple(map(node_hash, row[::2], row[1::2]))
            rows.append(row)
        return tuple(rows)


def tree_root(tiles: Tiles, size: int) -> bytes:
    """Return the root of the first ``size`` leaves."""
    return _Nodes(tiles, size).root(0, size) if size else EMPTY_ROOT


def tree_frontier(tiles: Tiles, size: int) -> Frontier:
    """Return the right edge of the tree of the first ``size`` leaves."""
    nodes, peaks, start = _Nodes(tiles, size), [], 0
    for height in reversed(range(size.bit_length())):
        if size >> height & 1:
            peaks.append(nodes.root(start, start + (1 << height)))
            start += 1 << height
    return Frontier(size, tuple(peaks))


def inclusion_proof(tiles: Tiles, *, index: int, size: int, height: int = 0) -> tuple[bytes, ...]:
    """Return the proof that leaf ``index`` is in the tree of the first ``size`` leaves, the leaf's sibling first.

    With a ``height``, return the proof of the complete node at that height over this leaf, the node's sibling first; it
    is that of leaf ``index >> height`` in a tree of as many leaves as this tree has nodes at that height, the last of
    which may be incomplete. Raises IndexError if that tree has no such leaf (RFC 9162, 2.1.3.1).
    """
    if not 0 <= index < size:
        raise IndexError(f"a tree of {size} leaves has no leaf {index}")
    nodes = _Nodes(tiles, size)
    path = []
    start, stop = 0, size
    while stop - start > 1 << height:
        middle = start + _split(stop - start)
        if index < middle:
            path.append((middle, stop))
            stop = middle
        else:
            path.append((start, middle))
            start = middle
    return tuple(nodes.root(first, last) for first, last in reversed(path))


def consistency_proof(tiles: Tiles, *, old_size: int, new_size: int) -> tuple[bytes, ...]:
    """Return the proof that the first ``old_size`` leaves are a prefix of the first ``new_size``.

    It is empty if the sizes are equal or ``old_size`` is zero. Raises IndexError if ``old_size`` is the larger one
    (RFC 9162, 2.1.4.1).
    """
    if not 0 <= old_size <= new_size:
        raise IndexError(f"a tree of {new_size} leaves has no prefix of {old_size}")
    if old_size in {0, new_size}:
        return ()
    nodes = _Nodes(tiles, new_size)
    path = []
    start, stop = 0, new_size
    while old_size != stop:
        middle = start + _split(stop - start)
        if old_size <= middle:
            path.append((middle, stop))
            stop = middle
        else:
            path.append((start, middle))
            start = middle
    if start:  # else the old root is a node of the new tree, which the verifier knows already
        path.append((start, stop))
    return tuple(nodes.root(first, last) for first, last in reversed(path))


def proof_lines(proof: Sequence[bytes]) -> list[str]:
    """Encode a proof as a list of base64 texts, one for each hash; ``parse_lines`` reverses it."""
    return [base64.b64encode(node).decode("ascii") for node in proof]


def parse_lines(lines: Sequence[str], *, most: int) -> tuple[bytes, ...]:
    """Parse the lines of a proof; raise ValueError unless they are at most ``most`` lines, each of one hash."""
    if len(lines) > most or not all(_LINE.fullmatch(line) for line in lines):
        msg = f"the proof is not a list of at most {most} hashes, each {HASH_SIZE} bytes in canonical base64"
        raise ValueError(msg)
    return tuple(base64.b64decode(line) for line in lines)


def _split(size: int) -> int:
    return 1 << ((size - 1).bit_length() - 1)


class _Nodes:
    """The node hashes of the tree of the first ``size`` leaves; each tile is read once."""

    def __init__(self, tiles: Tiles, size: int) -> None:
        self._tiles = tiles
        self._size = size
        self._read: dict[tuple[int, int], Sequence[bytes]] = {}

    def root(self, start: int, stop: int) -> bytes:
        """Return the hash over leaves ``start`` to ``stop - 1``, a range between the tree's splits."""
        count = stop - start
        height = count.bit_length() - 1
        if count == 1 << height:
            return self._complete(height, start >> height)
        middle = start + _split(count)
        return node_hash(self.root(start, middle), self.root(middle, stop))

    def _complete(self, height: int, place: int) -> bytes:
        level, above = divmod(height, TILE_HEIGHT)
        index, offset = divmod(place << above, TILE_WIDTH)
        if isinstance(self._tiles, WholeTiles) and self._size >> TILE_HEIGHT * level >= TILE_WIDTH * (index + 1):
            return self._tiles.node(level, index, above=above, offset=offset)
        row = self._tile(level, index)[offset : offset + (1 << above)]
        if len(row) != 1 << above:
            msg = f"the store lacks a node of height {height} at place {place} of a tree of {self._size} leaves"
            raise MissingNodeError(msg)
        return root_of_hashes(row)

    def _tile(self, level: int, index: int) -> Sequence[bytes]:
        row = self._read.get((level, index))
        if row is None:
            width = min(TILE_WIDTH, (self._size >> TILE_HEIGHT * level) - TILE_WIDTH * index)
            row = self._read[level, index] = self._tiles.tile(level, index, width)
        return row
