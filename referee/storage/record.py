"""The values and errors that a store, its writer and their callers exchange.

A store numbers leaves from 0 without a gap and never changes them. Leaf, round, tree hashes, head and checkpoint
become durable together or not at all. A change names the old head; the store applies it only if that is its head.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from referee.evidence.merkle import HASH_SIZE, Frontier, LeafIndex
from referee.log import LogReceipt, Slot, SlotKey, Step, StepKind
from referee.log.noted import Noted, NotedKind
from referee.log.times import SLACK_MS
from referee.storage.round_index import Listed

MAX_LEAF_SIZE: Final = 65_535
MAX_MEMO_SIZE: Final = 65_535


class StoreError(Exception):
    """A failure of the store; nothing was appended unless the error says that the outcome is unknown."""


class LogInUseError(StoreError):
    """A log that another process uses: servers while its keys are to be changed, or a change of keys."""


class SchemaVersionError(StoreError):
    """A store whose tables are those of another version of this program."""


class NotFoundedError(StoreError):
    """A store that holds no log yet."""


class OutcomeUnknownError(StoreError):
    """A commit that the database did not answer: it may have happened or not. Reading afterwards shows which."""


class StandbyAwayError(OutcomeUnknownError):
    """A commit that a synchronous standby has not confirmed: it waits, or its wait was cancelled and it is not done."""


class StoreStalledError(StoreError):
    """A transaction that has not ended for so long that it counts as trouble; it may still end well."""


class StoreAwayError(StoreError):
    """A database server that cannot be reached, or not for writing; the caller may try again."""


class StoreFullError(StoreError):
    """A store whose disk is full; it works again once there is free space."""


class StoreBusyError(StoreError):
    """A store that another writer held for too long."""


class HeadMovedError(StoreError):
    """A change that names an old head, because another writer has moved the head; nothing was appended. Try again."""


class StaleRoundError(StoreError):
    """A leaf that was built before a seat's seed arrived; nothing was appended. Build it again."""


class LateLeafError(StaleRoundError):
    """A leaf whose time became too old while it waited for its commit, as in a failover. Build it again."""


class ClockError(StoreError):
    """A leaf's time that is out of order or far from the clock's; nothing was appended. Set the clock right, or wait.

    ``seconds`` is the time after which the log accepts leaves dated by this clock; None if that is not known.
    """

    def __init__(self, message: str, *, seconds: float | None = None) -> None:
        super().__init__(message)
        self.seconds = seconds


def clock_error(newest_time: int, *, now: int) -> ClockError | None:
    """Return the error of a clock that is behind the log's newest leaf by more than ``SLACK_MS``; None otherwise.

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
    """Stored data that contradicts itself or an earlier answer. The server must stop serving the log.

    Nothing repairs it: an operator restores a backup.
    """


class Append(msgspec.Struct, frozen=True, kw_only=True):
    """A leaf to append and the step that it takes; the step is None for a leaf that belongs to no round.

    ``request_digest`` (32 bytes) identifies the request: a repeated step with the same digest is answered from the log.
    ``memo`` is stored with the step for later use; it is not part of the log. ``contributed`` is the number of seeds
    that the leaf was built from, None if it uses none; if that is no longer right, the append fails with
    StaleRoundError. ``seed`` is a last seed that the leaf publishes and the same transaction keeps. ``time`` is the
    leaf's time in ms, None for a leaf without one; if it is out of order, the append fails with ClockError.
    ``seat_keys`` of an OPEN are the keys of the seats that have one; its round is listed under them.
    ``names_keys`` is whether a leaf without a step names or revokes keys of the log, at which other servers stop.
    ``instance`` is the name of the server whose START a leaf without a step is; empty for other leaves.
    """

    leaf: bytes
    step: Step | None = None
    request_digest: bytes = b""
    memo: bytes = b""
    contributed: int | None = None
    seed: "Contribution | None" = None
    time: int | None = None
    seat_keys: tuple[bytes, ...] = ()
    names_keys: bool = True
    instance: str = ""

    @property
    def noted(self) -> Noted | None:
        """What a later start finds the leaf by; None for a leaf that no start needs."""
        if self.step is None and self.instance:
            return Noted(NotedKind.START, self.instance)
        return Noted(NotedKind.KEY) if self.step is None and self.names_keys else None

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
    """A leaf in the log and its receipt. ``is_repeat`` is True if an earlier request appended it."""

    leaf: bytes
    receipt: LogReceipt
    is_repeat: bool


class Head(msgspec.Struct, frozen=True):
    """The state of the log: its tree's right edge and root, the signed checkpoint, and two facts about its leaves."""

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


class Cosigned(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint with witnesses' cosignatures, as one note. ``is_quorate``: they are at least a quorum."""

    size: int
    note: bytes
    is_quorate: bool


class Mark(msgspec.Struct, frozen=True):
    """The record of a step that a round has taken: the index of its leaf, the digest of its request, and its memo.

    ``event`` is the number of the event whose receipt an UNSEAL answers; 0 for other steps.
    """

    kind: StepKind
    index: LeafIndex
    request_digest: bytes
    memo: bytes
    event: int


class Contribution(msgspec.Struct, frozen=True, kw_only=True):
    """A seat's seed for an opened round and the seat's signature of it, kept until the deal or abort publishes it.

    A seat contributes once: its first seed counts. ``signature`` is empty for a seat without a key. ``contributed`` is
    the number of seeds of the round that the caller has read: if the store has more by now, the contribution fails with
    StaleRoundError, so that the last seed comes with the deal, as ``Append.seed``. None skips that check.
    """

    key: SlotKey
    seat: int
    seed: bytes
    signature: bytes = b""
    contributed: int | None = None


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one transaction adds and updates in the store. Each list is in the order of the leaves that cause it."""

    expected: Head
    """Head that the change continues; if the store has another head, writing fails with HeadMovedError."""
    head: Head
    leaves: Sequence[bytes]
    hashes: Sequence[tuple[int, int, bytes]]
    """Tile level, place on that level, and hash of each node that the leaves completed."""
    opened: Sequence[Slot]
    """Rounds that the change opens, in their state after it."""
    advanced: Sequence[Slot]
    """Rounds that existed before, in their state after the change."""
    marks: Sequence[tuple[SlotKey, Mark]]
    listed: Sequence[Listed] = ()
    """Entries of the opened rounds for the index of rounds."""
    noted: Sequence[tuple[LeafIndex, Noted]] = ()
    """KEY and START leaves, with their indices."""
