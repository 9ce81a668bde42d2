"""A hand laid out for showing: the cards that make its category first, the others after.

>>> from referee.cards import parse_cards, spell
>>> from referee.hands import AceLowStraight, Ranking, RankingRules
>>> ranking = Ranking.of(RankingRules(tuple(Category), (), AceLowStraight.LOWEST))
>>> display = ranking.explain(parse_cards("2H KS AD 2C KC"))
>>> spell(display.pattern), spell(display.kickers)
('KS KC 2C 2H', 'AD')
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from referee.cards import Card
from referee.hands.category import Category
from referee.hands.value import HandValue

_PATTERN_SIZES: Final = MappingProxyType(
    {
        Category.HIGH_CARD: 1,
        Category.PAIR: 2,
        Category.TWO_PAIR: 4,
        Category.THREE_OF_A_KIND: 3,
        Category.FOUR_OF_A_KIND: 4,
        Category.FOUR_ACES: 4,
    }
)
"""How many cards make the category; where nothing stands here, all of them."""


@dataclass(frozen=True, slots=True)
class Display:
    """A value with the cards that show it.

    ``pattern`` are the cards that make the category, of a high card the highest; ``kickers`` are the others. Both have
    the order of the value's ranks, cards of one rank that of their numbers.
    """

    value: HandValue
    pattern: tuple[Card, ...]
    kickers: tuple[Card, ...]


def displayed(value: HandValue, cards: Sequence[Card]) -> Display:
    """The cards of a hand of this value, laid out."""
    places = {rank: place for place, rank in enumerate(value.ranks)}
    laid_out = tuple(sorted(cards, key=lambda card: (places[card.rank], card.number)))
    size = _PATTERN_SIZES.get(value.category, len(laid_out))
    return Display(value, laid_out[:size], laid_out[size:])
