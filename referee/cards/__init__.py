"""The 52 cards and the seats they are dealt to: names only, no order and no game.

A card is a name, not a strength. Which card beats which is the law of a game and stands in its ruleset, so this
room refuses to compare cards; it only numbers, spells and validates them.

>>> from referee.cards import Card, parse_cards, spell
>>> Card(52)
<Card.ACE_OF_HEARTS: 52>
>>> [card.number for card in parse_cards("2S TH AH")]
[1, 36, 52]
>>> spell(parse_cards("as 10h"))
'AS TH'
"""

from referee.cards.card import DECK, Card, Rank, Suit, UnknownCardError, cards_of, parse_card, parse_cards, spell
from referee.cards.seat import HOUSE, Seat

__all__ = [
    "DECK",
    "HOUSE",
    "Card",
    "Rank",
    "Seat",
    "Suit",
    "UnknownCardError",
    "cards_of",
    "parse_card",
    "parse_cards",
    "spell",
]
