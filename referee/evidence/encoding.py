"""The encoding of fields to be hashed. Each field follows its length, so different lists never have the same bytes.

::

    enc(tag, f1..fn) = u8(len T) || T || u8(n) || for each f: u32be(len f) || f        T = "referee/v1/" + tag
    TH(tag, f..)     = SHA-256(enc(tag, f..))

Integers are big-endian, text is ASCII 0x20 to 0x7E, an absent field is zero-length.

>>> enc("mix", b"ab", b"").hex()
'0e726566657265652f76312f6d69780200000002616200000000'
>>> tagged_hash("mix", b"ab", b"").hex()[:16]
'0a611e6cc257651e'
"""

import hashlib
from typing import Final, NoReturn

NAMESPACE: Final = b"referee/v1/"
HASH_SIZE: Final = 32

_MAX_FIELDS: Final = 255
_MAX_TAG: Final = 255 - len(NAMESPACE)
_LENGTHS: Final = tuple([length.to_bytes(4, "big") for length in range(256)])


class EncodingError(ValueError):
    """A value that has no encoding: an integer out of its range, or text beyond ASCII 0x20 to 0x7E."""


def enc(tag: str, *fields: bytes) -> bytes:
    """Encode a tag and its fields; different tags or lists of fields never have the same encoding."""
    try:
        parts = [prefix(tag, len(fields))]
        for field in fields:
            parts += (_LENGTHS[len(field)], field)
        return b"".join(parts)
    except IndexError:  # a field of more than 255 bytes
        return b"".join([prefix(tag, len(fields)), *map(framed, fields)])


def tagged_hash(tag: str, *fields: bytes) -> bytes:
    """Hash ``enc(tag, *fields)`` by SHA-256; 32 bytes."""
    return hashlib.sha256(enc(tag, *fields)).digest()


def prefix(tag: str, field_count: int) -> bytes:
    """Return the bytes that every encoding of this tag and number of fields begins with.

    ``framed`` fields follow them. Raise EncodingError for an empty or too long tag and for more than 255 fields.
    """
    if not 0 <= field_count <= _MAX_FIELDS or not 0 < len(tag) <= _MAX_TAG:
        raise EncodingError(f"no encoding has the tag {tag!r} and {field_count} fields")
    name = NAMESPACE + ascii_field(tag)
    return bytes((len(name),)) + name + bytes((field_count,))


def framed(field: bytes) -> bytes:
    """Return the field after its length, as an encoding contains it."""
    return len(field).to_bytes(4, "big") + field


def u8(value: int) -> bytes:
    """Encode an integer as one byte."""
    try:
        return value.to_bytes(1, "big")
    except OverflowError:
        _refuse(value, 8)


def u32(value: int) -> bytes:
    """Encode an integer as four bytes, big-endian."""
    try:
        return value.to_bytes(4, "big")
    except OverflowError:
        _refuse(value, 32)


def u64(value: int) -> bytes:
    """Encode an integer as eight bytes, big-endian."""
    try:
        return value.to_bytes(8, "big")
    except OverflowError:
        _refuse(value, 64)


def ascii_field(text: str) -> bytes:
    """Encode text as ASCII; raise EncodingError unless every character is within 0x20 to 0x7E."""
    if not (text.isascii() and text.isprintable()):
        raise EncodingError(f"{text!r} is not text of ASCII 0x20 to 0x7E")
    return text.encode("ascii")


def _refuse(value: int, bits: int) -> NoReturn:
    raise EncodingError(f"{value} is not an unsigned integer of {bits} bits") from None
