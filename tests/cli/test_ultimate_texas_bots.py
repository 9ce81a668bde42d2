"""The bots wish for what their strategy says, and always for something that the street offers."""

import itertools
from typing import Final

import pytest

from referee.cards import parse_cards
from referee.cli.bots_ultimate_texas import wish
from referee.v1.ultimate_texas_pb2 import Decision

STREETS: Final = {
    0: {Decision.DECISION_CHECK, Decision.DECISION_PLAY_4X},
    3: {Decision.DECISION_CHECK, Decision.DECISION_PLAY_2X},
    5: {Decision.DECISION_FOLD, Decision.DECISION_PLAY_1X},
}


def _wish(hole: str, board: str = "") -> str:
    numbers = [[card.number for card in parse_cards(text)] if text else [] for text in (hole, board)]
    return Decision.Name(wish(hole=numbers[0], board=numbers[1])).removeprefix("DECISION_")


@pytest.mark.parametrize(
    ("good", "bad"),
    [("3S 3H", "2S 2H"), ("AS 2H", "TS 9S"), ("KS 5H", "KS 4H"), ("KS 2S", "QS 5S"), ("QS 6S", "QS 7H"),
     ("QS 8H", "QS 7H"), ("JS 8S", "JS 7S"), ("JS TH", "JS 9H")],
)  # fmt: skip
def test_large_bet_is_made_from_these_hole_cards_on(good: str, bad: str):
    assert (_wish(good), _wish(bad)) == ("PLAY_4X", "CHECK")


def test_large_bet_does_not_ask_which_hole_card_came_first():
    for first, second in itertools.permutations(range(1, 53), 2):
        assert wish(hole=[first, second], board=[]) == wish(hole=[second, first], board=[])


@pytest.mark.parametrize(
    ("hole", "board", "wanted"),
    [
        ("7S 2H", "7C KD QD", "PLAY_2X"),
        ("7S 2H", "KC KD QD", "CHECK"),
        ("7S 2H", "9C KD QD", "CHECK"),
        ("6S 3H", "2C 4D 5D", "PLAY_2X"),
        ("7S 2S", "9S KS QS", "PLAY_2X"),
        ("7S 2H", "7C KD QD 4C 3S", "PLAY_1X"),
        ("9S 2H", "TC JD QD 3C 8S", "PLAY_1X"),
        ("QS 2H", "7C KD 9D 4C 3S", "PLAY_1X"),
        ("JS 2H", "7C KD 9D 4C 3S", "FOLD"),
        ("4S 2H", "KC KD KH 9C TS", "FOLD"),
        ("3D 5H", "AC 2D 4S 9C TS", "PLAY_1X"),
        ("7S 2C", "9H KH QH 4H 3H", "FOLD"),
    ],
)
def test_later_bets_need_a_hand_that_a_hole_card_makes_or_a_queen(hole: str, board: str, wanted: str):
    assert _wish(hole, board) == wanted


@pytest.mark.parametrize("size", STREETS)
def test_wish_is_something_that_the_street_offers(size: int):
    for start in range(45):
        cards = [(start * 7 + step * 11) % 52 + 1 for step in range(2 + size)]
        assert wish(hole=cards[:2], board=cards[2:]) in STREETS[size]
