"""Questions of an audit's statistics: how good the hands were that each seat was dealt."""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from typing import Final

from bai_cao.hand import hand_of
from bai_cao.round import HAND_SIZE
from referee.cards import DECK, cards_of
from referee.games.questions import PointQuestions


def points(hand: bytes) -> int:
    """Return the strength of a hand of card numbers."""
    return hand_of(cards_of(hand)).strength


def weights() -> Mapping[int, int]:
    """Count the 22,100 hands by strength."""
    return Counter(hand_of(cards).strength for cards in combinations(DECK, HAND_SIZE))


QUESTIONS: Final = PointQuestions(points=points, weights=weights, are_seats_alike=False)
"""The dealer plays against all others, so it wins more or loses more than they do."""
