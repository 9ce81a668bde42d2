"""The games that are served: three built-in ones and those of installed packages, by entry points ``referee.services``.

>>> SERVED_GAMES["tien_len"].service
'referee.v1.TienLenService'
"""

from typing import Final

from referee.games import Registry
from referee.service import mau_binh, tien_len, ultimate_texas
from referee.service.served import ServedGame

SERVED_GAMES: Final[Registry[ServedGame]] = Registry(
    "referee.services", lambda: (mau_binh.SERVED, tien_len.SERVED, ultimate_texas.SERVED)
)
"""Served games by name."""
