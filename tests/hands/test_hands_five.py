"""All 2,598,960 hands of five: published counts, pinned digests, and the order of another evaluator."""

import hashlib
import itertools
import json
import sys
from array import array
from collections import Counter
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Final

import pytest

from referee.cards import DECK
from referee.hands import Category, Ranking

VECTORS: Final = Path(__file__).parents[1] / "vectors" / "hands" / "rankings.jsonl"

COUNTS: Final = {
    Category.HIGH_CARD: 1_302_540,
    Category.PAIR: 1_098_240,
    Category.TWO_PAIR: 123_552,
    Category.THREE_OF_A_KIND: 54_912,
    Category.STRAIGHT: 10_200,
    Category.FLUSH: 5_108,
    Category.FULL_HOUSE: 3_744,
    Category.FOUR_OF_A_KIND: 624,
    Category.STRAIGHT_FLUSH: 40,
}
"""Published for one deck; https://en.wikipedia.org/wiki/Poker_probability counts the royal flush, 4, apart."""

CLASSES: Final = {
    Category.HIGH_CARD: 1277,
    Category.PAIR: 2860,
    Category.TWO_PAIR: 858,
    Category.THREE_OF_A_KIND: 858,
    Category.STRAIGHT: 10,
    Category.FLUSH: 1277,
    Category.FULL_HOUSE: 156,
    Category.FOUR_OF_A_KIND: 156,
    Category.STRAIGHT_FLUSH: 10,
}
"""Published with Cactus Kev's evaluator: distinct values of five cards."""


@cache
def _strengths(ranking: Ranking) -> "array[int]":
    """Return the strength of every hand of five, in the order of their card numbers."""
    return array("H", map(ranking.five_strength, itertools.combinations(DECK, 5)))


def _counts(ranking: Ranking) -> Counter[Category]:
    counts: Counter[Category] = Counter()
    for strength, count in Counter(_strengths(ranking)).items():
        counts[ranking.five_of_strength(strength).category] += count
    return counts


def test_categories_have_their_published_counts(classic: Ranking) -> None:
    assert _counts(classic) == COUNTS


def test_refined_categories_are_taken_out_of_the_wider_ones(maubinh_com: Ranking, ultimate: Ranking) -> None:
    """4 royal flushes, 4 from the ace low, 48 times four aces: one for each card beside them."""
    refined = {Category.ROYAL_FLUSH: 4, Category.LOW_STRAIGHT_FLUSH: 4, Category.FOUR_ACES: 48}
    assert _counts(maubinh_com) == {**COUNTS, **refined, Category.STRAIGHT_FLUSH: 32, Category.FOUR_OF_A_KIND: 576}
    assert _counts(ultimate) == {**COUNTS, Category.ROYAL_FLUSH: 4, Category.STRAIGHT_FLUSH: 36}


def test_categories_have_their_published_numbers_of_values(classic: Ranking) -> None:
    values = [classic.five_of_strength(strength) for strength in range(1, 7463)]
    assert Counter(value.category for value in values) == CLASSES
    assert len(set(_strengths(classic))) == 7462


@pytest.mark.parametrize("line", VECTORS.read_text(encoding="utf-8").splitlines())
def test_every_strength_is_pinned(line: str, request: pytest.FixtureRequest) -> None:
    """One SHA-256 over the strengths of all hands, each two bytes, big-endian, hands in the order of card numbers.

    The digests are golden; the same numbers come from the second ranking in ``test_hands_naive``.
    """
    vector = json.loads(line)
    name = "ultimate" if vector["id"] == "ultimate_texas" else vector["id"]
    strengths = _strengths(request.getfixturevalue(name))[:]
    if sys.byteorder == "little":
        strengths.byteswap()
    assert vector["five_card_sha256"] == hashlib.sha256(strengths.tobytes()).hexdigest()


@pytest.mark.exhaustive("counts every hand")
def test_order_is_that_of_eval7(classic: Ranking, eval7: ModuleType) -> None:
    """Over all hands, each strength has one eval7 value and larger strengths have larger ones: the same ties, too."""
    deck = [eval7.Card(card.text[0] + card.text[1].lower()) for card in DECK]
    pairs = set(zip(_strengths(classic), map(eval7.evaluate, itertools.combinations(deck, 5)), strict=True))
    assert len(pairs) == 7462
    theirs = [value for _, value in sorted(pairs)]
    assert theirs == sorted(set(theirs))
