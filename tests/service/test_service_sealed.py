"""A sealed table: each seat sees its own hand, everybody else none, until every seat is bound to what it does."""

import base64
import inspect
import itertools
import re
from collections.abc import Callable, Iterable
from typing import Any

import grpc
import pytest

from referee.audit.report import DealingLevel
from referee.games import GAMES
from referee.transcript.proof import EventLevel
from referee.v1 import log_pb2, mau_binh_pb2, shuffler_pb2, ultimate_texas_pb2
from tests.service.house import House
from tests.service.opening import open_round
from tests.service.table import Table

CHECK = ultimate_texas_pb2.DECISION_CHECK
PLAY_1X = ultimate_texas_pb2.DECISION_PLAY_1X


def hands_of(table: Table) -> list[list[int]]:
    """Open each seat's own hand."""
    return [list(table.open_hand(seat).hand.cards) for seat in range(len(table.players))]


def commit_all(table: Table, hands: list[list[int]]) -> Any:  # noqa: ANN401 - the last answer
    """Every seat commits to its cards as dealt."""
    answers = [table.commit(seat, hand) for seat, hand in enumerate(hands)]
    assert [answer.HasField("opens_section") for answer in answers] == [False] * (len(hands) - 1) + [True]
    return answers[-1]


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_sealed_round_of_mau_binh_is_played_and_proved(house: House, seats: int, *, keyed: bool) -> None:
    """Dealt without a hand, committed to, opened, arranged, settled; the audit finds nothing against it."""
    table = house.sealed(seats=seats, keyed=keyed)
    assert not table.dealt.hands
    hands = hands_of(table)
    assert commit_all(table, hands).opens_section == seats - 1
    opened = table.open_section()
    assert [list(hand.cards) for hand in opened.hands] == hands
    assert (opened.section, list(opened.cards), list(opened.opened)) == (seats - 1, hands[-1], [])
    for seat, hand in enumerate(hands):
        table.accept(seat, **table.arrangement(seat, hand))
    previewed = table.preview()
    settled = table.settle()
    assert settled.outcome == previewed.outcome
    assert not any(result.defaulted for result in settled.outcome.seats)
    inputs = table.leaves()[3]["inputs"]
    assert inputs["sealed"] == 1
    assert inputs["sections"] == hands
    table.reveal()
    report = house.audit()
    assert report.findings == ()
    assert report.event_levels[EventLevel.E2 if keyed else EventLevel.E1] == 1
    assert report.tables[table.name].sealed == 1


@pytest.mark.parametrize("seats", [1, 3])
def test_sealed_round_of_ultimate_texas_is_played_and_proved(house: House, seats: int) -> None:
    """The streets open without the hands; the hands with the house."""
    table = house.table("ultimate_texas", seats=seats, sealed=True).play()
    assert not table.dealt.hands
    hands = hands_of(table)
    layout = GAMES["ultimate_texas"].layout(seats)
    streets = [("flop", CHECK), ("turn_river", CHECK), ("house", PLAY_1X)]
    for number, (street, decision) in enumerate(streets, 1):
        for seat in range(seats):
            answer = table.accept(seat, decision=decision)
        assert answer.opens_section == layout.board(street)
        opened = table.open_section()
        assert [one.name for one in opened.opened] == [name for name, _ in streets[:number]]
        assert [list(hand.cards) for hand in opened.hands] == (hands if street == "house" else [])
    settled = table.settle()
    assert [list(result.hole) for result in settled.outcome.seats] == hands
    assert table.leaves()[5]["inputs"]["sealed"] == 1
    table.reveal()
    report = house.audit()
    assert report.findings == ()
    assert (report.event_levels[EventLevel.E2], report.dealing_levels[DealingLevel.L2]) == (1, 1)


def test_hand_opens_for_its_token_alone(house: House) -> None:
    """Another seat's token, none, a longer one; the same answer whenever it is asked."""
    table = house.table(seats=3, sealed=True).open()
    refusal = house.refusal_of(table.open_hand, 0)
    assert (refusal.code, refusal.reason) == ("FAILED_PRECONDITION", "NOT_DEALT")
    table.deal()
    for token in (b"", table.players[1].token, table.players[0].token + b"x", table.players[0].seed):
        assert house.refusal_of(table.open_hand, 0, token=token).seen == ("PERMISSION_DENIED", "WRONG_TOKEN", "token")
    assert house.refusal_of(table.open_hand, 3, token=b"").reason == "INVALID_SEAT"
    first = table.open_hand(0)
    house.restart()
    table.shuffler = house.shuffler
    assert table.open_hand(0) == first


def test_own_certificate_is_enough_to_check_an_arrangement(house: House) -> None:
    """And opens nobody else's hand."""
    table = house.sealed(seats=3)
    own = table.open_hand(1)
    message = mau_binh_pb2.MauBinhRound(header=table.header, certificates=[own.certificate])
    arrangement = house.as_dealt(list(own.hand.cards))
    asked = mau_binh_pb2.CheckArrangementRequest(round=message, seat=1, arrangement=arrangement)
    assert table.referee.CheckArrangement(asked).acceptable
    asked.seat = 0
    assert house.refusal_of(table.referee.CheckArrangement, asked).reason == "SECTION_MISSING"
    message.certificates.append(table.dealt.certificate)
    asked.seat = 1
    assert table.referee.CheckArrangement(asked).acceptable, "also beside the one that names the deal"


def forms(cards: Iterable[int]) -> list[bytes]:
    """How some cards in their order may stand in an answer: packed, or as JSON within an envelope."""
    numbers = list(cards)
    return [bytes(numbers), ",".join(map(str, numbers)).encode()]


def shows(data: bytes, hand: list[int]) -> bool:
    """Whether an answer shows a hand, in whatever way answers show cards; envelopes are looked into."""
    inside = [base64.b64decode(one) for one in re.findall(rb"[A-Za-z0-9+/]{40,}={0,2}", data) if len(one) % 4 == 0]
    return any(form in text for form in forms(hand) for text in (data, *inside))


def test_the_way_hands_are_looked_for_finds_them(house: House) -> None:
    """On an open table every answer that has them."""
    table = house.table(seats=2).play()
    hand = list(table.dealt.hands[0].cards)
    assert shows(table.dealt.SerializeToString(), hand)
    table.dealt.ClearField("hands")
    assert shows(table.dealt.SerializeToString(), hand), "in the certificate"


def everything_asked(house: House, table: Table) -> bytes:
    """Call every method about a round that needs no seat's token; return all answers."""
    slot, shuffler, log = table.slot, house.shuffler, house.log
    round_of = {"round": table.message}
    event = table.event(0, commit=mau_binh_pb2.Commit(commitment=bytes(32)))
    calls: list[Callable[[], Any]] = [
        lambda: open_round(shuffler, table.request),
        lambda: shuffler.DealRound(shuffler_pb2.DealRoundRequest(**slot)),
        lambda: shuffler.DealRound(table.deal_request()),
        *[
            lambda seat=seat: shuffler.OpenHand(shuffler_pb2.OpenHandRequest(**slot, seat=seat, token=bytes(32)))
            for seat in range(2)
        ],
        lambda: shuffler.OpenSection(shuffler_pb2.OpenSectionRequest(**slot)),
        lambda: shuffler.OpenSection(table.section_request()),
        lambda: shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(**slot)),
        lambda: shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(**slot, reason=shuffler_pb2.ABORT_REASON_OPERATOR)),
        lambda: shuffler.ContributeSeed(table.contribution(0)),
        lambda: table.referee.CheckArrangement(mau_binh_pb2.CheckArrangementRequest(**round_of)),
        lambda: table.referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(**round_of)),
        lambda: table.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(**round_of)),
        lambda: table.referee.AcceptEvent(mau_binh_pb2.MauBinhServiceAcceptEventRequest(**round_of, event=event)),
        lambda: log.GetTableRound(log_pb2.GetTableRoundRequest(**slot)),
        lambda: log.ListEntries(log_pb2.ListEntriesRequest()),
    ]
    asked = []
    for call in calls:
        try:
            asked.append(call().SerializeToString())
        except grpc.RpcError as error:
            asked.append(repr((error.details(), error.trailing_metadata())).encode())
    return b"\0".join([*asked, *house.leaves()])


def test_no_call_shows_a_hand_before_every_seat_is_bound(house: House) -> None:
    """Whatever a frontend asks, before and after each commitment but the last; with the last they open."""
    table = house.sealed(seats=3)
    hands = hands_of(table)
    for seat in range(3):
        answers = everything_asked(house, table)
        assert not any(shows(answers, hand) for hand in hands)
        table.commit(seat, hands[seat])
    assert all(shows(everything_asked(house, table), hand) for hand in hands)


def test_every_method_of_dealing_and_judging_is_among_those_asked() -> None:
    """A method that is new must be asked above, or be said here to show no more than another."""
    services = (
        shuffler_pb2.DESCRIPTOR.services_by_name["ShufflerService"],
        mau_binh_pb2.DESCRIPTOR.services_by_name["MauBinhService"],
    )
    methods = {method.name for service in services for method in service.methods}
    asked = set(re.findall(r"\.([A-Z]\w+)\(", inspect.getsource(everything_asked) + inspect.getsource(open_round)))
    learned_nothing_more = {
        "PrepareRound",  # has no round
        "CheckArrangements",  # as CheckArrangement
        *(
            "OpenRounds",
            "DealRounds",
            "OpenSections",
            "RevealRounds",
            "AcceptEvents",
            "SettleRounds",
        ),  # each as its single form
    }
    assert methods - asked - learned_nothing_more == set()


def test_seat_that_never_opens_its_commitment_is_reported_and_has_fouled(house: House) -> None:
    """After its 30 seconds, by the referee's clock alone; nobody signs it, and the log shows no fault."""
    table = house.sealed(seats=2)
    hands = hands_of(table)
    commit_all(table, hands)
    table.open_section()
    table.accept(0, **table.arrangement(0, hands[0]))
    house.clock.now += 29_999
    assert [one.code for one in table.ask(table.event(1, timeout=True)).violations] == ["NOT_OUT_OF_TIME"]
    house.clock.now += 1
    assert [(one.code, one.seat) for one in table.settle().violations] == [("ROUND_NOT_OVER", 1)]
    reported = table.ask(table.event(1, timeout=True))
    assert [(one.code, one.seat) for one in reported.violations] == [("NOT_OPENED", 1)]
    assert reported.event_number == 4
    settled = table.settle()
    assert [one.defaulted for one in settled.outcome.seats] == [False, True]
    assert settled.outcome.seats[1].fouled
    (results,) = [leaf["results"] for leaf in table.leaves() if "results" in leaf]  # REVEAL may have followed
    assert results["seats"][1]["fouls"] == ["NOT_OPENED"]
    table.reveal()
    assert house.audit().findings == ()


def test_arrangement_needs_the_time_at_which_the_hands_opened(house: House) -> None:
    """Neither the deal's certificate nor the seats' own say it; so no hand is used that is not in the log as open."""
    table = house.sealed(seats=2)
    commit_all(table, hands := hands_of(table))
    event = table.event(0, **table.arrangement(0, hands[0]))
    for certificate in (b"", *[table.open_hand(seat).certificate for seat in (0, 1)]):
        table.message.certificates.extend([certificate] if certificate else [])
        for ask in (lambda: table.ask(event), table.settle):
            assert house.refusal_of(ask).reason_and_field == ("SECTION_MISSING", "round.certificates")
    opened = table.open_section()
    table.message.certificates[:] = [table.dealt.certificate, table.open_hand(0).certificate, opened.certificate]
    assert table.ask(event).event_number == 3
    house.clock.now += 30_000
    table.ask(table.event(1, timeout=True))
    assert table.settle().log_receipt.leaf


def test_hand_that_wins_at_the_deal_opens_all(house: House) -> None:
    """The round is over, and nothing is left to arrange."""
    for _ in itertools.count():
        table = house.table(seats=4, sealed=True).play()
        if table.dealt.hands:
            break
    assert [list(hand.cards) for hand in table.dealt.hands] == hands_of(table)
    settled = table.settle()
    assert any(result.instant_win for result in settled.outcome.seats)
    assert [hand.cards for hand in table.shuffler.DealRound(table.deal_request()).hands] == [
        hand.cards for hand in table.dealt.hands
    ]
    table.reveal()
    assert house.audit().findings == ()
