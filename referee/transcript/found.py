"""What the found parts of every game are made of."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from referee.cards import Card
from referee.money import Transfer

FoundValue: TypeAlias = "str | int | Card | Transfer | Sequence[FoundValue] | Mapping[str, FoundValue]"
"""Text is codes and hexadecimal digits. A card stands as its number, a transfer with its seats as from and to."""
