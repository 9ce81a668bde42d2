"""The law of each game as code (lawful events, their effect, the payments), with an interface and a registry.

No game knows another, and none reads a network, a clock or a disk.
"""

from referee.games.codec import Event, EventBytesError
from referee.games.deal import DealError, DealtRound
from referee.games.game import (
    AnyGame,
    Clock,
    Game,
    GameRules,
    ResultValue,
    RoundNotOverError,
    StakesError,
    UnlawfulEventError,
    play,
    refusals,
)
from referee.games.law_error import LawError, under_ruleset
from referee.games.layout import Layout
from referee.games.lead import LeaderBy
from referee.games.registry import GAMES, Registry, game_of
from referee.games.stakes import StakeFault

__all__ = [
    "GAMES",
    "AnyGame",
    "Clock",
    "DealError",
    "DealtRound",
    "Event",
    "EventBytesError",
    "Game",
    "GameRules",
    "LawError",
    "Layout",
    "LeaderBy",
    "Registry",
    "ResultValue",
    "RoundNotOverError",
    "StakeFault",
    "StakesError",
    "UnlawfulEventError",
    "game_of",
    "play",
    "refusals",
    "under_ruleset",
]
