"""What a seat holds is named by the state of its round, as soon as the certificates show its cards and a board."""

import importlib
import itertools
import warnings
from collections.abc import Sequence
from typing import Any, Final

import pytest

from referee.cards import DECK
from referee.v1 import ultimate_texas_pb2
from tests.service.house import House
from tests.service.ultimate_texas_house import Server

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its parser of hand ranges, not used here, calls what its dependency deprecates
    eval7: Final[Any] = importlib.import_module("eval7")

CATEGORIES: Final = {
    "High Card": "HIGH_CARD",
    "Pair": "PAIR",
    "Two Pair": "TWO_PAIR",
    "Trips": "THREE_OF_A_KIND",
    "Straight": "STRAIGHT",
    "Flush": "FLUSH",
    "Full House": "FULL_HOUSE",
    "Quads": "FOUR_OF_A_KIND",
    "Straight Flush": "STRAIGHT_FLUSH",
}
CHECKS: Final = ((0, "CHECK"), (1, "CHECK"))


def _category(ruleset_id: str, hole: Sequence[int], board: Sequence[int]) -> str:
    """Return the category of the best hand, by another library."""
    cards = [eval7.Card(DECK[one - 1].text[0] + DECK[one - 1].text[1].lower()) for one in (*hole, *board)]
    if ruleset_id == "ultimate_texas.casino":
        return CATEGORIES[eval7.handtype(eval7.evaluate(cards))]
    best = max(eval7.evaluate([*cards[:2], *three]) for three in itertools.combinations(cards[2:], 3))
    return CATEGORIES[eval7.handtype(best)]


@pytest.mark.parametrize("ruleset_id", ["ultimate_texas.casino", "ultimate_texas.two_plus_three"])
def test_state_names_each_seats_hand_from_the_flop_on(server: Server, ruleset_id: str):
    """By the cards that the certificates show; the answer that opens the next cards does not know them yet."""
    found: set[str] = set()
    for _ in range(6):
        played = server.deal(2, ruleset_id=ruleset_id)
        assert not any(seat.HasField("value") for seat in played.preview().state.seats)
        holes = [list(hand.cards) for hand in played.dealt.hands]
        for _ in ("flop", "turn and river"):
            closing = played.play(*CHECKS).state
            assert not any(seat.HasField("value") for seat in closing.seats)
            board = [card for section in played.sections[-1].opened for card in section.cards]
            values = [seat.value for seat in played.preview().state.seats]
            categories = [_category(ruleset_id, hole, board) for hole in holes]
            assert [value.category for value in values] == categories
            assert all(value.name.vi and value.name.en and value.strength for value in values)
            found |= set(categories)
        played.play((0, "PLAY_1X"), (1, "FOLD"))
        over = played.preview()
        assert [seat.value for seat in over.state.seats] == values
        assert [seat.value for seat in over.outcome.seats] == values
    assert len(found) > 1


def test_sealed_seat_learns_the_name_of_its_own_hand_alone(house: House):
    """It asks about a decision with the certificate of its hand and that of the board."""
    table = house.table("ultimate_texas", seats=2, sealed=True).play()
    own = table.open_hand(1)
    for seat in (0, 1):
        table.accept(seat, decision=ultimate_texas_pb2.DECISION_CHECK)
    opened = table.open_section()
    board = [card for section in opened.opened for card in section.cards]
    asked = ultimate_texas_pb2.CheckDecisionRequest(round=table.message)
    asked.event.seat, asked.event.decision = 1, ultimate_texas_pb2.DECISION_CHECK
    without = table.referee.CheckDecision(asked).state.seats
    assert not any(seat.HasField("value") for seat in without)
    asked.round.certificates.append(own.certificate)
    seats = table.referee.CheckDecision(asked).state.seats
    assert [seat.HasField("value") for seat in seats] == [False, True]
    assert seats[1].value.category == _category("ultimate_texas.casino", own.hand.cards, board)
