"""Registry of the games at the table: built-in ones, and those of installed packages (entry points ``referee.tables``).

>>> list(GAMES)[:3]
['mau_binh', 'tien_len', 'ultimate_texas']
"""

from importlib import import_module
from typing import Final

from referee.games import Registry
from referee_table.table_game import TableGame

FOLDERS: Final = ("mau_binh", "tien_len", "ultimate_texas")
"""The folders of this package that register a game, as ``GAME`` in their ``game.py``."""


def _builtin() -> tuple[TableGame, ...]:
    return tuple([import_module(f"referee_table.{folder}.game").GAME for folder in FOLDERS])


GAMES: Final[Registry[TableGame]] = Registry("referee.tables", _builtin)
"""The games by name."""
