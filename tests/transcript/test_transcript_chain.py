"""The course of a round against the same hashes written out by hand, and what must change when anything changes."""

import hashlib
import struct
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope
from referee.transcript.chain import (
    FORM,
    Course,
    EventReceipt,
    is_receipted,
    next_hash,
    next_history,
    next_move,
    sign_receipt,
)
from referee.transcript.receipted import ReceiptedEvent, read_receipted_event, receipted_event
from tests.named_signer import NamedSigner

ROUND_ID, DECK_ROOT = b"r" * 32, b"d" * 32


def tagged(tag: str, *fields: bytes) -> bytes:
    """TH as the manual spells it."""
    name = b"referee/v1/" + tag.encode()
    data = bytes([len(name)]) + name + bytes([len(fields)])
    return hashlib.sha256(data + b"".join(struct.pack(">I", len(field)) + field for field in fields)).digest()


HASHES = st.binary(min_size=32, max_size=32)
EVENTS = st.lists(
    st.tuples(
        st.binary(max_size=300),  # event bytes
        st.integers(0, 2**53 - 1),  # time
        st.booleans(),  # received
        st.integers(0, 5),  # seat
        st.none() | st.integers(0, 50),  # how many events before it were not seen
    ),
    max_size=12,
)


def course_of(events) -> Course:
    course = Course.begin(round_id=ROUND_ID, deck_root=DECK_ROOT)
    for event, time, received, seat, unseen in events:
        seen = None if unseen is None else max(0, course.number - unseen)
        course = course.append(event, time=time, received=received, seat=seat, seen=seen)
    return course


@given(EVENTS)
def test_hashes_histories_and_moves_are_those_written_by_hand(events):
    course = course_of(events)
    hashes = [tagged("transcript", ROUND_ID, DECK_ROOT)]
    histories, received_last = [hashes[0]], 0
    moves: dict[int, bytes] = {}
    for number, (event, time, received, seat, unseen) in enumerate(events, 1):
        if unseen is not None:
            before = moves.get(seat, tagged("seat", hashes[0], bytes([seat])))
            moves[seat] = tagged("move", before, hashes[max(0, number - 1 - unseen)], event)
        hashes.append(tagged("event", hashes[-1], struct.pack(">I", number), event))
        histories.append(tagged("history", histories[-1], hashes[-1], struct.pack(">Q", time), bytes([received])))
        received_last = number if received else received_last
    assert [course.hash_at(number) for number in range(len(events) + 1)] == hashes
    assert [course.start, *course.histories] == histories
    assert dict(course.moves) == moves
    assert (course.event_hash, course.history, course.received) == (hashes[-1], histories[-1], received_last)


@given(EVENTS, st.integers(0, 12))
def test_events_are_appended_together_as_one_by_one(events, count: int):
    steps = [
        (event, time, received, seat, None if unseen is None else max(0, before - unseen))
        for before, (event, time, received, seat, unseen) in enumerate(events)
    ]
    start = Course.begin(round_id=ROUND_ID, deck_root=DECK_ROOT)
    assert start.extend(steps) == start.extend(steps[:count]).extend(steps[count:]) == course_of(events)


@given(HASHES, HASHES, st.binary(max_size=300), st.integers(0, 2**32 - 1))
def test_each_hash_is_that_written_by_hand(before: bytes, other: bytes, event: bytes, number: int):
    time, received = number * 2**20, number % 2 == 1
    assert next_hash(before, number=number, event=event) == tagged("event", before, struct.pack(">I", number), event)
    history = tagged("history", before, other, struct.pack(">Q", time), bytes([received]))
    assert next_history(before, event_hash=other, time=time, received=received) == history
    assert next_move(before, seen_hash=other, event=event) == tagged("move", before, other, event)


@given(EVENTS, st.integers(0, 5), st.integers(0, 50))
def test_what_a_seat_signs_is_the_move_that_its_event_adds(events, seat: int, unseen: int):
    course = course_of(events)
    seen = max(0, course.number - unseen)
    grown = course.append(b"next", time=1, received=True, seat=seat, seen=seen)
    assert course.next_move(b"next", seat=seat, seen=seen) == grown.moves[seat]


def test_a_course_is_a_value_that_an_event_more_leaves_as_it_is():
    first = course_of([(b"a", 1, True, 0, 0)])
    longer = first.append(b"b", time=2, received=False, seat=1, seen=0)
    other = first.append(b"c", time=2, received=False, seat=1, seen=0)
    assert (first.number, longer.number, other.number) == (1, 2, 2)
    assert len({first.history, longer.history, other.history}) == 3
    assert 1 not in first.moves


@pytest.mark.parametrize("seen", [-1, 2, 3])
def test_an_event_cannot_have_been_seen_before_it_was_made(seen: int):
    course = course_of([(b"a", 1, True, 0, 0)])
    with pytest.raises(ValueError, match=f"^there is no event {seen}; the course has 1$"):
        course.append(b"b", time=2, received=True, seat=0, seen=seen)


@pytest.mark.parametrize("number", [-1, 2])
def test_no_hash_is_that_of_an_event_that_is_not_there(number: int):
    with pytest.raises(ValueError, match=f"^there is no event {number}; the course has 1$"):
        course_of([(b"a", 1, True, 0, 0)]).hash_at(number)


def test_file_of_a_receipted_event_has_the_events_up_to_its_own():
    course = course_of([(b"{}", 1, True, 0, 0), (b"{ }", 2, True, 1, None), (b"3", 3, True, 0, 2)])
    kept = receipted_event(course, 2, b"receipt", signature=bytes(64))
    assert kept == ReceiptedEvent(events=("{}", "{ }"), receipt="receipt", signature="00" * 64)
    assert kept.event == b"{ }"
    assert read_receipted_event(kept.to_bytes()) == kept
    for change in ({"events": ()}, {"signature": "00"}, {"signature": "AB" * 64}):
        assert read_receipted_event(msgspec.structs.replace(kept, **change).to_bytes()) is None


@pytest.mark.parametrize("change", [{"time": 6}, {"received": False}])
def test_another_time_or_flag_changes_the_history_alone(change: dict):
    start = Course.begin(round_id=ROUND_ID, deck_root=DECK_ROOT)
    facts: dict[str, Any] = {"time": 5, "received": True, "seat": 0, "seen": 0}
    one, other = start.append(b"a", **facts), start.append(b"a", **{**facts, **change})
    assert one.history != other.history
    assert (one.event_hash, one.moves) == (other.event_hash, other.moves)


def test_an_event_of_another_seat_leaves_a_seats_chain_as_it_is():
    first = course_of([(b"a", 1, True, 0, 0)])
    assert first.append(b"b", time=2, received=True, seat=1, seen=1).moves[0] == first.moves[0]


def test_a_receipt_says_what_its_event_is():
    course = course_of([(b"a", 1, True, 0, 0), (b"b", 2, True, 1, 0), (b"c", 3, True, 0, 0)])
    for number in (1, 2, 3):
        receipt = course.receipt(number, opens_section=None)
        assert (receipt.number, receipt.received_time) == (number, number)
        assert receipt.event_hash == course.hash_at(number).hex()
        assert receipt.history == course.histories[number - 1].hex()
        assert b"opens_section" not in FORM.write(receipt)
        with pytest.raises(CanonicalError):
            FORM.read(FORM.write(receipt)[:-1] + b',"seat":1}')


def test_a_receipt_holds_for_its_own_words_and_key_alone():
    signer, other = NamedSigner("signer"), NamedSigner("other")
    receipt = course_of([(b"a", 1, True, 0, 0), (b"b", 2, True, 1, 0)]).receipt(2, opens_section=3)
    envelope = Envelope.parse(sign_receipt(receipt, signer))
    assert FORM.read(envelope.payload) == receipt
    assert envelope.signature is not None
    assert is_receipted(receipt, envelope.signature, signer.public_key)
    assert not is_receipted(receipt, envelope.signature, other.public_key)
    changed = EventReceipt(**{**{f: getattr(receipt, f) for f in receipt.__struct_fields__}, "opens_section": 2})
    assert not is_receipted(changed, envelope.signature, signer.public_key)
