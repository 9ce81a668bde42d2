"""The swap is exact: over the places that a fair shuffle gives the other hands, the mean factor of a stake is 1."""

import math
from itertools import permutations

import numpy as np
import pytest

from referee.answered.choices import Choices, growth_alone, growth_of
from referee.answered.swap import HELD, log_growth
from referee.answered.values import Valuer
from referee.cards import Card, parse_cards
from referee.games.mau_binh import instant_win_of
from referee.games.mau_binh.arrangement import ChiCards
from tests.answered.seen_rounds import dealt, laid_out, values_of
from tests.randomness import random_from

RULESETS = ("mau_binh.chi_2020", "mau_binh.classic", "mau_binh.maubinh_com")
DRAGON = parse_cards("2S 3S 4S 5S 6S 7H 8H 9H TD JD QC KC AC")
"""An instant win under every ruleset."""


def arranged(values: Valuer, cards: tuple[Card, ...], place: int) -> ChiCards:
    """Arrange a hand in the lawful way at a place of the list of all, whose first ones are the best."""
    hand = values.hand(cards)
    lawful = np.concatenate([hand.candidates.strengths, values.lawful(hand).strengths])
    return laid_out(values, cards, lawful[place % len(lawful)].tolist())


def swapped(
    values: Valuer, seats: int, hands: list[tuple[Card, ...]], chi: ChiCards | None
) -> list[tuple[float, float]]:
    """Return the factors of stakes on what seat 0 knows, of seat 1 by both scores, for each order of the other hands.

    Orders that deal an instant win to a seat are left out, as no such round goes on.
    """
    factors = []
    for order in permutations(hands[1:]):
        if not any(instant_win_of(values.rules, hand) for hand in order[: seats - 1]):
            choices = Choices((hands[0], *order), (chi, *(None,) * (seats - 1)))
            by_cards, by_hands = growth_of(values, choices)
            factors.append((math.exp(by_cards[0, 1]), math.exp(by_hands[0, 1])))
    return factors


@pytest.mark.parametrize("seats", [4, 3, 2])
@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_mean_factor_over_all_swaps_is_1(ruleset_id: str, seats: int):
    values = values_of(ruleset_id, seats)
    luck, spread = random_from(f"swap/{ruleset_id}/{seats}"), np.zeros(2)
    for place in (1, 5, 9, 23, 20_000):
        hands = dealt(values, luck)
        factors = np.array(swapped(values, seats, hands, arranged(values, hands[0], place)))
        assert len(factors) == 6
        assert factors.mean(axis=0) == pytest.approx(1, abs=1e-12)
        spread += factors.std(axis=0)
    assert spread.min() > 0


@pytest.mark.parametrize("seats", [3, 2])
def test_hand_that_would_have_ended_the_round_is_not_swapped(seats: int):
    values = values_of("mau_binh.classic", seats)
    hands = dealt(values, random_from("dragon in the deck"), keep=DRAGON)
    factors = np.array(swapped(values, seats, hands, arranged(values, hands[0], 3)))
    assert 0 < len(factors) < 6
    assert factors.mean(axis=0) == pytest.approx(1, abs=1e-12)


def test_missing_arrangement_grows_no_more_than_any_would():
    values = values_of("mau_binh.classic", 4)
    hands = dealt(values, random_from("given up"))
    least = np.array(swapped(values, 4, hands, None))
    assert least.mean(axis=0).max() < 1
    for place in range(0, 30_000, 4_999):
        assert (least <= np.array(swapped(values, 4, hands, arranged(values, hands[0], place))) + 1e-12).all()


def test_foul_and_instant_win_grow_nothing():
    values = values_of("mau_binh.classic", 4)
    hands = dealt(values, random_from("foul"))
    back, middle, front = arranged(values, hands[0], 0)
    assert swapped(values, 4, hands, (middle, back, front)) == [(1.0, 1.0)] * 6
    ended = Choices((DRAGON, *dealt(values, random_from("ended"), keep=DRAGON)[:3]), (None,) * 4)
    assert not np.any(growth_of(values, ended))


@pytest.mark.parametrize("seats", [3, 2])
def test_mean_factor_of_one_who_knows_all_hands_is_1_over_all_deals(seats: int):
    values = values_of("mau_binh.classic", seats)
    luck, spread = random_from("alone"), 0.0
    for place in (1, 5, 9, 14, 20, 23):
        hands = dealt(values, luck)
        chi = arranged(values, hands[0], place)
        deals = [Choices((hands[0], *order), (chi, *(None,) * (seats - 1))) for order in permutations(hands[1:])]
        factors = [math.exp(growth_alone(values, choices, (0,))[0]) for choices in deals]
        assert np.mean(factors) == pytest.approx(1, abs=1e-12)
        spread = max(spread, float(np.std(factors)))
    assert spread > 0


def test_factor_of_one_who_knows_all_hands_is_1_on_average_at_a_full_table():
    """New deals are made from the round's own cards, so their mean is exact only over many rounds."""
    values = values_of("mau_binh.classic", 4)
    luck, factors = random_from("alone at a full table"), []
    for _ in range(40):
        hands = dealt(values, luck)
        chi = arranged(values, hands[0], luck.randrange(30_000))
        factors.append(math.exp(growth_alone(values, Choices(tuple(hands), (chi, None, None, None)), (0,))[0]))
    assert abs(np.mean(factors) - 1) < 5 * np.std(factors) / math.sqrt(len(factors))
    assert max(factors) < 6


def test_one_round_costs_at_most_the_part_that_is_not_held():
    assert log_growth(np.array([[-1e9], [0.0], [0.0]]))[0, 0] == pytest.approx(math.log(HELD))
