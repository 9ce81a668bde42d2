"""What refused calls say: what was wrong, where, and what to do."""

import pytest

from referee.v1 import mau_binh_pb2, shuffler_pb2
from tests.driver.messages import terms_of
from tests.service.house import House
from tests.service.opening import open_round


@pytest.mark.parametrize("table_id", ["my table", "x" * 65, "bàn"])
def test_table_id_out_of_form_is_refused_with_the_form(house: House, table_id: str):
    terms = terms_of(table_id, stake_minor=100)
    said = house.refusal_of(open_round, house.shuffler, terms).message
    assert said == f"terms.table_id: {table_id!r} is no table id; use 1 to 64 of A-Z a-z 0-9 . _ and -"


def test_round_that_was_never_opened_is_refused_with_the_round_that_is(house: House):
    played = house.play()
    request = shuffler_pb2.DealRoundRequest(round={"table_id": played.header.round.table_id, "round_number": 7})
    said = house.refusal_of(house.shuffler.DealRound, request).message
    assert said.endswith("was never opened; the table's newest round is 1, which is DEALT")


def test_altered_header_is_blamed_and_not_the_certificate(house: House):
    played = house.play()
    played.message.header.stake_minor += 1
    said = house.refusal_of(played.settle).message
    assert said.startswith("round.header: ")
    assert said.endswith("send it as OpenRound answered it")


def test_other_settlement_is_refused_with_where_the_first_one_is(house: House):
    played = house.play()
    house.clock.now += 1_000
    hands = [house.as_dealt(hand) for hand in played.hands]
    for seat, arrangement in enumerate(hands):
        played.message.events.add(seat=seat, time=played.dealt.dealt_time, arrange=arrangement)
    assert not played.settle().violations
    played.message.events[-1].time += 1
    said = house.refusal_of(played.settle).message
    assert said.endswith("this differs from the settlement on record, which LogService.GetTableRound returns")


def test_garbled_certificate_is_refused_with_what_to_send(house: House):
    played = house.play()
    played.message.certificates[0] = b"xx"
    assert house.refusal_of(played.settle).message.endswith(
        "send each certificate byte for byte as the shuffler answered it"
    )


def test_time_of_an_accepted_event_is_refused_by_its_path(house: House):
    played = house.play()
    event = mau_binh_pb2.MauBinhEvent(seat=0, time=1, arrange=house.as_dealt(played.hands[0]))
    request = mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=played.message, event=event)
    assert house.refusal_of(house.referee.AcceptEvent, request).message.startswith("event.time: ")
