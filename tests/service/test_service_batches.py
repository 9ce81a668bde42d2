"""Batches of events, openings, deals and reveals: each request is answered as it would be alone, in one commit."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from referee.server.settings.limits import LimitSettings
from referee.v1 import log_pb2, round_pb2, shuffler_pb2
from tests.driver.messages import METHODS, request_type
from tests.service.house import House
from tests.service.opening import opening
from tests.service.playing import GAMES, dealt, first_choice, leaving, turn_of
from tests.service.table import Table
from tests.status_details import reason_and_field

BATCH = 256


def accepting(table: Table, **choice: Any) -> Any:  # noqa: ANN401 - a request of the game
    """Return the request that has a table's first event accepted; by default a lawful one."""
    seat = turn_of(table)
    chosen = choice or first_choice(table) or leaving(table.game)
    event = table.event(seat, **chosen)
    return table.asking("AcceptEvent", event=event, signature=table.sign(event))


@pytest.mark.parametrize("game", GAMES)
def test_events_in_a_batch_are_answered_as_alone(house: House, game: str) -> None:
    """Two lawful events, one after the end of its round's time and one that says nothing."""
    first, late, silent, last = (dealt(house, game) for _ in range(4))
    asked = [accepting(first), accepting(late), silent.asking("AcceptEvent", event=silent.event(0)), accepting(last)]
    asked[1].round.header.currency = "EUR"
    answers = first.referee.AcceptEvents(first.asking("AcceptEvents", requests=asked)).responses
    assert len(answers) == len(asked)
    for index, table in ((0, first), (3, last)):
        assert answers[index] == table.referee.AcceptEvent(asked[index])
        assert answers[index].event_number == 1
    for index, table in ((1, late), (2, silent)):
        alone = house.refusal_of(table.referee.AcceptEvent, asked[index])
        assert reason_and_field(answers[index].refused) == (alone.reason, alone.seen[2])
        assert [field.name for field, _ in answers[index].ListFields()] == ["refused"]


@pytest.mark.parametrize("game", GAMES)
def test_unlawful_event_of_a_batch_is_answered_with_its_violations(house: House, game: str) -> None:
    tables = [dealt(house, game, keyed=False) for _ in range(2)]
    asked = [tables[0].asking("AcceptEvent", event=tables[0].event(9, **leaving(game))), accepting(tables[1])]
    refused, accepted = tables[0].referee.AcceptEvents(tables[0].asking("AcceptEvents", requests=asked)).responses
    assert {one.code for one in refused.violations} == {"UNKNOWN_SEAT"}
    assert (refused.event_number, accepted.event_number) == (0, 1)


def batches() -> dict[str, Any]:
    """Return an empty request of every method that takes several."""
    requests = {method.removeprefix("/referee.v1."): request_type(method)() for method in METHODS}
    return {method: request for method, request in requests.items() if "requests" in request.DESCRIPTOR.fields_by_name}


@pytest.mark.parametrize("method", batches())
def test_batch_of_more_than_256_is_refused(house: House, method: str) -> None:
    request, size = batches()[method], house.size
    for _ in range(BATCH + 1):
        request.requests.add()
    refusal = house.refusal_of(house.raw, method, request.SerializeToString())
    assert refusal.seen == ("INVALID_ARGUMENT", "INVALID_FIELD", "requests")
    assert house.size == size


def test_rounds_of_a_batch_are_opened_dealt_and_revealed_in_one_commit_each(house: House) -> None:
    """One bad request among three does not stop the others; each batch again is answered with the same leaves."""
    terms = [house.terms(), house.terms(currency=""), house.terms()]
    opens = shuffler_pb2.OpenRoundsRequest(requests=[opening(one) for one in terms])
    opened = house.shuffler.OpenRounds(opens).responses
    assert reason_and_field(opened[1].refused) == ("INVALID_HEADER", "terms.currency")
    again = house.shuffler.OpenRounds(opens).responses
    assert [one.log_receipt.leaf for one in again] == [one.log_receipt.leaf for one in opened]
    rounds = [opened[0], opened[2]]
    names = [opening.header.round for opening in rounds]
    unknown = round_pb2.RoundRef(table_id=terms[1].table_id, round_number=1)
    deals = [
        shuffler_pb2.DealRoundRequest(round=name, client_seeds=house.seeds_of(2, name=name.table_id))
        for name in (names[0], unknown, names[1])
    ]
    dealt_rounds = house.shuffler.DealRounds(shuffler_pb2.DealRoundsRequest(requests=deals)).responses
    assert reason_and_field(dealt_rounds[1].refused) == ("NOT_OPENED", "")
    dealt_again = house.shuffler.DealRounds(shuffler_pb2.DealRoundsRequest(requests=deals)).responses
    assert [one.certificate for one in dealt_again] == [one.certificate for one in dealt_rounds]
    reveals = shuffler_pb2.RevealRoundsRequest(requests=[shuffler_pb2.RevealRoundRequest(round=name) for name in names])
    early = house.shuffler.RevealRounds(reveals).responses
    assert [reason_and_field(one.refused)[0] for one in early] == ["NOT_TERMINAL"] * 2
    house.clock.now = max(one.header.round_deadline_time for one in rounds) + 1
    for name in names:
        house.shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(round=name, reason=shuffler_pb2.ABORT_REASON_DEADLINE))
    revealed = house.shuffler.RevealRounds(reveals).responses
    assert all(one.server_seed for one in revealed)
    for answers in ((opened[0], opened[2]), (dealt_rounds[0], dealt_rounds[2])):
        assert len({one.log_receipt.checkpoint for one in answers}) == 1
        for one in answers:
            house.proved(one.log_receipt)
    assert house.audit().findings == ()


@contextmanager
def commits_of(house: House) -> Iterator[list[str]]:
    """Yield the commits that are begun in the block; the server reveals no seed by itself from then on."""
    follower, writer = house.app._follower, house.app.log.writer  # noqa: SLF001 - what tests hold a commit by
    assert follower is not None
    assert writer is not None
    follower.close()
    before, begun = writer._probe, list[str]()  # noqa: SLF001 - as above

    def probe(step: str) -> None:
        if step == "BEGUN":
            begun.append(step)
        before(step)

    writer._probe = probe  # type: ignore[misc] # noqa: SLF001 - as above
    try:
        yield begun
    finally:
        writer._probe = before  # type: ignore[misc] # noqa: SLF001 - as above


@pytest.mark.parametrize("is_batch", [True, False])
def test_openings_deals_and_reveals_of_a_batch_share_one_commit(house: House, *, is_batch: bool) -> None:
    """Three requests take one commit in a batch, and three alone."""
    tables = [Table(house, seats=2, keyed=False) for _ in range(3)]

    def ask(method: str, requests: Sequence[Any]) -> None:
        begun.clear()
        if is_batch:
            batch = f"{method}s"
            together = request_type(f"/referee.v1.ShufflerService/{batch}")(requests=requests)
            answers = list(getattr(house.shuffler, batch)(together).responses)
        else:
            answers = [getattr(house.shuffler, method)(request) for request in requests]
        assert len({answer.log_receipt.leaf_index for answer in answers}) == len(requests)
        assert len(begun) == (1 if is_batch else len(requests)), method

    with commits_of(house) as begun:
        ask("OpenRound", [table.request for table in tables])
        opened = [table.open() for table in tables]
        ask("DealRound", [table.deal_request() for table in opened])
        house.clock.now = max(table.header.round_deadline_time for table in tables) + 1
        reason = shuffler_pb2.ABORT_REASON_DEADLINE
        for table in tables:
            house.shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(**table.slot, reason=reason))
        ask("RevealRound", [shuffler_pb2.RevealRoundRequest(**table.slot) for table in tables])


def test_one_table_twice_in_a_batch_is_opened_once(house: House) -> None:
    """An equal request gets the same leaf; another one is refused as it would be alone."""
    table = house.new_table()
    same, other = opening(house.terms(table)), opening(house.terms(table, stake_minor=2000))
    answers = house.shuffler.OpenRounds(shuffler_pb2.OpenRoundsRequest(requests=[same, same, other])).responses
    assert answers[0].log_receipt.leaf == answers[1].log_receipt.leaf
    assert house.proved(answers[0].log_receipt)
    assert reason_and_field(answers[2].refused)[0] in {"ALREADY_OPENED", "PREVIOUS_ROUND_OPEN"}
    find = log_pb2.GetTableRoundRequest(table_id=table)
    assert len(house.log.GetTableRound(find).leaves) == 1


def test_round_with_a_seed_that_came_meanwhile_is_dealt_in_a_batch(house: House) -> None:
    """The process that opened the rounds knows them without seeds; the log refuses that leaf and it is made again."""
    whole, partly = (Table(house, seats=2, keyed=False).open() for _ in range(2))
    partly.contribute(1)
    requests = [whole.deal_request(), partly.deal_request()]
    requests[1].client_seeds[1] = b""
    answers = house.shuffler.DealRounds(shuffler_pb2.DealRoundsRequest(requests=requests)).responses
    assert [len(one.hands) for one in answers] == [2, 2]
    for table, answer in zip((whole, partly), answers, strict=True):
        house.proved(answer.log_receipt)
        again = house.shuffler.DealRound(shuffler_pb2.DealRoundRequest(**table.slot))
        assert again.certificate == answer.certificate


def test_batch_costs_its_callers_rate_as_many_calls_as_it_has_requests(house: House) -> None:
    """Of ten calls one batch of six leaves four: enough for one of four, and none for one of two after that."""
    house.restart(limits=LimitSettings(calls_per_second=0.001, burst=10))

    def reveal(count: int) -> object:
        requests = [shuffler_pb2.RevealRoundRequest(round={"table_id": "t", "round_number": 1})] * count
        return house.shuffler.RevealRounds(shuffler_pb2.RevealRoundsRequest(requests=requests))

    reveal(6)
    reveal(4)
    assert house.refusal_of(reveal, 2).reason == "RATE_LIMITED"
    house.restart(limits=LimitSettings(calls_per_second=0.001, burst=10))
    reveal(2)
    assert house.refusal_of(reveal, 9).reason == "RATE_LIMITED"
    reveal(7)
