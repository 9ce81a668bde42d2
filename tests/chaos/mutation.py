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
            data = self._blind(data) if fields is None else self._inside(fields)
        return data

    def _inside(self, fields: list[Field]) -> bytes:
        """Mutate the message by one step at some depth."""
        luck, made = self._luck, list(fields)
        if fields and luck.random() < _DEEPER:
            place = luck.randrange(len(fields))
            number, kind, value = fields[place]
            if inner := _message_in(kind, value):
                made[place] = number, kind, self._inside(inner)
                return serialize(made)
        if not made:
            made.append((luck.randint(1, 16), VARINT, luck.choice(INTEGERS)))
        place = luck.randrange(len(made))
        (step,) = luck.choices([*_STEPS], [*_STEPS.values()])
        made[place : place + 1] = self._changed(step, *made[place])
        if luck.random() < _ORDER:
            luck.shuffle(made)
        return serialize(made)

    def _changed(self, step: str, number: int, kind: int, value: int | bytes) -> list[Field]:
        """Return what a step makes of a field: nothing, another field or many."""
        luck = self._luck
        made: list[Field] = [(number, kind, value)]
        data = value if isinstance(value, bytes) else varint(value)
        match step:
            case "hostile":
                made = [(number, kind, self._hostile(kind, value))]
            case "graft":
                made = [self._grafted(*made)]
            case "repeat":
                made *= luck.choice((0, 2, 2, 3, 5, 17, 65, 257))
            case "renumber":
                made = [(luck.choice((*range(1, 17), 19_000, 2**29 - 1)), kind, value)]
            case "nest":
                for _level in range(luck.choice((1, 2, 99, 101, 150))):
                    data = serialize([(number, LENGTH, data)])
                made = [(number, LENGTH, data)]
            case "list":
                count = MANY if luck.random() < _RARELY else luck.choice((0, 1, 5, 13, 14, 52, 53, 257))
                one = value if isinstance(value, int) else luck.choice(INTEGERS)
                small = value if isinstance(value, int) else b""
                packed: Field = number, LENGTH, varint(one) * count
                made = luck.choice(([packed], [(number, kind, small)] * count))
            case "retype":
                other = luck.choice((VARINT, FIXED32, FIXED64, LENGTH, START_GROUP, END_GROUP, 6))
                random_bytes = luck.randbytes(_FIXED.get(other, 0))
                made = [
                    (
                        number,
                        other,
                        luck.choice(INTEGERS) if other == VARINT else data if other == LENGTH else random_bytes,
                    )
                ]
        return made

    def _hostile(self, kind: int, value: int | bytes) -> int | bytes:
        luck = self._luck
        if isinstance(value, int):
            near = (value + 1, max(0, value - 1), value ^ 1 << luck.randrange(64), 2**64 - 1 - value % 2**64)
            return luck.choice((*near, luck.choice(INTEGERS), luck.getrandbits(70)))
        if kind != LENGTH:
            return luck.randbytes(len(value))
        changes: tuple[Callable[[], bytes], ...] = (
            lambda: luck.choice(TEXTS),
            lambda: self._flip(value),
            lambda: self._digit(value),
            lambda: value[: luck.randint(0, len(value))],
            lambda: value + luck.choice(TEXTS[:12]),
            self._other,
        )
        return luck.choice(changes)()

    def _grafted(self, field: Field) -> Field:
        """Return a field of another message, at some depth, mostly under this one's number."""
        luck = self._luck
        donor = parse(self._other())
        while donor:
            number, kind, value = luck.choice(donor)
            inner = _message_in(kind, value)
            if not inner or luck.random() >= _DEEPER:
                return field[0] if luck.random() < 0.7 else number, kind, value
            donor = inner
        return field

    def _blind(self, data: bytes) -> bytes:
        """Change bytes without looking at what they are."""
        luck = self._luck
        at = luck.randint(0, len(data))
        put = luck.choice((luck.randbytes(luck.randint(1, 16)), luck.choice(TEXTS), luck.choice(_OVERLONG)))
        changes: tuple[Callable[[], bytes], ...] = (
            lambda: self._flip(data),
            lambda: data[:at],
            lambda: data[:at] + put + data[at:],
            lambda: data[:at] + self._other()[luck.randint(0, 200) :],
            lambda: data + varint(luck.randint(1, 16) << 3 | START_GROUP) * luck.choice((1, 50, 101, 5000)),
            lambda: luck.randbytes(luck.choice((0, 1, 2, 10, 100, 1000))),
        )
        return luck.choice(changes)()

    def _other(self) -> bytes:
        return self._luck.choice(self._corpus)

    def _flip(self, data: bytes) -> bytes:
        if not data:
            return self._luck.randbytes(self._luck.randint(1, 8))
        at = self._luck.randrange(len(data))
        return data[:at] + bytes([data[at] ^ 1 << self._luck.randrange(8)]) + data[at + 1 :]

    def _digit(self, data: bytes) -> bytes:
        digits = [at for at, byte in enumerate(data[:20_000]) if 0x30 <= byte <= 0x39]
        if not digits:
            return self._flip(data)
        at = self._luck.choice(digits)
        return data[:at] + self._luck.choice((b"0", b"9", b"-1", b"1" * 30, b"1.5", b"")) + data[at + 1 :]


def _message_in(kind: int, value: int | bytes) -> list[Field] | None:
    return parse(value) if kind == LENGTH and isinstance(value, bytes) and value else None


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


_KNOWING: Final = 0.85
_LARGE: Final = 60_000
_RARELY: Final = 0.004
_DEEPER: Final = 0.75
_ORDER: Final = 0.1
_STEPS: Final = {"hostile": 8, "graft": 3, "repeat": 4, "renumber": 2, "retype": 1, "nest": 1, "list": 2}
"""Steps on one field, and how often each is taken."""
_OVERLONG: Final = (b"\x80" * 9 + b"\x00", b"\xff" * 9 + b"\x01", b"\xff" * 10, b"\x80" * 12)
"""Varints longer than their value needs, or than any value."""
