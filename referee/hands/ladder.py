"""Every hand up to suits, from weak to strong: 7,462 of five cards and 455 of three.

A hand is written as its category and its distinct ranks, the most significant first; how often each rank occurs depends
on the category (``MULTIPLICITIES``). Within a category hands are ordered by their ranks, read from the left.

>>> from referee.hands.category import AceLowStraight
>>> [len(hands) for hands in five_card_hands(AceLowStraight.LOWEST).values()]
[1277, 2860, 858, 858, 10, 1277, 156, 156, 10]
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, TypeAlias, assert_never

from referee.hands.category import AceLowStraight, Category
from referee.hands.rules import REFINEMENTS, RankingRules

Ranks: TypeAlias = tuple[int, ...]
"""Distinct rank indices, 0 (two) to 12 (ace), the most significant first."""

RANKS: Final = range(13)
_ACE: Final = 12
_LOW: Final[Ranks] = (3, 2, 1, 0, 12)
_ROYAL: Final[Ranks] = (12, 11, 10, 9, 8)
_REFINED: Final[Mapping[Category, frozenset[Ranks]]] = MappingProxyType(
    {
        Category.LOW_STRAIGHT_FLUSH: frozenset({_LOW}),
        Category.ROYAL_FLUSH: frozenset({_ROYAL}),
        Category.FOUR_ACES: frozenset((_ACE, rank) for rank in range(_ACE)),
    }
)
"""For each refinement, the hands of its wider category that belong to it."""

MULTIPLICITIES: Final = MappingProxyType(
    {
        Category.HIGH_CARD: (1, 1, 1, 1, 1),
        Category.PAIR: (2, 1, 1, 1),
        Category.TWO_PAIR: (2, 2, 1),
        Category.THREE_OF_A_KIND: (3, 1, 1),
        Category.STRAIGHT: (1, 1, 1, 1, 1),
        Category.FLUSH: (1, 1, 1, 1, 1),
        Category.FULL_HOUSE: (3, 2),
        Category.FOUR_OF_A_KIND: (4, 1),
        Category.STRAIGHT_FLUSH: (1, 1, 1, 1, 1),
        Category.LOW_STRAIGHT_FLUSH: (1, 1, 1, 1, 1),
        Category.ROYAL_FLUSH: (1, 1, 1, 1, 1),
        Category.FOUR_ACES: (4, 1),
    }
)
"""Number of cards of each rank of a five-card hand. A three-card hand has fewer ranks and uses the first entries."""

SUITED: Final = frozenset({Category.FLUSH, Category.STRAIGHT_FLUSH, Category.LOW_STRAIGHT_FLUSH, Category.ROYAL_FLUSH})
"""Categories whose five cards are of one suit; no hand of another category is."""


def _singles(count: int, *, without: Iterable[int] = ()) -> list[Ranks]:
    """Return all sets of ``count`` ranks, the weakest set first; in a set the highest rank comes first."""
    taken = frozenset(without)
    return list(itertools.combinations([rank for rank in reversed(RANKS) if rank not in taken], count))[::-1]


def _straights(ace_low: AceLowStraight) -> list[Ranks]:
    """Return the straights, the weakest first; in a straight the highest rank comes first."""
    plain = [tuple(range(top, top - 5, -1)) for top in range(4, 13)]
    match ace_low:
        case AceLowStraight.LOWEST:
            return [_LOW, *plain]
        case AceLowStraight.SECOND_HIGHEST:
            return [*plain[:-1], _LOW, _ROYAL]
        case AceLowStraight.NOT_A_STRAIGHT:
            return plain
        case _:
            assert_never(ace_low)


def five_card_hands(ace_low: AceLowStraight) -> Mapping[Category, Sequence[Ranks]]:
    """Return the hands of each of the nine categories that cover all hands, in ascending order."""
    straights = _straights(ace_low)
    runs = {tuple(sorted(ranks, reverse=True)) for ranks in straights}
    singles = [ranks for ranks in _singles(5) if ranks not in runs]
    pairs = [(pair, *rest) for pair in RANKS for rest in _singles(3, without=[pair])]
    two_pairs = [(*both, rest) for both in _singles(2) for rest in RANKS if rest not in both]
    triples = [(triple, *rest) for triple in RANKS for rest in _singles(2, without=[triple])]
    unequal = [(first, second) for first in RANKS for second in RANKS if first != second]
    return {
        Category.HIGH_CARD: singles,
        Category.PAIR: pairs,
        Category.TWO_PAIR: two_pairs,
        Category.THREE_OF_A_KIND: triples,
        Category.STRAIGHT: straights,
        Category.FLUSH: singles,
        Category.FULL_HOUSE: unequal,
        Category.FOUR_OF_A_KIND: unequal,
        Category.STRAIGHT_FLUSH: straights,
    }


def five_card_ladder(rules: RankingRules) -> list[tuple[Category, tuple[Ranks, ...]]]:
    """Return the 7,462 five-card hands of a ranking from weak to strong, by category."""
    hands = five_card_hands(rules.ace_low_straight)
    refinements = [category for category in rules.order if category in REFINEMENTS]
    ladder = []
    for category in rules.order:
        if category in REFINEMENTS:
            members = [ranks for ranks in hands[REFINEMENTS[category]] if ranks in _REFINED[category]]
        else:
            narrower = [_REFINED[name] for name in refinements if REFINEMENTS[name] is category]
            members = [ranks for ranks in hands[category] if not any(ranks in taken for taken in narrower)]
        ladder.append((category, tuple(members)))
    return ladder


def three_card_ladder(rules: RankingRules) -> list[tuple[Category, tuple[Ranks, ...]]]:
    """Return the 455 three-card hands of a ranking from weak to strong; empty if it does not rank three cards."""
    hands: dict[Category, list[Ranks]] = {
        Category.HIGH_CARD: _singles(3),
        Category.PAIR: [(pair, rest) for pair in RANKS for rest in RANKS if rest != pair],
        Category.THREE_OF_A_KIND: [(triple,) for triple in RANKS],
    }
    return [(category, tuple(hands[category])) for category in rules.three_card_order]
