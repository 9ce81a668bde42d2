"""Messages that nobody should send, as strategies: real ones changed on the wire, and any fields of any values.

A change works on one field of a message, or of a message inside it at any depth, or on the bytes blindly. What comes
out is any bytes; often it is still a message, with a hostile value in it.

Source: https://protobuf.dev/programming-guides/encoding (varints, tags, groups)
"""

import struct
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import strategies as st

from tests.driver.messages import METHODS

VARINT, FIXED64, LENGTH, START_GROUP, END_GROUP, FIXED32 = range(6)
Field = tuple[int, int, Any]
"""Number, wire type, and value: bytes of a length, fields of a group, else an int."""
MANY: Final = 100_000
_DEPTH: Final = 4
INTEGERS: Final = (
    *(0, 1, 2, 3, 4, 5, 13, 52, 53, 63, 64, 99, 127, 128, 254, 255, 256),
    *(2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 - 1, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1),
)
TEXTS: Final = (
    *(b"", b"\0", b"a\0b", b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", "ván bài".encode(), b" "),
    *("\u202e\u0000\ufeff".encode(), b"../../etc/passwd", b"' OR 1=1 --", b"%s%n{}", b"a" * 64, b"a" * 65),
    *(b"A" * 70_000, b"0" * 32, bytes(32), b"\xff" * 32, bytes(64), b"{}", b'{"payload":""}', b"[" * 5_000),
    *(b'{"a":' * 2_000, b"1e999", b"-0", b"18446744073709551616"),
    *(b"mau_binh.classic", b"tien_len.mien_nam", b"ultimate_texas.casino"),
)
_OVERLONG: Final = (b"\x80" * 9 + b"\x00", b"\xff" * 9 + b"\x01", b"\xff" * 10, b"\x80" * 12)
"""Varints longer than their value needs, or than any value."""
_STEPS: Final = (*["value"] * 8, *["graft"] * 3, *["repeat"] * 4, *["list"] * 2, *["number"] * 2, "nest", "type")
"""Changes of one field, by how often each is made."""


def varint(value: int) -> bytes:
    """Encode the shortest varint, of as many bytes as the value needs, also beyond 64 bits."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def parse(data: bytes) -> list[Field]:
    """Parse the fields of a message; an empty list if the bytes are none."""
    try:
        return _fields(UnknownFieldSet(Empty.FromString(data)))
    except DecodeError:
        return []


def _fields(known: UnknownFieldSet) -> list[Field]:
    return [
        (one.field_number, one.wire_type, _fields(one.data) if one.wire_type == START_GROUP else one.data)
        for one in (known[at] for at in range(len(known)))
    ]


def serialize(fields: Sequence[Field]) -> bytes:
    """Encode fields in their order without checking them."""
    out = bytearray()
    for number, kind, value in fields:
        out += varint(number << 3 | kind)
        if isinstance(value, list):
            out += serialize(value) + varint(number << 3 | END_GROUP)
        elif isinstance(value, bytes):
            out += varint(len(value)) + value
        elif kind in {FIXED32, FIXED64}:
            out += struct.pack("<I" if kind == FIXED32 else "<Q", value % 2 ** (32 if kind == FIXED32 else 64))
        elif kind in {VARINT, LENGTH}:
            out += varint(value)
    return bytes(out)


class Request(NamedTuple):
    """A method and the bytes that are sent to it."""

    method: str
    data: bytes

    def __repr__(self) -> str:
        return f"{self.method} {self.data[:1000].hex()}"


@st.composite
def requests(draw: st.DrawFn, recorded: Mapping[str, Sequence[bytes]]) -> Request:
    """Draw a method and its request: a recorded one, one to four changes away, or any message of its type."""
    method = draw(st.sampled_from(sorted(METHODS)))
    if draw(st.integers(0, 4)) == 0:
        kind = METHODS[method].input_type
        return Request(method, GetMessageClass(kind)(**draw(_members(kind, _DEPTH))).SerializeToString())
    corpus = [one for name in sorted(recorded) for one in recorded[name]]
    data = draw(st.sampled_from(recorded[method] if draw(st.integers(0, 20)) else corpus))
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 2, 3, 4)))):
        if len(data) < MANY:  # one step into so many fields is enough
            data = draw(_changed(data, corpus))
    return Request(method, data)


@st.composite
def _changed(draw: st.DrawFn, data: bytes, corpus: Sequence[bytes]) -> bytes:
    fields = parse(data)
    if not fields or draw(st.integers(0, 6)) == 0:
        return draw(_blindly(data, corpus))
    at = draw(st.integers(0, len(fields) - 1))
    number, kind, value = fields[at]
    if kind == LENGTH and parse(value) and draw(st.integers(0, 3)):
        made = [(number, kind, draw(_changed(value, corpus)))]
    else:
        made = draw(_field(fields[at], corpus))
    changed = [*fields[:at], *made, *fields[at + 1 :]]
    return serialize(draw(st.sampled_from((changed, changed[::-1]))) if draw(st.integers(0, 9)) == 0 else changed)


@st.composite
def _field(draw: st.DrawFn, field: Field, corpus: Sequence[bytes]) -> list[Field]:  # noqa: PLR0911 - a change each
    """Draw what is put in place of a field: nothing, another or many."""
    number, kind, value = field
    match draw(st.sampled_from(_STEPS)):
        case "graft":
            donors = parse(draw(st.sampled_from(corpus)))
            return [(number, *draw(st.sampled_from(donors))[1:])] if donors else []
        case "repeat":
            return [field] * draw(st.sampled_from((0, 2, 2, 3, 5, 17, 65, 257)))
        case "list":
            count = draw(st.sampled_from((0, 1, 5, 13, 14, 52, 53, 257, MANY)))
            packed = (number, LENGTH, varint(draw(st.sampled_from(INTEGERS))) * count)
            return draw(
                st.sampled_from(([packed], [(number, *((kind, value) if kind == VARINT else (LENGTH, b"")))] * count))
            )
        case "number":
            return [(draw(st.sampled_from((*range(1, 17), 19_000, 2**29 - 1))), kind, value)]
        case "nest":
            data = serialize([field])
            for _ in range(draw(st.sampled_from((1, 2, 99, 101, 150)))):
                data = serialize([(number, LENGTH, data)])
            return parse(data) or [(number, LENGTH, data)]
        case "type":
            return [(number, draw(st.integers(0, 6)), draw(st.sampled_from(INTEGERS)))]
    if isinstance(value, int):
        near = st.sampled_from((value + 1, max(0, value - 1), 2**64 - 1 - value % 2**64))
        return [(number, kind, draw(near | st.sampled_from(INTEGERS) | st.integers(0, 2**70)))]
    data = value if isinstance(value, bytes) else serialize(value)
    return [(number, LENGTH, draw(st.sampled_from(TEXTS) | _blindly(data, corpus) | st.just(data + b"\0")))]


@st.composite
def _blindly(draw: st.DrawFn, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Draw bytes that are changed without looking at what they are."""
    at, bit = draw(st.integers(0, len(data))), 1 << draw(st.integers(0, 7))
    put = draw(st.sampled_from((*TEXTS, *_OVERLONG)) | st.binary(min_size=1, max_size=16))
    group = varint(draw(st.integers(1, 16)) << 3 | START_GROUP) * draw(st.sampled_from((1, 50, 101, 5_000)))
    return draw(
        st.sampled_from(
            (
                data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :] if at < len(data) else put,
                data[:at],
                data[:at] + put + data[at:],
                data[:at] + draw(st.sampled_from(corpus))[at:],
                data + group,
            )
        )
        | st.binary(max_size=1_000)
    )


def _within(bits: int, *, is_signed: bool = False) -> st.SearchStrategy[int]:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    return st.sampled_from([one for one in INTEGERS if one <= high]) | st.integers(0, 60) | st.integers(low, high)


_SCALARS: Final[Mapping[int, st.SearchStrategy[Any]]] = {
    FieldDescriptor.CPPTYPE_BOOL: st.booleans(),
    FieldDescriptor.CPPTYPE_UINT32: _within(32),
    FieldDescriptor.CPPTYPE_UINT64: _within(64),
    FieldDescriptor.CPPTYPE_INT32: _within(32, is_signed=True),
    FieldDescriptor.CPPTYPE_INT64: _within(64, is_signed=True),
    FieldDescriptor.CPPTYPE_ENUM: st.integers(0, 60) | _within(31),
}


@cache
def _members(kind: Descriptor, depth: int) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of any members of a message, each set or not."""
    values = {field.name: _values(field, depth) for field in kind.fields if depth or field.message_type is None}
    return st.fixed_dictionaries({}, optional=values)


def _values(field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
    if field.message_type is not None:
        one: st.SearchStrategy[Any] = st.deferred(lambda: _members(field.message_type, depth - 1))
    elif field.type == FieldDescriptor.TYPE_BYTES:
        one = st.binary(max_size=100) | st.sampled_from([text for text in TEXTS if len(text) < 3_000])
    elif field.type == FieldDescriptor.TYPE_STRING:
        one = st.text(max_size=80) | st.sampled_from(
            ("mau_binh.classic", "VND", "t-1", "\0", "a\0", "\u202e", "x" * 65)
        )
    else:
        one = _SCALARS[field.cpp_type]
    return st.lists(one, max_size=6) if field.is_repeated else one
