"""What a codec does for a game that says no more than how its records are read and written."""

import pytest

from referee.cards import Seat
from referee.games import EventBytesError
from referee.games.codec import EventCodec
from referee.games.tien_len import Pass
from referee.games.tien_len.codec import PassJson


def codec() -> EventCodec[Pass]:
    return EventCodec(
        "Bốc",
        PassJson,
        write=lambda event: PassJson(seat=event.seat),
        read=lambda record, time, _round_id: Pass(Seat(record.seat), time),
    )


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
    imposed = EventCodec(
        "Bốc",
        PassJson,
        write=lambda event: PassJson(seat=event.seat),
        read=lambda record, time, _round_id: Pass(Seat(record.seat), time),
        is_imposed=lambda event: event.seat == 1,
    )
    events = iter(imposed.decode_all(PASSES, [3, 4], round_id=bytes(32)))
    assert next(events) == Pass(Seat(0), 3)
    with pytest.raises(EventBytesError, match="others report"):
        next(events)
