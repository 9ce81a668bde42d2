"""A round as the statistics of a log see it: its deck, how good the hands were, how it ended.

The law: a deck counts only where it was dealt again from its seeds; what was merely told counts for nothing but as
told. ``drawing`` makes it from a round's leaves.
"""

import msgspec


class Drawn(msgspec.Struct, frozen=True, kw_only=True):
    """A round as the statistics see it.

    ``deck`` are the numbers of all 52 cards in the order dealt, empty where they were not dealt again; ``shown`` is a
    hash of the cards of all hands and boards in that order, dealt again or told, and ``shown_count`` their number.
    ``quality`` is by seat: points, or 1, 0, -1 against the house; empty without a deck. ``culprit`` is the seat that an
    ABORT names, ``winner`` the one seat with the highest net amount in a settlement that was replayed.
    """

    table_id: str
    game: str
    seat_count: int
    leaf_index: int
    is_aborted: bool = False
    culprit: int | None = None
    deck: bytes = b""
    shown: bytes = b""
    shown_count: int = 0
    quality: tuple[int, ...] = ()
    winner: int | None = None
