"""Cards as text, as pages and people have them.

>>> texts([52, 1]), numbers(["AH", "2S"])
(['AH', '2S'], [52, 1])
"""

from collections.abc import Iterable, Sequence
from typing import Final

from referee.cards import Card
from referee_table.wording import Code, RefusedError

RANKS: Final = "23456789TJQKA"
SUITS: Final = "SCDH"
_TEXTS: Final = {card.number: card.text for card in Card}
_NUMBERS: Final = {text: number for number, text in _TEXTS.items()}


def texts(cards: Iterable[int]) -> list[str]:
    """Return the cards' texts in their order."""
    return [_TEXTS[card] for card in cards]


def numbers(cards: Sequence[str]) -> list[int]:
    """Return the cards' numbers in their order; raise BAD_COMMAND if a text names no card."""
    try:
        return [_NUMBERS[card] for card in cards]
    except KeyError as error:
        raise RefusedError(Code.BAD_COMMAND, detail=f"{error} is no card") from None
