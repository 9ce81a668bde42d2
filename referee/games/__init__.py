"""The law of each game, in a package of its own, and the interface and registry through which others look a game up.

No game knows another, and none reads a network, a clock or a disk.
"""

from referee.games.game import (
    AnyGame,
    Clock,
    Deal,
    DealError,
    Event,
    EventBytesError,
    Game,
    GameRules,
    Outcome,
    Played,
    ResultValue,
    RoundBounds,
    RoundNotOverError,
    SeatLimits,
    Sections,
    StakeFault,
    StakesError,
    State,
    UnlawfulEventError,
    play,
    refusals,
)
from referee.games.layout import Layout
from referee.games.registry import GAMES, Registry, RegistryError, game_of

__all__ = [
    "GAMES",
    "AnyGame",
    "Clock",
    "Deal",
    "DealError",
    "Event",
    "EventBytesError",
    "Game",
    "GameRules",
    "Layout",
    "Outcome",
    "Played",
    "Registry",
    "RegistryError",
    "ResultValue",
    "RoundBounds",
    "RoundNotOverError",
    "SeatLimits",
    "Sections",
    "StakeFault",
    "StakesError",
    "State",
    "UnlawfulEventError",
    "game_of",
    "play",
    "refusals",
]
