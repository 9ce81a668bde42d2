"""The best five of seven, and of two hole cards and a board."""

import itertools
from collections import Counter
from collections.abc import Iterator
from math import comb, prod
from types import ModuleType
from typing import Final

import numpy as np
import pytest

from referee.cards import DECK, Card, parse_cards, spell
from referee.hands import AceLowStraight, Category, Ranking, RankingRules
from tests.randomness import random_from

SEVEN_COUNTS: Final = {
    Category.ROYAL_FLUSH: 4_324,
    Category.STRAIGHT_FLUSH: 37_260,
    Category.FOUR_OF_A_KIND: 224_848,
    Category.FULL_HOUSE: 3_473_184,
    Category.FLUSH: 4_047_644,
    Category.STRAIGHT: 6_180_020,
    Category.THREE_OF_A_KIND: 6_461_620,
    Category.TWO_PAIR: 31_433_400,
    Category.PAIR: 58_627_800,
    Category.HIGH_CARD: 23_294_460,
}
"""Published for the best five of seven: https://en.wikipedia.org/wiki/Poker_probability."""

TWO_PLUS_THREE_COUNTS: Final = {
    Category.ROYAL_FLUSH: 43_240,
    Category.STRAIGHT_FLUSH: 379_224,
    Category.FOUR_OF_A_KIND: 4_047_264,
    Category.FULL_HOUSE: 35_914_320,
    Category.FLUSH: 41_883_800,
    Category.STRAIGHT: 79_953_072,
    Category.THREE_OF_A_KIND: 174_387_528,
    Category.TWO_PAIR: 578_732_040,
    Category.PAIR: 1_357_655_832,
    Category.HIGH_CARD: 536_479_440,
}
"""Counted by a program in C that shares no code with this one: all 1,326 holes with all C(50, 5) boards, one by one.

By hand: 4 suits, C(5, 2) royal cards in the hole, any two of the other 47 on the board make 43,240.
"""


def _sample(count: int) -> Iterator[list[Card]]:
    """Seven cards at a time, and a quarter as many again with a flush likely: ten of one suit among twelve cards."""
    dice = random_from(7)
    for _ in range(count):
        yield dice.sample(DECK, 7)
    for _ in range(count // 4):
        suited = dice.sample(DECK[dice.randrange(4) :: 4], 10)
        others = dice.sample([card for card in DECK if card not in suited], 2)
        yield dice.sample([*suited, *others], 7)


def _suit_free_sevens() -> Iterator[tuple[list[Card], int]]:
    """Seven cards for each multiset of ranks, and how many hands of these ranks have no five of one suit."""
    for ranks in itertools.combinations_with_replacement(range(13), 7):
        counts = Counter(ranks)
        if max(counts.values()) > 4:
            continue
        in_suit = [1]  # coefficient k: ways to give the ranks suits with k cards in one certain suit
        for count in counts.values():
            without, with_it = comb(3, count), comb(3, count - 1)
            in_suit = [without * low + with_it * high for low, high in zip([*in_suit, 0], [0, *in_suit], strict=True)]
        weight = prod(comb(4, count) for count in counts.values()) - 4 * sum(in_suit[5:])
        cards = [
            DECK[4 * rank + (place + copy) % 4] for place, rank in enumerate(counts) for copy in range(counts[rank])
        ]
        yield cards, weight


def _suited_sevens() -> Iterator[tuple[list[Card], int]]:
    """Seven cards for each way to have five or more spades beside other ranks, and how many hands are alike."""
    spades, clubs, diamonds = DECK[0::4], DECK[1::4], DECK[2::4]
    for flush in itertools.combinations(spades, 7):
        yield list(flush), 4
    for flush in itertools.combinations(spades, 6):
        for other in clubs:
            yield [*flush, other], 4 * 3
    others = [((clubs[low], diamonds[high]), 3 if low == high else 9) for low in range(13) for high in range(low, 13)]
    for flush in itertools.combinations(spades, 5):
        for both, weight in others:
            yield [*flush, *both], 4 * weight


def test_best_of_seven_has_the_published_counts(ultimate: Ranking) -> None:
    """All 133,784,560 hands of seven, those that differ only in suits that cannot matter valued once."""
    counts: Counter[Category] = Counter()
    for cards, weight in itertools.chain(_suit_free_sevens(), _suited_sevens()):
        counts[ultimate.five_of_strength(ultimate.seven_strength(cards)).category] += weight
    assert counts == SEVEN_COUNTS
    assert counts.total() == comb(52, 7)


@pytest.mark.exhaustive("counts every hand")
def test_best_of_two_plus_three_has_the_counts_of_a_separate_program(ultimate: Ranking) -> None:
    """All 2,809,475,760 holes and boards, holes that differ only in the names of their suits taken once."""
    boards = np.fromiter(itertools.chain.from_iterable(itertools.combinations(range(50), 5)), np.intp).reshape(-1, 5)
    place = np.zeros((50, 50, 50), np.intp)
    for number, (a, b, c) in enumerate(itertools.combinations(range(50), 3)):
        place[a, b, c] = number
    threes = [place[boards[:, a], boards[:, b], boards[:, c]] for a, b, c in itertools.combinations(range(5), 3)]
    order = ultimate.rules.order
    steps = [0, *(order.index(ultimate.five_of_strength(strength).category) for strength in range(1, 7463))]
    totals = np.zeros(len(order), np.int64)
    holes = [(low, high, 12 if low != high else 6) for low in range(13) for high in range(low, 13)]
    holes += [(low, high, 4) for low, high in itertools.combinations(range(13), 2)]
    for low, high, weight in holes:
        hole = DECK[4 * low], DECK[4 * high + (weight != 4)]
        rest = [card for card in DECK if card not in hole]
        step_of_three = np.array(
            [steps[ultimate.five_strength((*hole, *three))] for three in itertools.combinations(rest, 3)], np.uint8
        )
        best = step_of_three[threes[0]]
        for three in threes[1:]:
            np.maximum(best, step_of_three[three], out=best)
        totals += weight * np.bincount(best, minlength=len(order))
    assert dict(zip(order, totals.tolist(), strict=True)) == TWO_PLUS_THREE_COUNTS
    assert sum(TWO_PLUS_THREE_COUNTS.values()) == comb(52, 2) * comb(50, 5) == totals.sum()


def test_best_of_seven_is_the_best_of_its_21_hands(ultimate: Ranking) -> None:
    for cards in _sample(4000):
        assert ultimate.best_of_seven(cards) == max(
            map(ultimate.five, itertools.combinations(cards, 5)), key=lambda value: value.strength
        )


def test_best_of_two_plus_three_is_the_best_of_its_10_hands(ultimate: Ranking) -> None:
    for cards in _sample(4000):
        hole, board = cards[:2], cards[2:]
        hands = [ultimate.five([*hole, *three]) for three in itertools.combinations(board, 3)]
        assert ultimate.best_two_plus_three(hole=hole, board=board) == max(hands, key=lambda value: value.strength)


def test_best_choice_takes_no_order_of_categories_for_granted() -> None:
    """Under a ranking turned upside down the best of seven avoids its flushes and pairs."""
    upside_down = Ranking(RankingRules(tuple(Category)[8::-1], (), AceLowStraight.SECOND_HIGHEST))
    for cards in _sample(1000):
        hole, board = cards[:2], cards[2:]
        sevens = max(map(upside_down.five_strength, itertools.combinations(cards, 5)))
        twos = max(upside_down.five_strength([*hole, *three]) for three in itertools.combinations(board, 3))
        assert sevens == upside_down.seven_strength(cards)
        assert twos == upside_down.two_plus_three_strength(hole=hole, board=board)


def test_chosen_five_have_the_value_of_the_best(ultimate: Ranking) -> None:
    for cards in _sample(1000):
        hole, board = cards[:2], cards[2:]
        seven, two = ultimate.chosen_of_seven(cards), ultimate.chosen_two_plus_three(hole=hole, board=board)
        assert seven.value == ultimate.five(seven.cards) == ultimate.best_of_seven(cards)
        assert two.value == ultimate.five(two.cards) == ultimate.best_two_plus_three(hole=hole, board=board)
        assert set(seven.cards) <= set(cards)
        assert two.cards[:2] == tuple(hole)
        assert set(two.cards[2:]) < set(board)


def test_chosen_five_are_the_first_of_the_best_also_of_one_suit_and_upside_down(ultimate: Ranking) -> None:
    upside_down = Ranking(RankingRules(tuple(Category)[8::-1], (), AceLowStraight.SECOND_HIGHEST))
    for cards in _sample(2000):
        for ranking in (ultimate, upside_down):
            best = max(itertools.combinations(cards, 5), key=ranking.five_strength)
            assert ranking.chosen_of_seven(cards) == (ranking.five(best), best)


def test_of_equal_choices_the_first_in_the_order_of_the_cards_is_taken(ultimate: Ranking) -> None:
    chosen = ultimate.chosen_of_seven(parse_cards("2S AS AC KD KH QS QC"))
    assert spell(chosen.cards) == "AS AC KD KH QS"


def test_four_of_a_kind_among_seven_has_the_highest_card_beside_it(ultimate: Ranking) -> None:
    """All ranks that seven cards with four of a kind can have, which are valued once and kept."""
    count = 0
    for quads in range(13):
        for beside in itertools.combinations_with_replacement([rank for rank in range(13) if rank != quads], 3):
            cards = [DECK[4 * quads + suit] for suit in range(4)]
            cards += [DECK[4 * rank + 1 + beside[:place].count(rank)] for place, rank in enumerate(beside)]
            value = ultimate.best_of_seven(cards)
            assert (value.category, value.ranks) == (Category.FOUR_OF_A_KIND, (quads, beside[-1]))
            count += 1
    assert count == 13 * comb(12 + 3 - 1, 3)


def test_a_board_that_is_a_royal_flush_helps_no_hole_that_must_be_played(ultimate: Ranking) -> None:
    hole, board = parse_cards("2C 7D"), parse_cards("AS KS QS JS TS")
    assert ultimate.best_of_seven([*hole, *board]).category is Category.ROYAL_FLUSH
    assert ultimate.best_two_plus_three(hole=hole, board=board).category is Category.HIGH_CARD


def test_best_of_seven_is_worth_what_eval7_says(ultimate: Ranking, eval7: ModuleType) -> None:
    """eval7 gives the seven cards and the five chosen from them the same value."""
    theirs = {card: eval7.Card(card.text[0] + card.text[1].lower()) for card in DECK}
    for cards in _sample(4000):
        five = [theirs[card] for card in ultimate.chosen_of_seven(cards).cards]
        assert eval7.evaluate([theirs[card] for card in cards]) == eval7.evaluate(five)


@pytest.mark.parametrize(
    ("hole", "board", "reason"),
    [
        ("AS", "KS QS JS TS 9S", "two hole cards and five board cards, got 1 and 5"),
        ("AS", "KS QS JS TS 9S 8S", "two hole cards and five board cards, got 1 and 6"),
        ("AS AC", "KS QS JS TS", "two hole cards and five board cards, got 2 and 4"),
        ("AS AC", "AS KS QS JS TS", "7 different cards, got AS AC AS KS QS JS TS"),
        ("AS AC", "AD KS QS JS JS", "7 different cards, got AS AC AD KS QS JS JS"),
    ],
)
def test_missing_and_repeated_cards_are_refused(ultimate: Ranking, hole: str, board: str, reason: str) -> None:
    for two_plus_three in (ultimate.best_two_plus_three, ultimate.chosen_two_plus_three):
        with pytest.raises(ValueError, match=f"expected {reason}"):
            two_plus_three(hole=parse_cards(hole), board=parse_cards(board))
    for of_seven in (ultimate.best_of_seven, ultimate.chosen_of_seven):
        with pytest.raises(ValueError, match="expected 7 different cards"):
            of_seven(parse_cards(f"{hole} {board} AS"))
