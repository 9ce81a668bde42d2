"""Which type reads the file of which game."""

from collections.abc import Iterator, Mapping
from typing import Final

from referee.games import GAMES as _GAMES
from referee.games import GameRules, SeatLimits

__all__ = ["GAMES", "GameRules", "SeatLimits"]


class _RulesTypes(Mapping[str, type[GameRules]]):
    """The rules type of each game, by its name."""

    def __getitem__(self, name: str) -> type[GameRules]:
        return _GAMES[name].rules_type

    def __iter__(self) -> Iterator[str]:
        return iter(_GAMES)

    def __len__(self) -> int:
        return len(_GAMES)


GAMES: Final[Mapping[str, type[GameRules]]] = _RulesTypes()
