"""Card numbers on the wire to cards and back."""

from collections.abc import Iterable, Sequence
from typing import Final

from referee.cards import DECK, Card
from referee.v1.card_pb2 import Card as CardMessage
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

_BY_NUMBER: Final = {card.number: card for card in DECK}


def read_cards(numbers: Sequence[int], *, field: str) -> tuple[Card, ...]:
    """The cards with these numbers; refuses a number that names no card, with its place in the field."""
    try:
        return tuple([_BY_NUMBER[number] for number in numbers[:]])  # a list: repeated fields are slow to step through
    except KeyError:
        index = next(index for index, number in enumerate(numbers) if number not in _BY_NUMBER)
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_CARD,
            f"{numbers[index]} is no card; cards are numbered 1 to 52",
            field=f"{field}[{index}]",
            found=numbers[index],
        ) from None


def numbers_of(cards: Iterable[Card]) -> list[CardMessage]:
    """The cards as the wire has them, by number, in their order."""
    return [card.number for card in cards]  # type: ignore[misc] # the enum of the wire is the number itself
