"""What should happen how often: each law against whole enumerations, published numbers and the games' own detectors."""

import itertools
from collections import Counter
from math import comb, factorial

import pytest

from referee.cards import DECK
from referee.dealing.deck import StreamUsedUpError, shuffle
from referee.games.mau_binh import MauBinhRules
from referee.hands import Category, Ranking
from referee.lab.fairness import law
from referee.lab.fairness.thirteen import MAU_BINH, TIEN_LEN
from tests.builtin import rules_as


@pytest.mark.parametrize("cards", range(1, 8))
def test_laws_of_orders_count_every_order(cards: int):
    """Cycles, rises and fixed cards of all orders, by definition."""
    cycles: Counter[int] = Counter()
    ascents: Counter[int] = Counter()
    fixed: Counter[int] = Counter()
    for order in itertools.permutations(range(cards)):
        seen: set[int] = set()
        count = 0
        for start in range(cards):
            count += start not in seen
            place = start
            while place not in seen:
                seen.add(place)
                place = order[place]
        cycles[count] += 1
        ascents[sum(a < b for a, b in itertools.pairwise(order))] += 1
        fixed[sum(place == card for place, card in enumerate(order))] += 1
    for found, known in (
        (cycles, law.cycle_law(cards)),
        (ascents, law.ascent_law(cards)),
        (fixed, law.fixed_point_law(cards)),
    ):
        assert known == tuple(found[k] for k in range(len(known)))


@pytest.mark.parametrize("known", [law.cycle_law(), law.ascent_law(), law.fixed_point_law()])
def test_laws_of_52_cards_count_all_52_factorial_orders(known):
    assert sum(known) == factorial(52)


def test_five_card_hands_are_as_published_and_as_the_ranking_counts():
    """Every one of 2,598,960 is counted in tests/hands; here by strength, times the suits that each strength has."""
    ranking = Ranking.of(rules_as(MauBinhRules, "mau_binh.classic").ranking.rules)
    ways = {
        Category.HIGH_CARD: 4**5 - 4,
        Category.PAIR: 6 * 4**3,
        Category.TWO_PAIR: 6 * 6 * 4,
        Category.THREE_OF_A_KIND: 4 * 4**2,
        Category.STRAIGHT: 4**5 - 4,
        Category.FLUSH: 4,
        Category.FULL_HOUSE: 4 * 6,
        Category.FOUR_OF_A_KIND: 4,
        Category.STRAIGHT_FLUSH: 4,
    }
    found: Counter[Category] = Counter()
    for strength in range(1, 7463):
        category = ranking.five_of_strength(strength).category
        found[category] += ways[category]
    assert tuple(found[category] for category in ways) == law.FIVE_CARD_HANDS
    assert sum(law.FIVE_CARD_HANDS) == comb(52, 5)


def test_seven_card_hands_are_all_of_them():
    assert sum(law.SEVEN_CARD_HANDS) == comb(52, 7) == 133_784_560


def test_hypergeometric_counts_sets_of_cards():
    """All 22,100 sets of three cards, by how many hearts they hold."""
    found = Counter(sum(card.suit == 3 for card in three) for three in itertools.combinations(DECK, 3))
    assert law.hypergeometric(marked=13, drawn=3) == tuple(found[k] for k in range(4))
    assert sum(law.hypergeometric(marked=26, drawn=13)) == law.HANDS


def test_the_39_shapes_of_suits_are_those_of_bridge():
    """Published: 4-4-3-2 is dealt 136,852,887,600 times, 4-3-3-3 66,905,856,160 times."""
    shapes = law.suit_shapes()
    assert len(shapes) == 39
    assert sum(shapes.values()) == law.HANDS
    assert shapes[4, 4, 3, 2] == 136_852_887_600
    assert shapes[4, 3, 3, 3] == 66_905_856_160
    assert shapes[13, 0, 0, 0] == 4


def test_bytes_used_are_counted_over_all_streams():
    """The chance to need exactly 51 bytes is that each counts; streams sum up; few bytes never suffice."""
    whole = law.bytes_used_law(60)
    assert len(whole) == 62
    assert sum(whole) == 256**60
    assert not any(whole[:51])
    at_once = 1
    for left in range(2, 53):
        at_once *= 256 - 256 % left
    assert whole[51] == at_once * 256**9
    with pytest.raises(StreamUsedUpError):
        shuffle(bytes(50))


def test_mau_binh_patterns_are_as_frequent_as_their_formulas_say():
    """The numbers that tests/games/mau_binh counts over whole spaces."""
    assert MAU_BINH["dragon"].hands == 67_108_864
    assert MAU_BINH["thirteen red"].hands == MAU_BINH["thirteen black"].hands == comb(26, 13)
    assert MAU_BINH["twelve black and a red"].hands == 26 * comb(26, 12)
    assert MAU_BINH["twelve red and a black"].hands == 26 * comb(26, 12)
    assert MAU_BINH["three flushes"].hands == 5_705_516_392
    assert MAU_BINH["three straights"].hands == 2_029_579_776


def test_tien_len_patterns_are_as_frequent_as_their_formulas_say():
    """The numbers and formulas of tests/games/tien_len; the recurrence over ranks shares nothing with them."""
    quads = comb(13, 2) * comb(44, 5) - 2 * comb(13, 3) * 40
    triples = comb(13, 4) * 4**4 * 9 * 4 + comb(13, 4) * 4 * 4**3
    assert TIEN_LEN["dragon run"].hands == 369_098_752
    assert TIEN_LEN["two fours of a kind"].hands == quads
    assert TIEN_LEN["four threes"].hands == triples
    assert TIEN_LEN["all four twos"].hands == 1_677_106_640
    assert TIEN_LEN["twelve of a suit"].hands == 2_032


def test_six_pairs_in_a_row_leave_one_card():
    """It is of another rank, or a third of one of the six; thirteen cards hold no seventh pair."""
    alone = 6**6 * 4
    tripled = 6 * 4 * 6**5
    assert TIEN_LEN["six pairs in a row"].hands == 7 * (7 * alone + tripled)


def hands_with_pairs_of(ranks: int) -> int:
    """Hands with at least two cards of each of so many given ranks: products of polynomials in the number of cards."""
    ways = [1]
    for rank in range(13):
        choices = [0 if rank < ranks and count < 2 else comb(4, count) for count in range(5)]
        after = [0] * (len(ways) + 4)
        for (cards, weight), (count, choice) in itertools.product(enumerate(ways), enumerate(choices)):
            after[cards + count] += weight * choice
        ways = after
    return ways[13]


def test_five_pairs_in_a_row_are_counted_by_inclusion_and_exclusion():
    """Over all sets of the eight runs of five ranks: a set of runs asks for pairs of every rank that it covers."""
    runs = [frozenset(range(low, low + 5)) for low in range(8)]
    total = 0
    for size in range(1, 9):
        for chosen in itertools.combinations(runs, size):
            covered = len(frozenset().union(*chosen))
            total -= (-1) ** size * hands_with_pairs_of(covered)
    assert total == TIEN_LEN["five pairs in a row"].hands


def test_six_pairs_of_tien_len_are_those_of_mau_binh():
    """Six pairs and a card, or five pairs and a three: the thirteenth card is single or makes a pair a three."""
    assert TIEN_LEN["six pairs"].hands == MAU_BINH["six pairs"].hands + MAU_BINH["five pairs and a three"].hands


def test_hands_counted_by_rank_count_all_hands():
    assert law.hands_counted_by_rank(lambda state, _rank, _count: state, lambda _state: True) == law.HANDS
