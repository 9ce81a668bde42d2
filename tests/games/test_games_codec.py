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
