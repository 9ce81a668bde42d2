"""The comparison of three cards with five: which five-card hands a three-card front outranks.

Category decides, then as many ranks as both have; if those are equal the five cards are stronger. Five-card hands are
in that order already, so each front has one weakest five-card hand that it does not outrank.

>>> from referee.cards import parse_cards
>>> from referee.hands import AceLowStraight, Ranking, RankingRules
>>> three_card_order = (Category.HIGH_CARD, Category.PAIR, Category.THREE_OF_A_KIND)
>>> ranking = Ranking.of(RankingRules(tuple(Category), three_card_order, AceLowStraight.LOWEST))
>>> front = ranking.three(parse_cards("AS AC KD"))
>>> floor = ranking.five_of_strength(ranking.three_table.floors[front.strength])
>>> floor.category, floor.ranks
(<Category.PAIR: 'PAIR'>, (12, 11, 1, 0))
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from referee.hands.category import Category
from referee.hands.ladder import Ranks
from referee.hands.table import numbered, three_table


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
    steps = {category: step for step, (category, _) in enumerate(fives)}
    hands = [(steps[category], ranks) for category, members in fives for ranks in members]
    floors = [bisect_left(hands, (steps[category], ranks)) + 1 for _, category, ranks in numbered(threes)]
    return ThreeTable(three_table(threes), (0, *floors))
