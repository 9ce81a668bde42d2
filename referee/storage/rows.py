"""Rows of the store's tables as values, and the other way round."""

import struct
from collections.abc import Sequence
from typing import Any, Final

from referee.evidence.merkle import HASH_SIZE, Frontier, ProofError
from referee.log import Slot, SlotKey, Stage, Unseal
from referee.storage.record import Contribution, Cosigned, DataLossError, Head

_UNSEAL: Final = struct.Struct(f">Q{HASH_SIZE}s")

Row = Sequence[Any]


def head_of(rows: Sequence[Row]) -> Head:
    """Read the head from the rows of its table; raise DataLossError unless there is one row and it is sound."""
    if len(rows) != 1:
        raise DataLossError(f"the log has {len(rows)} heads")
    size, root, peaks, checkpoint, newest_time, roundless = rows[0]
    try:
        frontier = Frontier(size, tuple(peaks[at : at + HASH_SIZE] for at in range(0, len(peaks), HASH_SIZE)))
    except ProofError as error:
        raise DataLossError(f"the head contradicts itself: {error}") from error
    return Head(frontier, bytes(root), bytes(checkpoint), newest_time, roundless)


def round_of(key: SlotKey, row: Row) -> Slot:
    """Read the state of a round from a row of the ``round`` table that lacks the columns of the key."""
    round_id, deal_deadline, round_deadline, stage, deck_root, terminal_leaf, newest_time, unseals, winner, due = row
    return Slot(
        key,
        round_id=bytes(round_id),
        deal_deadline=deal_deadline,
        round_deadline=round_deadline,
        stage=Stage(stage),
        deck_root=None if deck_root is None else bytes(deck_root),
        terminal_leaf=None if terminal_leaf is None else bytes(terminal_leaf),
        is_revealed=due is None,
        unseals=unseals_of(bytes(unseals)),
        newest_time=newest_time,
        winner=b"" if winner is None else bytes(winner),
    )


def unseals_of(data: bytes) -> tuple[Unseal, ...]:
    """Read the UNSEALs of a round from the bytes of their column; raise DataLossError if these are malformed."""
    try:
        return tuple([Unseal(number, history) for number, history in _UNSEAL.iter_unpack(data)])
    except (struct.error, ValueError) as error:
        raise DataLossError(f"a round's openings cannot be read: {error}") from error


def write_unseals(unseals: Sequence[Unseal]) -> bytes:
    """Return the UNSEALs of a round as the bytes of their column."""
    return b"".join([_UNSEAL.pack(one.number, one.history) for one in unseals])


def keyed_round(row: Row) -> Slot:
    """Read the state of a round from a whole row of the ``round`` table."""
    return round_of(SlotKey(row[0], row[1]), row[2:])


def cosigned_of(row: Row) -> Cosigned:
    """Read a cosigned checkpoint from a row of its table."""
    return Cosigned(size=row[0], note=bytes(row[1]), is_quorate=bool(row[2]))


def contributions_of(key: SlotKey, rows: Sequence[Row]) -> tuple[Contribution, ...]:
    """Read the contributions to a round from rows of the ``contribution`` table, in the order of the rows."""
    return tuple(Contribution(key=key, seat=row[0], seed=bytes(row[1]), signature=bytes(row[2])) for row in rows)


def due_of(state: Slot) -> int | None:
    """Return the time in ms from which a sweep looks at the round, which is its next deadline; None once revealed."""
    if state.is_revealed:
        return None
    return state.deal_deadline if state.stage is Stage.OPENED else state.round_deadline


def unbroken(rows: Sequence[Row], start: int, what: str) -> list[bytes]:
    """Read the second column of rows of a position and bytes, from ``start`` on; raise DataLossError if one is missing.

    The rows are in order of position. If one is missing, at the start or later, the last position is too large.
    """
    if rows and rows[-1][0] != start + len(rows) - 1:
        raise DataLossError(f"a {what} is missing between {start} and {rows[-1][0]}")
    return [bytes(row[1]) for row in rows]
