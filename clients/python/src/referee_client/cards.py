"""Conversions of cards between the enum, its text, and the numbers in messages."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from referee.cards import DECK, Card, parse_cards
from referee.v1 import card_pb2

Cards: TypeAlias = str | Iterable[Card]
"""Cards as text, such as ``"AS KD"``, or as values of ``Card``."""


def read_cards(cards: Cards) -> tuple[Card, ...]:
    """Read cards from their texts; raise UnknownCardError if a text names none."""
    return parse_cards(cards) if isinstance(cards, str) else tuple(cards)


def numbers_of(cards: Cards) -> "list[card_pb2.Card]":
    """Return the numbers of cards for a message."""
    return [card.number for card in read_cards(cards)]  # type: ignore[misc] # a message's enum is the number itself


def cards_of(numbers: Sequence[int]) -> tuple[Card, ...]:
    """Return the cards with the numbers in a message."""
    return tuple([DECK[number - 1] for number in numbers])
