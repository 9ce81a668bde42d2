"""Why a seat leads a round, in games that have a leader."""

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from referee.cards import Card


class LeaderBy(enum.StrEnum):
    """Why a seat leads. Codes are stable: DEAL, certificates and transcripts have them."""

    WINNER = "WINNER"
    """It won the table's last settled round."""
    DRAW = "DRAW"
    """It was drawn from the seeds of the deal."""
    LOWEST_CARD = "LOWEST_CARD"
    """It was dealt the lowest card of all hands."""


def lowest_dealt(hands: Sequence[Sequence[Card]]) -> int:
    """Return the seat that was dealt the card of the lowest number."""
    return min(range(len(hands)), key=lambda seat: min(card.number for card in hands[seat]))


def draw_first(_: object) -> LeaderBy:
    """Return DRAW: without a winner the leader is drawn, for games whose rules have no other way."""
    return LeaderBy.DRAW


@dataclass(frozen=True, kw_only=True)
class Leading:
    """How a game finds its leader if no winner leads.

    ``first_leader(rules)`` returns how: DRAW or LOWEST_CARD. ``lowest_dealt(hands)`` returns the seat that was dealt
    the lowest card in the game's order.
    """

    first_leader: Callable[[Any], LeaderBy] = draw_first
    lowest_dealt: Callable[[Sequence[Sequence[Card]]], int] = lowest_dealt
