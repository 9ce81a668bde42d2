"""Points of a hand of Tiến Lên for the statistics of an audit: ranks from 3 to 2, and more for cards of one rank.

>>> from referee.cards import parse_cards
>>> QUESTIONS.points(bytes(card.number for card in parse_cards("2S 2C 2D 2H AS KS QS JS TS 9S 8S 7S 6S")))
141
"""

from typing import Final

from referee.games.questions import RANKS, rank_points

QUESTIONS: Final = rank_points(
    hand_size=13, places=[(rank - 1) % RANKS for rank in range(RANKS)], together=(0, 0, 3, 9, 30)
)
