"""Seats give their seeds to the shuffler alone, signed where they have keys; nothing shows one before the deal does."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest

from referee.dealing import deck
from referee.v1 import log_pb2, shuffler_pb2
from tests.service.house import House
from tests.service.opening import open_round
from tests.service.table import Table


@pytest.fixture(params=[True, False], ids=["keyed", "keyless"])
def table(request: pytest.FixtureRequest, house: House) -> Table:
    """Open a round of three seats, all with keys or none."""
    return house.table(seats=3, keyed=request.param).open()


def test_round_is_dealt_from_contributed_seeds(table: Table) -> None:
    """Seats contribute in any order; the DEAL leaf lists their seeds and signatures."""
    assert table.contribute(2) == [0, 1]
    assert table.contribute(0) == [1]
    answer = table.shuffler.ContributeSeed(table.contribution(1))
    assert list(answer.missing_seats) == []
    dealt = table.shuffler.DealRound(shuffler_pb2.DealRoundRequest(**table.slot))
    assert answer.log_receipt.leaf == dealt.log_receipt.leaf
    assert len(dealt.hands) == 3
    leaf = table.leaves()[1]
    assert leaf["client_seeds"] == [player.seed.hex() for player in table.players]
    commitment = table.opened.server_commitment
    signatures = [player.sign_seed(table.round_id, commitment).hex() for player in table.players]
    assert leaf.get("seed_signatures") == (signatures if table.keyed else None)


def test_seeds_come_both_ways(table: Table) -> None:
    """One seed is contributed, the others come with the deal; sending all with the deal gives the same answer."""
    table.contribute(1)
    request = table.deal_request()
    partly = table.deal_request()
    partly.client_seeds[1] = b""
    if table.keyed:
        partly.seed_signatures[1] = b""
    dealt = table.shuffler.DealRound(partly)
    for again in (partly, request, shuffler_pb2.DealRoundRequest(**table.slot)):
        assert table.shuffler.DealRound(again).certificate == dealt.certificate


def test_contributing_again_gives_the_same_answer(table: Table) -> None:
    """At once, from many threads, after a restart, after the deal and after the end."""
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: table.contribute(0), range(16)))
    assert answers == [[1, 2]] * 16
    table.contribute()
    dealt = table.shuffler.ContributeSeed(table.contribution(0)).log_receipt.leaf
    table.house.restart()
    table.shuffler = table.house.shuffler
    assert table.contribute(0) == []
    table.shuffler.DealRound(shuffler_pb2.DealRoundRequest(**table.slot))
    assert table.shuffler.ContributeSeed(table.contribution(0)).log_receipt.leaf == dealt
    table.house.clock.now = table.header.round_deadline_time + 1
    abort = shuffler_pb2.AbortRoundRequest(**table.slot, reason=shuffler_pb2.ABORT_REASON_DEADLINE)
    table.shuffler.AbortRound(abort)
    assert table.contribute(0) == []


REFUSED: dict[str, tuple[dict[str, Any], tuple[str, str, str]]] = {
    "short seed": ({"seed": b"s" * 31}, ("INVALID_ARGUMENT", "INVALID_FIELD", "seed")),
    "no seed": ({"seed": b""}, ("INVALID_ARGUMENT", "INVALID_FIELD", "seed")),
    "another seed": ({"seed": b"s" * 32}, ("INVALID_ARGUMENT", "SEED_MISMATCH", "seed")),
    "no such seat": ({"seat": 3}, ("INVALID_ARGUMENT", "INVALID_SEAT", "seat")),
    "another seat": ({"seat": 1}, ("INVALID_ARGUMENT", "SEED_MISMATCH", "seed")),
    "another table": ({"round.table_id": "nowhere"}, ("FAILED_PRECONDITION", "NOT_OPENED", "")),
    "another round": ({"round.round_number": 2}, ("FAILED_PRECONDITION", "NOT_OPENED", "")),
    "no signature": ({"signature": b""}, ("INVALID_ARGUMENT", "BAD_SIGNATURE", "signature")),
    "short signature": ({"signature": b"s" * 63}, ("INVALID_ARGUMENT", "BAD_SIGNATURE", "signature")),
    "any signature": ({"signature": b"s" * 64}, ("INVALID_ARGUMENT", "BAD_SIGNATURE", "signature")),
}


@pytest.mark.parametrize("why", REFUSED)
def test_seed_that_is_not_its_seats_is_refused_at_once(house: House, why: str) -> None:
    """And nothing is kept of it."""
    table = house.table(seats=3).open()
    changes, expected = REFUSED[why]
    request = table.contribution(0)
    for path, value in changes.items():
        parent, _, field = path.rpartition(".")
        setattr(getattr(request, parent) if parent else request, field, value)
    assert house.refusal_of(table.shuffler.ContributeSeed, request).seen == expected
    assert table.contribute(1) == [0, 2]


def test_signature_for_another_round_commitment_or_seed_is_refused(house: House) -> None:
    """So a seat that has not seen this round's OPEN can have signed nothing of use."""
    table, other = (house.table(seats=2).open() for _ in range(2))
    player = table.players[0]
    for signature in (
        player.sign_seed(other.round_id, table.opened.server_commitment),
        player.sign_seed(table.round_id, other.opened.server_commitment),
        player.sign_seed(table.round_id, table.opened.server_commitment, seed=b"s" * 32),
        table.players[1].sign_seed(table.round_id, table.opened.server_commitment, seed=player.seed),
    ):
        request = table.contribution(0, signature=signature)
        assert house.refusal_of(table.shuffler.ContributeSeed, request).reason == "BAD_SIGNATURE"


@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize("signature", [b"", b"s" * 64])
def test_deal_without_a_keyed_seats_signature_is_refused(house: House, seat: int, signature: bytes) -> None:
    """The field names the seat."""
    table = house.table(seats=3).open()
    request = table.deal_request()
    request.seed_signatures[seat] = signature
    refusal = house.refusal_of(table.shuffler.DealRound, request)
    assert (refusal.reason, refusal.field) == ("BAD_SIGNATURE", f"seed_signatures[{seat}]")
    request.ClearField("seed_signatures")
    assert house.refusal_of(table.shuffler.DealRound, request).field == "seed_signatures[0]"


def test_signature_of_a_seat_without_a_key_is_refused(house: House) -> None:
    """It proves nothing, and would stand in the log as if it did."""
    table = house.table(seats=2, keyed=False).open()
    request = table.contribution(0, signature=b"s" * 64)
    assert house.refusal_of(table.shuffler.ContributeSeed, request).reason == "BAD_SIGNATURE"
    deal = table.deal_request()
    deal.seed_signatures.extend([b"", b"s" * 64])
    assert house.refusal_of(table.shuffler.DealRound, deal).field == "seed_signatures[1]"


def test_another_seed_of_a_seat_that_contributed_is_refused(house: House) -> None:
    """Neither as a contribution nor with the deal, even if nothing but the first contribution binds the seat."""
    table = house.table(seats=2, keyed=False, commits=False).open()
    table.contribute(0)
    again = house.refusal_of(table.shuffler.ContributeSeed, table.contribution(0, seed=b"s" * 32))
    assert (again.code, again.reason, again.field) == ("ALREADY_EXISTS", "ALREADY_CONTRIBUTED", "seed")
    request = shuffler_pb2.DealRoundRequest(**table.slot, client_seeds=[b"s" * 32, b"t" * 32])
    assert house.refusal_of(table.shuffler.DealRound, request).reason_and_field == ("SEED_MISMATCH", "client_seeds[0]")


def test_deal_names_the_seats_that_are_missing(house: House) -> None:
    """In the metadata, for a program to ask them."""
    table = house.table(seats=4).open()
    table.contribute(1)
    refusal = house.refusal_of(table.shuffler.DealRound, shuffler_pb2.DealRoundRequest(**table.slot))
    assert (refusal.code, refusal.reason, refusal.facts["seats"]) == ("FAILED_PRECONDITION", "SEED_MISSING", "0,2,3")
    request = table.deal_request()
    request.client_seeds[3] = b""
    refusal = house.refusal_of(table.shuffler.DealRound, request)
    assert (refusal.facts["seats"], refusal.field) == ("3", "client_seeds[3]")


def test_round_that_waits_for_no_seeds_takes_none(house: House) -> None:
    """After its deal from other means, after its deadline, after its end."""
    dealt = house.table(seats=2).open()
    dealt.shuffler.DealRound(dealt.deal_request())
    assert house.refusal_of(dealt.contribute, 0).reason == "ALREADY_DEALT"
    ended = house.table(seats=2).open()
    ended.abort(shuffler_pb2.ABORT_REASON_OPERATOR)
    assert house.refusal_of(ended.contribute, 0).reason == "ABORTED"
    late = house.table(seats=2).open()
    house.clock.now = late.header.deal_deadline_time + 1
    assert house.refusal_of(late.contribute, 0).reason == "DEADLINE_PASSED"


def test_nothing_shows_a_seed_before_the_deal(house: House) -> None:
    """Every call that names the round, every leaf and checkpoint; the deal then shows them all."""
    table = house.table(seats=3).open()
    answers: list[Any] = [table.shuffler.ContributeSeed(table.contribution(seat)) for seat in (0, 1)]
    secrets = [form for player in table.players for form in (player.seed, player.seed.hex().encode())]

    def asked(call: Callable[[], Any]) -> bytes:
        try:
            return bytes(call().SerializeToString())
        except grpc.RpcError as error:
            return repr((error.details(), error.trailing_metadata())).encode()

    def everything() -> bytes:
        slot, shuffler, log = table.slot, table.shuffler, house.log
        calls = [
            lambda: open_round(shuffler, table.request),
            lambda: shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=house.terms(table.name))),
            lambda: shuffler.DealRound(shuffler_pb2.DealRoundRequest(**slot)),
            lambda: shuffler.OpenHand(shuffler_pb2.OpenHandRequest(**slot, token=bytes(32))),
            lambda: shuffler.OpenSection(shuffler_pb2.OpenSectionRequest(**slot)),
            lambda: shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(**slot)),
            lambda: log.GetTableRound(log_pb2.GetTableRoundRequest(**slot)),
            lambda: log.ListEntries(log_pb2.ListEntriesRequest()),
            lambda: log.GetCheckpoint(log_pb2.GetCheckpointRequest()),
        ]
        return b"".join([*[answer.SerializeToString() for answer in answers], *map(asked, calls), *house.leaves()])

    before = everything()
    assert not any(secret in before for secret in secrets)
    table.contribute(2)
    leaf = table.leaves()[1]
    assert leaf["client_seeds"] == [player.seed.hex() for player in table.players]


def test_abort_lists_the_seeds_it_has_and_leaves_those_at_fault_empty(house: House) -> None:
    """Only after the deal's deadline; until then a seat may still give its seed. The audit is clean."""
    table = house.table(seats=4).open()
    table.contribute(0, 2)
    request = shuffler_pb2.AbortRoundRequest(**table.slot, reason=shuffler_pb2.ABORT_REASON_SEED_MISSING)
    assert house.refusal_of(table.shuffler.AbortRound, request).reason_and_field == ("DEADLINE_NOT_PASSED", "reason")
    house.clock.now = table.header.deal_deadline_time + 1
    nobody = shuffler_pb2.AbortRoundRequest(**table.slot, reason=shuffler_pb2.ABORT_REASON_DEADLINE)
    refusal = house.refusal_of(table.shuffler.AbortRound, nobody)
    assert (refusal.reason, refusal.facts["expected"]) == ("INVALID_FIELD", "SEED_MISSING")
    first = table.shuffler.AbortRound(request)
    assert table.shuffler.AbortRound(request).log_receipt.leaf == first.log_receipt.leaf
    leaf = table.leaves()[1]
    seeds = [player.seed.hex() for player in table.players]
    assert leaf["client_seeds"] == [seeds[0], "", seeds[2], ""]
    assert (leaf["reason"], leaf["stage"]) == ("SEED_MISSING", "OPENED")
    table.reveal()
    assert house.audit().is_clean


def test_operator_gives_a_round_up_until_the_first_seed_and_not_after_it(house: House) -> None:
    """Not after the deal either, however late; the deadline alone ends such a round."""
    reason = shuffler_pb2.ABORT_REASON_OPERATOR
    table, dealt = house.table(seats=2).open(), house.table(seats=2).open()
    table.contribute(0)
    dealt.deal()
    for one in (table, dealt):
        request = shuffler_pb2.AbortRoundRequest(**one.slot, reason=reason)
        if one is dealt:
            house.clock.now = dealt.header.round_deadline_time + 1
        assert house.refusal_of(house.shuffler.AbortRound, request).reason == "SEEDS_RECEIVED"


def test_seeds_that_all_come_at_once_deal_exactly_once(house: House) -> None:
    """Whichever is last deals, and no answer says that seeds are missing once none is."""
    for number in range(12):
        table = house.table(seats=4, name=f"rush-{number}").open()
        with ThreadPoolExecutor(4) as threads:
            asked = [threads.submit(table.shuffler.ContributeSeed, table.contribution(seat)) for seat in range(4)]
        answers = [one.result() for one in asked]
        last = [one for one in answers if not one.missing_seats]
        assert last
        assert all(one.log_receipt.leaf for one in last)
        assert not any(one.log_receipt.leaf for one in answers if one.missing_seats)
        assert [leaf["client_seeds"] for leaf in table.leaves()[1:]] == [[one.seed.hex() for one in table.players]]


def test_seed_racing_an_abort_is_refused_or_stops_the_abort(house: House) -> None:
    """Never both: an abort has no empty place for a seed that the server accepted."""
    for number in range(24):
        table = house.table(seats=2, commits=False, name=f"race-{number}").open()
        request = shuffler_pb2.AbortRoundRequest(**table.slot, reason=shuffler_pb2.ABORT_REASON_OPERATOR)
        calls = {
            "contribute": lambda table=table: table.contribute(1),
            "abort": lambda request=request: house.shuffler.AbortRound(request),
        }
        names = sorted(calls, reverse=bool(number % 2))
        with ThreadPoolExecutor(2) as threads:
            asked = {name: threads.submit(calls[name]) for name in names}
        refused = [name for name in names if asked[name].exception() is not None]
        assert len(refused) == 1
        if refused == ["contribute"]:
            assert table.leaves()[1]["client_seeds"][1] == ""


def test_nobody_is_blamed_where_no_seed_was_expected(house: House) -> None:
    """The seeds may have gone to the frontend, which never asked to deal."""
    table = house.table(seats=2, commits=False).open()
    house.clock.now = table.header.deal_deadline_time + 1
    request = shuffler_pb2.AbortRoundRequest(**table.slot, reason=shuffler_pb2.ABORT_REASON_SEED_MISSING)
    assert house.refusal_of(house.shuffler.AbortRound, request).facts["expected"] == "DEADLINE"


def test_round_whose_stream_is_used_up_is_aborted_as_void(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The leaf has all seeds, so that anyone can verify it; no caller may ask for VOID."""
    table = house.table(seats=2).open()
    asked = shuffler_pb2.AbortRoundRequest(**table.slot, reason=shuffler_pb2.ABORT_REASON_VOID)
    assert house.refusal_of(table.shuffler.AbortRound, asked).field == "reason"
    with monkeypatch.context() as patch:
        patch.setattr(deck, "STREAM_SIZE", 50)  # a byte fewer than there are draws
        table.contribute(0)
        void = table.shuffler.ContributeSeed(table.contribution(1)).log_receipt.leaf
        assert table.shuffler.ContributeSeed(table.contribution(0)).log_receipt.leaf == void
        for _ in range(2):
            refusal = house.refusal_of(table.shuffler.DealRound, shuffler_pb2.DealRoundRequest(**table.slot))
            assert (refusal.code, refusal.reason) == ("FAILED_PRECONDITION", "ABORTED")
        leaf = table.leaves()[1]
        assert (leaf["reason"], leaf["stage"]) == ("VOID", "OPENED")
        assert leaf["client_seeds"] == [player.seed.hex() for player in table.players]
        table.reveal()
        assert house.audit().is_clean
    report = house.audit()
    assert [finding.code for finding in report.findings] == ["ABORT_MISMATCH"], "its seeds do give a deck"
