"""The commands of Mậu Binh."""

from referee_table.commands import Cards, Hash, InRound, Move


class Arrange(Move, frozen=True, kw_only=True, tag="arrange"):
    """An arrangement, the last one or one on the way."""

    is_final: bool = True

    back: Cards
    middle: Cards
    front: Cards


class Check(InRound, frozen=True, kw_only=True, tag="check"):
    """An arrangement to be checked."""

    back: Cards
    middle: Cards
    front: Cards


class Commit(Move, frozen=True, kw_only=True, tag="commit"):
    """A commitment to an arrangement, the last one or one on the way."""

    is_final: bool = True
    commitment: Hash


class Open(Move, frozen=True, kw_only=True, tag="open"):
    """The arrangement that the seat is bound to."""

    back: Cards
    middle: Cards
    front: Cards
    nonce: Hash
