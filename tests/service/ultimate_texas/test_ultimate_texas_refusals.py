"""Questions that cannot be answered as they were asked: refused with reason and field path, and nothing is written."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import pytest

from referee.evidence.dsse import Envelope
from referee.transcript.chain import FORM, EventReceipt, sign_receipt
from referee.v1 import money_pb2, shuffler_pb2, ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision
from tests.driver.courses import steps_of
from tests.driver.opening import opening, terms_of

Server: TypeAlias = Any
Round: TypeAlias = Any
Refusal: TypeAlias = Any
Refused: TypeAlias = Callable[..., Refusal]

MAX_EVENTS: Final = 23
INVALID: Final = "INVALID_ARGUMENT"


def _seen(refusal: Refusal) -> tuple[str, str, str]:
    return refusal.code, refusal.reason, refusal.field


def _settle(played: Round) -> ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest:
    return ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest(round=played.message)


def _stakes(*stakes: tuple[int, int]) -> list[money_pb2.SeatStake]:
    return [money_pb2.SeatStake(bet_minor=ante, side_bet_minor=trips) for ante, trips in stakes]


@pytest.mark.parametrize(
    ("stakes", "reason", "field"),
    [
        ([], "MISSING_FIELD", "terms.seat_stakes"),
        ([(10, 0)], "INVALID_HEADER", "terms.seat_stakes"),
        ([(10, 0), (10, 0), (10, 0)], "INVALID_HEADER", "terms.seat_stakes"),
        ([(10, 0), (0, 0)], "INVALID_HEADER", "terms.seat_stakes[1]"),
        ([(10, 0), (1, 0)], "INVALID_STAKE", "terms.seat_stakes[1].bet_minor"),
        ([(11, 0), (10, 0)], "INVALID_STAKE", "terms.seat_stakes[0].bet_minor"),
        ([(2**53, 0), (10, 0)], "INVALID_HEADER", "terms.seat_stakes[0]"),
        ([(10, 2**53), (10, 0)], "INVALID_HEADER", "terms.seat_stakes[0]"),
        ([(2**50, 0), (10, 0)], "INVALID_STAKE", "terms.seat_stakes"),
        ([(10, 2**53 - 1), (10, 0)], "INVALID_STAKE", "terms.seat_stakes"),
    ],
)
def test_bets_that_no_round_can_start_with_are_refused_at_opening(
    server: Server, refused: Refused, stakes: list[tuple[int, int]], reason: str, field: str
):
    size = server.size
    request = opening(server.terms(2, stakes=stakes))
    assert _seen(refused(server.shuffler.OpenRound, request)) == (INVALID, reason, field)
    prepare = shuffler_pb2.PrepareRoundRequest(terms=request.terms)
    assert _seen(refused(server.shuffler.PrepareRound, prepare)) == (INVALID, reason, field)
    assert server.size == size


@pytest.mark.parametrize("stake", [1, 4, 10])
def test_stake_other_than_the_bet_unit_is_refused(server: Server, refused: Refused, stake: int):
    terms = server.terms(2)
    terms.stake_minor = stake
    refusal = refused(server.shuffler.OpenRound, opening(terms))
    assert _seen(refusal) == (INVALID, "INVALID_STAKE", "terms.stake_minor")


def test_largest_bets_are_opened_and_a_little_more_is_refused(server: Server, refused: Refused):
    """A seat wins 505 Antes at most: a play bet of four, the Ante, and 500 on the Blind for a royal flush."""
    ante = (2**53 - 1) // (6 * 505) // 2 * 2
    terms = server.terms(6, stakes=[(ante, 0)] * 6)
    assert server.open_round(terms).header.seat_stakes[5].bet_minor == ante
    terms.table_id = "more"
    terms.seat_stakes[0].bet_minor += 6 * 2
    refusal = refused(server.shuffler.OpenRound, opening(terms))
    assert _seen(refusal) == (INVALID, "INVALID_STAKE", "terms.seat_stakes")


def test_bets_of_their_own_are_refused_in_another_game(server: Server, refused: Refused):
    terms = terms_of("binh", seat_stakes=_stakes((10, 0), (10, 0)))
    refusal = refused(server.shuffler.OpenRound, opening(terms))
    assert _seen(refusal) == (INVALID, "INVALID_STAKE", "terms.seat_stakes")


@pytest.mark.parametrize(
    ("event", "reason", "field"),
    [
        ({"seat": 0}, "MISSING_FIELD", "event.decision"),
        ({"seat": 0, "decision": 99}, "INVALID_FIELD", "event.decision"),
        ({"seat": 0, "decision": Decision.DECISION_CHECK, "time": 5}, "INVALID_FIELD", "event.time"),
        ({"seat": 0, "decision": Decision.DECISION_CHECK, "received": True}, "INVALID_FIELD", "event.received"),
        ({"seat": 0, "decision": Decision.DECISION_CHECK, "seen": 0}, "NOT_SEEN", "event"),
    ],
)
def test_event_that_says_nothing_or_too_much_is_refused(
    server: Server, refused: Refused, event: dict[str, Any], reason: str, field: str
):
    played = server.deal(1)
    request = ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(
        round=played.message, event=ultimate_texas_pb2.UltimateTexasEvent(**event)
    )
    assert _seen(refused(server.referee.AcceptEvent, request)) == (INVALID, reason, field)


def test_bad_event_of_the_round_is_refused_with_its_index(server: Server, refused: Refused):
    played = server.deal(2)
    played.report(0, "CHECK")
    played.message.events.add(seat=0, decision=99)
    expected = (INVALID, "INVALID_FIELD", "round.events[1].decision")
    assert _seen(refused(server.referee.SettleRound, _settle(played))) == expected
    check = ultimate_texas_pb2.CheckDecisionRequest(
        round=played.message, event=ultimate_texas_pb2.UltimateTexasEvent(decision=Decision.DECISION_CHECK)
    )
    assert _seen(refused(server.referee.CheckDecision, check)) == expected
    many = ultimate_texas_pb2.CheckDecisionsRequest(requests=[check])
    assert _seen(refused(server.referee.CheckDecisions, many))[2] == "requests[0].round.events[1].decision"


def test_ante_or_trips_changed_after_the_deal_is_refused(server: Server, refused: Refused):
    """The certificate names the round by the hash of its header, stakes included."""
    for name, value in (("bet_minor", 12), ("side_bet_minor", 0)):
        played = server.deal(1)
        played.play((0, "PLAY_4X"))
        setattr(played.message.header.seat_stakes[0], name, value)
        expected = (INVALID, "FOREIGN", "round.header")
        assert _seen(refused(server.referee.SettleRound, _settle(played))) == expected


@pytest.mark.parametrize("upto", [1, 2, 3])
def test_round_whose_house_or_board_is_not_open_is_refused_at_settlement(server: Server, refused: Refused, upto: int):
    """Over, but the certificate is that of an earlier street: the house is always what is missing first."""
    played = server.deal(1)
    certificates = [played.dealt.certificate]
    for decision in ("CHECK", "CHECK", "PLAY_1X"):
        played.play((0, decision))
        certificates.append(played.message.certificates[0])
    played.message.certificates[:] = certificates[:upto]
    size = server.size
    expected = (INVALID, "SECTION_MISSING", "round.certificates")
    assert _seen(refused(server.referee.SettleRound, _settle(played))) == expected
    assert server.size == size


def _receipt_of(played: Round) -> EventReceipt:
    return FORM.read(Envelope.parse(played.message.receipt).payload)


def _changed(server: Server, played: Round, **changed: Any) -> bytes:  # noqa: ANN401 - members of the receipt
    """Sign the round's receipt again with the referee's own key and some members changed."""
    fields = {name: getattr(_receipt_of(played), name) for name in EventReceipt.__struct_fields__}
    return sign_receipt(EventReceipt(**(fields | changed)), server.app.keys.signer("referee"))


def _opening(played: Round) -> shuffler_pb2.OpenSectionRequest:
    return shuffler_pb2.OpenSectionRequest(
        table_id=played.opened.header.table_id,
        round_number=1,
        steps=steps_of(played.message),
        receipt=played.message.receipt,
    )


def test_receipt_of_an_event_that_closes_no_street_opens_nothing(server: Server, refused: Refused):
    played = server.deal(2)
    played.accept(0, "CHECK")
    expected = ("FAILED_PRECONDITION", "SECTION_CLOSED", "receipt")
    assert _seen(refused(server.shuffler.OpenSection, _opening(played))) == expected


@pytest.mark.parametrize("section", [0, 4, 99])
def test_no_receipt_opens_a_hand_or_the_stock(server: Server, refused: Refused, section: int):
    """Not even one with the referee's own signature. With one seat, section 0 is its hand and 4 the stock."""
    played = server.deal(1)
    played.accept(0, "CHECK")
    played.message.receipt = _changed(server, played, opens_section=section)
    expected = ("FAILED_PRECONDITION", "SECTION_CLOSED", "receipt")
    assert _seen(refused(server.shuffler.OpenSection, _opening(played))) == expected


@pytest.mark.parametrize("opens", [1, 2, 7])
@pytest.mark.parametrize("count", [1, 2])
def test_receipt_that_opens_another_section_than_its_event_is_refused(
    server: Server, refused: Refused, count: int, opens: int
):
    """Event 1 closes no street, event 2 opens the flop, which is section 3 of a round of two."""
    played = server.deal(2)
    played.play(*((0, "CHECK"), (1, "CHECK"))[:count])
    played.message.receipt = _changed(server, played, opens_section=opens)
    request = ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=played.message)
    assert _seen(refused(server.referee.PreviewRound, request)) == (INVALID, "FOREIGN", "round.receipt")


def test_events_under_a_receipt_cannot_be_edited_moved_or_dropped(server: Server, refused: Refused):
    """Each single change to what the newest receipt covers is refused."""
    played = server.deal(3)
    played.play((2, "CHECK"), (0, "CHECK"))
    original, receipt = list(played.message.events), played.message.receipt
    early = server.deal(3)
    early.play((2, "CHECK"))

    def edited(index: int, **changed: Any) -> Sequence[Any]:  # noqa: ANN401 - members of the event
        copies = [ultimate_texas_pb2.UltimateTexasEvent.FromString(event.SerializeToString()) for event in original]
        for name, value in changed.items():
            setattr(copies[index], name, value)
        return copies

    attempts = [
        (edited(0, decision=Decision.DECISION_PLAY_4X), receipt, "FOREIGN"),
        (edited(1, decision=Decision.DECISION_LEAVE), receipt, "FOREIGN"),
        (edited(1, seat=1), receipt, "FOREIGN"),
        (edited(1, time=original[1].time + 1), receipt, "FOREIGN"),
        (edited(0, received=False), receipt, "FOREIGN"),
        (edited(1, received=False), receipt, "FOREIGN"),
        (original[1:], receipt, "FOREIGN"),
        (original[::-1], receipt, "FOREIGN"),
        (original, b"", "NOT_RECEIVED"),
        (original, early.message.receipt, "NOT_RECEIVED"),
        ([], receipt, "FOREIGN"),
    ]
    for events, shown, reason in attempts:
        played.message.receipt = shown
        del played.message.events[:]
        played.message.events.extend(events)
        request = ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=played.message)
        assert _seen(refused(server.referee.PreviewRound, request)) == (INVALID, reason, "round.receipt")


def test_course_that_opened_cards_is_the_only_one_that_opens_more_and_settles(server: Server, refused: Refused):
    """A frontend asks for receipts of two courses: one that shows it the board, one that bets knowing it."""
    played = server.deal(2)
    start = ultimate_texas_pb2.UltimateTexasRound.FromString(played.message.SerializeToString())
    played.play((0, "CHECK"), (1, "CHECK"))
    honest = ultimate_texas_pb2.UltimateTexasRound.FromString(played.message.SerializeToString())
    played.message.CopyFrom(start)
    for seat in (0, 1):
        played.accept(seat, "PLAY_4X")
    assert refused(server.shuffler.OpenSection, _opening(played)).reason == "COURSE_FORKED"
    played.message.CopyFrom(honest)
    played.play((0, "CHECK"), (1, "CHECK"), (0, "FOLD"), (1, "PLAY_1X"))
    assert played.settle().violations == []
