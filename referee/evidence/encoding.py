"""One encoding under every hash: each field stands behind its length, so no two field lists share their bytes.

The law (fairness.md, "Encoding")::

    enc(tag, f1..fn) = u8(len T) || T || u8(n) || for each f: u32be(len f) || f        T = "referee/v1/" + tag
    TH(tag, f..)     = SHA-256(enc(tag, f..))

Integers are big-endian, text is ASCII 0x20 to 0x7E, an absent field is zero-length. This module does not know which
tags exist or what a field means.

>>> enc("mix", b"ab", b"").hex()
'0e726566657265652f76312f6d69780200000002616200000000'
>>> tagged_hash("mix", b"ab", b"").hex()[:16]
'0a611e6cc257651e'
"""

import hashlib
from functools import lru_cache
from typing import Final, NoReturn

NAMESPACE: Final = b"referee/v1/"
HASH_SIZE: Final = 32

_MAX_FIELDS: Final = 255
_MAX_TAG: Final = 255 - len(NAMESPACE)
_LENGTHS: Final = tuple([length.to_bytes(4, "big") for length in range(256)])


class EncodingError(ValueError):
    """A value that has no encoding: an integer out of its range, or text beyond ASCII 0x20 to 0x7E."""


def enc(tag: str, *fields: bytes) -> bytes:
    """The bytes that stand for a tagged list of fields: injective over tags and lists."""
    try:
        return b"".join([opening(tag, len(fields)), *[_LENGTHS[len(field)] + field for field in fields]])
    except IndexError:  # a field longer than the lengths at hand
        return b"".join([opening(tag, len(fields)), *map(framed, fields)])


def tagged_hash(tag: str, *fields: bytes) -> bytes:
    """SHA-256 of ``enc(tag, *fields)``; 32 bytes."""
    return hashlib.sha256(enc(tag, *fields)).digest()


@lru_cache(maxsize=256)
def opening(tag: str, field_count: int) -> bytes:
    """The first bytes of every encoding with this tag and number of fields; ``framed`` fields follow it."""
    if not 0 <= field_count <= _MAX_FIELDS or not 0 < len(tag) <= _MAX_TAG:
        msg = f"no encoding has the tag {tag!r} and {field_count} fields"
        raise EncodingError(msg)
    name = NAMESPACE + ascii_field(tag)
    return bytes((len(name),)) + name + bytes((field_count,))


def framed(field: bytes) -> bytes:
    """The field behind its length, as it stands in an encoding."""
    return len(field).to_bytes(4, "big") + field


def u8(value: int) -> bytes:
    """The integer as one byte."""
    try:
        return value.to_bytes(1, "big")
    except OverflowError:
        _refuse(value, 8)


def u32(value: int) -> bytes:
    """The integer as four bytes, big-endian."""
    try:
        return value.to_bytes(4, "big")
    except OverflowError:
        _refuse(value, 32)


def u64(value: int) -> bytes:
    """The integer as eight bytes, big-endian."""
    try:
        return value.to_bytes(8, "big")
    except OverflowError:
        _refuse(value, 64)


def ascii_field(text: str) -> bytes:
    """The text as its ASCII bytes; EncodingError unless every character is within 0x20 to 0x7E."""
    if not (text.isascii() and text.isprintable()):
        msg = f"{text!r} is not text of ASCII 0x20 to 0x7E"
        raise EncodingError(msg)
    return text.encode("ascii")


def _refuse(value: int, bits: int) -> NoReturn:
    msg = f"{value} is no unsigned integer of {bits} bits"
    raise EncodingError(msg) from None
