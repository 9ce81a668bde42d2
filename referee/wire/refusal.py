"""Refusals: requests that cannot be answered. A broken rule of a game is no refusal but an answer with violations."""

from typing import Final

from google.protobuf.message import Message

from referee.v1.error_reason_pb2 import ErrorReason

_PREFIX: Final = "ERROR_REASON_"
EARLIEST_TIME: Final = 10**12
"""Earliest time that a request may name, in September 2001; a smaller one is a time in seconds."""


class RefusedError(Exception):
    """Refusal of a call: reason, message for developers, path of the field at fault (empty for none) and facts.

    ``facts`` become the metadata of the ErrorInfo. ``retry_seconds`` is when to try again, if that is known.
    """

    def __init__(
        self,
        reason: ErrorReason,
        message: str,
        *,
        field: str = "",
        retry_seconds: float | None = None,
        **facts: object,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.field = field
        self.retry_seconds = retry_seconds
        self.facts = {name: str(value) for name, value in facts.items()}

    @property
    def reason_name(self) -> str:
        """Reason as ErrorInfo has it, without the enum's prefix."""
        return ErrorReason.Name(self.reason).removeprefix(_PREFIX)


def invalid_field(message: str, *, field: str, **facts: object) -> RefusedError:
    """Return the refusal of a field that has a value which it cannot have."""
    return RefusedError(ErrorReason.ERROR_REASON_INVALID_FIELD, message, field=field, **facts)  # type: ignore[arg-type]


def check_milliseconds(time: int, *, field: str) -> None:
    """Refuse a time that is long before any round, as one in seconds is; 0 is no time."""
    if 0 < time < EARLIEST_TIME:
        message = f"{time} is long before 2001; give milliseconds since 1970 UTC, not seconds: {time * 1000}"
        raise invalid_field(message, field=field, found=time)


def missing_field(message: str, *, field: str) -> RefusedError:
    """Return the refusal of a request that lacks a field."""
    return RefusedError(ErrorReason.ERROR_REASON_MISSING_FIELD, message, field=field)


def missing_choice(what: str, message: Message, oneof: str, *, field: str) -> RefusedError:
    """Return the refusal of a message of which no field of a oneof is set; it lists these fields."""
    names = [one.name for one in message.DESCRIPTOR.oneofs_by_name[oneof].fields]
    return missing_field(f"{what}: {', '.join(names[:-1])} or {names[-1]}", field=field)


def invalid_header(message: str, *, field: str) -> RefusedError:
    """Return the refusal of a header that breaks the protocol, or differs from the log's or the ruleset's."""
    return RefusedError(ErrorReason.ERROR_REASON_INVALID_HEADER, message, field=field)


def foreign(message: str, *, field: str, **facts: object) -> RefusedError:
    """Return the refusal of evidence that is of another round, deal or course."""
    return RefusedError(ErrorReason.ERROR_REASON_FOREIGN, message, field=field, **facts)  # type: ignore[arg-type]


def deadline_refusal(reason: ErrorReason, message: str, *, deadline: int, now: int, field: str = "") -> RefusedError:
    """Return the refusal of a step that comes before or after a deadline; times are in ms since 1970 UTC."""
    return RefusedError(reason, message, field=field, deadline_time=deadline, received_time=now)


def round_refusal(reason: ErrorReason, message: str, *, table_id: str, round_number: int) -> RefusedError:
    """Return the refusal of a step that the state of a table's round does not allow."""
    return RefusedError(reason, message, table_id=table_id, round_number=round_number)
