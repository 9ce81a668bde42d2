"""Mậu Binh's events in a transcript: one event, one text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import DECK, Seat
from referee.evidence import canonical
from referee.games.mau_binh.event import Arrange, Event, Leave
from referee.transcript.mau_binh import decode_event, encode_event
from referee.transcript.told import TranscriptError

SEATS = st.integers(0, 2**32 - 1).map(Seat)
TIMES = st.integers(0, 2**53 - 1)
CARDS = st.lists(st.sampled_from(DECK), max_size=13).map(tuple)
EVENTS = st.builds(Arrange, SEATS, CARDS, CARDS, CARDS, TIMES) | st.builds(Leave, SEATS, TIMES)


@given(EVENTS)
def test_event_comes_back_from_its_bytes(event: Event):
    data = encode_event(event)
    assert decode_event(data, time=event.time) == event
    assert canonical.encode(canonical.decode(data)) == data


def test_event_bytes_stand_as_documented():
    arranged = Arrange(Seat(1), DECK[:5], DECK[5:10], DECK[12:9:-1], 5)
    assert encode_event(arranged) == (
        b'{"back":[1,2,3,4,5],"front":[13,12,11],"kind":"ARRANGE","middle":[6,7,8,9,10],"seat":1}'
    )
    assert encode_event(Leave(Seat(2), 5)) == b'{"kind":"LEAVE","seat":2}'


LAWFUL = b'{"back":[1],"front":[2],"kind":"ARRANGE","middle":[3],"seat":0}'


def test_the_event_that_is_changed_below_is_one():
    assert encode_event(decode_event(LAWFUL, time=0)) == LAWFUL


@pytest.mark.parametrize(
    "data",
    [
        b'{"back":[1], "front":[2],"kind":"ARRANGE","middle":[3],"seat":0}',
        b'{"back":[1],"front":[2],"kind":"ARRANGE","middle":[3],"seat":0} ',
        b'{"kind":"ARRANGE","back":[1],"front":[2],"middle":[3],"seat":0}',
        b'{"back":[1],"front":[2],"kind":"ARRANGE","middle":[3],"seat":-0}',
        b'{"back":[1],"front":[2],"kind":"ARRANGE","middle":[3],"seat":0,"seat":0}',
        b'{"back":[1],"front":[2],"kind":"\\u0041RRANGE","middle":[3],"seat":0}',
        b'{"seat":2,"kind":"LEAVE"}',
        b'{"kind":"LEAVE", "seat":2}',
        b'{"kind":"LEAVE","seat":1,"seat":2}',
    ],
)
def test_an_event_in_another_text_is_refused(data: bytes):
    with pytest.raises(TranscriptError, match="not canonical"):
        decode_event(data, time=0)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b'{"kind":"LEAVE"}',
        b'{"kind":"FOLD","seat":0}',
        b'{"kind":"LEAVE","seat":1.0}',
        b'{"kind":"LEAVE","seat":0,"time":1}',
        LAWFUL.replace(b"[1]", b"[0]"),
        LAWFUL.replace(b"[1]", b"[53]"),
        LAWFUL.replace(b"[1]", b'["1"]'),
        LAWFUL.replace(b"[1]", b"1"),
    ],
)
def test_bytes_that_are_no_event_are_refused(data: bytes):
    with pytest.raises(TranscriptError, match="not an event"):
        decode_event(data, time=0)
