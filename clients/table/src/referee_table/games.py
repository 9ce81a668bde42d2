"""The games at the table.

>>> list(GAMES)
['mau_binh', 'tien_len', 'ultimate_texas']
"""

from collections.abc import Mapping
from typing import Final

from referee_table.mau_binh.game import GAME as MAU_BINH
from referee_table.table_game import TableGame
from referee_table.tien_len.game import GAME as TIEN_LEN
from referee_table.ultimate_texas.game import GAME as ULTIMATE_TEXAS

GAMES: Final[Mapping[str, TableGame]] = {game.name: game for game in (MAU_BINH, TIEN_LEN, ULTIMATE_TEXAS)}
"""The games by name, which is also the name of the folder that registers each as ``GAME`` in its ``game.py``."""
