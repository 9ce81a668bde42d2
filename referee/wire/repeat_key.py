"""Idempotency key of a request: a hash of canonical text, so that it depends on no library's way to write a message.

The text has the message's fields that are not at their default, by name: numbers and text as they are, bytes as hex,
messages as objects, repeated fields as arrays.

>>> from referee.v1.shuffler_pb2 import OpenRoundRequest, RoundTerms
>>> canonical_text(OpenRoundRequest(terms=RoundTerms(table_id="t-1", seat_keys=[bytes(2)]), client_commitments=[b"c"]))
b'{"client_commitments":["63"],"terms":{"seat_keys":["0000"],"table_id":"t-1"}}'
"""

import hashlib
from typing import Any, Final

from google.protobuf.message import Message

from referee.evidence.canonical import CanonicalError, checked_integer, encode_record

_LARGEST: Final = 1 << 14
"""Bytes of a request, several times those of any opening that is accepted."""


def repeat_key(message: Message) -> bytes:
    """Return the SHA-256 of a message's canonical text; empty if it has none or is too large to be accepted."""
    if message.ByteSize() > _LARGEST:
        return b""
    try:
        return hashlib.sha256(canonical_text(message)).digest()
    except CanonicalError:
        return b""


def canonical_text(message: Message) -> bytes:
    """Write a message as canonical text; raise CanonicalError for text beyond ASCII and numbers beyond 2^53-1."""
    return encode_record(_members_of(message))


def _members_of(message: Message) -> dict[str, object]:
    return {field.name: _value_of(value) for field, value in message.ListFields()}


def _value_of(value: Any) -> object:  # noqa: ANN401 - any value of a field
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, int):
        return checked_integer(value)
    if isinstance(value, Message):
        return _members_of(value)
    return [_value_of(one) for one in value]
