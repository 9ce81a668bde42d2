"""Idempotency key of a request: a hash of its canonical text, which does not depend on how a library encodes messages.

The text has the fields that are present in the message, by name: numbers and text as they are, bytes as hex, messages
as objects, repeated fields as arrays.

>>> from referee.v1.shuffler_pb2 import OpenRoundRequest, RoundTerms
>>> canonical_text(OpenRoundRequest(terms=RoundTerms(table_id="t-1", seat_keys=[bytes(2)]), client_commitments=[b"c"]))
b'{"client_commitments":["63"],"terms":{"seat_keys":["0000"],"table_id":"t-1"}}'
"""

import hashlib
from typing import Any, Final

from google.protobuf.message import Message

from referee.evidence.canonical import CanonicalError, checked_integer, encode_record

_LARGEST: Final = 1 << 14
"""Largest request, in bytes, that gets a key: several times the size of any OpenRound request that is accepted."""


def repeat_key(message: Message) -> bytes:
    """Return the SHA-256 of a message's canonical text; empty if the message has none, or is over 16 KiB."""
    if message.ByteSize() > _LARGEST:
        return b""
    try:
        return hashlib.sha256(canonical_text(message)).digest()
    except CanonicalError:
        return b""


def canonical_text(message: Message) -> bytes:
    """Return a message's canonical text; raise CanonicalError for text beyond ASCII or numbers beyond 2^53-1."""
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
    return [_value_of(item) for item in value]
