"""Growing a tree and proving it from tiles, against the whole tree in memory."""

from collections.abc import Sequence
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.merkle import (
    EMPTY_ROOT,
    Frontier,
    grow,
    inclusion_path,
    leaf_hash,
    root_of_hashes,
    verify_consistency,
    verify_inclusion,
)
from referee.log import proof, tree_root
from referee.log.proof import TILE_HEIGHT, TILE_WIDTH, MissingNodeError
from tests.log.rfc9162 import consistency_proof

SMALL = [str(n).encode() for n in range(130)]


class TileFolder:
    """Tiles as a mirror keeps them: a row of hashes for each tile level, and how many tiles were read."""

    def __init__(self, hashes: Sequence[bytes]) -> None:
        self.rows = [list(hashes)]
        while len(self.rows[-1]) >= TILE_WIDTH:
            below = self.rows[-1]
            whole = len(below) // TILE_WIDTH * TILE_WIDTH
            self.rows.append([root_of_hashes(below[at : at + TILE_WIDTH]) for at in range(0, whole, TILE_WIDTH)])
        self.reads = 0

    def tile(self, level: int, index: int, width: int) -> list[bytes]:
        """Return the first hashes of a tile."""
        self.reads += 1
        return self.rows[level][TILE_WIDTH * index :][:width]


def _hashes(count: int) -> list[bytes]:
    return [sha256(b"leaf %d" % n).digest() for n in range(count)]


def test_small_trees_are_proved_from_tiles_as_from_leaves():
    """Every leaf and prefix of every size below 130."""
    hashes = [leaf_hash(leaf) for leaf in SMALL]
    folder = TileFolder(hashes)
    for size in range(130):
        assert tree_root(folder, size) == root_of_hashes(hashes[:size])
        for index in range(size):
            assert proof.inclusion_proof(folder, index=index, size=size) == inclusion_path(hashes[:size], index)
        for old in range(0, size + 1, 1 if size < 40 else 5):
            assert proof.consistency_proof(folder, old_size=old, new_size=size) == consistency_proof(SMALL[:size], old)


@pytest.mark.parametrize("size", [255, 256, 257, 511, 512, 769, 65_535, 65_536, 65_537, 66_049])
def test_proofs_hold_across_the_edges_of_tiles(size: int):
    """Sizes about one tile and about one tile of tiles; at most two tiles of a level are read."""
    hashes = _hashes(size)
    folder = TileFolder(hashes)
    top = root_of_hashes(hashes)
    assert tree_root(folder, size) == top
    for index in sorted(
        {0, 1, 255, 256, 257, 511, size // 3, size // 2, size - 257, size - 2, size - 1} & {*range(size)}
    ):
        folder.reads = 0
        path = proof.inclusion_proof(folder, index=index, size=size)
        assert folder.reads <= 2 * len(folder.rows)
        verify_inclusion(hashes[index], index=index, size=size, proof=path, root=top)
    for old in sorted({1, 2, 255, 256, 257, 512, size // 2, size - 256, size - 1} & {*range(1, size)}):
        path = proof.consistency_proof(folder, old_size=old, new_size=size)
        verify_consistency(old_size=old, new_size=size, old_root=root_of_hashes(hashes[:old]), new_root=top, proof=path)


def test_smaller_tree_is_proved_from_the_tiles_of_a_larger_one():
    hashes = _hashes(600)
    for size in (1, 255, 256, 257, 300, 512, 599):
        assert proof.inclusion_proof(TileFolder(hashes), index=size - 1, size=size) == inclusion_path(
            hashes[:size], size - 1
        )


def test_places_outside_the_log_are_refused():
    folder = TileFolder(_hashes(5))
    for index in (-1, 5):
        with pytest.raises(IndexError):
            proof.inclusion_proof(folder, index=index, size=5)
    for old_size in (-1, 6):
        with pytest.raises(IndexError):
            proof.consistency_proof(folder, old_size=old_size, new_size=5)
    assert tree_root(folder, 0) == EMPTY_ROOT


def test_missing_hash_is_missed():
    folder = TileFolder(_hashes(300))
    del folder.rows[0][280:]
    with pytest.raises(MissingNodeError):
        proof.inclusion_proof(folder, index=299, size=300)
    with pytest.raises(MissingNodeError):
        tree_root(folder, 300)


def test_every_small_growth_is_the_tree_of_all_leaves():
    """Every old size below 70 and every batch up to 20: edge, root, proofs and completed nodes."""
    hashes = _hashes(90)
    for old in range(70):
        before = Frontier().extend(hashes[:old])
        for count in range(1, 21):
            size = old + count
            growth = grow(before, hashes[old:size])
            assert growth.frontier == Frontier().extend(hashes[:size])
            assert growth.root == root_of_hashes(hashes[:size])
            assert [growth.inclusion_proof(index) for index in range(old, size)] == [
                inclusion_path(hashes[:size], index) for index in range(old, size)
            ]
            for level in range(8):
                places = range(old >> level, size >> level)
                nodes = tuple(root_of_hashes(hashes[at << level : at + 1 << level]) for at in places)
                assert growth.completed(level) == (old >> level, nodes)


@given(st.lists(st.integers(min_value=1, max_value=400), min_size=1, max_size=8))
def test_growth_completes_each_tile_hash_once(batches: list[int]):
    """The nodes of all batches together are the rows that tiles are cut from."""
    hashes = _hashes(sum(batches))
    rows: list[list[bytes]] = [[], [], []]
    edge = Frontier()
    for count in batches:
        growth = grow(edge, hashes[edge.size : edge.size + count])
        for level, row in enumerate(rows):
            first, nodes = growth.completed(TILE_HEIGHT * level)
            assert first == len(row)
            row.extend(nodes)
        edge = growth.frontier
    whole = TileFolder(hashes).rows
    assert [row for row in rows if row] == whole[: len([row for row in rows if row])]
    assert edge.root == root_of_hashes(hashes)


def test_growth_proves_only_its_own_leaves():
    growth = grow(Frontier().extend(_hashes(5)), _hashes(3))
    for index in (-1, 0, 4, 8):
        with pytest.raises(IndexError):
            growth.inclusion_proof(index)
    with pytest.raises(ValueError, match="at least one leaf"):
        grow(Frontier(), [])
