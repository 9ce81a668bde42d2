"""Proofs built from tiles alone, held against two other implementations and against every flipped bit."""

import functools
import hashlib
import warnings
from collections.abc import Sequence

import pytest
from pymerkle import InmemoryTree
from tlog_scales.reader import TilesReader
from tlog_scales.tlog import ConsistencyProofInvalid, InclusionProofInvalid

from referee.evidence.merkle import (
    ProofError,
    leaf_hash,
    node_hash,
    root_of_hashes,
    verify_consistency,
    verify_inclusion,
)
from referee.log import consistency_proof, inclusion_proof, proof, tree_root
from referee.log.proof import TILE_WIDTH, MissingNodeError, WholeTiles
from tests.log.tile_files import TileFiles

SMALL = [*range(1, 66), 127, 128, 129]
OTHERS = [
    pytest.param(size, marks=pytest.mark.exhaustive("proves every leaf of every tree below 130"))
    for size in range(66, 127)
]
LARGE = [255, 256, 257, 511, 513, 1_000, 65_535, 65_536, 65_537, 70_000]


@functools.cache
def _hashes() -> list[bytes]:
    return [leaf_hash(b"leaf %d" % number) for number in range(max(LARGE))]


def hashes_of(count: int) -> list[bytes]:
    return _hashes()[:count]


class Files(TileFiles):
    """The tiles of a tree of some size."""

    def __init__(self, size: int) -> None:
        super().__init__(TileFiles.of(hashes_of(size)).files)


class CountedFiles(Files):
    """The same, which counts the hashes that are read of whole tiles and of the others."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.whole = self.partial = 0

    def tile(self, level: int, index: int, width: int) -> Sequence[bytes]:
        """Return the hashes of a tile and count them."""
        if width == TILE_WIDTH:
            self.whole += width
        else:
            self.partial += width
        return super().tile(level, index, width)


def others(files: Files, size: int) -> TilesReader:
    reader = TilesReader(files)
    reader.set_size(size)
    return reader


@pytest.mark.parametrize("size", [*SMALL, *OTHERS, *LARGE])
def test_proofs_are_those_of_another_reader_of_tiles(size: int):
    """All leaves and prefixes below 130, some about the edges of tiles above; its verifier accepts ours."""
    files = Files(size)
    reader = others(files, size)
    root = tree_root(files, size)
    assert root == reader.calculate_root_hash() == root_of_hashes(hashes_of(size))
    every = range(size) if size < 130 else sorted({0, 1, 255, 256, 65_535, size // 2, size - 1} & {*range(size)})
    for index in every:
        inclusion = reader.get_inclusion_proof(index, size)
        assert list(inclusion_proof(files, index=index, size=size)) == inclusion.node_hashes
        inclusion.check(hashes_of(size)[index], root)
    for old in [one for one in every if one]:
        consistency = reader.get_consistency_proof(old, size)
        assert list(consistency_proof(files, old_size=old, new_size=size)) == consistency.node_hashes
        consistency.check(root_of_hashes(hashes_of(size)[:old]), root)


def test_roots_and_proofs_are_those_of_a_merkle_library():
    """It grows the tree leaf by leaf; every size below 130."""
    tree = InmemoryTree(algorithm="sha256")
    for size in range(1, 130):
        tree.append_entry(b"leaf %d" % (size - 1))
        files = Files(size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            assert tree_root(files, size) == tree.get_state(size)
        for index in range(size):
            proof = inclusion_proof(files, index=index, size=size)
            assert [hashes_of(size)[index], *proof] == tree.prove_inclusion(index + 1, size).path


def flips(proof: Sequence[bytes]) -> list[list[bytes]]:
    """Yield the proof with one bit of one hash flipped, another bit for each place."""
    flipped = []
    for place, node in enumerate(proof):
        bit = hashlib.sha256(node).digest()[0]
        wrong = bytearray(node)
        wrong[bit // 8] ^= 1 << bit % 8
        flipped.append([*proof[:place], bytes(wrong), *proof[place + 1 :]])
    return flipped


@pytest.mark.parametrize("size", range(1, 70))
def test_no_proof_survives_a_flipped_bit_a_missing_or_an_added_hash(size: int):
    """Each hash of each proof of each leaf and each prefix; the other implementation agrees."""
    files = Files(size)
    root = tree_root(files, size)
    for index in range(size):
        proof = inclusion_proof(files, index=index, size=size)
        leaf = hashes_of(size)[index]
        verify_inclusion(leaf, index=index, size=size, proof=proof, root=root)
        shortened: Sequence[bytes] = proof[:-1] if proof else [root]
        for wrong in [*flips(proof), shortened, [*proof, root], [root, *proof]]:
            with pytest.raises(ProofError):
                verify_inclusion(leaf, index=index, size=size, proof=wrong, root=root)
        for other in {index - 1, index + 1, size + index} - {index}:
            with pytest.raises(ProofError):
                verify_inclusion(leaf, index=other, size=size, proof=proof, root=root)
    for old in range(1, size):
        proof = consistency_proof(files, old_size=old, new_size=size)
        heads = {"old_root": root_of_hashes(hashes_of(size)[:old]), "new_root": root}
        verify_consistency(old_size=old, new_size=size, proof=proof, **heads)
        for wrong in [*flips(proof), proof[:-1], [*proof, root], [root, *proof]]:
            with pytest.raises(ProofError):
                verify_consistency(old_size=old, new_size=size, proof=wrong, **heads)


def test_the_other_implementation_refuses_a_flipped_bit_as_well():
    """So that agreement above is between two verifiers that can say no."""
    size = 37
    files = Files(size)
    reader, root = others(files, size), tree_root(files, size)
    inclusion, consistency = reader.get_inclusion_proof(11, size), reader.get_consistency_proof(11, size)
    for wrong in flips(inclusion.node_hashes):
        with pytest.raises(InclusionProofInvalid):
            type(inclusion)(11, size, wrong).check(hashes_of(size)[11], root)
    for wrong in flips(consistency.node_hashes):
        with pytest.raises(ConsistencyProofInvalid):
            type(consistency)(11, size, wrong).check(root_of_hashes(hashes_of(size)[:11]), root)


@pytest.mark.parametrize("size", [255, 256, 257, 511, 513, 1_000, 65_537, 70_000])
def test_proofs_are_the_same_with_whole_tiles_kept(size: int) -> None:
    files = Files(size)
    kept = WholeTiles(files, most=3)
    assert tree_root(kept, size) == tree_root(files, size)
    for index in {0, 1, 255, 256, size // 2, size - 2, size - 1} & set(range(size)):
        assert inclusion_proof(kept, index=index, size=size) == inclusion_proof(files, index=index, size=size)
        before = consistency_proof(kept, old_size=index, new_size=size)
        assert before == consistency_proof(files, old_size=index, new_size=size)


def test_whole_tile_is_read_and_hashed_once_whatever_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second proof from the same tiles reads the newest, unfinished tiles alone and hashes only those."""
    size, hashed = 70_000, list[bytes]()

    def counting(left: bytes, right: bytes) -> bytes:
        hashed.append(node_hash(left, right))
        return hashed[-1]

    monkeypatch.setattr(proof, "node_hash", counting)
    files = CountedFiles(size)
    kept = WholeTiles(files)
    inclusion_proof(kept, index=1_000, size=size)
    assert files.whole == 2 * TILE_WIDTH, "the leaf's own tile, and the one above it"
    first, partial = len(hashed), files.partial
    assert first >= 2 * (TILE_WIDTH - 1)
    for index in (768, 1_000, 1_023):
        inclusion_proof(kept, index=index, size=size)
    assert files.whole == 2 * TILE_WIDTH
    assert files.partial == 4 * partial
    assert len(hashed) - first <= 3 * (first - 2 * (TILE_WIDTH - 1))


def test_number_of_kept_tiles_is_bounded() -> None:
    files = CountedFiles(70_000)
    kept = WholeTiles(files, most=2)
    for _ in range(2):
        for index in range(3):
            kept.node(0, index, above=0, offset=0)
    assert files.whole == 6 * TILE_WIDTH


def test_whole_tile_with_a_lost_hash_is_refused_and_not_kept() -> None:
    source = Cut(513)
    kept = WholeTiles(source)
    with pytest.raises(MissingNodeError, match="tile 0 at level 0"):
        inclusion_proof(kept, index=3, size=513)
    source.lost = 0
    assert inclusion_proof(kept, index=3, size=513) == inclusion_proof(Files(513), index=3, size=513)


class Cut(Files):
    """A source that has lost the last hash of each tile until ``lost`` is 0."""

    lost = 1

    def tile(self, level: int, index: int, width: int) -> Sequence[bytes]:
        """Return all but the lost hash."""
        return super().tile(level, index, width)[: width - self.lost]
