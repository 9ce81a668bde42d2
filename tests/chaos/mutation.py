"""Messages that nobody should send, made of messages that somebody did: steps on the wire format, stacked at random.

The same luck gives the same message. A step works on the fields of a message or of one inside it, at any
depth, or on bytes blindly. What comes out is any bytes; often it is still a message, with a hostile value in it.

Source: https://protobuf.dev/programming-guides/encoding (varints, tags, groups)
"""

import random
from collections.abc import Callable, Sequence
from typing import Final

VARINT: Final = 0
FIXED64: Final = 1
LENGTH: Final = 2
START_GROUP: Final = 3
END_GROUP: Final = 4
FIXED32: Final = 5

_FIXED: Final = {FIXED64: 8, FIXED32: 4}
_NUMBERS: Final = 2**29

Field = tuple[int, int, int | bytes]
"""Number, wire type, and value: an int for a varint, bytes for everything else."""

INTEGERS: Final = (
    *(0, 1, 2, 3, 4, 5, 13, 52, 53, 63, 64, 99, 127, 128, 254, 255, 256),
    *(2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53 - 1, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1),
)
TEXTS: Final = (
    b"",
    b"\0",
    b"a\0b",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xc0\x80",
    b"\xf4\x90\x80\x80",
    "ván bài".encode(),
    "\u202e\u0000\ufeff".encode(),
    b"../../etc/passwd",
    b"' OR 1=1 --",
    b"%s%n{}",
    b" ",
    b"a" * 64,
    b"a" * 65,
    b"A" * 70_000,
    b"0" * 32,
    bytes(32),
    b"\xff" * 32,
    bytes(64),
    b"{}",
    b'{"payload":""}',
    b"[" * 5_000,
    b'{"a":' * 2_000,
    b"1e999",
    b"-0",
    b"18446744073709551616",
    b"mau_binh.classic",
    b"tien_len.mien_nam",
    b"ultimate_texas.casino",
)
MANY: Final = 100_000


def varint(value: int) -> bytes:
    """Encode the shortest varint, of as many bytes as the value needs, also beyond 64 bits."""
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def parse(data: bytes) -> list[Field] | None:
    """Parse the fields of a message; return None if the bytes are no message or hold groups."""
    fields: list[Field] = []
    at, end = 0, len(data)
    while at < end:
        tag, at = _varint_at(data, at)
        number, kind = tag >> 3, tag & 7
        if kind in {VARINT, LENGTH}:
            value, at = _varint_at(data, at)
            if kind == VARINT:
                fields.append((number, kind, value))
        else:
            value = _FIXED.get(kind, -1)
        if value < 0 or not 0 < number < _NUMBERS:
            return None
        if kind != VARINT:
            if at + value > end:
                return None
            fields.append((number, kind, data[at : at + value]))
            at += value
    return fields


def serialize(fields: Sequence[Field]) -> bytes:
    """Encode fields in their order without checking them."""
    out = bytearray()
    for number, kind, value in fields:
        out += varint(number << 3 | kind)
        if isinstance(value, int):
            out += varint(value)
        else:
            if kind == LENGTH:
                out += varint(len(value))
            out += value
    return bytes(out)


class Mutator:
    """Makes messages from a corpus of real ones."""

    def __init__(self, corpus: Sequence[bytes], luck: random.Random) -> None:
        self._corpus = corpus
        self._luck = luck

    def mutate(self, data: bytes) -> bytes:
        """Another message, one to four steps from this one."""
        luck = self._luck
        for _ in range(luck.choice((1, 1, 1, 2, 2, 3, 4))):
            if len(data) > _LARGE:
                return data  # one step into a hundred thousand fields is enough
            fields = parse(data) if luck.random() < _KNOWING else None
            data = luck.choice(_BLIND)(data, luck, self._corpus) if fields is None else self._inside(fields, 0)
        return data

    def _inside(self, fields: list[Field], depth: int) -> bytes:
        """Mutate the message by one step at some depth."""
        luck = self._luck
        if fields and luck.random() < _DEEPER:
            place = luck.randrange(len(fields))
            number, kind, value = fields[place]
            inner = parse(value) if kind == LENGTH and isinstance(value, bytes) and value else None
            if inner is not None:
                return serialize(
                    [*fields[:place], (number, kind, self._inside(inner, depth + 1)), *fields[place + 1 :]]
                )
        made = list(fields)
        luck.choice(_KNOWN)(made, luck, self._corpus)
        return serialize(made)


_KNOWING: Final = 0.85
_LARGE: Final = 60_000
_RARELY: Final = 0.004
_DEEPER: Final = 0.75


def _varint_at(data: bytes, at: int) -> tuple[int, int]:
    """Read a varint and where it ends; return -1 if there is none."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    return -1, at


Known = Callable[[list[Field], random.Random, Sequence[bytes]], None]
Blind = Callable[[bytes, random.Random, Sequence[bytes]], bytes]


def _place(fields: list[Field], luck: random.Random) -> int:
    if not fields:
        fields.append((luck.randint(1, 16), VARINT, luck.choice(INTEGERS)))
    return luck.randrange(len(fields))


def _delete(fields: list[Field], luck: random.Random, _: Sequence[bytes]) -> None:
    del fields[_place(fields, luck)]


def _repeat(fields: list[Field], luck: random.Random, _: Sequence[bytes]) -> None:
    fields.insert(luck.randint(0, len(fields)), fields[_place(fields, luck)])


def _repeat_often(fields: list[Field], luck: random.Random, _: Sequence[bytes]) -> None:
    place = _place(fields, luck)
    number, kind, value = fields[place]
    if luck.random() < _RARELY:
        small: int | bytes = value if isinstance(value, int) else b""
        fields[place : place + 1] = [(number, kind if isinstance(value, int) else LENGTH, small)] * MANY
    else:
        fields[place : place + 1] = [(number, kind, value)] * luck.choice((3, 5, 17, 65, 257))


def _shuffle(fields: list[Field], luck: random.Random, _: Sequence[bytes]) -> None:
    luck.shuffle(fields)


def _swap_numbers(fields: list[Field], luck: random.Random, _: Sequence[bytes]) -> None:
    one, other = _place(fields, luck), _place(fields, luck)
    (first, *a), (second, *b) = fields[one], fields[other]
    fields[one], fields[other] = (second, a[0], a[1]), (first, b[0], b[1])  # type: ignore[assignment] # kinds keep their values


def _renumber(fields: list[Field], luck: random.Random, _: Sequence[bytes]) -> None:
    place = _place(fields, luck)
    fields[place] = (luck.choice((*range(1, 17), 19_000, 2**29 - 1)), *fields[place][1:])


def _retype(fields: list[Field], luck: random.Random, _: Sequence[bytes]) -> None:
    place = _place(fields, luck)
    number, _kind, value = fields[place]
    other: Field = luck.choice(
        (
            (number, VARINT, luck.choice(INTEGERS)),
            (number, FIXED32, luck.randbytes(4)),
            (number, FIXED64, luck.randbytes(8)),
            (number, LENGTH, varint(value) if isinstance(value, int) else value[::-1]),
            (number, START_GROUP, b""),
            (number, END_GROUP, b""),
            (number, 6, b""),
        )
    )
    fields[place] = other


def _hostile(fields: list[Field], luck: random.Random, corpus: Sequence[bytes]) -> None:
    place = _place(fields, luck)
    number, kind, value = fields[place]
    if isinstance(value, int):
        near = (value + 1, max(0, value - 1), value ^ 1 << luck.randrange(64), 2**64 - 1 - value % 2**64)
        fields[place] = (number, kind, luck.choice((*near, luck.choice(INTEGERS), luck.getrandbits(70))))
    elif kind == LENGTH:
        fields[place] = (number, kind, _bytes(value, luck, corpus))
    else:
        fields[place] = (number, kind, luck.randbytes(len(value)))


def _bytes(value: bytes, luck: random.Random, corpus: Sequence[bytes]) -> bytes:
    what = luck.randrange(6)
    if what == 0:
        return luck.choice(TEXTS)
    if what == 1:
        return _flip(value, luck, corpus)
    if what == 2:
        return _digit(value, luck, corpus)
    if what == 3:
        return value[: luck.randint(0, len(value))]
    if what == 4:
        return value + luck.choice(TEXTS[:12])
    return luck.choice(corpus)


def _pack(fields: list[Field], luck: random.Random, _: Sequence[bytes]) -> None:
    place = _place(fields, luck)
    number, _kind, value = fields[place]
    many = MANY if luck.random() < _RARELY else luck.choice((0, 1, 5, 13, 14, 52, 53, 257))
    one = varint(value if isinstance(value, int) else luck.choice(INTEGERS))
    fields[place] = (number, LENGTH, one * many)


def _graft(fields: list[Field], luck: random.Random, corpus: Sequence[bytes]) -> None:
    donor = parse(luck.choice(corpus))
    while donor:
        number, kind, value = luck.choice(donor)
        inner = parse(value) if kind == LENGTH and isinstance(value, bytes) and value else None
        if inner and luck.random() < _DEEPER:
            donor = inner
            continue
        place = _place(fields, luck)
        fields[place] = (fields[place][0] if luck.random() < 0.7 else number, kind, value)
        return


def _nest(fields: list[Field], luck: random.Random, _: Sequence[bytes]) -> None:
    place = _place(fields, luck)
    number, _kind, value = fields[place]
    data = value if isinstance(value, bytes) else varint(value)
    for _level in range(luck.choice((1, 2, 99, 101, 150))):
        data = serialize([(number, LENGTH, data)])
    fields[place] = (number, LENGTH, data)


_KNOWN: Final[tuple[Known, ...]] = (
    *(_hostile,) * 8,
    *(_graft,) * 3,
    _delete,
    _delete,
    _repeat,
    _repeat_often,
    _shuffle,
    _swap_numbers,
    _renumber,
    _retype,
    _pack,
    _nest,
)


def _flip(data: bytes, luck: random.Random, _: Sequence[bytes]) -> bytes:
    if not data:
        return luck.randbytes(luck.randint(1, 8))
    at = luck.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << luck.randrange(8)]) + data[at + 1 :]


def _digit(data: bytes, luck: random.Random, corpus: Sequence[bytes]) -> bytes:
    digits = [at for at, byte in enumerate(data[:20_000]) if 0x30 <= byte <= 0x39]
    if not digits:
        return _flip(data, luck, corpus)
    at = luck.choice(digits)
    return data[:at] + luck.choice((b"0", b"9", b"-1", b"1" * 30, b"1.5", b"")) + data[at + 1 :]


def _cut(data: bytes, luck: random.Random, _: Sequence[bytes]) -> bytes:
    return data[: luck.randint(0, len(data))]


def _insert(data: bytes, luck: random.Random, _: Sequence[bytes]) -> bytes:
    at = luck.randint(0, len(data))
    return data[:at] + luck.choice((luck.randbytes(luck.randint(1, 16)), luck.choice(TEXTS))) + data[at:]


def _splice(data: bytes, luck: random.Random, corpus: Sequence[bytes]) -> bytes:
    other = luck.choice(corpus)
    return data[: luck.randint(0, len(data))] + other[luck.randint(0, len(other)) :]


def _overlong(data: bytes, luck: random.Random, _: Sequence[bytes]) -> bytes:
    at = luck.randint(0, len(data))
    return (
        data[:at] + luck.choice((b"\x80" * 9 + b"\x00", b"\xff" * 9 + b"\x01", b"\xff" * 10, b"\x80" * 12)) + data[at:]
    )


def _groups(data: bytes, luck: random.Random, _: Sequence[bytes]) -> bytes:
    tag = varint(luck.randint(1, 16) << 3 | START_GROUP)
    return data + tag * luck.choice((1, 50, 101, 5000))


def _noise(_data: bytes, luck: random.Random, _: Sequence[bytes]) -> bytes:
    return luck.randbytes(luck.choice((0, 1, 2, 10, 100, 1000)))


_BLIND: Final[tuple[Blind, ...]] = (_flip, _flip, _cut, _insert, _splice, _overlong, _groups, _noise)
