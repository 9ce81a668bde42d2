"""The tree against published vectors, against RFC 9162's own recursion, and against another library."""

import itertools
import warnings
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymerkle import InmemoryTree

from referee.evidence import merkle
from referee.evidence.merkle import (
    EMPTY_ROOT,
    Frontier,
    GrowingTree,
    ProofError,
    inclusion_path,
    leaf_hash,
    node_hash,
    root,
    root_from_inclusion,
    root_of_hashes,
    verify_consistency,
    verify_inclusion,
)
from tests.log.rfc9162 import consistency_proof, inclusion_proof, tree_hash
from tests.vectors.reading import each

LARGEST = 130


def _leaves(count: int) -> list[bytes]:
    return [f"leaf {n}".encode() for n in range(count)]


def _shows_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    try:
        verify_inclusion(leaf, index=index, size=size, proof=proof, root=root)
    except ProofError:
        return False
    return True


def _shows_consistency(sizes: tuple[int, int], roots: tuple[bytes, bytes], proof: Sequence[bytes]) -> bool:
    try:
        verify_consistency(old_size=sizes[0], new_size=sizes[1], old_root=roots[0], new_root=roots[1], proof=proof)
    except ProofError:
        return False
    return True


@each("log/merkle_root", argument="vector")
def test_roots_are_the_published_ones(vector: dict[str, Any]):
    leaves = [bytes.fromhex(leaf) for leaf in vector["leaves"]]
    assert root(leaves).hex() == vector["root"]
    assert Frontier().extend(map(leaf_hash, leaves)).root.hex() == vector["root"]


@each("log/merkle_inclusion", argument="vector")
def test_published_inclusion_proofs_hold_and_every_mutation_of_them_fails(vector: dict[str, Any]):
    """The mutations are those of the vectors' own test data."""
    index, size = vector["index"], vector["size"]
    leaf, top = bytes.fromhex(vector["leaf_hash"]), bytes.fromhex(vector["root"])
    proof = [bytes.fromhex(node) for node in vector["proof"]]
    assert _shows_inclusion(leaf, index, size, proof, top)
    mutations = [
        *((leaf, other, size, proof, top) for other in (index - 1, index + 1, index ^ 2, -1, size, 2**60)),
        *((leaf, index, other, proof, top) for other in (size * 2, size // 2, 0, -size)),
        (sha256(b"wrong").digest(), index, size, proof, top),
        (leaf, index, size, proof, EMPTY_ROOT),
        (leaf, index, size, proof, b""),
        (leaf, index, size, [], top),
        (leaf, index, size, [*proof, b""], top),
        (leaf, index, size, [*proof, top], top),
        (leaf, index, size, [top, *proof], top),
        (leaf, index, size, [bytes(32), *proof], top),
        (leaf, index, size, proof[:-1], top),
        (leaf, index, size, [b"".join([*proof, top])], top),
        *(
            (leaf, index, size, [*proof[:at], bytes([node[0] ^ 8]) + node[1:], *proof[at + 1 :]], top)
            for at, node in enumerate(proof)
        ),
    ]
    assert [_shows_inclusion(*mutation) for mutation in mutations] == [False] * len(mutations)


@each("log/merkle_consistency", argument="vector")
def test_published_consistency_proofs_hold_and_their_mutations_fail(vector: dict[str, Any]):
    old, new = vector["old_size"], vector["new_size"]
    roots = bytes.fromhex(vector["old_root"]), bytes.fromhex(vector["new_root"])
    proof = [bytes.fromhex(node) for node in vector["proof"]]
    assert _shows_consistency((old, new), roots, proof)
    mutations = [
        *(((other, new), roots, proof) for other in (old - 1, old + 1, old ^ 2, 0, -1, new)),
        *(((old, other), roots, proof) for other in (new * 2, new // 2, old, 0)),
        ((old, new), roots[::-1], proof),
        ((old, new), (EMPTY_ROOT, roots[1]), proof),
        ((old, new), (roots[0], EMPTY_ROOT), proof),
        ((old, new), roots, []),
        ((old, new), roots, [*proof, b""]),
        ((old, new), roots, [*proof, roots[0]]),
        ((old, new), roots, [roots[0], *proof]),
        ((old, new), roots, [bytes(32), *proof]),
        ((old, new), roots, proof[:-1]),
        *(
            ((old, new), roots, [*proof[:at], bytes([node[0] ^ 16]) + node[1:], *proof[at + 1 :]])
            for at, node in enumerate(proof)
        ),
    ]
    assert [_shows_consistency(*mutation) for mutation in mutations] == [False] * len(mutations)


def test_every_small_tree_is_the_recursion_of_the_rfc():
    """Roots, both proofs and their checks, for every size below 130 and every leaf and prefix of it."""
    for size in range(LARGEST):
        leaves = _leaves(size)
        top = tree_hash(leaves)
        assert root(leaves) == top
        assert Frontier().extend(map(leaf_hash, leaves)).root == top
        roots = [Frontier().extend(map(leaf_hash, leaves[:old])).root for old in range(size + 1)]
        for index in range(size):
            proof = inclusion_proof(leaves, index)
            verify_inclusion(leaf_hash(leaves[index]), index=index, size=size, proof=proof, root=top)
        for old in range(size + 1):
            proof = consistency_proof(leaves, old)
            verify_consistency(old_size=old, new_size=size, old_root=roots[old], new_root=top, proof=proof)
    for size in (*range(1, 20), 31, 32, 33, 64, 65, 127, 128, 129):
        leaves = _leaves(size)
        hashes = [leaf_hash(leaf) for leaf in leaves]
        assert [inclusion_path(hashes, m) for m in range(size)] == [inclusion_proof(leaves, m) for m in range(size)]


def test_another_library_gives_the_same_roots_and_paths():
    """Its paths begin with the leaf; its consistency proofs have a form of their own and are not compared."""
    other = InmemoryTree(algorithm="sha256")
    leaves: list[bytes] = []
    for size in range(1, LARGEST):
        leaves.append(f"leaf {size - 1}".encode())
        other.append_entry(leaves[-1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            assert root(leaves) == other.get_state()
        for index in range(0, size, 1 if size < 40 else 7):
            theirs = other.prove_inclusion(index + 1, size).path
            hashes = [leaf_hash(leaf) for leaf in leaves]
            assert [hashes[index], *inclusion_path(hashes, index)] == theirs


def test_no_proof_serves_a_leaf_that_does_not_stand_there():
    """Every index and size below 24 against every other place, with the proof that is right elsewhere."""
    leaves = _leaves(24)
    for size in range(1, 24):
        top = root(leaves[:size])
        for index in range(size):
            proof = inclusion_proof(leaves[:size], index)
            hits = [
                (other, place)
                for other in range(24)
                for place in range(-1, 26)
                if _shows_inclusion(leaf_hash(leaves[other]), place, size, proof, top)
            ]
            assert hits == [(index, index)]


def test_inner_node_does_not_pass_for_a_leaf():
    """A leaf whose data are two hashes is not their parent node."""
    leaves = _leaves(4)
    left, right = leaf_hash(leaves[0]), leaf_hash(leaves[1])
    assert leaf_hash(left + right) != node_hash(left, right)
    proof = inclusion_proof(leaves, 0)[1:]
    assert not _shows_inclusion(node_hash(left, right), 0, 4, proof, root(leaves))
    assert _shows_inclusion(node_hash(left, right), 0, 2, proof, root(leaves))  # a smaller tree, whose root it is


def test_empty_tree_is_continued_by_every_tree_and_by_its_own_root_only():
    assert sha256(b"").digest() == EMPTY_ROOT
    top = root(_leaves(3))
    assert _shows_consistency((0, 3), (EMPTY_ROOT, top), [])
    assert _shows_consistency((0, 0), (EMPTY_ROOT, EMPTY_ROOT), [])
    assert not _shows_consistency((0, 3), (top, top), [])
    assert not _shows_consistency((0, 3), (EMPTY_ROOT, top), [top])
    assert not _shows_consistency((3, 3), (EMPTY_ROOT, top), [])
    assert not _shows_consistency((0, 0), (EMPTY_ROOT, top), [])


def test_places_outside_the_tree_are_refused():
    leaves = _leaves(3)
    for index in (-1, 3, 4):
        with pytest.raises(IndexError):
            inclusion_path([leaf_hash(leaf) for leaf in leaves], index)
        with pytest.raises(ProofError):
            root_from_inclusion(leaf_hash(b""), index=index, size=3, proof=[])


def test_frontier_with_another_number_of_peaks_is_refused():
    for size, peaks in ((1, ()), (2, (EMPTY_ROOT,) * 2), (-1, ()), (1, (b"short",))):
        with pytest.raises(ProofError):
            Frontier(size, peaks)


@given(st.lists(st.binary(max_size=40), max_size=70), st.data())
def test_frontier_grows_alike_by_one_leaf_and_by_several(leaves: list[bytes], data: st.DataObject):
    cuts = sorted(data.draw(st.lists(st.integers(0, len(leaves)), max_size=4)))
    hashes = [leaf_hash(leaf) for leaf in leaves]
    one, several = Frontier(), Frontier()
    for hashed in hashes:
        one = one.extend([hashed])
    for start, stop in itertools.pairwise([0, *cuts, len(leaves)]):
        several = several.extend(hashes[start:stop])
    assert one == several
    assert several.root == root(leaves)


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=70), st.data())
def test_root_from_complete_subtrees_is_the_root(leaves: list[bytes], data: st.DataObject):
    """A row of nodes of one height, the last incomplete, represents the leaves below it."""
    height = data.draw(st.integers(min_value=0, max_value=6))
    row = [root(leaves[at : at + (1 << height)]) for at in range(0, len(leaves), 1 << height)]
    assert root_of_hashes(row) == root(leaves)


def test_growing_tree_has_the_roots_of_its_newest_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves wait by threes here and ten are kept; the waiting ones are added at other moments too."""
    monkeypatch.setattr(merkle, "_TOGETHER", 3)
    monkeypatch.setattr(merkle, "_KEPT", 10)
    tree, leaves = GrowingTree(), _leaves(40)
    for count, leaf in enumerate(leaves, 1):
        is_whole = tree.add(leaf_hash(leaf))
        if count % 7 == 0:
            tree.extend()
            is_whole = True
        assert is_whole == (tree.frontier.size == count)
        roots = {size: tree.root_at(size) for size in range(count + 2)}
        dropped = [size for size, found in roots.items() if found is None]
        assert dropped == [*range(max(0, len(dropped) - 1)), count + 1]
        assert len(dropped) - 1 <= max(0, count - 9)
        assert all(found in {None, tree_hash(leaves[:size])} for size, found in roots.items())
