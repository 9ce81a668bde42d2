"""The steps of a table's rounds, in one order: OPEN < DEAL < UNSEAL* < SETTLE or ABORT < REVEAL.

Round n of a table:

==============  ==========================================  ==================
step            needs                                       leaves the round
==============  ==========================================  ==================
``OpenStep``    no round n; round n-1 settled or aborted,   OPENED
                and the hash of the leaf that ended it
``DealStep``    OPENED                                      DEALT
``UnsealStep``  DEALT, a course that contains the round's   DEALT, with one
                UNSEALs, and an event after theirs          UNSEAL more
``SettleStep``  DEALT, the deck root that was dealt, and    SETTLED
                exactly the round's UNSEALs
``AbortStep``   OPENED without a deck root, or DEALT with   ABORTED
                the one that was dealt
``RevealStep``  SETTLED or ABORTED, not yet revealed        the same, revealed
==============  ==========================================  ==================

Every step names the round id that OPEN named, and is taken once, UNSEAL once for each event that opens cards. Round 1
names 32 zero bytes as the leaf before it. REVEAL may come after the next round's OPEN. A refused step is a SlotError.

>>> key = SlotKey("table-7", 1)
>>> opened = advance(
...     OpenStep(key, round_id=b"r" * 32, previous_leaf=NO_LEAF, deal_deadline=1, round_deadline=2),
...     leaf_hash=b"o" * 32, previous=None, current=None,
... )
>>> opened.stage
<Stage.OPENED: 0>
>>> settle = SettleStep(key, round_id=b"r" * 32, deck_root=b"d" * 32, unseals=())
>>> advance(settle, leaf_hash=b"s" * 32, previous=None, current=opened)
Traceback (most recent call last):
...
referee.log.slot.SlotError: NOT_DEALT: round 1 of table 'table-7' is OPENED
"""

import enum
import re
from collections.abc import Mapping
from typing import ClassVar, Final, TypeAlias, assert_never

import msgspec
from msgspec.structs import replace

FIRST_ROUND: Final = 1
LAST_ROUND: Final = 2**53 - 1
LAST_TIME: Final = 2**53 - 1
LAST_EVENT: Final = 2**32 - 1
NO_LEAF: Final = bytes(32)
"""The previous terminal leaf that the first round of a table names."""

_HASH_SIZE: Final = 32
_TABLE_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")


class StepKind(enum.IntEnum):
    """The steps of a round, in their order. Stores keep the numbers."""

    OPEN = 0
    DEAL = 1
    UNSEAL = 2
    SETTLE = 3
    ABORT = 4
    REVEAL = 5


class Stage(enum.IntEnum):
    """Stage of a round; a REVEAL does not change it. Stores keep the numbers."""

    OPENED = 0
    DEALT = 1
    SETTLED = 2
    ABORTED = 3

    @property
    def is_terminal(self) -> bool:
        """Whether the round has ended, so that the next one may open and the seed be revealed."""
        return self >= Stage.SETTLED


class SlotReason(enum.StrEnum):
    """Why a step is refused. Codes are stable."""

    NOT_OPENED = "NOT_OPENED"
    """The round does not exist."""
    NOT_DEALT = "NOT_DEALT"
    """The round is not dealt yet."""
    NOT_TERMINAL = "NOT_TERMINAL"
    """The round is neither settled nor aborted, so its seed stays hidden."""
    ALREADY_OPENED = "ALREADY_OPENED"
    ALREADY_DEALT = "ALREADY_DEALT"
    ALREADY_SETTLED = "ALREADY_SETTLED"
    ALREADY_REVEALED = "ALREADY_REVEALED"
    ABORTED = "ABORTED"
    """The round was aborted; nothing but its REVEAL follows."""
    PREVIOUS_ROUND_OPEN = "PREVIOUS_ROUND_OPEN"
    """The table's previous round is neither settled nor aborted."""
    WRONG_PREVIOUS = "WRONG_PREVIOUS"
    """The table has no such previous round, or another leaf ended it."""
    ROUND_MISMATCH = "ROUND_MISMATCH"
    """The round was opened under another round id."""
    DECK_ROOT_MISMATCH = "DECK_ROOT_MISMATCH"
    """Another deck was dealt."""
    COURSE_FORKED = "COURSE_FORKED"
    """Cards were opened after another course of events."""


class SlotError(Exception):
    """A step that the round's state does not allow; ``reason`` says why, ``key`` which round.

    ``unseal`` is the round's newest UNSEAL if the reason is COURSE_FORKED. It is None for other reasons, and if the
    round has no UNSEAL.
    """

    def __init__(self, reason: SlotReason, key: "SlotKey", detail: str, unseal: "Unseal | None" = None) -> None:
        super().__init__(f"{reason.value}: round {key.round_number} of table {key.table_id!r} {detail}")
        self.reason = reason
        self.key = key
        self.detail = detail
        self.unseal = unseal

    def __reduce__(self) -> tuple[type["SlotError"], tuple[SlotReason, "SlotKey", str, "Unseal | None"]]:
        return type(self), (self.reason, self.key, self.detail, self.unseal)


class SlotKey(msgspec.Struct, frozen=True):
    """A round of a table: table id, 1 to 64 of ``A-Z a-z 0-9 . _ -``, and round number, 1 to 2^53-1."""

    table_id: str
    round_number: int

    def __post_init__(self) -> None:
        if _TABLE_ID.fullmatch(self.table_id) is None:
            raise ValueError(f"{self.table_id[:100]!r} is no table id; use 1 to 64 of A-Z a-z 0-9 . _ and -")
        if not FIRST_ROUND <= self.round_number <= LAST_ROUND:
            raise ValueError(f"{self.round_number} is no round number; rounds are numbered from 1 to 2^53-1")


class Unseal(msgspec.Struct, frozen=True):
    """Record that an event opened cards: the event's number, and the hash r of the course up to that event."""

    number: int
    history: bytes

    def __post_init__(self) -> None:
        _check_hashes(self.history)
        if not 1 <= self.number <= LAST_EVENT:
            raise ValueError(f"{self.number} is no number of an event; events are numbered from 1 to 2^32-1")


class _OfRound(msgspec.Struct, frozen=True):
    key: SlotKey


class _OfStep(_OfRound, frozen=True, kw_only=True):
    round_id: bytes

    def __post_init__(self) -> None:
        members = [getattr(self, name, None) for name in ("round_id", "previous_leaf", "deck_root")]
        _check_hashes(*[member for member in members if member is not None])


class OpenStep(_OfStep, frozen=True, kw_only=True):
    """OPEN, with which a round begins. Deadlines are ms since 1970 UTC; the server aborts rounds that pass them."""

    kind: ClassVar[StepKind] = StepKind.OPEN

    previous_leaf: bytes
    deal_deadline: int
    round_deadline: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 <= self.deal_deadline <= LAST_TIME and 0 <= self.round_deadline <= LAST_TIME):
            raise ValueError("a deadline is milliseconds since 1970 UTC, at most 2^53-1")


class DealStep(_OfStep, frozen=True, kw_only=True):
    """The deal of a round's cards, which ``deck_root`` commits to."""

    kind: ClassVar[StepKind] = StepKind.DEAL

    deck_root: bytes


class UnsealStep(_OfStep, frozen=True, kw_only=True):
    """The showing of cards after an event.

    ``course`` maps event numbers to the hash r of the course up to each; it has at least the events of earlier UNSEALs.
    """

    kind: ClassVar[StepKind] = StepKind.UNSEAL

    unseal: Unseal
    course: Mapping[int, bytes]


class SettleStep(_OfStep, frozen=True, kw_only=True):
    """The settlement of a round with the cards that ``deck_root`` commits to.

    ``unseals`` are the UNSEALs of the settled course, in the order of their events. ``winner`` is the record of who
    won, empty if the game keeps none.
    """

    kind: ClassVar[StepKind] = StepKind.SETTLE

    deck_root: bytes
    unseals: tuple[Unseal, ...]
    winner: bytes = b""


class AbortStep(_OfStep, frozen=True, kw_only=True):
    """The end of a round without a result, before its deal (``deck_root`` None) or after it (the dealt root)."""

    kind: ClassVar[StepKind] = StepKind.ABORT

    deck_root: bytes | None


class RevealStep(_OfStep, frozen=True, kw_only=True):
    """The publication of the round's seed."""

    kind: ClassVar[StepKind] = StepKind.REVEAL


Step: TypeAlias = OpenStep | DealStep | UnsealStep | SettleStep | AbortStep | RevealStep
"""A step that a leaf takes."""


class Slot(_OfRound, frozen=True, kw_only=True):
    """The state of one round of a table, as far as the log orders it.

    ``deck_root`` is None until the deal, ``terminal_leaf`` until the end. ``newest_time`` is the time of the round's
    newest leaf that has one, 0 for none. ``unseals`` are the round's UNSEALs in the order of their events. ``winner``
    is the record of the table's last settled round, which is this one once settled.
    """

    round_id: bytes
    deal_deadline: int
    round_deadline: int
    stage: Stage = Stage.OPENED
    deck_root: bytes | None = None
    terminal_leaf: bytes | None = None
    is_revealed: bool = False
    unseals: tuple[Unseal, ...] = ()
    newest_time: int = 0
    winner: bytes = b""

    @property
    def deadline(self) -> int | None:
        """Time after which the round is overdue: the deal's deadline, then the round's, None once it has ended."""
        if self.stage.is_terminal:
            return None
        return self.deal_deadline if self.stage is Stage.OPENED else self.round_deadline


def advance(step: Step, *, leaf_hash: bytes, previous: Slot | None, current: Slot | None) -> Slot:
    """Take a step, whose leaf has this hash; return the round's new state.

    ``current`` is the round's state, ``previous`` that of the table's round before it (only OpenStep reads it); None if
    there is none. Raises SlotError with the first reason that applies.
    """
    if isinstance(step, OpenStep):
        return _open(step, previous, current)
    if current is None:
        raise SlotError(SlotReason.NOT_OPENED, step.key, "was never opened")
    if step.round_id != current.round_id:
        raise SlotError(SlotReason.ROUND_MISMATCH, step.key, "has another round id")
    match step:
        case DealStep():
            return _deal(step, current)
        case UnsealStep():
            return _unseal(step, current)
        case SettleStep():
            return _settle(step, current, leaf_hash)
        case AbortStep():
            return _abort(step, current, leaf_hash)
        case RevealStep():
            return _reveal(current)
        case _:
            assert_never(step)


def _open(step: OpenStep, previous: Slot | None, current: Slot | None) -> Slot:
    if current is not None:
        raise _refused(SlotReason.ALREADY_OPENED, current)
    if step.key.round_number == FIRST_ROUND:
        before: bytes | None = NO_LEAF
    elif previous is None:
        raise SlotError(SlotReason.WRONG_PREVIOUS, step.key, "has no round before it")
    else:
        before = previous.terminal_leaf
    if before is None:
        raise SlotError(SlotReason.PREVIOUS_ROUND_OPEN, step.key, "waits for the round before it to end")
    if step.previous_leaf != before:
        raise SlotError(SlotReason.WRONG_PREVIOUS, step.key, f"follows leaf {before.hex()}")
    return Slot(
        step.key,
        round_id=step.round_id,
        deal_deadline=step.deal_deadline,
        round_deadline=step.round_deadline,
        winner=b"" if previous is None else previous.winner,
    )


def _deal(step: DealStep, current: Slot) -> Slot:
    if current.stage is Stage.ABORTED:
        raise _refused(SlotReason.ABORTED, current)
    if current.stage is not Stage.OPENED:
        raise _refused(SlotReason.ALREADY_DEALT, current)
    return replace(current, stage=Stage.DEALT, deck_root=step.deck_root)


def _unseal(step: UnsealStep, current: Slot) -> Slot:
    _check_running(current)
    if current.deck_root is None:
        raise _refused(SlotReason.NOT_DEALT, current)
    for earlier in current.unseals:
        if step.unseal.number <= earlier.number or step.course.get(earlier.number) != earlier.history:
            raise _forked(current, earlier)
    return replace(current, unseals=(*current.unseals, step.unseal))


def _settle(step: SettleStep, current: Slot, leaf_hash: bytes) -> Slot:
    _check_running(current)
    if current.deck_root is None:
        raise _refused(SlotReason.NOT_DEALT, current)
    if step.deck_root != current.deck_root:
        raise _other_deck(current)
    if step.unseals != current.unseals:
        raise _forked(current, next((unseal for unseal in current.unseals if unseal not in step.unseals), None))
    return replace(current, stage=Stage.SETTLED, terminal_leaf=leaf_hash, winner=step.winner)


def _abort(step: AbortStep, current: Slot, leaf_hash: bytes) -> Slot:
    _check_running(current)
    if step.deck_root != current.deck_root:
        if step.deck_root is None:
            raise _refused(SlotReason.ALREADY_DEALT, current)
        if current.deck_root is None:
            raise _refused(SlotReason.NOT_DEALT, current)
        raise _other_deck(current)
    return replace(current, stage=Stage.ABORTED, terminal_leaf=leaf_hash)


def _reveal(current: Slot) -> Slot:
    if not current.stage.is_terminal:
        raise _refused(SlotReason.NOT_TERMINAL, current)
    if current.is_revealed:
        raise SlotError(SlotReason.ALREADY_REVEALED, current.key, "is revealed")
    return replace(current, is_revealed=True)


def _forked(current: Slot, other: Unseal | None) -> SlotError:
    detail = (
        "opened no cards after some event of this course"
        if other is None
        else f"opened cards after event {other.number} of another course"
    )
    return SlotError(SlotReason.COURSE_FORKED, current.key, detail, current.unseals[-1] if current.unseals else None)


def _other_deck(current: Slot) -> SlotError:
    return SlotError(SlotReason.DECK_ROOT_MISMATCH, current.key, "was dealt from another deck")


def _check_running(current: Slot) -> None:
    if current.stage is Stage.SETTLED:
        raise _refused(SlotReason.ALREADY_SETTLED, current)
    if current.stage is Stage.ABORTED:
        raise _refused(SlotReason.ABORTED, current)


def _refused(reason: SlotReason, current: Slot) -> SlotError:
    return SlotError(reason, current.key, f"is {current.stage.name}")


def _check_hashes(*hashes: bytes) -> None:
    if wrong := [len(hashed) for hashed in hashes if len(hashed) != _HASH_SIZE]:
        raise ValueError(f"round ids and hashes have {_HASH_SIZE} bytes, not {wrong[0]}")
