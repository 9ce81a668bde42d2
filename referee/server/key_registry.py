"""The keys that a log names: its KEY leaves as they stand in the store, and the private keys that answer to them.

The law: once a log has named its keys, they and no others sign for it, so a process whose private key the log does not
name, or has revoked, does not begin. A key that was revoked counts on for the rounds that were opened before: their
certificates and receipts were given when it was in force.

It refuses to know private keys.
"""

from dataclasses import dataclass, field
from typing import Final, Self

from referee.audit.finding import FindingError
from referee.audit.keys import KeyHistory, KeyRecord, KeyRole
from referee.dealing.leaf import KEY_TYPE, KeyLeaf, parse
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.vkey import VerifierKey
from referee.log import StepKind
from referee.storage import DataLossError, Reader

_MARK: Final = KEY_TYPE.encode("ascii")
_EVER: Final = 2**53
_MANY: Final = 100_000


@dataclass(slots=True)
class KeyRegistry:
    """The keys that the KEY leaves seen so far name, under a root key."""

    root: VerifierKey
    _history: KeyHistory = field(init=False)

    def __post_init__(self) -> None:
        self._history = KeyHistory(self.root)

    @classmethod
    def of(cls, reader: Reader, root: VerifierKey) -> Self:
        """What a whole log names."""
        register = cls(root)
        for index, leaf in enumerate(reader.iterate()):
            register.visit(index, leaf)
        return register

    def visit(self, index: int, leaf: bytes) -> None:
        """One more leaf of the log; DataLossError where it is a KEY leaf that the root did not sign as it stands."""
        if _MARK not in leaf:
            return
        try:
            envelope = Envelope.parse(leaf)
            if envelope.payload_type == KEY_TYPE:
                self._history.add(envelope, parse(envelope.payload, KeyLeaf), leaf_index=index)
        except (EnvelopeError, CanonicalError, FindingError) as error:
            msg = f"leaf {index} names a key, and not under the root key {self.root.text}: {error}"
            raise DataLossError(msg) from error

    @property
    def is_empty(self) -> bool:
        """Whether the log has named no key yet."""
        return not self._history.records

    @property
    def records(self) -> tuple[KeyRecord, ...]:
        """Every key that the log has named, in order."""
        return self._history.records

    def in_force(self, role: str) -> tuple[VerifierKey, ...]:
        """The keys that sign for a role now, in the order they were named."""
        return tuple(VerifierKey.parse(one.key) for one in self._of(role) if one.revoked_leaf is None)

    def counted(self, role: str, *, since: int) -> tuple[VerifierKey, ...]:
        """The keys that were in force for a role at some leaf from ``since`` on, the newest first."""
        kept = [one for one in self._of(role) if one.revoked_leaf is None or one.revoked_leaf > since]
        return tuple(VerifierKey.parse(one.key) for one in reversed(kept))

    def has_revoked(self, role: str) -> bool:
        """Whether a key of the role was ever revoked."""
        return any(one.revoked_leaf is not None for one in self._of(role))

    def _of(self, role: str) -> tuple[KeyRecord, ...]:
        return tuple(one for one in self._history.records if one.role is KeyRole(role))


def oldest_running(reader: Reader) -> int:
    """The leaf that opened the oldest round that has not ended; the log's size where none runs."""
    oldest = reader.head().size
    for one in reader.overdue_rounds(_EVER, _MANY):
        opened = next(mark.index for mark in reader.marks(one.key) if mark.kind is StepKind.OPEN)
        oldest = min(oldest, opened)
    return oldest
