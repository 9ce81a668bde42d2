"""Growth of a tree at its right edge: the old edge and the new leaves give the new edge, root, proofs and nodes.

Only the frontier of the old tree is read, so an append costs the new leaves and one hash for each level. A node is
named by its level and its place on that level; it is complete when all leaves below it exist, and then never changes.

>>> from referee.evidence.merkle import Frontier, leaf_hash, root
>>> growth = grow(Frontier.of([leaf_hash(b"a")]), [leaf_hash(b"b"), leaf_hash(b"c")])
>>> growth.frontier.root == root([b"a", b"b", b"c"])
True
>>> [node.hex()[:8] for node in growth.inclusion_proof(2)]
['b137985f']
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

import msgspec

from referee.evidence.merkle import Frontier, node_hash

_TOGETHER: Final = 64
"""Leaf hashes that are added to the tree together."""
_KEPT: Final = 65_536
"""Least number of past leaf hashes that are kept; the root of a tree that ended before them cannot be computed."""


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
