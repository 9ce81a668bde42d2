"""The same request again gives the same answer: at once, by other threads, after a restart, after the deadline."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from grpc_status import rpc_status

from referee.dealing.leaf import REVEAL_TYPE
from referee.evidence.dsse import Envelope
from referee.v1 import log_pb2, mau_binh_pb2, shuffler_pb2
from tests.service.house import House
from tests.service.opening import open_round, opening
from tests.status_details import reason_and_field


def lasting(answer: Any) -> Any:  # noqa: ANN401 - any answer with a log receipt
    """Remove from an answer the proof and checkpoint, which follow the log's newest size."""
    copy = type(answer)()
    copy.CopyFrom(answer)
    copy.log_receipt.ClearField("inclusion_proof")
    copy.log_receipt.ClearField("checkpoint")
    return copy


def asked_for(house: House) -> list[bytes]:
    """List the leaves that calls wrote: all but REVEAL leaves, which the server writes by itself."""
    return [leaf for leaf in house.leaves() if Envelope.parse(leaf).payload_type != REVEAL_TYPE]


def twice_and_after_restart(house: House, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
    """Make a call three times and return its answer; verify each proof and that only the first call writes."""
    first = ask()
    house.proved(first.log_receipt)
    leaves = asked_for(house)
    again = ask()
    assert lasting(again) == lasting(first)
    house.proved(again.log_receipt)
    house.restart()
    once_more = ask()
    assert lasting(once_more) == lasting(first)
    house.proved(once_more.log_receipt)
    assert asked_for(house) == leaves
    assert house.leaves().count(first.log_receipt.leaf) == 1
    return first


def test_opening_again_gives_the_same_round(house: House) -> None:
    """From terms with all they leave open, and from a header with commitments: the deadlines stay the first ones."""
    terms = house.terms("a")

    def open_terms() -> Any:  # noqa: ANN401 - the answer
        house.clock.now += 1_000
        return open_round(house.shuffler, terms)

    opened = twice_and_after_restart(house, open_terms)
    assert opened.header.round_deadline_time == house.START + 1_000 + (2 + 15) * 60_000
    header = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=house.terms("b"))).header
    request = opening(header, commitments=[b"c" * 32] * 2)
    twice_and_after_restart(house, lambda: open_round(house.shuffler, request))


def test_round_opened_by_number_is_found_again_when_it_is_over(house: House) -> None:
    """A frontend that names its rounds can never open one too many."""
    request = opening(house.terms("t", round={"table_id": "t", "round_number": 1}))
    played = house.deal(open_round(house.shuffler, request))
    played.report_all()
    house.clock.now += house.ARRANGING_MS
    played.settle()
    played.reveal()
    before = house.checkpoint()
    assert open_round(house.shuffler, request).round_id == played.opened.round_id
    assert house.checkpoint() == before


def test_dealing_again_gives_the_same_hands(house: House) -> None:
    """Also after the deal's deadline, and after the round has ended: the certificate is the same bytes."""
    played = house.play()
    answer = twice_and_after_restart(house, played.deal_again)
    assert answer.certificate == played.dealt.certificate
    assert [list(hand.cards) for hand in answer.hands] == played.hands
    house.clock.now = played.header.deal_deadline_time + 1
    assert played.deal_again().certificate == played.dealt.certificate
    played.settle()
    assert played.deal_again().certificate == played.dealt.certificate


def test_ending_again_gives_the_same_leaf(house: House) -> None:
    """Aborted before the deal and after it, for each reason; and the seed, revealed once."""
    undealt = house.open("undealt").header
    request = shuffler_pb2.AbortRoundRequest(
        round={"table_id": "undealt", "round_number": 1}, reason=shuffler_pb2.ABORT_REASON_OPERATOR
    )
    twice_and_after_restart(house, lambda: house.shuffler.AbortRound(request))
    dealt = house.play()
    twice_and_after_restart(house, dealt.abort)
    late = house.open("late")
    house.clock.now = late.header.deal_deadline_time + 1
    request = shuffler_pb2.AbortRoundRequest(
        round={"table_id": "late", "round_number": 1}, reason=shuffler_pb2.ABORT_REASON_DEADLINE
    )
    twice_and_after_restart(house, lambda: house.shuffler.AbortRound(request))
    for table in (undealt.round.table_id, dealt.header.round.table_id, "late"):
        ask = shuffler_pb2.RevealRoundRequest(round={"table_id": table, "round_number": 1})
        house.shuffler.RevealRound(ask)
    ask = shuffler_pb2.RevealRoundRequest(round={"table_id": "late", "round_number": 1})
    twice_and_after_restart(house, lambda: house.shuffler.RevealRound(ask))


def test_asking_at_once_writes_once(house: House) -> None:
    """Eight threads open, deal and settle one round: one leaf of each kind, one answer for all."""
    start = house.head().size
    terms = house.terms("t")

    def all_at_once(ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - any answer
        barrier = threading.Barrier(8)

        def one(_: int) -> Any:  # noqa: ANN401 - any answer
            barrier.wait()
            return ask()

        with ThreadPoolExecutor(8) as threads:
            answers = list(threads.map(one, range(8)))
        assert all(lasting(answer) == lasting(answers[0]) for answer in answers)
        return answers[0]

    opened = all_at_once(lambda: open_round(house.shuffler, terms))
    played = house.deal(opened)
    all_at_once(played.deal_again)
    played.report_all()
    house.clock.now += house.ARRANGING_MS
    all_at_once(played.settle)
    all_at_once(played.reveal)
    assert house.head().size == start + 4


def test_two_deals_at_once_from_other_seeds_make_one_deal(house: House) -> None:
    """One of them is answered; the others are refused because the round is dealt."""
    for number in range(10):
        opened = house.open(f"race-{number}")

        def deal(name: str, opened: Any = opened) -> bytes:  # noqa: ANN401 - an answer
            request = shuffler_pb2.DealRoundRequest(
                round={"table_id": opened.header.round.table_id, "round_number": 1},
                client_seeds=house.seeds_of(2, name=name),
            )
            try:
                answer: bytes = house.shuffler.DealRound(request).certificate
            except grpc.RpcError as error:
                return str(error.code().name).encode()
            return answer

        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(deal, "abcd"))
        assert answers.count(b"ALREADY_EXISTS") == 3
        assert len(set(answers)) == 2


def test_frontend_that_lost_everything_goes_on_from_the_log(make_house: Callable[..., House]) -> None:
    """A restarted server returns the header and every leaf; they and the seats' seeds suffice to finish the round."""
    house = make_house()
    lost = house.play("t")
    hands = lost.hands
    house.restart()
    found = house.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id="t"))
    assert (found.stage, found.round.round_number) == (log_pb2.ROUND_STAGE_DEALT, lost.header.round.round_number)
    assert (found.header, found.round_id) == (lost.header, lost.opened.round_id)
    request = shuffler_pb2.DealRoundRequest(
        round={"table_id": "t", "round_number": found.round.round_number}, client_seeds=house.seeds_of(2)
    )
    dealt = house.shuffler.DealRound(request)
    assert [list(hand.cards) for hand in dealt.hands] == hands
    message = mau_binh_pb2.MauBinhRound(header=found.header, certificates=[dealt.certificate])
    house.clock.now = dealt.dealt_time + house.ARRANGING_MS
    settled = house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))
    assert house.proved(settled.log_receipt)


@pytest.mark.parametrize("stage", ["OPENED", "DEALT", "SETTLED", "ABORTED"])
def test_restart_at_any_stage_loses_nothing(house: House, stage: str) -> None:
    """The stage, the leaves and the head are the same; what was ended is revealed by the new server."""
    opened = house.open("t")
    played = None
    if stage != "OPENED":
        played = house.deal(opened)
        house.clock.now += house.ARRANGING_MS
    if played is not None and stage in {"SETTLED", "ABORTED"}:
        played.settle() if stage == "SETTLED" else played.abort()
        played.reveal()
    before = house.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id="t"))
    head = house.head()
    house.restart()
    assert house.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id="t")) == before
    assert house.head() == head


def test_batch_settles_like_single_calls(make_house: Callable[..., House]) -> None:
    """Two servers dealt alike: one settles round by round, the other in one call; transcripts and outcomes agree."""
    single, batched = make_house("single"), make_house("batched")
    rounds = {}
    for house in (single, batched):
        rounds[house] = [house.play(f"b-{number}", seat_count=2 + number % 3).report_all() for number in range(9)]
    one_by_one = [played.settle() for played in rounds[single]]
    together = batched.referee.SettleRounds(
        mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[played.request() for played in rounds[batched]])
    )
    assert not any(one.HasField("refused") for one in together.responses)
    assert [one.outcome for one in together.responses] == [one.outcome for one in one_by_one]
    for one in together.responses:
        batched.proved(one.log_receipt)


def test_checks_in_a_batch_are_those_of_single_calls(house: House) -> None:
    played = house.play(seat_count=3)
    arrangements = [
        house.arranged(hand[start : start + 5], hand[:5], hand[10:]) for hand in played.hands for start in range(6)
    ]
    requests = [
        mau_binh_pb2.CheckArrangementRequest(round=played.message, seat=number % 3, arrangement=arrangement)
        for number, arrangement in enumerate(arrangements)
    ]
    batch = house.referee.CheckArrangements(mau_binh_pb2.CheckArrangementsRequest(requests=requests))
    assert list(batch.responses) == [house.referee.CheckArrangement(request) for request in requests]


def test_bad_round_in_a_batch_stops_no_other(house: House) -> None:
    """Settled, answered with violations, or refused, in the order asked; a round that is named twice is one."""
    soon = house.START + 5 * house.ARRANGING_MS
    aborted = house.play("m-0", round_deadline_time=soon).report_all()
    good, forged, other = (house.play(f"m-{number}").report_all() for number in range(1, 4))
    forged.message.certificates[0] = good.dealt.certificate
    aborted.abort()
    aborted.reveal()
    early = house.play("m-4")
    edited = mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=good.message)
    edited.round.events[0].arrange.back.reverse()
    card = mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=other.message)
    card.round.events[1].arrange.back[0] = 99  # type: ignore[call-overload] # a number that names no card
    requests = [forged.request(), good.request(), early.request(), aborted.request(), good.request(), edited, card]
    requests.append(other.request())
    size = house.head().size
    answer = house.referee.SettleRounds(mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=requests)).responses
    messages = [
        (one.refused.code, *reason_and_field(one.refused))
        if one.HasField("refused")
        else ("settled", one.violations[0].code if one.violations else "")
        for one in answer
    ]
    assert messages == [
        (3, "FOREIGN", "round.header"),
        ("settled", ""),
        ("settled", "ROUND_NOT_OVER"),
        (9, "ABORTED", ""),
        ("settled", ""),
        (6, "ALREADY_SETTLED", ""),
        (3, "INVALID_CARD", "round.events[1].arrange.back[0]"),
        ("settled", ""),
    ]
    assert lasting(answer[1]) == lasting(answer[4])
    good.reveal()
    other.reveal()
    assert house.head().size == size + 4


def test_refusal_in_a_batch_says_what_the_single_call_says(house: House) -> None:
    played = house.play().report_all()
    played.message.header.currency = "USD"
    with pytest.raises(grpc.RpcError) as single:
        played.settle()
    batch = house.referee.SettleRounds(mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[played.request()]))
    assert batch.responses[0].refused == rpc_status.from_call(single.value)
    assert reason_and_field(batch.responses[0].refused) == ("FOREIGN", "round.header")
