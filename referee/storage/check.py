"""Checks of a store: at its edge, which costs the same for any log, and tile by tile, which reads every leaf.

The edge is the newest tile's leaves and the stored hashes along the tree's right edge, which must give the head's root;
the head must continue every checkpoint known from elsewhere, such as a witness's cosigned checkpoint. A tile is 256
leaves, whose hash is proved to the head by itself, so that tiles can be checked in any order. Nothing is repaired.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from referee.evidence.merkle import (
    ProofError,
    leaf_hash,
    root_from_inclusion,
    root_of_hashes,
    verify_consistency,
)
from referee.evidence.note import Note, NoteError
from referee.log import Checkpoint, CheckpointError, consistency_proof, inclusion_proof, tree_frontier
from referee.log.proof import TILE_HEIGHT, TILE_WIDTH, MissingNodeError, Tiles, WholeTiles
from referee.storage.reader import Reader
from referee.storage.record import DataLossError, Head


class Edge(NamedTuple):
    """A head whose right edge was checked, with the leaves of its newest tile, complete or not."""

    head: Head
    start: int
    """Index of the first of these leaves; the tiles before it are not checked yet."""
    leaves: Sequence[bytes]


def check_edge(reader: Reader, *, known: Iterable[Checkpoint] = ()) -> Edge:
    """Verify that the stored hashes and the newest leaves give the head, which continues all ``known`` checkpoints.

    Raises DataLossError otherwise. The tree is recomputed from the stored hashes, not from the head's row.
    """
    head = reader.head()
    _check_checkpoint(reader.origin, head)
    start = newest_tile(head.size)
    leaves = _leaves(reader, start, head.size)
    hashes = [leaf_hash(leaf) for leaf in leaves]
    _compare(reader, 0, start, hashes)
    try:
        frontier = tree_frontier(reader, head.size)
    except MissingNodeError as error:
        raise DataLossError(str(error)) from error
    if frontier != head.frontier or frontier.root != head.root:
        raise DataLossError(f"the stored hashes of {head.size} leaves do not hash to the root of the head")
    if len(leaves) == TILE_WIDTH:
        TileCheck(reader, size=head.size, root=head.root).check(start // TILE_WIDTH)
    for checkpoint in known:
        check_continues(reader, head, checkpoint)
    return Edge(head, start, leaves)


def check_continues(reader: Reader, head: Head, known: Checkpoint) -> None:
    """Verify by a consistency proof that the head continues a checkpoint; raise DataLossError otherwise."""
    if known.size > head.size:
        raise DataLossError(f"the log has {head.size} leaves, but a known checkpoint has {known.size}")
    try:
        proof = consistency_proof(reader, old_size=known.size, new_size=head.size)
        verify_consistency(
            old_size=known.size, new_size=head.size, old_root=known.root, new_root=head.root, proof=proof
        )
    except (MissingNodeError, ProofError) as error:
        msg = f"the log's first {known.size} leaves do not hash to the root of a known checkpoint: {error}"
        raise DataLossError(msg) from error


def newest_tile(size: int) -> int:
    """Return the index of the first leaf of the newest tile of so many leaves; the tile may be complete.

    >>> [newest_tile(size) for size in (0, 1, 256, 257)]
    [0, 0, 0, 256]
    """
    return max(0, size - 1) // TILE_WIDTH * TILE_WIDTH


class TileCheck:
    """Check of the complete tiles of a tree with this size and root, each by itself."""

    def __init__(self, reader: Reader, *, size: int, root: bytes) -> None:
        self._reader: Final = reader
        self._size: Final = size
        self._root: Final = root
        self._whole: Final = WholeTiles(_AsOf(reader, size))

    def check(self, tile: int) -> list[bytes]:
        """Verify that a tile's leaves give its stored hashes and the root; return them, or raise DataLossError.

        Each stored hash over a tile is compared too, when the last tile below it is checked.
        """
        start = TILE_WIDTH * tile
        leaves = _leaves(self._reader, start, start + TILE_WIDTH)
        row = [leaf_hash(leaf) for leaf in leaves]
        _compare(self._reader, 0, start, row)
        node = root_of_hashes(row)
        _compare(self._reader, 1, tile, [node])
        try:
            proof = inclusion_proof(self._whole, index=start, size=self._size, height=TILE_HEIGHT)
            root = root_from_inclusion(node, index=tile, size=-(-self._size // TILE_WIDTH), proof=proof)
            level, place = 1, tile + 1
            while place % TILE_WIDTH == 0:
                place //= TILE_WIDTH
                above = self._whole.node(level, place - 1, above=TILE_HEIGHT, offset=0)
                level += 1
                _compare(self._reader, level, place - 1, [above])
        except (MissingNodeError, ProofError) as error:
            raise DataLossError(f"leaves {start} to {start + TILE_WIDTH - 1} are not proved: {error}") from error
        if root != self._root:
            msg = f"leaves {start} to {start + TILE_WIDTH - 1} do not lead to the root of {self._size} leaves"
            raise DataLossError(msg)
        return leaves


class _AsOf:
    """Tiles of a store as of a size, so that hashes that others append meanwhile are not read."""

    def __init__(self, tiles: Tiles, size: int) -> None:
        self._tiles = tiles
        self._size = size

    def tile(self, level: int, index: int, width: int) -> Sequence[bytes]:
        """Return the first ``width`` hashes of a tile; fewer if the tree of this size has fewer."""
        count = (self._size >> TILE_HEIGHT * level) - TILE_WIDTH * index
        return self._tiles.tile(level, index, min(width, count)) if count > 0 else ()


def check_store(
    reader: Reader,
    *,
    known: Iterable[Checkpoint] = (),
    progress: Callable[[int, int], None] = lambda _done, _size: None,
    visit: Callable[[int, bytes], None] = lambda _index, _leaf: None,
) -> Head:
    """Verify that all leaves, stored hashes, head and checkpoint agree and continue all ``known`` checkpoints.

    Return the head. ``progress`` is called with the number of leaves checked so far and the number of all, ``visit``
    with the index and bytes of each leaf, in order. Raises DataLossError if anything does not agree.
    """
    edge = check_edge(reader, known=known)
    check_tiles(reader, edge, progress=progress, visit=visit)
    return edge.head


def check_tiles(
    reader: Reader,
    edge: Edge,
    *,
    progress: Callable[[int, int], None] = lambda _done, _size: None,
    visit: Callable[[int, bytes], None] = lambda _index, _leaf: None,
) -> None:
    """Check every tile before the newest one, as ``check_store`` does after its edge; visit all leaves."""
    size = edge.head.size
    tiles = TileCheck(reader, size=size, root=edge.head.root)
    for start in range(0, edge.start, TILE_WIDTH):
        for index, leaf in enumerate(tiles.check(start // TILE_WIDTH), start):
            visit(index, leaf)
        progress(start + TILE_WIDTH, size)
    for index, leaf in enumerate(edge.leaves, edge.start):
        visit(index, leaf)
    progress(size, size)


def _check_checkpoint(origin: str, head: Head) -> None:
    try:
        signed = Checkpoint.parse(Note.parse(head.checkpoint).text)
    except (CheckpointError, NoteError) as error:
        raise DataLossError(f"the stored checkpoint cannot be read: {error}") from error
    if signed != Checkpoint(origin, head.size, head.root):
        raise DataLossError(f"the stored checkpoint is of {signed.origin!r} at {signed.size} leaves, not of the head")


def _leaves(reader: Reader, start: int, stop: int) -> list[bytes]:
    leaves = reader.stored_leaves(start, stop)
    if len(leaves) != stop - start:
        raise DataLossError(f"leaf {start + len(leaves)} is missing: the log should have those up to {stop - 1}")
    return leaves


def _compare(reader: Reader, level: int, start: int, hashes: Sequence[bytes]) -> None:
    if hashes and reader.hashes(level, start, len(hashes)) != list(hashes):
        raise DataLossError(f"the stored hashes of level {level} at {start} are not those of the leaves")
