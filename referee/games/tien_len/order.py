"""The order of the cards: 3 < 4 < ... < K < A < 2, and within a rank spade < club < diamond < heart.

A set of cards is one integer of 52 bits, weakest card in bit 0 (3♠), strongest in bit 51 (2♥). So of two cards the one
with the higher bit is the stronger, four bits hold a rank, and whether a card is held is one ``&``.

>>> from referee.cards import parse_cards, spell
>>> bin(set_of(parse_cards("4S 3S 3H")))
'0b11001'
>>> spell(cards_of(set_of(parse_cards("2H AH 3S"))))
'3S AH 2H'

Source: the text that ``tien_len.mien_nam.toml`` quotes, "2 (heo) > A (xì) > K (già) > Q (đầm)> J (bồi) > 10 > 9 > ... ≫
3.♥ > ♦ > ♣ > ♠".
"""

from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

from referee.cards import DECK, Card

CardSet: TypeAlias = int
"""A set of cards, one bit a card, in order of strength."""

RANK_COUNT: Final = 13
RANK_OF_TWOS: Final = 12
"""Ranks are counted from the weakest: 0 is the three, 11 the ace, 12 the two."""

BY_STRENGTH: Final = DECK[4:] + DECK[:4]
"""The 52 cards, weakest first: in the order of their numbers, with the twos moved to the end."""

_BITS: Final = {card: 1 << strength for strength, card in enumerate(BY_STRENGTH)}

THREE_OF_SPADES: Final[CardSet] = _BITS[Card.THREE_OF_SPADES]
TWOS: Final[CardSet] = 0b1111 << 4 * RANK_OF_TWOS

COUNT: Final = tuple(nibble.bit_count() for nibble in range(16))
"""How many cards a rank holds, by the four bits of that rank."""


def lowest_dealt(hands: Sequence[Sequence[Card]]) -> int:
    """Return the seat that was dealt the lowest card."""
    return min(range(len(hands)), key=lambda seat: min(_BITS[card] for card in hands[seat]))


def set_of(cards: Iterable[Card]) -> CardSet:
    """Return the set of these cards; a card given twice is in it once."""
    card_set = 0
    for card in cards:
        card_set |= _BITS[card]
    return card_set


def cards_of(card_set: CardSet) -> tuple[Card, ...]:
    """Return the cards of a set, weakest first."""
    cards = []
    while card_set:
        lowest = card_set & -card_set
        cards.append(BY_STRENGTH[lowest.bit_length() - 1])
        card_set ^= lowest
    return tuple(cards)
