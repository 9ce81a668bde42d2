"""The keys that a log names in its KEY leaves.

Only these keys sign for a log. A revoked key remains valid for rounds that were opened before its revocation.
"""

from typing import Final, Self

from referee.evidence.vkey import VerifierKey
from referee.log import StepKind
from referee.log.keys import KeyHistory, KeyRecord, KeyRole
from referee.storage import DataLossError, Head, Reader

_EVER: Final = 2**53
_MANY: Final = 100_000


class KeyRegistry(KeyHistory):
    """Keys named by the KEY leaves read so far, under a root key."""

    @classmethod
    def of(cls, reader: Reader, root: VerifierKey, *, head: Head | None = None) -> Self:
        """Read the keys that a log names up to a head, the newest by default, by the store's rows of its KEY leaves.

        Raises DataLossError if a row names another leaf, or if they are not as many as the head counts.
        """
        registry, head = cls(root), head or reader.head()
        indices = tuple([index for index in reader.key_leaves() if index < head.size])
        for index in indices:
            registry.read(index, reader.leaf(index))
        if registry.leaves != indices or len(indices) != head.roundless:
            raise DataLossError(
                f"the store names {len(indices)} KEY leaves, {list(indices)[:20]}; {len(registry.leaves)} of them are "
                f"such leaves, and the head counts {head.roundless}: a key or a revocation is missing"
            )
        return registry

    def read(self, index: int, leaf: bytes) -> None:
        """Take the log's next leaf; raise DataLossError for a KEY leaf that the root did not sign."""
        try:
            self.visit(leaf, leaf_index=index)
        except ValueError as error:
            msg = f"leaf {index} names a key that the root key did not sign: {self.root.text}: {error}"
            raise DataLossError(msg) from error

    @property
    def leaves(self) -> tuple[int, ...]:
        """Indices of the leaves that name and revoke keys, ascending."""
        named = {leaf for key in self.records for leaf in (key.added_leaf, key.revoked_leaf) if leaf is not None}
        return tuple(sorted(named))

    def in_force(self, role: str) -> tuple[VerifierKey, ...]:
        """Return the keys that sign for a role now, in the order they were named."""
        return tuple(VerifierKey.parse(record.key) for record in self._of(role) if record.revoked_leaf is None)

    def counted(self, role: str, *, since: int) -> tuple[VerifierKey, ...]:
        """Return the keys of a role that were in force at some leaf from ``since`` on, the newest first."""
        kept = [key for key in self._of(role) if key.revoked_leaf is None or key.revoked_leaf > since]
        return tuple(VerifierKey.parse(record.key) for record in reversed(kept))

    def has_revoked(self, role: str) -> bool:
        """Return whether a key of the role was ever revoked."""
        return any(record.revoked_leaf is not None for record in self._of(role))

    def _of(self, role: str) -> tuple[KeyRecord, ...]:
        return tuple(record for record in self.records if record.role is KeyRole(role))


def oldest_running(reader: Reader) -> int:
    """Return the index of the OPEN leaf of the oldest round that has not ended; the log's size if all have ended."""
    return min(running_rounds(reader), default=reader.head().size)


def running_rounds(reader: Reader) -> list[int]:
    """Return the index of the OPEN leaf of each round that has not ended; of 100,000 rounds at most."""
    keys = [slot.key for slot in reader.overdue_rounds(_EVER, _MANY)]
    return [mark.index for key in keys for mark in reader.marks(key) if mark.kind is StepKind.OPEN]
