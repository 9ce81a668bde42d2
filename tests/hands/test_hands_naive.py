"""A second ranking, written from the rules with counters and tuples, agrees with the tables on every hand."""

import hashlib
import itertools
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import DECK, Card
from referee.hands import AceLowStraight, Category, Ranking, RankingRules
from referee.hands.ladder import SUITED, five_card_ladder
from referee.hands.strength_table import key_of
from tests.budget import examples

Key: TypeAlias = tuple[int, list[int]]

VECTORS: Final = Path(__file__).parents[1] / "vectors" / "hands" / "rankings.jsonl"

LOW: Final = (3, 2, 1, 0, 12)
NINE: Final = tuple(Category)[:9]
REFINED: Final = tuple(Category)[9:]
THREE: Final = (Category.HIGH_CARD, Category.PAIR, Category.THREE_OF_A_KIND)


def naive_category(cards: Sequence[Card], rules: RankingRules) -> Category:
    """Find the narrowest category of five cards that the rules list, by one question after another."""
    ranks = sorted(card.rank for card in cards)
    counts = sorted(Counter(ranks).values())
    is_flush = len({card.suit for card in cards}) == 1
    is_low = ranks == [0, 1, 2, 3, 12] and rules.ace_low_straight is not AceLowStraight.NOT_A_STRAIGHT
    is_straight = is_low or (len(set(ranks)) == 5 and ranks[4] - ranks[0] == 4)
    fits = {
        Category.FOUR_ACES: ranks.count(12) == 4,
        Category.ROYAL_FLUSH: is_flush and is_straight and ranks[0] == 8,
        Category.LOW_STRAIGHT_FLUSH: is_flush and is_low,
        Category.STRAIGHT_FLUSH: is_flush and is_straight,
        Category.FOUR_OF_A_KIND: 4 in counts,
        Category.FULL_HOUSE: counts == [2, 3],
        Category.FLUSH: is_flush,
        Category.STRAIGHT: is_straight,
        Category.THREE_OF_A_KIND: 3 in counts,
        Category.TWO_PAIR: counts == [1, 2, 2],
        Category.PAIR: 2 in counts,
        Category.HIGH_CARD: True,
    }
    return next(category for category, fit in fits.items() if fit and category in rules.order)


def naive_key(cards: Sequence[Card], rules: RankingRules) -> Key:
    """Return the key of five cards: the category's place, then ranks by how often they occur and how high they are."""
    category = naive_category(cards, rules)
    counts = Counter(card.rank for card in cards)
    ranks = [rank for rank, _ in sorted(counts.items(), key=lambda item: (-item[1], -item[0]))]
    if category in {Category.STRAIGHT, Category.STRAIGHT_FLUSH, Category.LOW_STRAIGHT_FLUSH} and ranks[:2] == [12, 3]:
        low_place = {AceLowStraight.LOWEST: 3, AceLowStraight.SECOND_HIGHEST: 11.5}[rules.ace_low_straight]
        return rules.order.index(category), [int(2 * low_place)]
    if category in {Category.STRAIGHT, Category.STRAIGHT_FLUSH}:
        return rules.order.index(category), [2 * ranks[0]]
    return rules.order.index(category), ranks


def naive_three_key(cards: Sequence[Card], rules: RankingRules) -> Key:
    """Return the key of three cards, on the scale of ``naive_key``."""
    counts = Counter(card.rank for card in cards)
    category = {3: Category.HIGH_CARD, 2: Category.PAIR, 1: Category.THREE_OF_A_KIND}[len(counts)]
    return rules.order.index(category), sorted(counts, key=lambda rank: (-counts[rank], -rank))


def dense(keys: Sequence[Key]) -> list[int]:
    """Return the place of each key among the distinct keys, from 1; equal keys share a place."""
    places = {repr(key): place for place, key in enumerate(sorted({repr(key): key for key in keys}.values()), 1)}
    return [places[repr(key)] for key in keys]


def one_hand_of_each_kind() -> list[tuple[Card, ...]]:
    """7,462 hands: each multiset of five ranks with mixed suits, and each set of five ranks in one suit."""
    mixed = []
    for ranks in itertools.combinations_with_replacement(range(13), 5):
        if max(Counter(ranks).values()) < 5:
            suits = range(4) if len(set(ranks)) < 5 else (0, 0, 0, 0, 1)
            copies = [ranks[:place].count(rank) for place, rank in enumerate(ranks)]
            mixed.append(
                tuple(
                    DECK[4 * rank + (suits[place] if len(set(ranks)) == 5 else copy)]
                    for place, (rank, copy) in enumerate(zip(ranks, copies, strict=True))
                )
            )
    suited = [tuple(DECK[4 * rank + 2] for rank in ranks) for ranks in itertools.combinations(range(13), 5)]
    return mixed + suited


KINDS: Final = one_hand_of_each_kind()


@st.composite
def ranking_rules(draw: st.DrawFn) -> RankingRules:
    """Any rules there can be: every order of the nine categories and of any refinements among them."""
    ace_low = draw(st.sampled_from(AceLowStraight))
    refinements = [
        category
        for category in draw(st.sets(st.sampled_from(REFINED)))
        if not (category is Category.LOW_STRAIGHT_FLUSH and ace_low is AceLowStraight.NOT_A_STRAIGHT)
    ]
    order = tuple(draw(st.permutations([*NINE, *refinements])))
    return RankingRules(order, tuple(category for category in order if category in THREE), ace_low)


def test_kinds_are_all_the_kinds() -> None:
    """The representatives are as many as there are kinds, and no two are of one kind."""
    kinds = {(tuple(sorted(card.rank for card in cards)), len({card.suit for card in cards}) == 1) for cards in KINDS}
    assert (len(KINDS), len(kinds)) == (7462, 7462)
    assert all(len(set(cards)) == 5 for cards in KINDS)


@pytest.mark.parametrize("name", ["classic", "maubinh_com", "ultimate"])
def test_strength_is_the_dense_place_among_all_kinds(name: str, request: pytest.FixtureRequest) -> None:
    ranking: Ranking = request.getfixturevalue(name)
    expected = dense([naive_key(cards, ranking.rules) for cards in KINDS])
    assert expected == [ranking.five_strength(cards) for cards in KINDS]
    assert max(expected) == 7462


@settings(max_examples=examples(8))
@given(ranking_rules())
def test_every_kind_of_hand_is_once_in_a_ladder(rules: RankingRules) -> None:
    """With the highest rank of a straight or of single cards first."""
    hands = [(category, ranks) for category, members in five_card_ladder(rules) for ranks in members]
    assert (len(hands), len({(category in SUITED, key_of(category, ranks)) for category, ranks in hands})) == (
        7462,
        7462,
    )
    assert {len(ranks) for _, ranks in hands} == {2, 3, 4, 5}
    assert all(len(ranks) < 5 or ranks in (LOW, tuple(sorted(ranks, reverse=True))) for _, ranks in hands)


@settings(max_examples=examples(8))
@given(ranking_rules())
def test_any_rules_give_the_order_they_state(rules: RankingRules) -> None:
    """Whatever order the categories have, values agree with the second ranking in strength and in category."""
    ranking = Ranking(rules)
    expected = dense([naive_key(cards, rules) for cards in KINDS])
    values = [ranking.five(cards) for cards in KINDS]
    assert expected == [value.strength for value in values]
    assert [naive_category(cards, rules) for cards in KINDS] == [value.category for value in values]


@settings(max_examples=examples(1))
@given(ranking_rules())
def test_front_outranks_by_category_then_by_the_ranks_both_have(rules: RankingRules) -> None:
    """All 455 fronts beside all 7,462 hands of five."""
    ranking = Ranking(rules)
    fives = [(naive_key(cards, rules), ranking.five_strength(cards)) for cards in KINDS]
    fronts = [
        tuple(DECK[4 * rank + suit] for suit, rank in enumerate(ranks))
        for ranks in itertools.combinations_with_replacement(range(13), 3)
    ]
    assert len(fronts) == 455
    for front in fronts:
        place, ranks = naive_three_key(front, rules)
        floor = ranking.three_table.floors[ranking.three(front).strength]
        wrong = [
            key
            for key, strength in fives
            if (place > key[0] or (place == key[0] and ranks > key[1][: len(ranks)])) is not (strength < floor)
        ]
        assert wrong == []


def test_three_cards_have_the_order_of_a_second_ranking(classic: Ranking) -> None:
    """All 22,100 hands of three, in any suits."""
    hands = list(itertools.combinations(DECK, 3))
    expected = dense([naive_three_key(cards, classic.rules) for cards in hands])
    assert expected == [classic.three(cards).strength for cards in hands]
    assert max(expected) == 455


@pytest.mark.exhaustive("counts every hand")
@pytest.mark.parametrize("line", VECTORS.read_text(encoding="utf-8").splitlines())
def test_pinned_digests_are_those_of_the_second_ranking(line: str) -> None:
    """All 2,598,960 hands in the order of card numbers, with the strengths that counters and tuples give them."""
    vector = json.loads(line)
    rules = msgspec.convert(vector["rules"], RankingRules)
    places = dense([naive_key(cards, rules) for cards in KINDS])
    strengths = {
        (tuple(sorted(card.rank for card in cards)), len({card.suit for card in cards}) == 1): place.to_bytes(2, "big")
        for cards, place in zip(KINDS, places, strict=True)
    }
    digest = hashlib.sha256()
    for cards in itertools.combinations(DECK, 5):
        ranks = tuple([card.rank for card in cards])
        digest.update(strengths[ranks, len({card.suit for card in cards}) == 1])
    assert vector["five_card_sha256"] == digest.hexdigest()
