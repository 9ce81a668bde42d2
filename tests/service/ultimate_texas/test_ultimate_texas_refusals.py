"""Questions that cannot be answered as they were asked: refused with reason and field path, and nothing is written."""

from typing import Any, Final

import pytest

from referee.evidence.dsse import Envelope
from referee.transcript.chain import FORM, EventReceipt, sign_receipt
from referee.v1 import shuffler_pb2
from tests.service.courses import steps_of
from tests.service.opening import opening
from tests.service.ultimate_texas_house import Refused, Round, Server

INVALID: Final = "INVALID_ARGUMENT"


def test_largest_bets_are_opened_and_a_little_more_is_refused(server: Server, refused: Refused):
    """A seat wins 505 Antes at most: a play bet of four, the Ante, and 500 on the Blind for a royal flush."""
    ante = (2**53 - 1) // (6 * 505) // 2 * 2
    terms = server.terms(6, stakes=[(ante, 0)] * 6)
    assert server.open_round(terms).header.seat_stakes[5].bet_minor == ante
    terms.table_id = "more"
    terms.seat_stakes[0].bet_minor += 6 * 2
    assert refused(server.shuffler.OpenRound, opening(terms)).seen == (INVALID, "INVALID_STAKE", "terms.seat_stakes")


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
