"""Clocks moved by the operator, and keys that sit where they must not: refused before anything is written."""

from referee.v1 import log_pb2
from tests.service.house import House


def test_deal_dated_1970_is_refused(house: House) -> None:
    opened, right = house.open(), house.clock.now
    size = house.head().size
    house.clock.now = 1
    assert house.refusal_of(lambda: house.deal(opened)).reason == "CLOCK_BEHIND"
    house.clock.now = right
    assert house.head().size == size
    assert house.deal(opened).dealt.dealt_time == right


def test_clock_set_back_by_seconds_opens_no_table(house: House) -> None:
    """Not even a table of its own: the log's newest leaf is later."""
    house.play()
    house.clock.now -= 10_001
    assert house.refusal_of(lambda: house.open("another")).reason == "CLOCK_BEHIND"
    house.clock.now += 1
    opened = house.open("another")
    assert opened.header.deal_deadline_time > house.clock.now


def test_one_key_sits_in_one_seat(house: House) -> None:
    key = house.table(seats=2).players[0].public_key
    refusal = house.refusal_of(lambda: house.open(seat_keys=[key, key]))
    assert (refusal.reason, refusal.field) == ("INVALID_HEADER", "terms.seat_keys[1]")


def test_no_key_of_the_server_sits_in_a_seat(house: House) -> None:
    keys = house.log.GetKeys(log_pb2.GetKeysRequest())
    own = house.app.log.own_keys
    assert len(own) >= 4
    assert keys.root_key
    for key in own:
        refusal = house.refusal_of(lambda key=key: house.open(seat_keys=[bytes(32), key]))
        assert (refusal.reason, refusal.field) == ("INVALID_HEADER", "terms.seat_keys[1]")
