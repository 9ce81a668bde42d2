"""Which type reads the file of which game. A new game is one line in ``GAMES``."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, Protocol

from referee.games.mau_binh.rules import MauBinhRules
from referee.games.tien_len.rules import TienLenRules
from referee.games.ultimate_texas.rules import UltimateTexasRules


class SeatLimits(Protocol):
    """How many seats a round may have."""

    @property
    def minimum(self) -> int:
        """The fewest."""

    @property
    def maximum(self) -> int:
        """The most."""


class GameRules(Protocol):
    """What every game's rules tell about themselves.

    Each is a frozen msgspec.Struct without defaults: the tables of a file beside those that every game has (``Header``:
    id, version, game, bet_unit, title, names). It refuses with ValueError what contradicts itself.
    """

    @property
    def seats(self) -> SeatLimits:
        """How many seats a round may have."""

    @property
    def payouts(self) -> Iterable[Fraction]:
        """Everything that is ever paid, in stakes; each times ``bet_unit`` is whole."""

    @property
    def named_codes(self) -> Mapping[str, Iterable[str]]:
        """The codes that results can show, by the table of ``[names]`` that names them; each is named, no other."""


GAMES: Final[Mapping[str, type[GameRules]]] = MappingProxyType(
    {
        "mau_binh": MauBinhRules,
        "tien_len": TienLenRules,
        "ultimate_texas": UltimateTexasRules,
    }
)
"""The rules type by ``game``."""
