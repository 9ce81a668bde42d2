"""The Merkle tree of RFC 6962 (RFC 9162, section 2.1): roots, proofs and their verification over SHA-256.

A leaf is hashed with 0x00 before it and an inner node with 0x01, so neither passes for the other; a tree of n leaves
splits at the largest power of two below n; the root of no leaves is SHA-256 of nothing. A proof has exactly the length
that index and sizes give. Leaf data is any bytes; hashes are 32 bytes.

A tree grows at its right edge: the old edge and the new leaves give the new edge, root, proofs and nodes. Only the
frontier of the old tree is read, so an append costs the new leaves and one hash for each level. A node is named by its
level and its place on that level; it is complete when all leaves below it exist, and then never changes.

>>> leaves = [b"open", b"deal", b"settle"]
>>> proof = inclusion_path([leaf_hash(leaf) for leaf in leaves], 1)
>>> verify_inclusion(leaf_hash(b"deal"), index=1, size=3, proof=proof, root=root(leaves))
>>> verify_inclusion(leaf_hash(b"redeal"), index=1, size=3, proof=proof, root=root(leaves))
Traceback (most recent call last):
...
referee.evidence.merkle.ProofError: the proof leads to another root
>>> growth = grow(Frontier().extend([leaf_hash(b"a")]), [leaf_hash(b"b"), leaf_hash(b"c")])
>>> growth.frontier.root == root([b"a", b"b", b"c"])
True
>>> [node.hex()[:8] for node in growth.inclusion_proof(2)]
['b137985f']
"""

import hashlib
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Final, NewType, Self

import msgspec

LeafIndex = NewType("LeafIndex", int)
"""Index of a leaf in its tree, from 0."""

HASH_SIZE: Final = 32
EMPTY_ROOT: Final = hashlib.sha256(b"").digest()
"""The root of a tree without leaves."""

_sha256 = hashlib.sha256
_TOGETHER: Final = 64
"""Leaf hashes that are added to the tree together."""
_KEPT: Final = 65_536
"""Least number of past leaf hashes that are kept; the root of a tree that ended before them cannot be computed."""


class ProofError(ValueError):
    """A proof that does not hold: wrong length, hash size, index or root."""


def leaf_hash(data: bytes) -> bytes:
    """Hash a leaf: SHA-256 of 0x00 and the data."""
    return _sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash an inner node: SHA-256 of 0x01, the left child's hash and the right child's hash."""
    return _sha256(b"\x01" + left + right).digest()


def root(leaves: Iterable[bytes]) -> bytes:
    """Compute the root over these leaves' data, in their order."""
    return root_of_hashes([_sha256(b"\x00" + leaf).digest() for leaf in leaves])


def root_of_hashes(hashes: Sequence[bytes]) -> bytes:
    """Compute the root over these leaf hashes, in their order.

    They may also be the hashes of complete subtrees of one height.
    """
    row = hashes
    while len(row) > 1:
        row = _parents(row)
    return row[0] if row else EMPTY_ROOT


def inclusion_path(hashes: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """Return the hashes that lead from leaf ``index`` to the root, the leaf's sibling first (RFC 9162, 2.1.3.1).

    Raise IndexError where the tree of the leaves with these hashes has no such leaf.
    """
    if not 0 <= index < len(hashes):
        raise IndexError(f"a tree of {len(hashes)} leaves has no leaf {index}")
    path = []
    row = hashes
    while len(row) > 1:
        if index ^ 1 < len(row):
            path.append(row[index ^ 1])
        row = _parents(row)
        index >>= 1
    return tuple(path)


def verify_inclusion(leaf: bytes, *, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Verify that the tree of ``size`` leaves with this root has the leaf hash ``leaf`` at ``index``.

    Raise ProofError otherwise (RFC 9162, 2.1.3.2).
    """
    if root_from_inclusion(leaf, index=index, size=size, proof=proof) != root:
        raise ProofError("the proof leads to another root")


def root_from_inclusion(leaf: bytes, *, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """Compute the root that an inclusion proof gives for the leaf hash ``leaf``; the caller compares it with its root.

    Raise ProofError where the index is outside the tree, the proof is too long or too short, or an entry is not a hash.
    """
    if not 0 <= index < size:
        raise ProofError(f"a tree of {size} leaves has no leaf {index}")
    _check_hashes([leaf, *proof])
    inner = (index ^ (size - 1)).bit_length()  # levels on which the path has a sibling on either side
    border = (index >> inner).bit_count()  # above them only left siblings
    if len(proof) != inner + border:
        raise ProofError(f"the proof has {len(proof)} hashes; leaf {index} of {size} takes {inner + border}")
    node = leaf
    for level in range(inner):
        sibling = proof[level]
        node = node_hash(sibling, node) if index >> level & 1 else node_hash(node, sibling)
    for sibling in proof[inner:]:
        node = node_hash(sibling, node)
    return node


def verify_consistency(
    *, old_size: int, new_size: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]
) -> None:
    """Verify that the tree of ``old_size`` leaves is a prefix of the tree of ``new_size`` leaves.

    Raise ProofError otherwise (RFC 9162, 2.1.4.2). The empty tree, whose root is fixed, is a prefix of every tree.
    """
    _check_hashes([old_root, new_root, *proof])
    if not 0 <= old_size <= new_size:
        raise ProofError(f"a tree of {new_size} leaves continues none of {old_size}")
    if old_size in {0, new_size}:
        if proof:
            raise ProofError(f"the proof has {len(proof)} hashes; sizes {old_size} and {new_size} take none")
        if old_root != (new_root if old_size == new_size else EMPTY_ROOT):
            raise ProofError("the old root is not the root of that size")
        return
    old_from, new_from = _roots_from_consistency(old_size, new_size, old_root, proof)
    if old_from != old_root:
        raise ProofError("the proof leads to another old root")
    if new_from != new_root:
        raise ProofError("the proof leads to another new root")


class Frontier(msgspec.Struct, frozen=True):
    """The right edge of a tree: its size and the roots of its complete subtrees, the largest (leftmost) first.

    Appending needs no more: at most one hash for each bit of the size.

    >>> edge = Frontier().extend([leaf_hash(b"open"), leaf_hash(b"deal")])
    >>> edge.root == root([b"open", b"deal"])
    True
    """

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if self.size < 0 or len(self.peaks) != self.size.bit_count():
            raise ProofError(f"a tree of {self.size} leaves has another number of peaks than {len(self.peaks)}")
        _check_hashes(self.peaks)

    def extend(self, leaves: Iterable[bytes]) -> Self:
        """Return the right edge after leaves of these hashes are appended, in their order."""
        peaks, total = list(self.peaks), self.size
        for leaf in leaves:
            node, size = leaf, total
            while size & 1:
                node = _sha256(b"\x01" + peaks.pop() + node).digest()
                size >>= 1
            peaks.append(node)
            total += 1
        return type(self)(total, tuple(peaks))

    @property
    def root(self) -> bytes:
        """Root of the whole tree."""
        if not self.peaks:
            return EMPTY_ROOT
        node = self.peaks[-1]
        for peak in self.peaks[-2::-1]:
            node = node_hash(peak, node)
        return node


class Growth(msgspec.Struct, frozen=True):
    """The result of appending a batch of leaves to a tree of ``old_size`` leaves."""

    old_size: int
    frontier: Frontier
    root: bytes
    rows: tuple[tuple[int, tuple[bytes, ...]], ...]
    """For each level from the leaves up: the place of the first node in this row, and the nodes; the last node may be
    incomplete."""
    height: int
    """Level from which on all leaves of the batch are below one node."""
    above: tuple[bytes, ...]
    """Siblings of that one node and of the nodes above it; they end the proof of every leaf of the batch."""

    def inclusion_proof(self, index: int) -> tuple[bytes, ...]:
        """Return the proof of a leaf of this batch in the new tree, the leaf's sibling first.

        Raises IndexError for a leaf that is not of this batch.
        """
        if not self.old_size <= index < self.frontier.size:
            raise IndexError(f"leaf {index} is not among {self.old_size} to {self.frontier.size - 1}")
        path = []
        for first, nodes in self.rows[: self.height]:
            sibling = (index ^ 1) - first
            if sibling < len(nodes):
                path.append(nodes[sibling])
            index >>= 1
        return (*path, *self.above)

    def completed(self, level: int) -> tuple[int, tuple[bytes, ...]]:
        """Return the nodes of a level that this batch completed, possibly none, and the place of the first of them."""
        start, stop = self.old_size >> level, self.frontier.size >> level
        if start == stop:
            return start, ()
        first, nodes = self.rows[level]
        return start, nodes[start - first : stop - first]


def grow(frontier: Frontier, leaf_hashes: Sequence[bytes]) -> Growth:
    """Append leaves, given by their hashes, to the tree with this frontier; raise ValueError if there is no leaf."""
    if not leaf_hashes:
        raise ValueError("a tree grows by at least one leaf")
    old_size, size = frontier.size, frontier.size + len(leaf_hashes)
    peaks = list(frontier.peaks)
    edge: list[bytes] = []
    rows = []
    row, first, level = list(leaf_hashes), old_size, 0
    while True:
        if first & 1:  # the node to the left is a peak of the old tree
            first -= 1
            row.insert(0, peaks.pop())
        if size >> level & 1:
            edge.append(row[(size >> level) - 1 - first])
        rows.append((first, tuple(row)))
        if first == 0 and len(row) == 1:
            break
        if len(row) > 1:
            above = [node_hash(row[i], row[i + 1]) for i in range(0, len(row) - 1, 2)]
            if len(row) & 1:
                above.append(row[-1])
            row = above
        first, level = first >> 1, level + 1
    height = (old_size ^ (size - 1)).bit_length()
    place, above = old_size >> height, []
    for first, nodes in rows[height:]:
        if (place ^ 1) - first < len(nodes):
            above.append(nodes[(place ^ 1) - first])
        place >>= 1
    return Growth(old_size, Frontier(size, tuple(reversed(edge))), row[0], tuple(rows), height, tuple(above))


class GrowingTree:
    """A tree that grows by one leaf after the other, in bounded memory."""

    def __init__(self) -> None:
        self.frontier = Frontier()
        """Right edge of the tree without the newest leaves, which wait to be added together."""
        self._waiting: list[bytes] = []
        self._past: deque[tuple[Frontier, list[bytes]]] = deque()
        self._kept = 0

    def add(self, leaf_hash: bytes) -> bool:
        """Add a leaf, given by its hash; return whether the frontier now contains every leaf."""
        self._waiting.append(leaf_hash)
        if len(self._waiting) == _TOGETHER:
            self.extend()
        return not self._waiting

    def extend(self) -> Frontier:
        """Add the waiting leaves to the frontier; return the frontier, which then contains every leaf."""
        if self._waiting:
            self._past.append((self.frontier, self._waiting))
            self.frontier = self.frontier.extend(self._waiting)
            self._kept += len(self._waiting)
            self._waiting = []
            while self._kept - len(self._past[0][1]) >= _KEPT:
                self._kept -= len(self._past.popleft()[1])
        return self.frontier

    def root_at(self, size: int) -> bytes | None:
        """Return the root of the first ``size`` leaves; None if there are fewer, or if their hashes are dropped."""
        if size >= self.frontier.size:
            more = size - self.frontier.size
            return self.frontier.extend(self._waiting[:more]).root if more <= len(self._waiting) else None
        for frontier, hashes in reversed(self._past):
            if frontier.size <= size:
                return frontier.extend(hashes[: size - frontier.size]).root
        return None


def _parents(row: Sequence[bytes]) -> list[bytes]:
    # An odd node at the end moves up unchanged, which is the split at the largest power of two seen from below.
    above = [_sha256(b"\x01" + row[i] + row[i + 1]).digest() for i in range(0, len(row) - 1, 2)]
    if len(row) & 1:
        above.append(row[-1])
    return above


def _roots_from_consistency(
    old_size: int, new_size: int, old_root: bytes, proof: Sequence[bytes]
) -> tuple[bytes, bytes]:
    old, new = old_size - 1, new_size - 1
    while old & 1:
        old, new = old >> 1, new >> 1
    path = iter(proof if old else [old_root, *proof])  # a complete old tree is itself the first node
    old_node = new_node = next(path, b"")
    if not old_node:
        raise ProofError("the proof is too short")
    for sibling in path:
        if new == 0:
            raise ProofError("the proof is too long")
        if old & 1 or old == new:
            old_node, new_node = node_hash(sibling, old_node), node_hash(sibling, new_node)
            while old and not old & 1:
                old, new = old >> 1, new >> 1
        else:
            new_node = node_hash(new_node, sibling)
        old, new = old >> 1, new >> 1
    if new:
        raise ProofError("the proof is too short")
    return old_node, new_node


def _check_hashes(hashes: Iterable[bytes]) -> None:
    for hashed in hashes:
        if len(hashed) != HASH_SIZE:
            raise ProofError(f"a hash has {len(hashed)} bytes instead of {HASH_SIZE}")
