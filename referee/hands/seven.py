"""The strength of the best five of seven cards, remembered by ranks.

Where no five of seven cards are of one suit, their best hand depends on their ranks alone, and of those there are
49,205 at most; each is worked out once and remembered. Otherwise each of the 21 hands is valued on its own, so that no
order of categories is taken for granted.

>>> from referee.cards import parse_cards
>>> from referee.hands import AceLowStraight, Category, Ranking, RankingRules
>>> ranking = Ranking.of(RankingRules(tuple(Category), (), AceLowStraight.LOWEST))
>>> strength = ranking.seven_strength(parse_cards("AS KS QS JS TS AC AD"))
>>> ranking.five_of_strength(strength).category
<Category.ROYAL_FLUSH: 'ROYAL_FLUSH'>
"""

import itertools
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from referee.cards import DECK, Card
from referee.hands.five import FiveStrength
from referee.hands.table import RANK_KEYS, FiveTable

SevenStrength: TypeAlias = Callable[[Sequence[Card]], int]
"""From seven different cards to the strength of the best five; anything else gives no meaning or an error."""

_SUIT_BITS: Final = 12
_SUITS: Final = (1 << _SUIT_BITS) - 1
_CODES: Final = (0, *(5**card.rank << _SUIT_BITS | 8**card.suit for card in DECK))
"""By card number: a digit of base 5 for each rank, and below it a digit of base 8 for each suit. Sums never carry."""

_FLUSHES: Final = frozenset(
    sum(8**suit for suit in suits)
    for suits in itertools.combinations_with_replacement(range(4), 7)
    if max(map(suits.count, suits)) > 4  # noqa: PLR2004 - five make a flush
)


def seven_strength_of(table: FiveTable, five_strength: FiveStrength) -> SevenStrength:
    """The function that tells the strength of the best five of seven different cards, in any order of the cards."""
    codes, flushes = _CODES, _FLUSHES
    known: dict[int, int] = {}

    def seven_strength(cards: Sequence[Card]) -> int:
        a, b, c, d, e, f, g = cards
        code = codes[a.number] + codes[b.number] + codes[c.number] + codes[d.number]
        code += codes[e.number] + codes[f.number] + codes[g.number]
        if code & _SUITS in flushes:
            return max(map(five_strength, itertools.combinations(cards, 5)))
        strength = known.get(code >> _SUIT_BITS)
        if strength is None:
            keys = [RANK_KEYS[card.rank] for card in cards]
            strength = max(table.unsuited[sum(five)] for five in itertools.combinations(keys, 5))
            known[code >> _SUIT_BITS] = strength
        return strength

    return seven_strength
