"""The 52 cards and the seats they are dealt to.

A card is a name, not a strength: which card beats which is up to a game's ruleset, so cards do not compare.

>>> from referee.cards import Card, parse_cards, spell
>>> Card(52)
<Card.ACE_OF_HEARTS: 52>
>>> [card.number for card in parse_cards("2S TH AH")]
[1, 36, 52]
>>> spell(parse_cards("as 10h"))
'AS TH'
"""

from referee.cards.card import (
    DECK,
    HOUSE,
    Card,
    Rank,
    Seat,
    Suit,
    UnknownCardError,
    cards_of,
    glyphs_of,
    parse_card,
    parse_cards,
    spell,
)

__all__ = [
    "DECK",
    "HOUSE",
    "Card",
    "Rank",
    "Seat",
    "Suit",
    "UnknownCardError",
    "cards_of",
    "glyphs_of",
    "parse_card",
    "parse_cards",
    "spell",
]
