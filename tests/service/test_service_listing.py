"""ListRounds and ListSeatRounds: which rounds a caller sees, in which order, and what of each."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from referee.server.process.follower import Follower
from referee.service import listing
from referee.v1 import log_pb2
from tests.driver.player import Player
from tests.driver.running import ORIGIN
from tests.service.house import House

OF_SLOT: Final = {"round", "stage"}


def rounds(house: House, **asked: Any) -> list[log_pb2.ListedRound]:  # noqa: ANN401 - fields of the request
    """Return the rounds of one page."""
    return list(house.log.ListRounds(log_pb2.ListRoundsRequest(**asked)).rounds)


def slots(listed: list[log_pb2.ListedRound]) -> list[tuple[str, int]]:
    """Return the tables and numbers of rounds, in their order."""
    return [(one.round.table_id, one.round.round_number) for one in listed]


def fields_of(one: log_pb2.ListedRound) -> set[str]:
    """Return the names of the fields that are set."""
    return {field.name for field, _ in one.ListFields()}


@pytest.fixture
def few_examined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a page look at six rounds, three at a time."""
    monkeypatch.setattr(listing, "_CHUNK", 3)
    monkeypatch.setattr(listing, "_EXAMINED", 6)


def test_revealed_round_is_listed_with_what_its_leaves_say(house: House) -> None:
    """Every figure is that of the settlement's answer or of the log itself."""
    played = house.play("acme.1").report_all()
    house.clock.now += 60_000
    settled = played.settle()
    played.reveal()
    found = played.find()
    (listed,) = rounds(house, table_id="acme.1")
    shown = listed.revealed
    assert (listed.round.table_id, listed.round.round_number, listed.stage) == (
        "acme.1",
        1,
        log_pb2.ROUND_STAGE_REVEALED,
    )
    assert (shown.header, shown.round_id) == (found.header, found.round_id)
    assert list(shown.leaf_indexes) == [leaf.leaf_index for leaf in found.leaves]
    assert list(shown.net_minor) == [seat.net_minor for seat in settled.outcome.seats]
    assert any(shown.net_minor)
    assert shown.is_settled
    assert shown.opened_time == shown.dealt_time == played.dealt.dealt_time
    assert shown.ended_time >= shown.dealt_time


def test_aborted_round_is_listed_without_amounts(house: House) -> None:
    played = house.play("acme.1")
    played.abort()
    played.reveal()
    (listed,) = rounds(house)
    assert listed.stage == log_pb2.ROUND_STAGE_REVEALED
    assert (listed.revealed.is_settled, list(listed.revealed.net_minor)) == (False, [])
    assert listed.revealed.ended_time > listed.revealed.opened_time
    assert not listed.revealed.HasField("dealt_time")
    assert list(listed.revealed.leaf_indexes) == [leaf.leaf_index for leaf in played.find().leaves]


@pytest.mark.parametrize("is_sealed", [False, True], ids=["open", "sealed"])
def test_round_before_its_reveal_shows_slot_and_stage_alone(
    make_house: Callable[[], House], monkeypatch: pytest.MonkeyPatch, *, is_sealed: bool
) -> None:
    """At every stage, on a server that is slow to reveal; the seed's revelation shows the rest."""
    monkeypatch.setattr(Follower, "_reveal_some", lambda _: 0)
    house = make_house()
    table = house.table(sealed=is_sealed, name="acme.1").open()
    seen = [rounds(house)]
    table.deal()
    seen.append(rounds(house))
    house.clock.now = table.header.round_deadline_time + 1
    table.abort()
    seen.append(rounds(house))
    assert [[one.stage for one in page] for page in seen] == [
        [log_pb2.ROUND_STAGE_OPENED],
        [log_pb2.ROUND_STAGE_DEALT],
        [log_pb2.ROUND_STAGE_ABORTED],
    ]
    assert all(fields_of(one) == OF_SLOT for page in seen for one in page)
    own = house.log.ListSeatRounds(table.players[0].list_request(origin=ORIGIN, now=house.clock.now)).rounds
    assert [fields_of(one) for one in own] == [OF_SLOT]


@pytest.fixture
def filled(house: House) -> House:
    """Return a server with a round a second: three tables, whose players have keys of their own by table."""
    house.table(name="acme.1").open()
    house.clock.now += 1000
    house.table(name="acme.vip-1").open()
    house.clock.now += 1000
    house.table(name="bcme.1").open()
    house.clock.now += 1000
    return house


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, ["bcme.1", "acme.vip-1", "acme.1"]),
        ({"table_id": "acme.1"}, ["acme.1"]),
        ({"table_id": "acme"}, []),
        ({"table_prefix": "acme."}, ["acme.vip-1", "acme.1"]),
        ({"table_prefix": "acme.v"}, ["acme.vip-1"]),
        ({"table_prefix": "acm"}, ["acme.vip-1", "acme.1"]),
        ({"table_prefix": "acme.1.1"}, []),
        ({"seat_key": Player("acme.1", 0).public_key}, ["acme.1"]),
        ({"seat_key": Player("acme.1", 0).public_key, "table_id": "acme.vip-1"}, []),
        ({"seat_key": Player("acme.1", 1).public_key, "table_prefix": "acme."}, ["acme.1"]),
    ],
)
def test_rounds_are_those_of_table_prefix_and_key(filled: House, asked: dict[str, Any], expected: list[str]) -> None:
    assert [table for table, _ in slots(rounds(filled, **asked))] == expected


def test_period_begins_with_its_start_and_ends_before_its_end(filled: House) -> None:
    start = filled.clock.now - 3000
    assert slots(rounds(filled, start_time=start + 1000, end_time=start + 2000)) == [("acme.vip-1", 1)]
    assert slots(rounds(filled, start_time=start + 1001)) == [("bcme.1", 1)]
    assert slots(rounds(filled, end_time=start)) == []


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.usefixtures("few_examined")
def test_pages_have_each_round_once_while_the_log_grows(house: House, size: int) -> None:
    """By prefix, of which only every other round is, so that some pages have fewer rounds than they may."""
    for index in range(12):
        house.open(f"{'ab'[index % 2]}.{index}" if index > 8 else f"{'a' if index == 0 else 'b'}.{index}")
    found = []
    request = log_pb2.ListRoundsRequest(table_prefix="a", page_size=size)
    for page in range(20):
        answer = house.log.ListRounds(request)
        assert len(answer.rounds) <= size
        found += slots(list(answer.rounds))
        if not answer.next_page_token:
            break
        request.page_token = answer.next_page_token
        house.open(f"a.new-{page}")
    assert found == [("a.10", 1), ("a.0", 1)]


def test_page_holds_a_hundred_rounds_and_no_more(house: House) -> None:
    for index in range(101):
        house.open(f"t-{index}")
    first = house.log.ListRounds(log_pb2.ListRoundsRequest())
    rest = house.log.ListRounds(log_pb2.ListRoundsRequest(page_token=first.next_page_token))
    assert slots([*first.rounds, *rest.rounds]) == [(f"t-{index}", 1) for index in reversed(range(101))]
    assert (len(first.rounds), rest.next_page_token) == (100, "")


@pytest.mark.parametrize(
    ("asked", "reason", "field"),
    [
        ({"table_id": "a", "table_prefix": "a"}, "INVALID_FIELD", "table_prefix"),
        ({"table_id": ""}, "MISSING_FIELD", "table_id"),
        ({"table_id": "ban cờ"}, "INVALID_FIELD", "table_id"),
        ({"table_prefix": ""}, "INVALID_FIELD", "table_prefix"),
        ({"table_prefix": "a%"}, "INVALID_FIELD", "table_prefix"),
        ({"seat_key": bytes(31)}, "INVALID_FIELD", "seat_key"),
        ({"start_time": 10**12, "end_time": 10**12}, "INVALID_FIELD", "end_time"),
        ({"start_time": 2**53}, "INVALID_FIELD", "end_time"),
        ({"end_time": 2**64 - 1}, "INVALID_FIELD", "end_time"),
        ({"page_size": 0}, "INVALID_FIELD", "page_size"),
        ({"page_size": 101}, "INVALID_FIELD", "page_size"),
        ({"page_token": "1-"}, "INVALID_FIELD", "page_token"),
        ({"page_token": "1-1-1"}, "INVALID_FIELD", "page_token"),
        ({"page_token": "9" * 17 + "-1"}, "INVALID_FIELD", "page_token"),
    ],
)
def test_question_that_means_nothing_is_refused(house: House, asked: dict[str, Any], reason: str, field: str) -> None:
    assert house.refusal_of(rounds, house, **asked).seen == ("INVALID_ARGUMENT", reason, field)


def test_key_lists_its_own_rounds_by_its_signature(filled: House) -> None:
    """The same request again within the minute shows the same once more, and changes nothing."""
    request, size = Player("acme.1", 0).list_request(origin=ORIGIN, now=filled.clock.now), filled.head().size
    for _ in range(2):
        assert slots(list(filled.log.ListSeatRounds(request).rounds)) == [("acme.1", 1)]
    assert filled.head().size == size


def test_pages_of_a_key_are_signed_each(house: House) -> None:
    table = house.table(name="acme.1").play()
    house.clock.now = table.header.round_deadline_time + 1
    table.abort()
    table.reveal()
    house.table(name="acme.1").open()
    player = table.players[0]
    first = house.log.ListSeatRounds(player.list_request(origin=ORIGIN, now=house.clock.now, page_size=1))
    house.clock.now += 61_000
    rest = player.list_request(origin=ORIGIN, now=house.clock.now, page_size=1, page_token=first.next_page_token)
    assert slots([*first.rounds, *house.log.ListSeatRounds(rest).rounds]) == [("acme.1", 2), ("acme.1", 1)]


@pytest.mark.parametrize("age", [-60_001, 60_001, -(2**52), 1_800_000_000_000])
def test_signature_counts_for_a_minute(filled: House, age: int) -> None:
    refusal = filled.refusal_of(
        filled.log.ListSeatRounds, Player("acme.1", 0).list_request(origin=ORIGIN, now=filled.clock.now - age)
    )
    assert (refusal.code, refusal.reason, refusal.field) == ("UNAUTHENTICATED", "SIGNATURE_EXPIRED", "signed_time")
    assert int(refusal.facts["now"]) - int(refusal.facts["signed_time"]) == age


@pytest.mark.parametrize("age", [-60_000, 0, 60_000])
def test_signature_counts_within_the_minute(filled: House, age: int) -> None:
    request = Player("acme.1", 0).list_request(origin=ORIGIN, now=filled.clock.now - age)
    assert slots(list(filled.log.ListSeatRounds(request).rounds)) == [("acme.1", 1)]


def changed(request: log_pb2.ListSeatRoundsRequest, **fields: Any) -> log_pb2.ListSeatRoundsRequest:  # noqa: ANN401
    """Return a signed request with other fields under the same signature."""
    made = log_pb2.ListSeatRoundsRequest()
    made.CopyFrom(request)
    made.MergeFrom(log_pb2.ListSeatRoundsRequest(**fields))
    return made


@pytest.mark.parametrize("what", ["origin", "key", "start_time", "end_time", "signed_time", "none", "short"])
def test_signature_over_anything_else_is_refused(filled: House, what: str) -> None:
    """For another log, by another key, over another period or time, and none at all."""
    now, player = filled.clock.now, Player("acme.1", 0)
    request = player.list_request(origin=ORIGIN, now=now, start_time=10**12, end_time=now)
    ways = {
        "origin": lambda: player.list_request(origin="log.example/2", now=now),
        "key": lambda: changed(request, seat_key=Player("acme.1", 1).public_key),
        "start_time": lambda: changed(request, start_time=0),
        "end_time": lambda: changed(request, end_time=now + 1),
        "signed_time": lambda: changed(request, signed_time=now + 1),
        "none": lambda: changed(log_pb2.ListSeatRoundsRequest(seat_key=player.public_key, signed_time=now)),
        "short": lambda: changed(request, signature=request.signature[:63]),
    }
    refusal = filled.refusal_of(filled.log.ListSeatRounds, ways[what]())
    assert (refusal.code, refusal.reason, refusal.field) == ("INVALID_ARGUMENT", "BAD_SIGNATURE", "signature")
