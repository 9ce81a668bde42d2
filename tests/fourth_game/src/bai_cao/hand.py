"""Value of three cards: three faces, or the last digit of their sum. An ace counts 1; 10, J, Q and K count nothing.

>>> from referee.cards import parse_cards
>>> [hand_of(parse_cards(text)).value for text in ("JS QS KH", "AS 4H 5C", "9S 9H 9C")]
['THREE_FACES', 'POINTS_0', 'POINTS_7']
"""

import enum
from collections.abc import Sequence
from typing import Final

from referee.cards import Card, Rank

FACES: Final = frozenset({Rank.JACK.value, Rank.QUEEN.value, Rank.KING.value})
POINTS: Final = (2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0, 1)
"""Points by rank, 2 to A."""


class Hand(enum.StrEnum):
    """Value of a hand; ``strength`` compares two hands."""

    POINTS_0 = "POINTS_0"
    POINTS_1 = "POINTS_1"
    POINTS_2 = "POINTS_2"
    POINTS_3 = "POINTS_3"
    POINTS_4 = "POINTS_4"
    POINTS_5 = "POINTS_5"
    POINTS_6 = "POINTS_6"
    POINTS_7 = "POINTS_7"
    POINTS_8 = "POINTS_8"
    POINTS_9 = "POINTS_9"
    THREE_FACES = "THREE_FACES"

    @property
    def strength(self) -> int:
        """Place among all values, from 0."""
        return HANDS.index(self)


HANDS: Final = tuple(Hand)
"""Values from weak to strong."""


def hand_of(cards: Sequence[Card]) -> Hand:
    """Return the value of three cards."""
    ranks = [card.rank for card in cards]
    if FACES.issuperset(ranks):
        return Hand.THREE_FACES
    return HANDS[sum(POINTS[rank] for rank in ranks) % 10]
