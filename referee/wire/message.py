"""The reader of protobuf from outside."""

from typing import Final, TypeVar

from google.protobuf.message import DecodeError, Message

from referee.evidence.outside import OutsideError

MAX_MESSAGE_SIZE: Final = 4 << 20

MessageT = TypeVar("MessageT", bound=Message)


def read_message(kind: type[MessageT], data: bytes) -> MessageT:
    """Read a message, whose depth protobuf itself bounds; raise OutsideError for bytes that are no such message."""
    if len(data) > MAX_MESSAGE_SIZE:
        raise OutsideError(f"it has {len(data)} bytes; at most {MAX_MESSAGE_SIZE}")
    try:
        return kind.FromString(data)
    except (DecodeError, ValueError, RecursionError) as error:
        raise OutsideError(f"it is no {kind.DESCRIPTOR.name}: {error}") from None
