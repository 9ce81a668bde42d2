"""The 52 cards and the seats they are dealt to.

A card is a name, not a strength: which card beats which is up to a game's ruleset, so cards do not compare. Cards are
numbered 1 to 52 as ``4 * rank + suit + 1``: ranks 2 to A, suits spade, club, diamond, heart. A proto3 enum lets every
number through, so ``Card(number)`` raises UnknownCardError for a number that names no card. Equality is identity; ``<``
raises TypeError on purpose.

>>> from referee.cards import Card, parse_cards, spell
>>> Card(52)
<Card.ACE_OF_HEARTS: 52>
>>> [card.number for card in parse_cards("2S TH AH")]
[1, 36, 52]
>>> spell(parse_cards("as 10h"))
'AS TH'
"""

import enum
from collections.abc import Iterable
from typing import Final, NewType


class UnknownCardError(ValueError):
    """A text or number that names no card of the 52."""


class Rank(enum.Enum):
    """Rank index 0 (two) to 12 (ace), as used in a card's number. A game decides the order of ranks."""

    TWO = 0
    THREE = 1
    FOUR = 2
    FIVE = 3
    SIX = 4
    SEVEN = 5
    EIGHT = 6
    NINE = 7
    TEN = 8
    JACK = 9
    QUEEN = 10
    KING = 11
    ACE = 12


class Suit(enum.Enum):
    """Suit index 0 to 3 in the order of the numbers: spade, club, diamond, heart."""

    SPADE = 0
    CLUB = 1
    DIAMOND = 2
    HEART = 3

    @property
    def is_red(self) -> bool:
        """Whether the suit is diamonds or hearts."""
        return self.value >= Suit.DIAMOND.value


RANK_LETTERS: Final = "23456789TJQKA"
SUIT_LETTERS: Final = "SCDH"
SUIT_SIGNS: Final = "♠♣♦♥"


class Card(enum.Enum):
    """One card of the 52. Its value is its number; ``rank`` (0-12) and ``suit`` (0-3) follow from the number.

    >>> Card.ACE_OF_HEARTS.number, Card.ACE_OF_HEARTS.rank, Card.ACE_OF_HEARTS.suit
    (52, 12, 3)
    >>> Card(99)
    Traceback (most recent call last):
    ...
    referee.cards.UnknownCardError: no card has the number 99; cards are numbered 1 to 52
    """

    number: int
    """Number from 1 to 52, by which messages name the card."""
    rank: int
    """Rank from 0 for a two to 12 for an ace."""
    suit: int
    """Suit: 0 spade, 1 club, 2 diamond, 3 heart."""
    is_red: bool
    """Whether the suit is diamond or heart."""
    text: str
    """Text of two letters, such as ``TS`` for the ten of spades."""
    glyph: str
    """Text for players, such as ``10♠``."""

    TWO_OF_SPADES = 1
    TWO_OF_CLUBS = 2
    TWO_OF_DIAMONDS = 3
    TWO_OF_HEARTS = 4
    THREE_OF_SPADES = 5
    THREE_OF_CLUBS = 6
    THREE_OF_DIAMONDS = 7
    THREE_OF_HEARTS = 8
    FOUR_OF_SPADES = 9
    FOUR_OF_CLUBS = 10
    FOUR_OF_DIAMONDS = 11
    FOUR_OF_HEARTS = 12
    FIVE_OF_SPADES = 13
    FIVE_OF_CLUBS = 14
    FIVE_OF_DIAMONDS = 15
    FIVE_OF_HEARTS = 16
    SIX_OF_SPADES = 17
    SIX_OF_CLUBS = 18
    SIX_OF_DIAMONDS = 19
    SIX_OF_HEARTS = 20
    SEVEN_OF_SPADES = 21
    SEVEN_OF_CLUBS = 22
    SEVEN_OF_DIAMONDS = 23
    SEVEN_OF_HEARTS = 24
    EIGHT_OF_SPADES = 25
    EIGHT_OF_CLUBS = 26
    EIGHT_OF_DIAMONDS = 27
    EIGHT_OF_HEARTS = 28
    NINE_OF_SPADES = 29
    NINE_OF_CLUBS = 30
    NINE_OF_DIAMONDS = 31
    NINE_OF_HEARTS = 32
    TEN_OF_SPADES = 33
    TEN_OF_CLUBS = 34
    TEN_OF_DIAMONDS = 35
    TEN_OF_HEARTS = 36
    JACK_OF_SPADES = 37
    JACK_OF_CLUBS = 38
    JACK_OF_DIAMONDS = 39
    JACK_OF_HEARTS = 40
    QUEEN_OF_SPADES = 41
    QUEEN_OF_CLUBS = 42
    QUEEN_OF_DIAMONDS = 43
    QUEEN_OF_HEARTS = 44
    KING_OF_SPADES = 45
    KING_OF_CLUBS = 46
    KING_OF_DIAMONDS = 47
    KING_OF_HEARTS = 48
    ACE_OF_SPADES = 49
    ACE_OF_CLUBS = 50
    ACE_OF_DIAMONDS = 51
    ACE_OF_HEARTS = 52

    def __init__(self, number: int) -> None:
        self.number = number
        self.rank, self.suit = divmod(number - 1, 4)
        self.is_red = Suit(self.suit).is_red
        self.text = RANK_LETTERS[self.rank] + SUIT_LETTERS[self.suit]
        self.glyph = RANK_LETTERS[self.rank].replace("T", "10") + SUIT_SIGNS[self.suit]

    __hash__ = object.__hash__  # members are singletons; Enum would hash the name in Python code each time

    def __str__(self) -> str:
        return self.text

    @classmethod
    def _missing_(cls, value: object) -> None:
        raise UnknownCardError(f"no card has the number {value!r}; cards are numbered 1 to 52")


DECK: Final = tuple(Card)
"""All cards in the order of their numbers; ``DECK[k]`` is card number ``k + 1``."""

_BY_NUMBER: Final = {card.number: card for card in DECK}


def cards_of(numbers: Iterable[int]) -> tuple[Card, ...]:
    """Return the cards with these numbers, in their order; raise UnknownCardError if a number is no card.

    This is ``Card(number)`` for each, several times as fast.
    """
    try:
        return tuple(map(_BY_NUMBER.__getitem__, numbers))
    except KeyError as error:
        raise UnknownCardError(f"no card has the number {error.args[0]!r}; cards are numbered 1 to 52") from None


_BY_TEXT: Final = {card.text: card for card in DECK}


def parse_card(text: str) -> Card:
    """Parse a card: rank ``2``-``9``, ``T`` or ``10``, ``J``, ``Q``, ``K``, ``A``, then ``S C D H``.

    Case does not matter. Raises UnknownCardError naming the text.
    """
    card = _BY_TEXT.get(text.upper().replace("10", "T"))
    if card is None:
        msg = f"{text!r} is no card; write a rank 2-9, T, J, Q, K or A and a suit S, C, D or H, such as AS or TH"
        raise UnknownCardError(msg)
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Parse cards separated by spaces, in their order. A card that occurs twice is returned twice."""
    return tuple(parse_card(word) for word in text.split())


def spell(cards: Iterable[Card]) -> str:
    """Return the texts of cards in their order, separated by one space."""
    return " ".join(card.text for card in cards)


def glyphs_of(cards: Iterable[Card]) -> str:
    """Return the cards as people read them, in their order: rank and suit sign, such as ``10♥ 2♣``."""
    return " ".join(card.glyph for card in cards)


Seat = NewType("Seat", int)
"""Index of a seat, 0-based, in dealing order (counterclockwise)."""

HOUSE: Final = Seat(255)
"""Seat number of the house, for games that have one. It fits the single byte that a seat takes in hashed fields."""
