"""The commands of Mậu Binh."""

from typing import Annotated

import msgspec

from referee_table.commands import CardText, Hash, Move

Five = Annotated[list[CardText], msgspec.Meta(min_length=5, max_length=5)]
Three = Annotated[list[CardText], msgspec.Meta(min_length=3, max_length=3)]


class Rows(Move, frozen=True, kw_only=True):
    """A command with thirteen cards in their rows."""

    back: Five
    middle: Five
    front: Three


class Arrange(Rows, frozen=True, kw_only=True, tag="arrange"):
    """Command with an arrangement, final or still being changed."""

    is_final: bool = True


class Check(Rows, frozen=True, kw_only=True, tag="check"):
    """Command to check an arrangement."""


class Commit(Move, frozen=True, kw_only=True, tag="commit"):
    """Command with a commitment to an arrangement, final or still being changed."""

    is_final: bool = True
    commitment: Hash


class Open(Rows, frozen=True, kw_only=True, tag="open"):
    """Command with the arrangement that the seat has committed to."""

    nonce: Hash
