"""Canonical JSON: RFC 8785 restricted to ASCII strings, integers, arrays and objects, so one value has one text.

No white space, object members sorted by name, every name and string within ASCII 0x20 to 0x7E, integers within
-(2^53-1) to 2^53-1, never a float, a boolean or null; bytes are written as lowercase hex. A text is canonical exactly
when its own value encodes to it; nothing is nested deeper than 254 levels.

>>> encode({"stake": 100, "round_id": bytes(2), "seats": ["a", 1]})
b'{"round_id":"0000","seats":["a",1],"stake":100}'
>>> decode(b'{"a":1 }')
Traceback (most recent call last):
...
referee.evidence.canonical.CanonicalError: the bytes are not the canonical text of the value they hold
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Generic, NoReturn, TypeAlias, TypeVar

import msgspec
import orjson

Value: TypeAlias = "str | int | Sequence[Value] | Mapping[str, Value]"
"""A value read from canonical text."""

Writable: TypeAlias = "str | int | bytes | Sequence[Writable] | Mapping[str, Writable]"
"""A value that can be encoded; bytes are written as lowercase hex."""

MAX_INTEGER: Final = 2**53 - 1
MAX_SIZE: Final = 1 << 20
"""Bytes of a text that is read."""

Natural = Annotated[int, msgspec.Meta(ge=0, le=MAX_INTEGER)]
"""An integer from 0 to 2^53-1, as a member of a record."""
Hex32 = Annotated[str, msgspec.Meta(min_length=64, max_length=64)]
"""Text of 64 characters, the length of 32 bytes in hex. ``unhex`` checks that the characters are lowercase hex."""


class Hex(bytes):
    """Bytes that a record writes as lowercase hex."""

    __slots__ = ()


_OPTIONS: Final = orjson.OPT_SORT_KEYS | orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATACLASS
_BACKSLASH: Final = ord("\\")
_DELETE: Final = 0x7F
_LONG: Final = re.compile(rb"[0-9]{16}")
"""An integer that may be beyond 2^53-1."""
_NOT_CANONICAL: Final = "the bytes are not the canonical text of the value they hold"

RecordT = TypeVar("RecordT", bound=msgspec.Struct)


class CanonicalError(ValueError):
    """Bytes that are not canonical text, or a value that has no canonical text."""


def encode(value: Writable) -> bytes:
    """Encode a value as canonical text; raise CanonicalError if it has no canonical text."""
    try:
        _check(value)
        return orjson.dumps(value, default=_as_hex, option=_OPTIONS)
    except (RecursionError, orjson.JSONEncodeError) as error:
        raise CanonicalError(f"the value has no canonical text: {error}") from None


def decode(data: bytes) -> Value:
    """Read the value of a canonical text; raise CanonicalError for any other bytes."""
    _check_size(data)
    try:
        value: Value = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise CanonicalError(f"the bytes are not JSON text: {error}") from None
    if (_encode_plain(value) if _is_plain(data) else encode(value)) != data:
        raise CanonicalError(_NOT_CANONICAL)
    return value


def _is_plain(data: bytes) -> bool:
    """Return whether nothing but the order of members can be wrong with JSON text.

    It then has no escapes, no characters beyond ASCII, and between its strings only brackets, commas, colons and
    integers of at most 15 digits.
    """
    if not data.isascii() or _DELETE in data or _BACKSLASH in data:
        return False
    bare = b"".join(data.split(b'"')[::2])
    return not bare.translate(None, b"0123456789-,:[]{}") and _LONG.search(bare) is None


def _encode_plain(value: Value) -> bytes:
    try:
        return orjson.dumps(value, option=_OPTIONS)
    except orjson.JSONEncodeError as error:
        raise CanonicalError(f"the value has no canonical text: {error}") from None


def encode_record(record: object) -> bytes:
    """Encode a record as canonical text; raise CanonicalError for a string with characters beyond ASCII 0x20 to 0x7E.

    Nothing else is checked. The record's type must bound its integers and have no floats, booleans or null. ``Hex`` is
    written as lowercase hex, other bytes as base64.
    """
    try:
        data = _encoder.encode(record)
    except UnicodeEncodeError as error:
        raise CanonicalError(str(error)) from None
    return _checked(data)


def encode_records(records: Sequence[object]) -> Sequence[bytes]:
    """Encode each record as ``encode_record`` does; raise its CanonicalError if one of them cannot be encoded."""
    try:
        data = _encoder.encode_lines(records)
    except UnicodeEncodeError as error:
        raise CanonicalError(str(error)) from None
    return _checked(data).split(b"\n")[:-1]


def _checked(data: bytes) -> bytes:
    """Return the encoder's text; raise CanonicalError if a string in it has characters beyond ASCII 0x20 to 0x7E.

    The encoder has escaped control characters, so they show as escapes other than those of quote and backslash.
    """
    if not data.isascii() or _DELETE in data or (_BACKSLASH in data and not _has_plain_escapes(data)):
        raise CanonicalError("a string holds characters beyond ASCII 0x20 to 0x7E")
    return data


class Form(Generic[RecordT]):
    """The canonical texts of one record type, a msgspec.Struct that holds text, integers, records and tuples of them.

    Optional members are left out where they are unset. Members that the type does not name are refused; the type must
    bound its integers (``Natural``) and have neither floats, booleans nor null.
    """

    def __init__(self, record_type: type[RecordT]) -> None:
        self._decoder = msgspec.json.Decoder(record_type, strict=True)

    def write(self, record: RecordT) -> bytes:
        """Encode a record as ``encode_record`` does."""
        return encode_record(record)

    def read(self, data: bytes) -> RecordT:
        """Read a record from its canonical text; raise CanonicalError for any other bytes."""
        _check_size(data)
        try:
            record = self._decoder.decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise CanonicalError(str(error)) from None
        if encode_record(record) != data:
            raise CanonicalError(_NOT_CANONICAL)
        return record


def _check_size(data: bytes) -> None:
    if len(data) > MAX_SIZE:
        raise CanonicalError(f"the text has {len(data)} bytes; at most {MAX_SIZE} are read")


def unhex(text: str, size: int = 32) -> bytes:
    """Decode lowercase hex; raise CanonicalError unless the text is the lowercase hex of ``size`` bytes."""
    try:
        data = bytes.fromhex(text)
    except ValueError:
        data = b""
    if len(data) != size or data.hex() != text:
        raise CanonicalError(f"{text[:160]!r} is not the lowercase hex of {size} bytes")
    return data


def check_hex(texts: Sequence[str], size: int = 32) -> None:
    """Raise CanonicalError unless each text is the lowercase hex of ``size`` bytes."""
    joined = "".join(texts)
    try:
        if bytes.fromhex(joined).hex() == joined and set(map(len, texts)) <= {2 * size}:
            return
    except ValueError:
        pass
    for text in texts:
        unhex(text, size)


def checked_integer(value: int) -> int:
    """Return the integer; raise CanonicalError for a boolean and for integers outside -(2^53-1) to 2^53-1."""
    if isinstance(value, bool):
        _refuse_type(value)
    if not -MAX_INTEGER <= value <= MAX_INTEGER:
        raise CanonicalError(f"{value} is beyond 2^53-1, the largest integer that every JSON reader keeps exactly")
    return value


def _write_hex(value: object) -> str:
    if isinstance(value, Hex):
        return value.hex()
    raise TypeError(f"a record cannot hold {type(value).__name__}")


_encoder: Final = msgspec.json.Encoder(order="sorted", enc_hook=_write_hex)


def _has_plain_escapes(data: bytes) -> bool:
    r"""Return whether the encoder's text has no escapes but ``\"`` and ``\\``: none of a character below 0x20."""
    return _BACKSLASH not in data.replace(rb"\\", b"").replace(rb"\"", b"")


def _check(value: object) -> None:
    if isinstance(value, str):
        _check_text(value)
    elif isinstance(value, dict):
        for name, member in value.items():
            _check_text(name)
            _check(member)
    elif isinstance(value, list | tuple):
        for member in value:
            _check(member)
    elif isinstance(value, int):
        checked_integer(value)
    elif not isinstance(value, bytes):
        _refuse_type(value)


def _refuse_type(value: object) -> NoReturn:
    raise CanonicalError(f"{value!r} has no canonical text: it is a {type(value).__name__}")


def _check_text(text: object) -> None:
    if not (isinstance(text, str) and text.isascii() and text.isprintable()):
        raise CanonicalError(f"{text!r} is not text of ASCII 0x20 to 0x7E")


def _as_hex(value: object) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, str):
        return str.__str__(value)
    raise CanonicalError(f"{value!r} has no canonical text")
