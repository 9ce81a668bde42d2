"""The commands of Tiến Lên."""

from typing import Annotated

import msgspec

from referee_table.commands import Cards, Move


class PlayCards(Move, frozen=True, kw_only=True, tag="play"):
    """Command to play cards."""

    cards: Annotated[Cards, msgspec.Meta(min_length=1)]


class Pass(Move, frozen=True, kw_only=True, tag="pass"):
    """Command to pass."""
