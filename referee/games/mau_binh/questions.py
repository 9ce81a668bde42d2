"""Points of a hand of Mậu Binh for the statistics of an audit: ranks by their order, and more for cards of one rank."""

from typing import Final

from referee.games.questions import RANKS, rank_points

QUESTIONS: Final = rank_points(hand_size=13, places=range(RANKS), together=(0, 0, 6, 18, 40))
