"""What a store of the log must do, whatever it is made of: the contract that every store is tested against.

The law: leaves are numbered from 0 without a gap and never change; a transaction sees the head it will move and moves
it only from there (compare-and-swap on size and root); slot, leaf, tree hashes, head and checkpoint become durable
together or not at all. Readers need no lock: what they have seen stays true.

It refuses to know what a leaf or memo says, the time, and keys.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

import msgspec

from referee.evidence.merkle import EMPTY_ROOT, HASH_SIZE, Frontier, LeafIndex
from referee.log import Kind, LogReceipt, Round, SlotKey, Step, Tiles

MAX_LEAF_SIZE: Final = 65_535
MAX_MEMO_SIZE: Final = 65_535


class StoreError(Exception):
    """The store could not do it now; nothing was appended, or the error says that nobody knows."""


class SchemaVersionError(StoreError):
    """The store's tables are those of another version of this program."""


class NotFoundedError(StoreError):
    """The store is there and no log stands in it yet."""


class OutcomeUnknownError(StoreError):
    """A commit was asked for and never answered: it may have happened or not. A new transaction sees which."""


class StoreBusyError(StoreError):
    """Another writer held the store for too long."""


class HeadMovedError(StoreError):
    """Another writer moved the head first; nothing was appended, and asking again is safe."""


class SeedCameError(StoreError):
    """A seat's seed was contributed after the leaf was made up; nothing was appended, and it is to be made up anew."""


class DataLossError(Exception):
    """What is stored contradicts itself or what was promised. The log must stop; it never repairs itself."""


class Append(msgspec.Struct, frozen=True, kw_only=True):
    """A leaf to be put into the log, with the step it takes, or None where it stands for itself.

    ``told_digest`` (32 bytes) names the request: the same step with the same digest is answered again from the log.
    ``memo`` is kept with the slot for whoever finishes the round, and is never part of the log. ``contributed`` is how
    many seats' seeds the leaf was made up from: SeedCameError where there are others by now; None where it tells none.
    """

    leaf: bytes
    step: Step | None = None
    told_digest: bytes = b""
    memo: bytes = b""
    contributed: int | None = None

    def __post_init__(self) -> None:
        if not 0 < len(self.leaf) <= MAX_LEAF_SIZE:
            msg = f"a leaf has 1 to {MAX_LEAF_SIZE} bytes, not {len(self.leaf)}"
            raise ValueError(msg)
        if len(self.memo) > MAX_MEMO_SIZE:
            msg = f"a memo has at most {MAX_MEMO_SIZE} bytes, not {len(self.memo)}"
            raise ValueError(msg)
        if len(self.told_digest) != (0 if self.step is None else HASH_SIZE):
            msg = f"a step is told by a digest of {HASH_SIZE} bytes, and a leaf without a step by none"
            raise ValueError(msg)
        if self.step is None and self.memo:
            msg = "a leaf without a step has no slot to keep a memo with"
            raise ValueError(msg)


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the log: the leaf and its receipt. ``is_repeat`` says that it stood there before the request."""

    leaf: bytes
    receipt: LogReceipt
    is_repeat: bool


@dataclass(frozen=True, slots=True)
class Head:
    """The newest state of the log: its right edge, its root, and the signed checkpoint of both."""

    frontier: Frontier
    root: bytes
    checkpoint: bytes

    @property
    def size(self) -> int:
        """The number of leaves."""
        return self.frontier.size

    @classmethod
    def empty(cls, checkpoint: bytes) -> "Head":
        """The head of a log without leaves."""
        return cls(Frontier(), EMPTY_ROOT, checkpoint)


class Cosigned(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint that witnesses have cosigned, as one note. ``is_quorate`` says whether they were enough of them."""

    size: int
    note: bytes
    is_quorate: bool


class Mark(msgspec.Struct, frozen=True):
    """A step that was taken: by which leaf, for which request, and the memo kept with it."""

    kind: Kind
    index: LeafIndex
    told_digest: bytes
    memo: bytes


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """A seat's seed for an opened round, kept until the round's deal or end tells it, and the seat's signature of it.

    A seat contributes once: the first seed stands. ``signature`` is empty for a seat without a key.
    """

    key: SlotKey
    seat: int
    seed: bytes
    signature: bytes = b""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """All that one transaction makes durable. Lists are in the order of the leaves."""

    expected: Head
    """The head that the change grows from; HeadMovedError where it is no longer so."""
    head: Head
    leaves: Sequence[bytes]
    hashes: Sequence[tuple[int, int, bytes]]
    """Tile level, place on that level, and hash of each node that the leaves made complete."""
    opened: Sequence[Round]
    """Rounds that are new, in their last state."""
    advanced: Sequence[Round]
    """Rounds that were there, in their last state."""
    marks: Sequence[tuple[SlotKey, Mark]]


class Transaction(Protocol):
    """One writer's view, from which no other writer can move the store until it ends."""

    @property
    def head(self) -> Head:
        """The head that the change will grow from."""

    def round(self, key: SlotKey) -> Round | None:
        """The state of this round, or None where it was never opened."""

    def mark(self, key: SlotKey, kind: Kind) -> Mark | None:
        """The step of this kind that was taken, memo left out, or None."""

    def contributions(self, key: SlotKey) -> tuple[Contribution, ...]:
        """The seeds that the round's seats have contributed, by seat."""

    def contribute(self, contributions: Sequence[Contribution]) -> None:
        """Seeds of seats that have contributed none yet are part of the transaction."""

    def write(self, change: Change) -> None:
        """The change is part of the transaction; at most once. Raises HeadMovedError where the head has moved."""


class Reader(Tiles, Protocol):
    """What anybody may ask of a log, from any thread, also of one that is only read."""

    @property
    def origin(self) -> str:
        """The origin of the log."""

    def head(self) -> Head:
        """The newest head. Raises DataLossError where it cannot be read."""

    def leaf(self, index: int) -> bytes:
        """The leaf at this index; IndexError where there is none."""

    def leaves(self, start: int, stop: int) -> list[bytes]:
        """The leaves from ``start`` to before ``stop``, in order; fewer where the log ends earlier."""

    def iterate(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """The leaves from ``start``, in order, up to ``stop`` or the log's size at the first step.

        Memory does not grow with the length of the log.
        """

    def round(self, key: SlotKey) -> Round | None:
        """The state of this round, or None where it was never opened."""

    def opened(self, key: SlotKey) -> tuple[Round, bytes] | None:
        """The state of this round and the leaf that opened it, or None where it was never opened."""

    def marks(self, key: SlotKey) -> tuple[Mark, ...]:
        """The steps that the round has taken, in their order, with their memos."""

    def contributions(self, key: SlotKey) -> tuple[Contribution, ...]:
        """The seeds that the round's seats have contributed, by seat."""

    def latest_round(self, table_id: str) -> Round | None:
        """The table's round with the highest number, or None."""

    def overdue_rounds(self, now: int, limit: int) -> list[Round]:
        """Rounds that have not ended and whose deadline is before ``now``, the longest overdue first.

        An opened round is overdue after its deal deadline, a dealt one after its round deadline.
        """

    def unrevealed_rounds(self, limit: int) -> list[Round]:
        """Rounds that have ended and whose seed is not in the log yet, those that ended earliest first."""

    def receipt(self, index: int) -> LogReceipt:
        """The receipt of a leaf under the newest checkpoint; IndexError where there is no such leaf."""

    def inclusion_proof(self, *, index: int, size: int) -> tuple[bytes, ...]:
        """The proof of a leaf in the tree of the first ``size`` leaves; IndexError outside it or beyond the log."""

    def consistency_proof(self, *, old_size: int, new_size: int) -> tuple[bytes, ...]:
        """The proof that one size continues another; IndexError out of order or beyond the log."""

    def hashes(self, level: int, start: int, count: int) -> list[bytes]:
        """Up to ``count`` stored node hashes of a tile level, from place ``start``, for checking them."""

    def cosigned(self, start: int, count: int, *, quorate: bool = True) -> list[Cosigned]:
        """Cosigned checkpoints from size ``start`` on, at most ``count``, smallest first.

        Those with too few cosignatures as well where ``quorate`` is False.
        """

    def newest_cosigned(self, *, quorate: bool = True) -> Cosigned | None:
        """The largest cosigned checkpoint, or None."""

    def close(self) -> None:
        """The store is let go; nothing may be asked of it afterwards."""


class Store(Reader, Protocol):
    """A log that can grow."""

    def found(self, origin: str, checkpoint: bytes) -> None:
        """The log exists, empty, with this origin and checkpoint; nothing happens where one exists already."""

    def keep_cosigned(self, size: int, merge: Callable[[bytes | None], Cosigned]) -> Cosigned:
        """The cosigned checkpoint of a size as ``merge`` makes it out of the note that was kept, None for none."""

    def transaction(self) -> AbstractContextManager[Transaction]:
        """A transaction that is durable when its block ends well and undone when it raises.

        Raises StoreBusyError; OutcomeUnknownError where the commit was not answered; StoreError where all is undone.
        A transaction begins when the one before it has ended, also one whose outcome was not answered.
        """

    def compact(self) -> None:
        """Work that commits left for later is done; for a thread of its own, while others read and write."""
