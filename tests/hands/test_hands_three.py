"""Hands of three cards: their categories, and how they compare with hands of five."""

import itertools
from collections import Counter

import pytest

from referee.cards import DECK, parse_cards
from referee.hands import Category, Ranking


def test_three_cards_know_three_categories_only(classic: Ranking) -> None:
    """13 * 4 threes, 13 * 12 * 6 * 4 pairs, and of the rest every one is a high card: no straight, no flush."""
    counts = Counter(classic.three(cards).category for cards in itertools.combinations(DECK, 3))
    assert counts == {Category.THREE_OF_A_KIND: 52, Category.PAIR: 3_744, Category.HIGH_CARD: 18_304}


def test_three_in_a_row_of_one_suit_are_a_high_card(classic: Ranking) -> None:
    assert classic.three(parse_cards("AH KH QH")) < classic.three(parse_cards("2S 2C 3D"))


def test_no_three_cards_where_the_rules_do_not_rank_them(ultimate: Ranking) -> None:
    with pytest.raises(ValueError, match="does not rank three cards"):
        ultimate.three(parse_cards("AS AC AD"))


@pytest.mark.parametrize(
    ("middle", "front", "fouls"),
    [
        ("AS KS QS JS 9D", "AC KC QC", False),  # equal as far as the front goes: five are the stronger
        ("AS KS JS TS 9D", "AC KC QC", True),
        ("AS KS QS 3S 2D", "AC QC JC", False),
        ("AS AC 4S 3S 2D", "AH AD 4H", False),
        ("AS AC 4S 3S 2D", "AH AD 5H", True),
        ("AS AC KS QS JD", "KH KD AH", False),
        ("2S 2C 3S 3C 4D", "AS AC KD", False),  # two pairs against any pair
        ("2S 2C 2D 3S 4C", "3C 3D 3H", True),
        ("5S 4C 3D 2H AS", "KS KC KD", False),  # the lowest straight against any three of a kind
        ("7S 5C 4D 3H 2S", "2C 2D 3S", True),
    ],
)
def test_front_fouls_only_when_strictly_stronger(classic: Ranking, middle: str, front: str, *, fouls: bool) -> None:
    back = classic.five(parse_cards("KH QH JH TH 9H"))
    five, three = classic.five(parse_cards(middle)), classic.three(parse_cards(front))
    assert fouls is classic.is_fouled(back=back, middle=five, front=three)
    assert fouls is classic.front_outranks(front=three, five=five)


def test_equal_back_and_middle_are_lawful(classic: Ranking) -> None:
    back, middle = classic.five(parse_cards("AS KS QS JS 9D")), classic.five(parse_cards("AH KC QC JC 9C"))
    front = classic.three(parse_cards("4S 3S 2S"))
    assert back == middle
    assert not classic.is_fouled(back=back, middle=middle, front=front)


def test_middle_stronger_than_the_back_fouls(classic: Ranking) -> None:
    weaker, stronger = classic.five(parse_cards("AS KS QS JS 8D")), classic.five(parse_cards("AH KC QC JC 9C"))
    front = classic.three(parse_cards("4S 3S 2S"))
    assert classic.is_fouled(back=weaker, middle=stronger, front=front)


def test_four_aces_in_the_middle_always_foul_where_they_outrank_all(maubinh_com: Ranking) -> None:
    """No other hand outranks four aces in ``mau_binh.maubinh_com``; the royal flush does where they are plain quads."""
    middle, front = maubinh_com.five(parse_cards("AS AC AD AH 2S")), maubinh_com.three(parse_cards("5S 4S 3S"))
    strongest = max(map(maubinh_com.five, itertools.combinations(DECK[:48], 5)), key=lambda value: value.strength)
    assert strongest.ranks == (11, 10, 9, 8, 7)
    assert maubinh_com.is_fouled(back=strongest, middle=middle, front=front)


def test_four_aces_in_the_middle_are_lawful_under_a_straight_flush(classic: Ranking) -> None:
    middle, front = classic.five(parse_cards("AS AC AD AH 2S")), classic.three(parse_cards("5S 4S 3S"))
    back = classic.five(parse_cards("7D 6D 5D 4D 3D"))
    assert not classic.is_fouled(back=back, middle=middle, front=front)


def test_fronts_and_fives_are_only_compared_in_their_own_ranking(classic: Ranking, maubinh_com: Ranking) -> None:
    front, five = classic.three(parse_cards("AS AC AD")), classic.five(parse_cards("KS QS JS TS 9S"))
    with pytest.raises(TypeError, match="three with five cards"):
        classic.front_outranks(front=five, five=front)
    own_front, own_five = (maubinh_com.three_of_strength(front.strength), maubinh_com.five_of_strength(five.strength))
    for foreign_front, foreign_five in ((front, five), (front, own_five), (own_front, five)):
        with pytest.raises(TypeError, match="its own ranking"):
            maubinh_com.front_outranks(front=foreign_front, five=foreign_five)
