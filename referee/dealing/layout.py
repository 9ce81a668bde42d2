"""Former place of the layout, until its callers look it up with their game."""

from typing import Final

from referee.games import GAMES
from referee.games.layout import DECK_SIZE, Layout
from referee.games.ultimate_texas.state import BOARD

__all__ = ["BOARD_SECTIONS", "DECK_SIZE", "OPENING_ORDER", "Layout", "layout_of"]

BOARD_SECTIONS: Final = tuple(BOARD)
OPENING_ORDER: Final = ("flop", "turn_river", "house")


def layout_of(game: str, *, seat_count: int) -> Layout:
    """Return the layout of a game; raise KeyError if it is unknown, ValueError for a number of seats without one."""
    return GAMES[game].layout(seat_count)
