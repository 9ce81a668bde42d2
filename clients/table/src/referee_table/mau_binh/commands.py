"""The commands of Mậu Binh."""

from referee_table.commands import Cards, Hash, InRound, Move


class Arrange(Move, frozen=True, kw_only=True, tag="arrange"):
    """Command with an arrangement, final or still being changed."""

    is_final: bool = True

    back: Cards
    middle: Cards
    front: Cards


class Check(InRound, frozen=True, kw_only=True, tag="check"):
    """Command to check an arrangement."""

    back: Cards
    middle: Cards
    front: Cards


class Commit(Move, frozen=True, kw_only=True, tag="commit"):
    """Command with a commitment to an arrangement, final or still being changed."""

    is_final: bool = True
    commitment: Hash


class Open(Move, frozen=True, kw_only=True, tag="open"):
    """Command with the arrangement that the seat has committed to."""

    back: Cards
    middle: Cards
    front: Cards
    nonce: Hash
