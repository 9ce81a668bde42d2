"""What an audit's statistics ask of hands, against another library and against counting by hand."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from types import ModuleType

import pytest

from referee.cards import DECK, Card
from referee.games import GAMES
from referee.games.questions import HouseQuestions, PointQuestions, rank_points, strength_points
from referee.rulesets import get
from tests.randomness import random_from

PLACES = {"mau_binh": "23456789TJQKA", "tien_len": "3456789TJQKA2"}
TOGETHER = {"mau_binh": (0, 0, 6, 18, 40), "tien_len": (0, 0, 3, 9, 30)}


def points_of(game: str) -> PointQuestions:
    questions = GAMES[game].questions
    assert isinstance(questions, PointQuestions)
    return questions


@pytest.mark.parametrize("game", PLACES)
def test_points_of_a_hand_are_those_of_its_ranks_and_of_what_they_make_together(game: str) -> None:
    source = random_from(5)
    for _ in range(50):
        hand = source.sample(DECK, 13)
        ranks = [card.text[0] for card in hand]
        expected = sum(PLACES[game].index(rank) for rank in ranks)
        expected += sum(TOGETHER[game][ranks.count(rank)] for rank in set(ranks))
        assert points_of(game).points(bytes([card.number for card in hand])) == expected


@pytest.mark.parametrize("game", PLACES)
def test_weights_of_points_count_every_hand_once(game: str) -> None:
    weights = points_of(game).weights()
    assert sum(weights.values()) == math.comb(52, 13)
    assert points_of(game).are_seats_alike


def test_weights_of_points_are_those_of_all_hands_of_two_cards() -> None:
    asked = rank_points(hand_size=2, places=range(13), together=(0, 1, 6, 18, 40))
    counted: dict[int, int] = {}
    for first in range(1, 53):
        for second in range(first + 1, 53):
            points = asked.points(bytes((first, second)))
            counted[points] = counted.get(points, 0) + 1
    assert asked.weights() == counted


def test_strength_of_hands_is_asked_of_all_of_them() -> None:
    asked = strength_points(2, lambda cards: cards[0].number * cards[1].number)
    assert asked.points(bytes((3, 5))) == 15
    products = Counter(first * second for first, second in itertools.combinations(range(1, 53), 2))
    assert (asked.weights(), asked.are_seats_alike) == (products, True)


def test_seats_lead_the_house_as_another_library_compares_their_hands(eval7: ModuleType) -> None:
    def value(cards: Sequence[Card]) -> int:
        value: int = eval7.evaluate([eval7.Card(card.text[0] + card.text[1].lower()) for card in cards])
        return value

    source = random_from(7)
    questions, rules = GAMES["ultimate_texas"].questions, get("ultimate_texas.casino").rules
    assert isinstance(questions, HouseQuestions)
    seen = set()
    for _ in range(200):
        cards = source.sample(DECK, 13)
        hands, board = [cards[place : place + 2] for place in range(0, 8, 2)], cards[8:]
        sections = [bytes([card.number for card in part]) for part in (*hands, board[:3], board[3:], cards[:1])]
        *seats, house = [value((*hand, *board)) for hand in hands]
        expected = tuple([(seat > house) - (seat < house) for seat in seats])
        assert questions.leads(rules, sections, 3) == expected
        seen |= set(expected)
    assert seen == {-1, 0, 1}
