"""Environments: the games of the law as PettingZoo's AEC, and Ultimate Texas Hold'em as Gymnasium's.

They need the extra ``env``. An episode is a round that is dealt as the shuffler deals and judged by the law; nothing of
a server is imported. ``referee.env.record`` alone plays finished episodes again through a referee.
"""

from referee.env.actions import Actions
from referee.env.episode import Episode
from referee.env.house import HouseEnv
from referee.env.round import RoundEnv

__all__ = ["Actions", "Episode", "HouseEnv", "RoundEnv"]
