"""Tables from which the strength of a hand is read with one addition a card.

Each rank has a key. Two hands of five cards (at most four of one rank) have the same sum of keys only if they have the
same ranks; the same holds for two hands of three. A strength is then one sum and one index into an array.

Three cards are compared with five by category, then by as many ranks as both have; if those are equal the five cards
are stronger. Five-card hands are in that order already, so each front has one weakest five-card hand that it does not
outrank.

>>> key_of(Category.FULL_HOUSE, (12, 11)) == 3 * RANK_KEYS[12] + 2 * RANK_KEYS[11]
True
>>> from referee.cards import parse_cards
>>> from referee.hands import AceLowStraight, Ranking, RankingRules
>>> three_card_order = (Category.HIGH_CARD, Category.PAIR, Category.THREE_OF_A_KIND)
>>> ranking = Ranking.of(RankingRules(tuple(Category), three_card_order, AceLowStraight.LOWEST))
>>> front = ranking.three(parse_cards("AS AC KD"))
>>> floor = ranking.five_of_strength(ranking.three_table.floors[front.strength])
>>> floor.category, floor.ranks
(<Category.PAIR: 'PAIR'>, (12, 11, 1, 0))
"""

import itertools
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from referee.hands.category import Category
from referee.hands.ladder import MULTIPLICITIES, SUITED, Ranks

RANK_KEYS: Final = (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415)
"""The key of each rank index. A sum over up to five cards of a deck identifies their ranks."""

_LARGEST_SUM: Final = 4 * RANK_KEYS[12] + RANK_KEYS[11]


@dataclass(frozen=True, slots=True)
class FiveTable:
    """The strengths of five cards by the sum of their ``RANK_KEYS``; ``suited`` are hands of one suit."""

    unsuited: "array[int]"  # the class has no index before Python 3.12
    suited: dict[int, int]


def key_of(category: Category, ranks: Ranks) -> int:
    """Return the sum of the keys of a hand's cards."""
    return sum(RANK_KEYS[rank] * count for rank, count in zip(ranks, MULTIPLICITIES[category], strict=False))


def numbered(ladder: Sequence[tuple[Category, tuple[Ranks, ...]]]) -> Iterator[tuple[int, Category, Ranks]]:
    """Yield strength, category and ranks of each hand of a ladder; strengths count from 1, the weakest."""
    strengths = itertools.count(1)
    for category, hands in ladder:
        for ranks in hands:
            yield next(strengths), category, ranks


def five_table(ladder: Sequence[tuple[Category, tuple[Ranks, ...]]]) -> FiveTable:
    """Build the table of a ladder of five-card hands; ``unsuited`` is zero at a sum that no hand has."""
    unsuited = array("H", bytes(2 * (_LARGEST_SUM + 1)))
    suited = {}
    for strength, category, ranks in numbered(ladder):
        if category in SUITED:
            suited[key_of(category, ranks)] = strength
        else:
            unsuited[key_of(category, ranks)] = strength
    return FiveTable(unsuited, suited)


@dataclass(frozen=True, slots=True)
class ThreeTable:
    """The strengths of three cards by the sum of their ``RANK_KEYS``, and the floor of each strength.

    ``floors[strength]`` is the strength of the weakest five-card hand that these three cards do not outrank; one more
    than the strongest if they outrank every hand.
    """

    strengths: dict[int, int]
    floors: tuple[int, ...]


def three_table_of(
    threes: Sequence[tuple[Category, tuple[Ranks, ...]]], fives: Sequence[tuple[Category, tuple[Ranks, ...]]]
) -> ThreeTable:
    """Build the table of three-card hands from the three-card and the five-card ladder of one ranking."""
    strengths = {key_of(category, ranks): strength for strength, category, ranks in numbered(threes)}
    steps = {category: step for step, (category, _) in enumerate(fives)}
    hands = [(steps[category], ranks) for category, members in fives for ranks in members]
    floors = [bisect_left(hands, (steps[category], ranks)) + 1 for _, category, ranks in numbered(threes)]
    return ThreeTable(strengths, (0, *floors))
