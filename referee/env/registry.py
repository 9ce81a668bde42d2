"""Actions by game: those of the built-in games, and those of installed packages, entry points ``referee.actions``."""

from typing import Final

from referee.env.actions import Actions
from referee.env.mau_binh import MauBinhActions
from referee.env.tien_len import TienLenActions
from referee.env.ultimate_texas import UltimateTexasActions
from referee.games import Registry

ACTIONS: Final = Registry[type[Actions]](
    "referee.actions", lambda: (MauBinhActions, TienLenActions, UltimateTexasActions)
)
