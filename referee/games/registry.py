"""Registry of games: the three built-in ones and those that installed packages name as entry points ``referee.games``.

>>> list(GAMES)[:3], game_of("tien_len.mien_nam").max_events
(['mau_binh', 'tien_len', 'ultimate_texas'], 200)
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import entry_points
from typing import Final, Generic, Protocol, TypeVar

from referee.games.game import AnyGame
from referee.games.mau_binh.game import GAME as MAU_BINH
from referee.games.tien_len.game import GAME as TIEN_LEN
from referee.games.ultimate_texas.game import GAME as ULTIMATE_TEXAS


class Named(Protocol):
    """A value that is registered under its own name."""

    @property
    def name(self) -> str:
        """Name of the game."""


NamedT = TypeVar("NamedT", bound=Named)


class RegistryError(ValueError):
    """Two packages register one name, or a package registers something under another name than its own."""


class Registry(Mapping[str, NamedT], Generic[NamedT]):
    """Values by name: built-in ones, then those of an entry point group in the order of names.

    Entry points are loaded on first use, so that an installed package may import this one while it is imported itself.
    """

    def __init__(self, group: str, builtin: Callable[[], tuple[NamedT, ...]]) -> None:
        self._group = group
        self._builtin = builtin

    @cached_property
    def _values(self) -> dict[str, NamedT]:
        values = {value.name: value for value in self._builtin()}
        origins = dict.fromkeys(values, "referee")
        for entry in sorted(entry_points(group=self._group), key=lambda entry: (entry.name, entry.value)):
            origin = f"{entry.dist.name if entry.dist else 'a package'} ({entry.value})"
            if entry.name in values:
                raise RegistryError(
                    f"{self._group}: {entry.name!r} is registered by {origins[entry.name]} and by {origin}; remove one"
                )
            value: NamedT = entry.load()
            if value.name != entry.name:
                msg = f"{self._group}: {origin} is registered as {entry.name!r} and calls itself {value.name!r}"
                raise RegistryError(msg)
            values[entry.name], origins[entry.name] = value, origin
        return values

    def __getitem__(self, name: str) -> NamedT:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


GAMES: Final[Registry[AnyGame]] = Registry("referee.games", lambda: (MAU_BINH, TIEN_LEN, ULTIMATE_TEXAS))
"""The games by name."""


def game_of(ruleset_id: str) -> AnyGame:
    """Return the game that a ruleset's id begins with; raise KeyError if it is not installed."""
    return GAMES[ruleset_id.partition(".")[0]]
