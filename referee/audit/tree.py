"""The tree over leaves as they are read, and its roots at sizes that are not long past."""

from collections import deque
from typing import Final

from referee.evidence.merkle import Frontier

_TOGETHER: Final = 64
"""Leaf hashes that are added to the tree together."""
_KEPT: Final = 65_536
"""Leaf hashes that are kept; the roots of smaller trees than these reach back to are not known any more."""


class GrowingTree:
    """A tree that grows by one leaf after the other, in bounded memory."""

    def __init__(self) -> None:
        self.frontier = Frontier()
        """Tree of the leaves but for those that still wait."""
        self._waiting: list[bytes] = []
        self._past: deque[tuple[Frontier, list[bytes]]] = deque()
        self._kept = 0

    def add(self, leaf_hash: bytes) -> bool:
        """Add a leaf of this hash; return whether the frontier has all leaves now."""
        self._waiting.append(leaf_hash)
        if len(self._waiting) == _TOGETHER:
            self.extend()
        return not self._waiting

    def extend(self) -> Frontier:
        """Bring the frontier to the newest leaf and return it."""
        if self._waiting:
            self._past.append((self.frontier, self._waiting))
            self.frontier = self.frontier.extend(self._waiting)
            self._kept += len(self._waiting)
            self._waiting = []
            while self._kept - len(self._past[0][1]) >= _KEPT:
                self._kept -= len(self._past.popleft()[1])
        return self.frontier

    def root_at(self, size: int) -> bytes | None:
        """Return the root of the first ``size`` leaves; None if that is too long past, or there are fewer."""
        if size >= self.frontier.size:
            more = size - self.frontier.size
            return self.frontier.extend(self._waiting[:more]).root if more <= len(self._waiting) else None
        for frontier, hashes in reversed(self._past):
            if frontier.size <= size:
                return frontier.extend(hashes[: size - frontier.size]).root
        return None
