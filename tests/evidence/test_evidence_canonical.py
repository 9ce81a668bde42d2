"""Canonical JSON: one value, one text; other texts are in ``tests/vectors/evidence/canonical.jsonl`` too."""

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.canonical import (
    CanonicalError,
    Form,
    Hex32,
    Natural,
    Value,
    Writable,
    decode,
    encode,
    encode_records,
    unhex,
)

TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=12)
INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
VALUES = st.recursive(
    TEXT | INTEGERS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record within a record."""

    z: Natural
    a: str


class Whole(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record with every kind of member, not in the order of their names."""

    name: str
    hash: Hex32
    parts: tuple[Part, ...]
    extra: Natural | msgspec.UnsetType = msgspec.UNSET


FORM = Form(Whole)
WHOLES = st.builds(
    Whole,
    name=TEXT,
    hash=st.binary(min_size=32, max_size=32).map(bytes.hex),
    parts=st.lists(st.builds(Part, z=st.integers(0, 2**53 - 1), a=TEXT), max_size=3).map(tuple),
    extra=st.integers(0, 2**53 - 1) | st.just(msgspec.UNSET),
)


@given(VALUES)
def test_canonical_text_is_that_of_the_standard_library(value: Value):
    """json.dumps with sorted names and no spaces is RFC 8785 on this restricted set of values."""
    assert encode(value) == json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


@given(VALUES)
def test_values_can_be_read_back(value: Value):
    assert decode(encode(value)) == value


@given(VALUES)
def test_any_other_text_of_the_value_is_refused(value: Value):
    spaced = json.dumps(value, sort_keys=True).encode()
    if spaced != encode(value):
        with pytest.raises(CanonicalError):
            decode(spaced)
    with pytest.raises(CanonicalError):
        decode(encode(value) + b"\n")


def test_bytes_stand_as_lowercase_hex():
    assert encode([b"\xab\x00", b""]) == b'["ab00",""]'


@pytest.mark.parametrize(
    "value", [None, True, False, 1.0, 2**53, -(2**53), "é", "\n", "\x7f", {"\n": 1}, {1: 1}, {1, 2}, [None], object()]
)
def test_values_beyond_the_restriction_have_no_text(value: Writable):
    with pytest.raises(CanonicalError):
        encode(value)


@pytest.mark.parametrize("data", [b"nul", b'{"a":1,}', b"\xff", b"1 "])
def test_bytes_that_are_no_canonical_text_are_refused(data: bytes):
    with pytest.raises(CanonicalError):
        decode(data)


@given(WHOLES)
def test_records_can_be_read_back(record: Whole):
    data = FORM.write(record)
    assert FORM.read(data) == record
    assert data == encode(msgspec.to_builtins(record))


@given(WHOLES)
def test_records_are_refused_in_any_other_text(record: Whole):
    data = FORM.write(record)
    builtins = msgspec.to_builtins(record)
    for other in (
        json.dumps(builtins, sort_keys=True).encode(),
        json.dumps(dict(reversed(json.loads(data).items())), separators=(",", ":")).encode(),
        data.replace(b'"name"', b'"na\\u006de"'),
        encode({**builtins, "more": 1}),
        data[:-1],
        data + b" ",
    ):
        with pytest.raises(CanonicalError):
            FORM.read(other)


@given(st.lists(WHOLES, max_size=4))
def test_records_are_encoded_together_as_each_alone(records: list[Whole]):
    assert encode_records(records) == [FORM.write(record) for record in records]


@pytest.mark.parametrize("name", ["é", "\n", "\x7f", "\x00", "a\tb", "\ud800"])
def test_records_one_of_which_has_other_text_have_no_canonical_forms(name: str):
    with pytest.raises(CanonicalError):
        encode_records([Whole(name=one, hash="00" * 32, parts=()) for one in ('"a\\', name, "b")])


@pytest.mark.parametrize("name", ["é", "\n", "\x7f", "\x00", "a\tb"])
def test_a_record_with_other_text_has_no_canonical_form(name: str):
    record = Whole(name=name, hash="00" * 32, parts=())
    with pytest.raises(CanonicalError):
        FORM.write(record)
    with pytest.raises(CanonicalError):
        FORM.read(msgspec.json.encode(record, order="sorted"))


@pytest.mark.parametrize(
    "data",
    [
        b'{"hash":"00","name":"","parts":[]}',
        b'{"hash":1,"name":"","parts":[]}',
        b'{"extra":null,"hash":"%b","name":"","parts":[]}' % (b"0" * 64),
        b'{"extra":true,"hash":"%b","name":"","parts":[]}' % (b"0" * 64),
        b'{"extra":-1,"hash":"%b","name":"","parts":[]}' % (b"0" * 64),
        b'{"extra":9007199254740992,"hash":"%b","name":"","parts":[]}' % (b"0" * 64),
        b'{"hash":"%b","name":"","name":"","parts":[]}' % (b"0" * 64),
        b"[]",
        b"\xff",
    ],
)
def test_a_record_with_members_of_another_kind_is_refused(data: bytes):
    with pytest.raises(CanonicalError):
        FORM.read(data)


def nested(depth: int) -> list[Value]:
    """Return ``depth`` lists, each inside the one before; the innermost is empty."""
    value: list[Value] = []
    for _ in range(depth - 1):
        value = [value]
    return value


@pytest.mark.parametrize("depth", [1, 2, 254])
def test_254_levels_can_be_written_and_read(depth: int):
    data = b"[" * depth + b"]" * depth
    assert encode(nested(depth)) == data
    assert encode(decode(data)) == data


@pytest.mark.parametrize("depth", [255, 1_000, 1_024, 1_025, 20_000])
def test_deeper_nesting_has_no_canonical_text(depth: int):
    """Each depth meets another limit: of the writer, of Python's stack, of the reader."""
    with pytest.raises(CanonicalError):
        encode(nested(depth))
    for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
        with pytest.raises(CanonicalError):
            decode(opening * depth + b"1" + closing * depth)


def test_a_value_that_holds_itself_has_no_canonical_text():
    value: list[Value] = []
    value.append(value)
    with pytest.raises(CanonicalError):
        encode(value)


@pytest.mark.parametrize("depth", [255, 5_000, 20_000])
@pytest.mark.parametrize("member", [b'"more"', b'"name"', b'"extra"', b'"parts"'])
def test_deep_nesting_is_no_record(member: bytes, depth: int):
    with pytest.raises(CanonicalError):
        FORM.read(b"{%b:%b%b}" % (member, b"[" * depth, b"]" * depth))


class Count(int):
    """An integer that is more than one."""

    __slots__ = ()


class Name(str):
    """A text that is more than one."""

    __slots__ = ()


@pytest.mark.parametrize("value", [Count(1), [Count(1)], {Name("a"): 1}])
def test_integers_and_names_of_other_types_have_no_canonical_text(value: Writable):
    with pytest.raises(CanonicalError):
        encode(value)


def test_a_record_with_half_a_character_has_no_canonical_form():
    with pytest.raises(CanonicalError):
        FORM.write(Whole(name="\ud800", hash="00" * 32, parts=()))


@given(st.binary(max_size=40))
def test_hex_can_be_read_back(data: bytes):
    assert unhex(data.hex(), len(data)) == data


@pytest.mark.parametrize("text", ["0" * 63, "0" * 66, "AB" + "0" * 62, "0 " + "0" * 62, "0g" + "0" * 62, ""])
def test_other_hex_is_refused(text: str):
    with pytest.raises(CanonicalError):
        unhex(text)
