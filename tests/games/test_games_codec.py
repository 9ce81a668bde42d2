"""Events are their own records: one canonical text each, their time left out."""

from typing import Self

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import Seat
from referee.evidence.canonical import CanonicalError, Hex
from referee.games import EventBytesError, LawError
from referee.games.codec import EventCodec, EventRecord, with_seen
from referee.games.mau_binh import Commit
from referee.games.tien_len import Pass, Timeout


def codec() -> EventCodec[Pass]:
    return EventCodec(Pass, game="boc", title="Bốc")


@pytest.mark.parametrize("seen", [None, 0, 3])
def test_no_event_is_imposed_where_the_game_names_none(seen: int | None) -> None:
    event = Pass(Seat(1), 5, seen)
    data = b'{"kind":"PASS","seat":1%b}' % (b"" if seen is None else b',"seen":%d' % seen)
    assert codec().encode(event) == data
    assert codec().decode(data, time=5, round_id=bytes(32)) == event


def test_bytes_that_are_refused_name_the_game() -> None:
    with pytest.raises(EventBytesError, match="not an event of Bốc: "):
        codec().decode(b'{"kind":"PLAY","seat":1}', time=5, round_id=bytes(32))
    with pytest.raises(EventBytesError, match=r"an event of Bốc that is not canonical$"):
        codec().decode(b'{"kind":"PASS", "seat":1}', time=5, round_id=bytes(32))


PASSES = [b'{"kind":"PASS","seat":0}', b'{"kind":"PASS","seat":1,"seen":2}']


def test_number_that_is_written_as_text_makes_no_event() -> None:
    with pytest.raises(EventBytesError, match="not an event of Bốc: "):
        codec().decode(b'{"kind":"PASS","seat":"1"}', time=5, round_id=bytes(32))


def test_each_event_that_is_decoded_has_its_time() -> None:
    for times in ([3], [3, 4, 5]):
        with pytest.raises(ValueError, match="zip"):
            list(codec().decode_all(PASSES, times, round_id=bytes(32)))


def test_what_a_seat_had_seen_is_added_to_its_event() -> None:
    event = Pass(Seat(1), 5, 2)
    assert with_seen(event, None) == Pass(Seat(1), 5, 2)
    assert with_seen(event, 0) == Pass(Seat(1), 5, 0)


def test_events_are_decoded_together_as_each_alone() -> None:
    each = [codec().decode(text, time=time, round_id=bytes(32)) for text, time in zip(PASSES, (3, 4), strict=True)]
    assert list(codec().decode_all(PASSES, [3, 4], round_id=bytes(32))) == each
    assert list(codec().decode_all([], [], round_id=bytes(32))) == []


@pytest.mark.parametrize(
    "refused",
    [
        b'{"kind":"PASS", "seat":1}',
        b'{"kind":"PASS","seat":1},{"kind":"PASS","seat":2}',
        b'{"kind":"PASS","seat":1}\n',
        b'{"kind":"PLAY","seat":1}',
        b'{"kind":"PASS","seat":1,"seat":1}',
        b"\xff",
        b"[" * 100_000,
        b"",
    ],
)
def test_an_event_that_is_refused_is_refused_when_it_is_asked_for(refused: bytes) -> None:
    events = iter(codec().decode_all([*PASSES, refused], [3, 4, 5], round_id=bytes(32)))
    assert [next(events), next(events)] == list(codec().decode_all(PASSES, [3, 4], round_id=bytes(32)))
    with pytest.raises(EventBytesError) as alone:
        codec().decode(refused, time=5, round_id=bytes(32))
    with pytest.raises(EventBytesError) as found:
        next(events)
    assert str(found.value) == str(alone.value)


def test_an_imposed_event_that_says_what_was_seen_is_refused_among_others() -> None:
    imposed: EventCodec[Pass | Timeout] = EventCodec(Pass | Timeout, game="boc", title="Bốc")
    texts = [PASSES[0], b'{"kind":"TIMEOUT","seat":1,"seen":2}']
    events = iter(imposed.decode_all(texts, [3, 4], round_id=bytes(32)))
    assert next(events) == Pass(Seat(0), 3)
    with pytest.raises(EventBytesError, match="others report"):
        next(events)


@pytest.mark.parametrize("member", [b'"time":0', b'"time":5', b'"seen":null', b'"opens":""'])
def test_a_member_that_is_not_in_the_record_is_refused(member: bytes) -> None:
    with pytest.raises(EventBytesError):
        codec().decode(b'{"kind":"PASS","seat":1,%b}' % member, time=5, round_id=bytes(32))


class Broken(EventRecord, frozen=True, tag="BROKEN"):
    """An event of a game with a defect."""

    time: int = 0
    seen: int | None = None

    def in_round(self, round_id: bytes) -> Self:
        """Fail."""
        raise KeyError(round_id)


class Foreign(Broken, frozen=True, tag="BROKEN"):
    """An event that is none in this round."""

    def in_round(self, round_id: bytes) -> Self:
        """Refuse."""
        raise CanonicalError(f"none in round {round_id[0]}")


def test_a_defect_of_an_event_is_one_of_its_game() -> None:
    events: EventCodec[Broken] = EventCodec(Broken, game="boc", title="Bốc")
    texts = [b'{"kind":"BROKEN","seat":1}']
    with pytest.raises(LawError, match="the law of boc failed in in_round: KeyError"):
        list(events.decode_all(texts, [5], round_id=bytes(32)))


def test_an_event_that_is_none_in_its_round_is_refused_by_its_own_words() -> None:
    events: EventCodec[Foreign] = EventCodec(Foreign, game="boc", title="Bốc")
    with pytest.raises(CanonicalError, match="none in round 7"):
        events.decode(b'{"kind":"BROKEN","seat":1}', time=5, round_id=b"\7" * 32)


@given(st.binary(min_size=32, max_size=32))
def test_bytes_are_written_as_hex(commitment: bytes) -> None:
    events: EventCodec[Commit] = EventCodec(Commit, game="boc", title="Bốc")
    data = b'{"commitment":"%b","kind":"COMMIT","seat":2}' % commitment.hex().encode()
    assert events.encode(Commit(Seat(2), Hex(commitment), 7)) == data
    assert events.decode(data, time=7, round_id=bytes(32)) == Commit(Seat(2), Hex(commitment), 7)


@pytest.mark.parametrize("text", ['"' + "A0" * 32 + '"', '"00"', '"zz"', "7", "[]", '"' + " 0" * 32 + '"'])
def test_text_that_is_no_lowercase_hex_of_32_bytes_is_refused(text: str) -> None:
    events: EventCodec[Commit] = EventCodec(Commit, game="boc", title="Bốc")
    with pytest.raises(EventBytesError):
        events.decode(b'{"commitment":%b,"kind":"COMMIT","seat":2}' % text.encode(), time=7, round_id=bytes(32))
