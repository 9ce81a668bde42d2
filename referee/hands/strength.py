"""Functions from five or seven cards to a strength, made once per ranking.

Five cards cost four additions, one comparison of suits and one index. If no five of seven cards are of one suit, their
best hand depends on their ranks alone, and there are at most 49,205 such sets of ranks; each is computed once and
remembered. Otherwise each of the 21 hands is valued on its own, so that no order of categories is taken for granted.

The functions check nothing, because callers that count millions of hands have checked their cards once.

>>> from referee.cards import parse_cards
>>> from referee.hands import AceLowStraight, Category, Ranking, RankingRules
>>> ranking = Ranking.of(RankingRules(tuple(Category), (), AceLowStraight.LOWEST))
>>> ranking.five_strength(parse_cards("7S 5C 4D 3H 2S")), ranking.five_strength(parse_cards("AS AC AD AH KS"))
(1, 7462)
>>> ranking.five_of_strength(ranking.seven_strength(parse_cards("AS KS QS JS TS AC AD"))).category
<Category.ROYAL_FLUSH: 'ROYAL_FLUSH'>
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from referee.cards import DECK, Card
from referee.hands.strength_table import RANK_KEYS, FiveTable

Strength: TypeAlias = Callable[[Sequence[Card]], int]
"""Function from five, or seven, different cards to their strength; undefined for anything else."""

_SUIT_BITS: Final = 12
_SUITS: Final = (1 << _SUIT_BITS) - 1
_CODES: Final = (0, *(5**card.rank << _SUIT_BITS | 8**card.suit for card in DECK))
"""By card number: a count of each rank in base 5, and below these a count of each suit in base 8. Sums never carry."""

_FLUSHES: Final = frozenset(
    sum(8**suit for suit in suits)
    for suits in itertools.combinations_with_replacement(range(4), 7)
    if max(map(suits.count, suits)) > 4  # noqa: PLR2004 - five make a flush
)


def five_strength_of(table: FiveTable) -> Strength:
    """Return the function from five different cards, in any order, to their strength by this table."""
    keys, unsuited, suited = RANK_KEYS, table.unsuited, table.suited

    def five_strength(cards: Sequence[Card]) -> int:
        a, b, c, d, e = cards
        key = keys[a.rank] + keys[b.rank] + keys[c.rank] + keys[d.rank] + keys[e.rank]
        if a.suit == b.suit and b.suit == c.suit and c.suit == d.suit and d.suit == e.suit:
            return suited[key]
        return unsuited[key]

    return five_strength


def seven_strength_of(table: FiveTable, five_strength: Strength) -> Strength:
    """Return the function from seven different cards, in any order, to the strength of the best five."""
    codes, flushes = _CODES, _FLUSHES
    strengths: dict[int, int] = {}

    def seven_strength(cards: Sequence[Card]) -> int:
        a, b, c, d, e, f, g = cards
        code = codes[a.number] + codes[b.number] + codes[c.number] + codes[d.number]
        code += codes[e.number] + codes[f.number] + codes[g.number]
        if code & _SUITS in flushes:
            return max(map(five_strength, itertools.combinations(cards, 5)))
        ranks = code >> _SUIT_BITS
        strength = strengths.get(ranks)
        if strength is None:
            keys = [RANK_KEYS[card.rank] for card in cards]
            total, unsuited = sum(keys), table.unsuited
            strength = max([unsuited[total - left - right] for left, right in itertools.combinations(keys, 2)])
            strengths[ranks] = strength
        return strength

    return seven_strength
