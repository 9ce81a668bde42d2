"""Mậu Binh's events in a transcript: one event, one text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import DECK, Seat
from referee.evidence import canonical
from referee.evidence.canonical import Hex
from referee.evidence.ed25519 import is_signature
from referee.games import EventBytesError
from referee.games.mau_binh.event import Arrange, Commit, Event, Leave, Timeout
from referee.games.mau_binh.game import GAME
from referee.transcript.chain import Course
from tests.vectors.reading import read

SEATS = st.integers(0, 2**32 - 1).map(Seat)
TIMES = st.integers(0, 2**53 - 1)
CARDS = st.lists(st.sampled_from(DECK), max_size=13).map(tuple)
HASHES = st.binary(min_size=32, max_size=32).map(Hex)
NONCES = st.none() | HASHES
SEEN = st.none() | TIMES
EVENTS = (
    st.builds(Arrange, SEATS, CARDS, CARDS, CARDS, TIMES, NONCES, seen=SEEN)
    | st.builds(Leave, SEATS, TIMES, SEEN)
    | st.builds(Commit, SEATS, HASHES, TIMES, SEEN)
    | st.builds(Timeout, SEATS, TIMES)
)


@given(EVENTS)
def test_event_comes_back_from_its_bytes(event: Event):
    data = GAME.events.encode(event)
    decoded = GAME.events.decode(data, time=event.time, round_id=bytes(32))
    assert decoded == event.in_round(bytes(32))
    assert isinstance(event, Arrange) or decoded == event
    assert canonical.encode(canonical.decode(data)) == data


def test_event_bytes_stand_as_documented():
    arranged = Arrange(Seat(1), DECK[:5], DECK[5:10], DECK[12:9:-1], 5)
    assert GAME.events.encode(arranged) == (
        b'{"back":[1,2,3,4,5],"front":[13,12,11],"kind":"ARRANGE","middle":[6,7,8,9,10],"seat":1}'
    )
    assert GAME.events.encode(Leave(Seat(2), 5)) == b'{"kind":"LEAVE","seat":2}'
    assert GAME.events.encode(Leave(Seat(2), 5, seen=0)) == b'{"kind":"LEAVE","seat":2,"seen":0}'


LAWFUL = b'{"back":[1],"front":[2],"kind":"ARRANGE","middle":[3],"seat":0}'


def test_the_event_that_is_changed_below_is_one():
    assert GAME.events.encode(GAME.events.decode(LAWFUL, time=0, round_id=bytes(32))) == LAWFUL


@pytest.mark.parametrize(
    "data",
    [
        b'{"back":[1],"front":[2],"kind":"ARRANGE","middle":[3],"seat":0} ',
        b'{"kind":"ARRANGE","back":[1],"front":[2],"middle":[3],"seat":0}',
        b'{"back":[1],"front":[2],"kind":"ARRANGE","middle":[3],"seat":-0}',
        b'{"back":[1],"front":[2],"kind":"ARRANGE","middle":[3],"seat":0,"seat":0}',
        b'{"back":[1],"front":[2],"kind":"\\u0041RRANGE","middle":[3],"seat":0}',
        b'{"kind":"LEAVE","seat":1,"seat":2}',
        b'{"kind":"COMMIT","commitment":"%b","seat":0}' % (b"0" * 64),
        b'{"kind":"TIMEOUT","seat":0} ',
    ],
)
def test_an_event_in_another_text_is_refused(data: bytes):
    with pytest.raises(EventBytesError, match="not canonical"):
        GAME.events.decode(data, time=0, round_id=bytes(32))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b'{"kind":"LEAVE"}',
        b'{"kind":"FOLD","seat":0}',
        b'{"kind":"LEAVE","seat":1.0}',
        LAWFUL.replace(b',"seat"', b',"nonce":"","seat"'),
        LAWFUL.replace(b"[1]", b"[0]"),
        LAWFUL.replace(b"[1]", b'["1"]'),
        LAWFUL.replace(b"[1]", b"1"),
        LAWFUL.replace(b',"seat"', b',"nonce":"%b","seat"' % (b"A" * 64)),
        b'{"commitment":"","kind":"COMMIT","seat":0}',
        b'{"commitment":"%b","kind":"COMMIT","seat":0}' % (b"0" * 62),
        b'{"kind":"COMMIT","seat":0}',
        b'{"kind":"TIMEOUT"}',
        b'{"kind":"LEAVE","seat":0,"seen":-1}',
        b'{"commitment":"%b","kind":"TIMEOUT","seat":0}' % (b"0" * 64),
    ],
)
def test_bytes_that_are_no_event_are_refused(data: bytes):
    with pytest.raises(EventBytesError, match="not an event"):
        GAME.events.decode(data, time=0, round_id=bytes(32))


def test_events_of_a_sealed_round_are_those_of_the_second_derivation():
    """Event bytes, the course, what an arrangement opens, and each seat's signature over its own events."""
    vectors = read("dealing/sealed_events")
    ids = {name: bytes.fromhex(vectors[0][name]) for name in ("round_id", "deck_root")}
    course = Course.begin(**ids)
    for vector in vectors:
        data = vector["event"].encode()
        event = GAME.events.decode(data, time=0, round_id=ids["round_id"])
        assert GAME.events.encode(event) == data
        course = course.append(data, time=0, received=True, seat=event.seat, seen=event.seen)
        assert course.event_hash.hex() == vector["hash"]
        assert (event.opens.hex() if isinstance(event, Arrange) else "") == vector["opens"]
        assert vector["signed"] == ("" if event.seen is None else course.moves[event.seat].hex())
        if event.seen is None:
            continue
        signature, key = bytes.fromhex(vector["signature"]), bytes.fromhex(vector["public_key"])
        assert is_signature(signature, course.moves[event.seat], key)


def test_seat_that_no_hash_can_name_opens_nothing():
    arrange = Arrange(Seat(256), DECK[:5], DECK[5:10], DECK[10:13], 0, Hex(bytes(32)))
    assert arrange.in_round(bytes(32)) == arrange
