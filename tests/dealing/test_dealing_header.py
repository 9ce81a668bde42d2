"""A header has an id exactly where it keeps the protocol, and every field is in it."""

import pickle
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.dealing.header import Header, HeaderError
from referee.evidence.canonical import CanonicalError, Form
from tests.driver.headers import changed_header, made_header
from tests.vectors.dealing import dealing_derivation as second

FORM = Form(Header)
TEXT = st.text(st.sampled_from("abcxyz0189._-"), min_size=1, max_size=20)
BYTES32 = st.binary(min_size=32, max_size=32).filter(any)
INTEGERS = st.integers(1, 2**53 - 1)


@st.composite
def headers(draw: st.DrawFn) -> Header:
    """Any lawful header without seat keys."""
    seats = draw(st.integers(1, 6))
    sizes = draw(st.sampled_from([(52,), (13, 39), (13, 13, 13, 13), (2, 2, 3, 2, 43), (1,) * 52]))
    stakes = st.lists(st.tuples(INTEGERS, st.integers(0, 2**53 - 1)), min_size=seats, max_size=seats)
    number = draw(INTEGERS)
    deadlines = sorted([draw(INTEGERS), draw(INTEGERS)])
    return made_header(
        protocol=1,
        origin=draw(TEXT),
        randomness_suite=draw(st.sampled_from([1, 250])),
        table_id=draw(TEXT),
        round_number=number,
        ruleset_id=draw(st.from_regex(r"[a-z0-9_]{1,9}\.[a-z0-9_]{1,9}", fullmatch=True)),
        ruleset_version="1.0.0",
        ruleset_digest=draw(BYTES32),
        layout=sizes,
        currency=draw(st.from_regex(r"[A-Z]{3}", fullmatch=True)),
        stake=draw(INTEGERS),
        seat_stakes=tuple(draw(st.just([]) | stakes)),
        seat_keys=(bytes(32),) * seats,
        previous_leaf=bytes(32) if number == 1 else draw(BYTES32),
        deal_deadline=deadlines[0],
        round_deadline=deadlines[1],
    )


@given(headers())
def test_the_second_derivation_gives_the_same_id(header: Header):
    value = msgspec.to_builtins(header)
    assert header.round_id == second.round_id(value)


@given(headers())
def test_headers_can_be_read_back(header: Header):
    assert FORM.read(FORM.write(header)).checked() == header


CHANGES: dict[str, Any] = {
    "origin": "log.example/others",
    "randomness_suite": 250,
    "table_id": "table-8",
    "round_number": 3,
    "ruleset_id": "mau_binh.classic",
    "ruleset_version": "1.0.1",
    "ruleset_digest": b"\x01" * 32,
    "layout": (13, 13, 26),
    "currency": "CHIP",
    "stake": 10_001,
    "seat_stakes": ((1, 0),) * 4,
    "seat_keys": (bytes(32),) * 3,
    "previous_leaf": b"\x02" * 32,
    "deal_deadline": 1_800_000_020_001,
    "round_deadline": 1_800_000_900_001,
}


def changed(header: Header, field: str, value: Any) -> Header:  # noqa: ANN401 - as each field is
    return changed_header(header, **{field: value})


def test_every_field_is_in_the_id(header: Header):
    later = changed_header(header, round_number=2, previous_leaf=b"\x01" * 32)
    ids = {later.round_id}
    for field, value in CHANGES.items():
        ids.add(changed(later, field, value).round_id)
    assert len(ids) == 1 + len(CHANGES)
    assert set(CHANGES) == set(Header.__struct_encode_fields__) - {"protocol"}


REFUSED: list[tuple[str, Any]] = [  # beside ``tests/vectors/dealing/refused_headers.jsonl``
    ("protocol", 0),
    ("origin", "a b"),
    ("origin", "a" * 256),
    ("origin", "ä"),
    ("randomness_suite", 0),
    ("randomness_suite", 251),
    ("table_id", "a\n"),
    ("round_number", -1),
    ("ruleset_id", "Mau.Binh"),
    ("ruleset_version", "1.0.0 "),
    ("ruleset_digest", bytes(31)),
    ("layout", ()),
    ("layout", (53, -1)),
    ("layout", (256,)),
    ("currency", "A" * 17),
    ("currency", "a b"),
    ("stake", -1),
    ("stake", 2**53),
    ("seat_stakes", ((1, 0),) * 3),
    ("seat_stakes", ((1, 0),) * 5),
    ("previous_leaf", bytes(31)),
    ("deal_deadline", -1),
    ("round_deadline", 2**53),
]


@pytest.mark.parametrize(("field", "value"), REFUSED)
def test_a_header_that_breaks_the_protocol_has_no_id_and_names_its_field(header: Header, field: str, value: object):
    broken = changed(header, field, value)
    for question in (broken.validate, lambda: broken.round_id):
        with pytest.raises(HeaderError) as caught:
            question()
        assert caught.value.field == field


@pytest.mark.parametrize(
    ("field", "value", "named"),
    [
        ("seat_stakes", ((1, 0), (1, 0), (1, -1), (1, 0)), "seat_stakes[2]"),
        ("seat_stakes", ((2**53, 0), (1, 0), (1, 0), (1, 0)), "seat_stakes[0]"),
        ("seat_stakes", ((1, 0), (1, 0), (1, 0), (1, 2**53)), "seat_stakes[3]"),
        ("seat_keys", (bytes(32), bytes(32), bytes(32), bytes(31)), "seat_keys[3]"),
        ("seat_keys", (b"\xff" * 32, bytes(32), bytes(32), bytes(32)), "seat_keys[0]"),
    ],
)
def test_a_seat_at_fault_is_named(header: Header, field: str, value: object, named: str):
    with pytest.raises(HeaderError) as caught:
        changed(header, field, value).validate()
    assert caught.value.field == named


@pytest.mark.parametrize("member", ["ruleset_digest", "previous_leaf", "seat_keys"])
def test_hashes_have_one_spelling(header: Header, member: str):
    """Uppercase would give the header a second text with the same id."""
    value = second.header_of()
    value[member] = ["AB" * 32] * 4 if member == "seat_keys" else "AB" * 32
    with pytest.raises(HeaderError):
        FORM.read(second.canonical(value)).checked()
    assert header.round_id.hex() == second.round_id(second.header_of()).hex()


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.pop("stake"),
        lambda value: value.update(extra=1),
        lambda value: value.update(stake="1"),
        lambda value: value.update(stake=None),
        lambda value: value.update(stake=True),
        lambda value: value.update(seat_stakes=[[1]]),
        lambda value: value.update(seat_stakes=[[1, 2, 3]]),
    ],
)
def test_json_with_other_members_is_no_header(change: Callable[[dict[str, Any]], None]):
    value = second.header_of()
    change(value)
    with pytest.raises(CanonicalError):
        FORM.read(second.canonical(value))


def test_the_error_crosses_processes(header: Header):
    with pytest.raises(HeaderError) as caught:
        msgspec.structs.replace(header, stake=0).validate()
    copy = pickle.loads(pickle.dumps(caught.value))  # noqa: S301 - our own bytes
    assert (copy.field, str(copy)) == ("stake", str(caught.value))
