"""The best hand of five out of more cards: five of seven, or both hole cards and three of the board.

If two hole cards and a board cannot make a flush, ten sums of rank keys give the best hand. Otherwise each choice is
valued on its own, so that no order of categories is taken for granted.

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
from typing import Final, NamedTuple

from referee.cards import Card
from referee.hands.strength import Strength
from referee.hands.strength_table import RANK_KEYS, FiveTable
from referee.hands.value import HandValue


class Chosen(NamedTuple):
    """The value of the best choice and its five cards; of equal choices the first in the order of the given cards."""

    value: HandValue
    cards: tuple[Card, ...]


_LEFT_OUT: Final = tuple(reversed([*itertools.combinations(range(7), 2)]))
"""Places of the two cards that each choice of five of seven leaves out, in the order of the choices."""


def first_of_seven(table: FiveTable, five_strength: Strength, cards: Sequence[Card], strength: int) -> tuple[Card, ...]:
    """Return the first choice of five of seven cards that has this strength.

    The caller must ensure that there is such a choice.
    """
    keys = [RANK_KEYS[card.rank] for card in cards]
    unsuited, total = table.unsuited, sum(keys)
    for left, right in _LEFT_OUT:
        if unsuited[total - keys[left] - keys[right]] == strength:
            five = (*cards[:left], *cards[left + 1 : right], *cards[right + 1 :])
            if five_strength(five) == strength:  # they may be of one suit
                return five
    return next(five for five in itertools.combinations(cards, 5) if five_strength(five) == strength)


def fives_of_two_plus_three(hole: Sequence[Card], board: Sequence[Card]) -> Iterable[tuple[Card, ...]]:
    """Return the 10 choices of both hole cards and three of five board cards."""
    return ((*hole, *three) for three in itertools.combinations(board, 3))


def two_plus_three_strength(
    table: FiveTable, five_strength: Strength, *, hole: Sequence[Card], board: Sequence[Card]
) -> int:
    """Return the strength of the best hand of two hole cards and three of five board cards.

    All seven cards must be different, which is not checked.
    """
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
