"""What the referee says as pages read it: cards as texts, fields of messages by name.

>>> texts([52, 1]), numbers(["AH", "2S"])
(['AH', '2S'], [52, 1])
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from google.protobuf.message import Message

from referee.cards import Card

_TEXTS: Final = {card.number: card.text for card in Card}
_NUMBERS: Final = {text: number for number, text in _TEXTS.items()}


def texts(cards: Iterable[int]) -> list[str]:
    """Return the cards' texts in their order."""
    return [_TEXTS[card] for card in cards]


def numbers(cards: Sequence[str]) -> list[int]:
    """Return the numbers of cards by their texts, in their order."""
    return [_NUMBERS[card] for card in cards]


def fields(source: Any, names: str) -> dict[str, Any]:  # noqa: ANN401 - a message of the API, or an object of ours
    """Return fields by name, cards of a message as texts; those with ``?`` are left out if absent, empty or zero.

    >>> from referee.v1.violation_pb2 import Violation
    >>> fields(Violation(seat=0, cards=[52]), "code seat? cards? against? found?")
    {'code': '', 'seat': 0, 'cards': ['AH']}
    """
    if not isinstance(source, Message):
        return {name: getattr(source, name) for name in names.split()}
    given: dict[str, Any] = {}
    for name in names.split():
        field = source.DESCRIPTOR.fields_by_name[name.rstrip("?")]
        value = getattr(source, field.name)
        if name.endswith("?") and not (source.HasField(field.name) if field.has_presence else value):
            continue
        is_cards = field.enum_type is not None and field.enum_type.name == "Card"
        given[field.name] = texts(value) if is_cards else list(value) if field.is_repeated else value
    return given
