"""Suspicions: the findings of a log's statistics, each with a stable code.

Each code is also a code of the audit, which explains it.

>>> SuspicionCode.DECK_REPEATED.is_note, SuspicionCode.WIN_RATE_UNUSUAL.is_note
(False, True)
"""

import enum
from dataclasses import dataclass


class SuspicionCode(enum.StrEnum):
    """Kind of a suspicion."""

    TABLES_THROWN_AWAY = "TABLES_THROWN_AWAY"
    ROUNDS_GIVEN_UP = "ROUNDS_GIVEN_UP"
    GIVEN_UP_BY_YOUNG_KEYS = "GIVEN_UP_BY_YOUNG_KEYS"
    TABLES_UNSEEDED = "TABLES_UNSEEDED"
    ABORTED_BY_QUALITY = "ABORTED_BY_QUALITY"
    ABORTED_FOR_KEY = "ABORTED_FOR_KEY"
    WITHHELD_BY_SEAT = "WITHHELD_BY_SEAT"
    CARDS_BY_PLACE_UNEVEN = "CARDS_BY_PLACE_UNEVEN"
    DECKS_CORRELATED = "DECKS_CORRELATED"
    DECK_REPEATED = "DECK_REPEATED"
    WINS_BEYOND_CHANCE = "WINS_BEYOND_CHANCE"
    WIN_RATE_UNUSUAL = "WIN_RATE_UNUSUAL"
    UNLIKELY_BY_CHANCE = "UNLIKELY_BY_CHANCE"

    @property
    def is_note(self) -> bool:
        """Whether it is only a note: lawful conduct, or an assumption that fails, may explain it too."""
        return self in _NOTES


_NOTES = frozenset(
    {
        SuspicionCode.ROUNDS_GIVEN_UP,
        SuspicionCode.GIVEN_UP_BY_YOUNG_KEYS,
        SuspicionCode.TABLES_UNSEEDED,
        SuspicionCode.WIN_RATE_UNUSUAL,
        SuspicionCode.UNLIKELY_BY_CHANCE,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A suspicion with its detail for people, its table and its leaf; None if it concerns no single table or leaf.

    ``number`` is its number in the list that ``make findings`` prints; None for the number of its code.
    """

    code: SuspicionCode
    detail: str
    number: int | None = None
    table_id: str | None = None
    leaf_index: int | None = None
