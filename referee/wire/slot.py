"""Table ids and round numbers on the wire to the slot they name."""

from referee.log import FIRST_ROUND, SlotError, SlotKey, SlotReason
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

_REASONS = {
    SlotReason.NOT_OPENED: ErrorReason.ERROR_REASON_NOT_OPENED,
    SlotReason.NOT_DEALT: ErrorReason.ERROR_REASON_NOT_DEALT,
    SlotReason.NOT_TERMINAL: ErrorReason.ERROR_REASON_NOT_TERMINAL,
    SlotReason.ALREADY_OPENED: ErrorReason.ERROR_REASON_ALREADY_OPENED,
    SlotReason.ALREADY_DEALT: ErrorReason.ERROR_REASON_ALREADY_DEALT,
    SlotReason.ALREADY_SETTLED: ErrorReason.ERROR_REASON_ALREADY_SETTLED,
    SlotReason.ALREADY_REVEALED: ErrorReason.ERROR_REASON_ALREADY_SETTLED,
    SlotReason.ABORTED: ErrorReason.ERROR_REASON_ABORTED,
    SlotReason.PREVIOUS_ROUND_OPEN: ErrorReason.ERROR_REASON_PREVIOUS_ROUND_OPEN,
    SlotReason.WRONG_PREVIOUS: ErrorReason.ERROR_REASON_WRONG_PREVIOUS,
    SlotReason.ROUND_MISMATCH: ErrorReason.ERROR_REASON_DEAL_MISMATCH,
    SlotReason.DECK_ROOT_MISMATCH: ErrorReason.ERROR_REASON_DEAL_MISMATCH,
}


def read_slot(table_id: str, round_number: int, *, field: str = "") -> SlotKey:
    """The slot; refuses a table id or round number that no slot has. ``field`` is the path of what holds the two."""
    prefix = f"{field}." if field else ""
    if not table_id:
        raise RefusedError(ErrorReason.ERROR_REASON_MISSING_FIELD, "name the table", field=f"{prefix}table_id")
    try:
        SlotKey(table_id, FIRST_ROUND)
    except ValueError as error:
        raise RefusedError(ErrorReason.ERROR_REASON_INVALID_FIELD, str(error), field=f"{prefix}table_id") from None
    try:
        return SlotKey(table_id, round_number)
    except ValueError as error:
        raise RefusedError(ErrorReason.ERROR_REASON_INVALID_FIELD, str(error), field=f"{prefix}round_number") from None


def slot_refusal(error: SlotError) -> RefusedError:
    """The refusal that a step's error comes to."""
    return RefusedError(
        _REASONS[error.reason],
        str(error),
        table_id=error.key.table_id,
        round_number=error.key.round_number,
    )
