"""The strength of five cards: four additions, one comparison of suits, one index.

The function is made once per ranking and holds its table in a closure; it checks nothing, because the callers that
count millions of hands have checked their cards once.

>>> from referee.cards import parse_cards
>>> from referee.hands import AceLowStraight, Category, Ranking, RankingRules
>>> five_strength = Ranking.of(RankingRules(tuple(Category), (), AceLowStraight.LOWEST)).five_strength
>>> five_strength(parse_cards("7S 5C 4D 3H 2S")), five_strength(parse_cards("AS AC AD AH KS"))
(1, 7462)
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from referee.cards import Card
from referee.hands.table import RANK_KEYS, FiveTable

FiveStrength: TypeAlias = Callable[[Sequence[Card]], int]
"""From five different cards to their strength; anything else gives no meaning or an error."""


def five_strength_of(table: FiveTable) -> FiveStrength:
    """The function that tells the strength of five different cards by this table, in any order of the cards."""
    keys, unsuited, suited = RANK_KEYS, table.unsuited, table.suited

    def five_strength(cards: Sequence[Card]) -> int:
        a, b, c, d, e = cards
        key = keys[a.rank] + keys[b.rank] + keys[c.rank] + keys[d.rank] + keys[e.rank]
        if a.suit == b.suit and b.suit == c.suit and c.suit == d.suit and d.suit == e.suit:
            return suited[key]
        return unsuited[key]

    return five_strength
