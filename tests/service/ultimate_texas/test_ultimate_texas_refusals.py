"""Questions that cannot be answered as they were asked: refused with reason and field path, and nothing is written."""

from typing import Any, Final

import pytest

from referee.evidence.dsse import Envelope
from referee.transcript.chain import FORM, EventReceipt, sign_receipt
from referee.v1 import shuffler_pb2, ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision
from tests.service.courses import steps_of
from tests.service.opening import opening
from tests.service.ultimate_texas_house import Refused, Round, Server
from tests.status_details import reason_and_field

MAX_EVENTS: Final = 23
INVALID: Final = "INVALID_ARGUMENT"


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
    assert refused(server.shuffler.OpenRound, request).seen == (INVALID, reason, field)
    prepare = shuffler_pb2.PrepareRoundRequest(terms=request.terms)
    assert refused(server.shuffler.PrepareRound, prepare).seen == (INVALID, reason, field)
    assert server.size == size


@pytest.mark.parametrize("stake", [1, 4, 10])
def test_stake_other_than_the_bet_unit_is_refused(server: Server, refused: Refused, stake: int):
    terms = server.terms(2)
    terms.stake_minor = stake
    assert refused(server.shuffler.OpenRound, opening(terms)).seen == (INVALID, "INVALID_STAKE", "terms.stake_minor")


def test_largest_bets_are_opened_and_a_little_more_is_refused(server: Server, refused: Refused):
    """A seat wins 505 Antes at most: a play bet of four, the Ante, and 500 on the Blind for a royal flush."""
    ante = (2**53 - 1) // (6 * 505) // 2 * 2
    terms = server.terms(6, stakes=[(ante, 0)] * 6)
    assert server.open_round(terms).header.seat_stakes[5].bet_minor == ante
    terms.table_id = "more"
    terms.seat_stakes[0].bet_minor += 6 * 2
    assert refused(server.shuffler.OpenRound, opening(terms)).seen == (INVALID, "INVALID_STAKE", "terms.seat_stakes")


@pytest.mark.parametrize(
    ("event", "reason", "field"),
    [
        ({"seat": 0, "decision": 99}, "INVALID_FIELD", "event.decision"),
        ({"seat": 0, "decision": Decision.DECISION_CHECK, "seen": 0}, "NOT_SEEN", "event"),
    ],
)
def test_event_of_no_decision_or_that_saw_nothing_is_refused(
    server: Server, refused: Refused, event: dict[str, Any], reason: str, field: str
):
    played = server.deal(1)
    request = ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(
        round=played.message, event=ultimate_texas_pb2.UltimateTexasEvent(**event)
    )
    assert refused(server.referee.AcceptEvent, request).seen == (INVALID, reason, field)


def test_bad_event_of_the_round_is_refused_with_its_index(server: Server, refused: Refused):
    played = server.deal(2)
    played.report(0, "CHECK")
    played.message.events.add(seat=0, decision=99)
    expected = (INVALID, "INVALID_FIELD", "round.events[1].decision")
    assert refused(played.settle).seen == expected
    check = ultimate_texas_pb2.CheckDecisionRequest(
        round=played.message, event=ultimate_texas_pb2.UltimateTexasEvent(decision=Decision.DECISION_CHECK)
    )
    assert refused(server.referee.CheckDecision, check).seen == expected
    many = ultimate_texas_pb2.CheckDecisionsRequest(requests=[check])
    (answer,) = server.referee.CheckDecisions(many).responses
    assert reason_and_field(answer.refused) == expected[1:]


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
    assert refused(played.settle).seen == expected
    assert server.size == size


def _receipt_of(played: Round) -> EventReceipt:
    return FORM.read(Envelope.parse(played.message.receipt).payload)


def _changed(server: Server, played: Round, **changed: Any) -> bytes:  # noqa: ANN401 - members of the receipt
    """Sign the round's receipt again with the referee's own key and some members changed."""
    fields = {name: getattr(_receipt_of(played), name) for name in EventReceipt.__struct_fields__}
    return sign_receipt(EventReceipt(**(fields | changed)), server.app.keys.signer("referee"))


def _opening(played: Round) -> shuffler_pb2.OpenSectionRequest:
    return shuffler_pb2.OpenSectionRequest(
        round={"table_id": played.opened.header.round.table_id, "round_number": 1},
        steps=steps_of(played.message),
        receipt=played.message.receipt,
    )


@pytest.mark.parametrize("section", [0, 4, 99])
def test_no_receipt_opens_a_hand_or_the_stock(server: Server, refused: Refused, section: int):
    """Not even one with the referee's own signature. With one seat, section 0 is its hand and 4 the stock."""
    played = server.deal(1)
    played.accept(0, "CHECK")
    played.message.receipt = _changed(server, played, opens_section=section)
    expected = ("FAILED_PRECONDITION", "SECTION_CLOSED", "receipt")
    assert refused(server.shuffler.OpenSection, _opening(played)).seen == expected


@pytest.mark.parametrize("opens", [1, 2, 7])
@pytest.mark.parametrize("count", [1, 2])
def test_receipt_that_opens_another_section_than_its_event_is_refused(
    server: Server, refused: Refused, count: int, opens: int
):
    """Event 1 closes no street, event 2 opens the flop, which is section 3 of a round of two."""
    played = server.deal(2)
    played.play(*((0, "CHECK"), (1, "CHECK"))[:count])
    played.message.receipt = _changed(server, played, opens_section=opens)
    assert refused(played.preview).seen == (INVALID, "FOREIGN", "round.receipt")
