r"""Readers of bytes from outside, one a format: JSON, TOML, protobuf and text.

Each checks length and depth before it parses, and raises OutsideError for every fault: no hostile bytes end in a
RecursionError or another error that a caller does not expect. ``referee.evidence.canonical`` reads canonical JSON.

>>> read_json(b'{"seat":', dict)
Traceback (most recent call last):
...
referee.evidence.outside.OutsideError: Input data was truncated
>>> read_toml(b"a = 1\na = 2")
Traceback (most recent call last):
...
referee.evidence.outside.OutsideError: not TOML: Cannot overwrite a value
"""

import re
import tomllib
from collections.abc import Hashable
from functools import lru_cache
from typing import Any, Final, Protocol, Self, TypeVar, overload

import msgspec

from referee.evidence.printable import error_words

MAX_DEPTH: Final = 254
"""Levels of nesting that are read, as in canonical JSON."""
MAX_JSON_SIZE: Final = 16 << 20
MAX_TOML_SIZE: Final = 256 << 10
MAX_MESSAGE_SIZE: Final = 4 << 20
_MAX_DOTS: Final = 64

_JSON_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)
_TOML_TEXT: Final = re.compile(
    rb'"""(?:[^\\]|\\.)*?(?:"""|\\?\Z)|\'\'\'.*?(?:\'\'\'|\Z)|"(?:[^"\\\n]|\\.)*"?|\'[^\'\n]*\'?|#[^\n]*', re.DOTALL
)
_TOML_PLACE: Final = re.compile(r" *\(at (?:line ([0-9]+), column [0-9]+|end of document)\)")
_BOM: Final = b"\xef\xbb\xbf"
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")
_AROUND: Final = " \t\r\n\N{NO-BREAK SPACE}\N{ZERO WIDTH SPACE}\N{ZERO WIDTH NO-BREAK SPACE}"

ValueT = TypeVar("ValueT")


class Message(Protocol):
    """A message of protobuf."""

    @classmethod
    def FromString(cls, s: bytes, /) -> Self:  # noqa: N802 - named by protobuf
        """Read a message."""


MessageT = TypeVar("MessageT", bound=Message)


class OutsideError(ValueError):
    """Bytes that are refused, with the line (from 1) of the fault; None if the line is not known."""

    def __init__(self, reason: str, *, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


@overload
def read_json(data: bytes | str, kind: type[ValueT], *, most: int = ...) -> ValueT: ...


@overload
def read_json(data: bytes | str, kind: Hashable = ..., *, most: int = ...) -> Any: ...  # noqa: ANN401 - of that type


def read_json(data: bytes | str, kind: Any = Any, *, most: int = MAX_JSON_SIZE) -> Any:
    """Read one JSON value of a type that msgspec knows; raise OutsideError otherwise."""
    try:
        data = data.encode() if isinstance(data, str) else data
        _check_size(data, most)
        _check_depth(data)
        return _decoder(kind).decode(data)
    except OutsideError:
        raise
    except (ValueError, RecursionError) as error:
        raise OutsideError(str(error)) from None


def read_toml(data: bytes, *, most: int = MAX_TOML_SIZE) -> dict[str, Any]:
    """Read the tables of a TOML text, with or without a byte order mark; raise OutsideError otherwise."""
    text = read_text(data, most=most)
    bare = _TOML_TEXT.sub(lambda found: b'""' + b"\n" * found[0].count(b"\n"), text.encode())
    _check_depth(bare)
    for number, line in enumerate(bare.splitlines(), 1):
        if line.count(b".") > _MAX_DOTS:
            raise OutsideError(f"a line has {line.count(b'.')} dots outside of texts; at most {_MAX_DOTS}", line=number)
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = _TOML_PLACE.search(str(error))
        reason = f"not TOML: {_TOML_PLACE.sub('', str(error))}"
        raise OutsideError(reason, line=int(place[1]) if place and place[1] else None) from None
    _check_integers(tables)
    return tables


def read_message(kind: type[MessageT], data: bytes) -> MessageT:
    """Read a message of protobuf, which itself bounds its depth; raise OutsideError for bytes that are none."""
    _check_size(data, MAX_MESSAGE_SIZE)
    try:
        return kind.FromString(data)
    except Exception as error:  # noqa: BLE001 - DecodeError, which is no ValueError, is of a library that the base lacks
        raise OutsideError(f"it is no {kind.__name__}: {error_words(error)}") from None


def read_text(data: bytes, *, most: int) -> str:
    """Read UTF-8 text with or without a byte order mark; raise OutsideError for other bytes, with their line."""
    _check_size(data, most)
    data = unmarked(data)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise OutsideError("not UTF-8 text", line=data[: error.start].count(b"\n") + 1) from None


def unmarked(data: bytes) -> bytes:
    """Return the bytes of a text without its byte order mark; raise OutsideError for UTF-16."""
    if data.startswith(_UTF_16) or (len(data) > 1 and data[:2].count(0) == 1):
        raise OutsideError("UTF-16 text, as some editors of Windows write it; save the file as UTF-8", line=1)
    return data.removeprefix(_BOM)


def pasted(text: str) -> str:
    r"""Return a key, a token or a name without what pasting leaves around it: white space, line breaks, a mark.

    >>> pasted("\ufeff house.example+1234abcd+AQ==\r\n")
    'house.example+1234abcd+AQ=='
    """
    return text.strip(_AROUND)


def _check_integers(tables: dict[str, Any]) -> None:
    """Raise OutsideError for an integer beyond 64 bits, which TOML does not have; a larger one may have no text."""
    values: list[Any] = [tables]
    while values:
        value = values.pop()
        if isinstance(value, dict):
            values += value.values()
        elif isinstance(value, list):
            values += value
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise OutsideError("not TOML: an integer is beyond 64 bits")


@lru_cache(maxsize=256)
def _decoder(kind: Hashable) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)  # type: ignore[call-overload, no-any-return, unused-ignore] # a type, also a union


def _check_size(data: bytes, most: int) -> None:
    if len(data) > most:
        raise OutsideError(f"it has {len(data)} bytes; at most {most}")


def _check_depth(data: bytes) -> None:
    """Raise OutsideError for more than MAX_DEPTH open brackets; brackets in texts of JSON do not count."""
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return
    depth = 0
    for token in _JSON_TOKEN.finditer(data):
        letter = data[token.start()]
        depth += (letter in b"[{") - (letter in b"]}")
        if depth > MAX_DEPTH:
            raise OutsideError(f"it is nested deeper than {MAX_DEPTH} levels")
