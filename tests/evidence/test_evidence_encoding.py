"""Tagged encodings: the bytes of the definition, and no two field lists with the same bytes."""

import hashlib
import struct
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.encoding import EncodingError, ascii_field, enc, framed, prefix, tagged_hash, u8, u32, u64

TAGS = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), min_size=1, max_size=40)
FIELDS = st.lists(st.binary(max_size=40), max_size=6)


def unpacked(data: bytes) -> tuple[str, list[bytes]]:
    """Tag and fields out of an encoding, by its definition."""
    size = data[0]
    name, count, rest = data[1 : 1 + size], data[1 + size], data[2 + size :]
    fields = []
    for _ in range(count):
        (length,) = struct.unpack(">I", rest[:4])
        fields.append(rest[4 : 4 + length])
        assert len(fields[-1]) == length
        rest = rest[4 + length :]
    assert rest == b""
    assert name.startswith(b"referee/v1/")
    return name.removeprefix(b"referee/v1/").decode("ascii"), fields


def test_encoding_has_the_bytes_of_its_definition():
    expected = b"\x0freferee/v1/card" + b"\x02" + b"\x00\x00\x00\x03abc" + b"\x00\x00\x00\x00"
    assert enc("card", b"abc", b"") == expected
    assert tagged_hash("card", b"abc", b"") == hashlib.sha256(expected).digest()


@given(TAGS, FIELDS)
def test_tag_and_fields_can_be_read_back(tag: str, fields: list[bytes]):
    """So two different lists never share an encoding."""
    assert unpacked(enc(tag, *fields)) == (tag, fields)


@given(TAGS, FIELDS)
def test_an_encoding_can_be_put_together_field_by_field(tag: str, fields: list[bytes]):
    assert prefix(tag, len(fields)) + b"".join(map(framed, fields)) == enc(tag, *fields)


@pytest.mark.parametrize(("write", "size"), [(u8, 1), (u32, 4), (u64, 8)])
def test_integers_are_big_endian_and_in_range(write: Callable[[int], bytes], size: int):
    assert write(0) == bytes(size)
    assert write(1) == bytes(size - 1) + b"\x01"
    assert write(256**size - 1) == b"\xff" * size
    for beyond in (-1, 256**size):
        with pytest.raises(EncodingError):
            write(beyond)


def test_printable_ascii_is_its_own_encoding():
    assert ascii_field("".join(map(chr, range(0x20, 0x7F)))) == bytes(range(0x20, 0x7F))


def test_more_than_255_fields_or_no_tag_have_no_encoding():
    assert len(enc("t", *[b""] * 255)) == 1 + 12 + 1 + 255 * 4
    with pytest.raises(EncodingError):
        enc("t", *[b""] * 256)
    with pytest.raises(EncodingError):
        enc("", b"")
    with pytest.raises(EncodingError):
        enc("t" * 245, b"")
