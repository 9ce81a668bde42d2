"""Tables from which the strength of a hand is read with one addition a card.

Each rank has a key. Two hands of five cards (at most four of one rank) have the same sum of keys only if they have the
same ranks; the same holds for two hands of three. A strength is then one sum and one index into an array.

>>> key_of(Category.FULL_HOUSE, (12, 11)) == 3 * RANK_KEYS[12] + 2 * RANK_KEYS[11]
True
"""

import itertools
from array import array
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


def three_table(ladder: Sequence[tuple[Category, tuple[Ranks, ...]]]) -> dict[int, int]:
    """Return the strengths of three cards by the sum of their ``RANK_KEYS``; suits do not matter to three cards."""
    return {key_of(category, ranks): strength for strength, category, ranks in numbered(ladder)}
