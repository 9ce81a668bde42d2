"""The values and errors that a store, its writer and their callers exchange.

A store numbers leaves from 0 without a gap and never changes them. Leaf, round, tree hashes, head and checkpoint
become durable together or not at all, and the head moves only from the head that the change names.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from referee.evidence.merkle import EMPTY_ROOT, HASH_SIZE, Frontier, LeafIndex
from referee.log import LogReceipt, Slot, SlotKey, Step, StepKind
from referee.log.times import SLACK_MS
from referee.storage.listing import Listed

MAX_LEAF_SIZE: Final = 65_535
MAX_MEMO_SIZE: Final = 65_535


class StoreError(Exception):
    """A failure of the store; nothing was appended unless the error says that the outcome is unknown."""


class LogInUseError(StoreError):
    """A log that another process uses in a way that excludes this use."""


class SchemaVersionError(StoreError):
    """A store whose tables are those of another version of this program."""


class NotFoundedError(StoreError):
    """A store that holds no log yet."""


class OutcomeUnknownError(StoreError):
    """A commit without an answer: it may have happened or not. A new transaction shows which."""


class StoreAwayError(StoreError):
    """A database server that cannot be reached; it is worth trying again."""


class StoreFullError(StoreError):
    """A store without room on its disk; it works again once there is some."""


class StoreBusyError(StoreError):
    """A store that another writer held for too long."""


class HeadMovedError(StoreError):
    """A head that another writer moved first; nothing was appended, and it is safe to try again."""


class StaleRoundError(StoreError):
    """A leaf that was built before its round changed, or a seat's seed came; nothing was appended. Build it again."""


class LateLeafError(StaleRoundError):
    """A leaf that waited for its commit, as through a failover, until its time was too old. Build it again."""


class ClockError(StoreError):
    """A leaf's time that an audit would refuse; nothing was appended. The clock must be put right, or waited for.

    ``seconds`` is the time after which the log takes leaves by this clock, None where that is not known.
    """

    def __init__(self, message: str, *, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


def clock_error(newest_time: int, *, now: int) -> ClockError | None:
    """Return why a clock can date no leaf: it is behind the log's newest by more than the slack; None where it can.

    >>> clock_error(1_700_000_600_000, now=1_700_000_590_000)
    >>> str(clock_error(1_700_000_600_001, now=1_700_000_000_000))[:80]
    "this machine's clock is 600.0 s behind the log's newest leaf, and 10 s are allow"
    """
    behind = newest_time - now
    if behind <= SLACK_MS:
        return None
    return ClockError(
        f"this machine's clock is {behind / 1000:,.1f} s behind the log's newest leaf, and {SLACK_MS // 1000} s are "
        "allowed: every leaf would be refused. Set the clock right; if it is right, that leaf was dated ahead by a "
        f"clock that was wrong, and the log takes leaves again in {(behind - SLACK_MS) / 1000:,.0f} s",
        seconds=(behind - SLACK_MS) / 1000,
    )


class DataLossError(Exception):
    """Stored data that contradicts itself or an earlier answer. The log must stop; it never repairs itself."""


class Append(msgspec.Struct, frozen=True, kw_only=True):
    """A leaf to append and the step that it takes, or None for a leaf that belongs to no round.

    ``request_digest`` (32 bytes) identifies the request: the same step with the same digest is answered from the log.
    ``memo`` is stored with the step for later use and is never part of the log. ``built_on`` is the state of the round
    that the leaf was built on without reading it from the log, None if it was read. ``contributed`` is the number of
    seats' seeds that the leaf was built from, None if it uses none. If either is another by now, StaleRoundError.
    ``seed`` is the last one, which the leaf publishes and the same transaction keeps. ``time`` is the leaf's own in ms,
    None for a leaf that has none; ClockError where it is out of order. ``seat_keys`` are the keys of the seats that
    have one, by which the round that an OPEN opens is listed. ``names_keys`` is whether a leaf without a step names
    or revokes keys of the log, at which other servers stop.
    """

    leaf: bytes
    step: Step | None = None
    request_digest: bytes = b""
    memo: bytes = b""
    built_on: Slot | None = None
    contributed: int | None = None
    seed: "Contribution | None" = None
    time: int | None = None
    seat_keys: tuple[bytes, ...] = ()
    names_keys: bool = True

    def __post_init__(self) -> None:
        if not 0 < len(self.leaf) <= MAX_LEAF_SIZE:
            raise ValueError(f"a leaf has 1 to {MAX_LEAF_SIZE} bytes, not {len(self.leaf)}")
        if len(self.memo) > MAX_MEMO_SIZE:
            raise ValueError(f"a memo has at most {MAX_MEMO_SIZE} bytes, not {len(self.memo)}")
        size = 0 if self.step is None else HASH_SIZE
        if len(self.request_digest) != size:
            what = "a leaf without a step" if self.step is None else "a step"
            raise ValueError(f"the request digest of {what} has {size} bytes, not {len(self.request_digest)}")
        if self.step is None and self.memo:
            raise ValueError("a leaf without a step has no memo, for no step would keep it")


class Logged(msgspec.Struct, frozen=True, kw_only=True):
    """A leaf in the log and its receipt. ``is_repeat`` is True if it was there before the request."""

    leaf: bytes
    receipt: LogReceipt
    is_repeat: bool


class Head(msgspec.Struct, frozen=True):
    """The newest state of the log: its right edge, its root, the signed checkpoint of both, and two facts of leaves."""

    frontier: Frontier
    root: bytes
    checkpoint: bytes
    newest_time: int
    """Latest time of a leaf in ms since 1970 UTC, 0 for none."""
    roundless: int = 0
    """Number of leaves that name and revoke the log's keys."""

    @property
    def size(self) -> int:
        """Number of leaves."""
        return self.frontier.size

    @classmethod
    def empty(cls, checkpoint: bytes) -> "Head":
        """Return the head of a log without leaves."""
        return cls(Frontier(), EMPTY_ROOT, checkpoint, newest_time=0)


class Cosigned(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint with the witnesses' cosignatures, as one note. ``is_quorate`` says whether they are enough."""

    size: int
    note: bytes
    is_quorate: bool


class Mark(msgspec.Struct, frozen=True):
    """A step that was taken: its leaf, the digest of its request, and the memo stored with it.

    ``event`` is the number of the event that an UNSEAL follows, 0 for other steps.
    """

    kind: StepKind
    index: LeafIndex
    request_digest: bytes
    memo: bytes
    event: int


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """A seat's seed for an opened round and the seat's signature of it, kept until the deal or abort publishes it.

    A seat contributes once: the first seed counts. ``signature`` is empty for a seat without a key. ``contributed`` is
    the number of other seats' seeds that the caller knows of, None for any (StaleRoundError if there are others by
    now): the last seed of a round comes with its deal, as ``Append.seed``.
    """

    key: SlotKey
    seat: int
    seed: bytes
    signature: bytes = b""
    contributed: int | None = None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """All that one transaction makes durable. Lists are in the order of the leaves."""

    expected: Head
    """Head that the change grows from; HeadMovedError if the store has another."""
    head: Head
    leaves: Sequence[bytes]
    hashes: Sequence[tuple[int, int, bytes]]
    """Tile level, place on that level, and hash of each node that the leaves completed."""
    opened: Sequence[Slot]
    """New rounds, in their last state."""
    advanced: Sequence[Slot]
    """Rounds that existed, in their last state."""
    marks: Sequence[tuple[SlotKey, Mark]]
    listed: Sequence[Listed] = ()
    """New rounds, for the index."""
