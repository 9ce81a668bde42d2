"""The best five cards of more: five of seven, or both hole cards and three of the board.

Of two hole cards and a board without a possible flush, ten sums of rank keys give the best hand. Otherwise each choice
is valued on its own, so that no order of categories is taken for granted.

>>> from referee.cards import parse_cards, spell
>>> from referee.hands import AceLowStraight, Category, Ranking, RankingRules
>>> ranking = Ranking.of(RankingRules(tuple(Category), (), AceLowStraight.LOWEST))
>>> hole, board = parse_cards("AS 2C"), parse_cards("KS QS JS TS 2D")
>>> ranking.chosen_of_seven([*hole, *board]).value.category
<Category.ROYAL_FLUSH: 'ROYAL_FLUSH'>
>>> chosen = ranking.chosen_two_plus_three(hole=hole, board=board)
>>> chosen.value.category, spell(chosen.cards)
(<Category.PAIR: 'PAIR'>, 'AS 2C KS QS 2D')
"""

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from referee.cards import Card
from referee.hands.strength import Strength
from referee.hands.table import RANK_KEYS, FiveTable
from referee.hands.value import HandValue


class Chosen(NamedTuple):
    """The value of the best choice and its five cards; of equal choices the first in the order of the given cards."""

    value: HandValue
    cards: tuple[Card, ...]


def fives_of_seven(cards: Sequence[Card]) -> Iterable[tuple[Card, ...]]:
    """Return the 21 choices of five of seven cards."""
    return itertools.combinations(cards, 5)


def fives_of_two_plus_three(hole: Sequence[Card], board: Sequence[Card]) -> Iterable[tuple[Card, ...]]:
    """Return the 10 choices of both hole cards and three of five board cards."""
    return ((*hole, *three) for three in itertools.combinations(board, 3))


def two_plus_three_strength(
    table: FiveTable, five_strength: Strength, *, hole: Sequence[Card], board: Sequence[Card]
) -> int:
    """Return the strength of the best hand of two hole cards and three of five board cards, all different."""
    first, second = hole
    if first.suit == second.suit and [card.suit for card in board].count(first.suit) > 2:  # noqa: PLR2004 - a flush
        return max(map(five_strength, fives_of_two_plus_three(hole, board)))
    unsuited = table.unsuited
    a, b, c, d, e = [RANK_KEYS[card.rank] for card in board]
    total = RANK_KEYS[first.rank] + RANK_KEYS[second.rank] + a + b + c + d + e
    no_a, no_b, no_c = total - a, total - b, total - c
    return max(
        *(unsuited[no_a - b], unsuited[no_a - c], unsuited[no_a - d], unsuited[no_a - e], unsuited[no_b - c]),
        *(unsuited[no_b - d], unsuited[no_b - e], unsuited[no_c - d], unsuited[no_c - e], unsuited[total - d - e]),
    )
