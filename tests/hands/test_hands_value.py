"""Values compare on their own scale only; hands are laid out for showing."""

import operator
import pickle
from collections.abc import Callable

import pytest

from referee.cards import parse_cards
from referee.hands import Category, HandValue, Ranking

ORDERINGS = [operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_values_of_two_rankings_have_no_order(
    ordering: Callable[[object, object], bool], classic: Ranking, maubinh_com: Ranking
) -> None:
    cards = parse_cards("AS KS QS JS 9D")
    with pytest.raises(TypeError):
        ordering(classic.five(cards), maubinh_com.five(cards))


@pytest.mark.parametrize("ordering", ORDERINGS)
def test_three_and_five_cards_have_no_order(ordering: Callable[[object, object], bool], classic: Ranking) -> None:
    with pytest.raises(TypeError):
        ordering(classic.three(parse_cards("AS KS QS")), classic.five(parse_cards("AS KS QS JS 9D")))


def test_values_of_two_scales_are_never_equal(classic: Ranking, maubinh_com: Ranking) -> None:
    """The weakest five and the weakest three have strength 1 everywhere."""
    five, three = parse_cards("7S 5C 4D 3H 2S"), parse_cards("4S 3S 2S")
    values = {classic.five(five), maubinh_com.five(five), classic.three(three), maubinh_com.three(three)}
    assert [value.strength for value in values] == [1, 1, 1, 1]


def test_suits_never_break_a_tie(classic: Ranking) -> None:
    spades, hearts = classic.five(parse_cards("AS KS QS JS 9S")), classic.five(parse_cards("AH KH QH JH 9H"))
    assert spades == hearts
    assert spades <= hearts <= spades
    assert not spades < hearts
    assert hash(spades) == hash(hearts)


def test_a_value_survives_pickling(classic: Ranking) -> None:
    value = classic.five(parse_cards("AS KS QS JS 9S"))
    again = pickle.loads(pickle.dumps(value))  # noqa: S301 - made in the line itself
    assert isinstance(again, HandValue)
    assert value == again
    assert not value < again
    assert (again.category, again.ranks) == (Category.FLUSH, (12, 11, 10, 9, 7))
    assert not classic.front_outranks(front=classic.three(parse_cards("AC AD AH")), five=again)


def test_scale_names_the_ranking_and_how_many_cards_were_valued(classic: Ranking) -> None:
    cards = parse_cards("AS KS QS JS 9S")
    for value, count in ((classic.five(cards), len(cards)), (classic.three(cards[:3]), len(cards[:3]))):
        assert (value.scale.rules, value.scale.card_count) == (classic.rules, count)


def test_equal_rules_have_one_ranking(classic: Ranking) -> None:
    assert classic is Ranking.of(classic.rules)


@pytest.mark.parametrize("text", ["", "AS", "AS AS KS QS JS", "AS KS QS JS", "AS KS QS JS TS 9S"])
def test_five_takes_five_different_cards(classic: Ranking, text: str) -> None:
    with pytest.raises(ValueError, match=f"^expected 5 different cards, got {text or 'none'}$"):
        classic.five(parse_cards(text))


@pytest.mark.parametrize("text", ["", "AS AS KS", "AS KS QS JS"])
def test_three_takes_three_different_cards(classic: Ranking, text: str) -> None:
    with pytest.raises(ValueError, match="expected 3 different cards"):
        classic.three(parse_cards(text))


@pytest.mark.parametrize("strength", [-1, 0, 7463])
def test_there_is_no_value_beside_the_scale(classic: Ranking, strength: int) -> None:
    with pytest.raises(ValueError, match="strengths are 1 to 7462"):
        classic.five_of_strength(strength)
