"""Which cards of the deck belong together: one section for each group that is opened at once.

Sections are dealt from the front of the deck in their order; what is left is the stock, always last, left out when
empty. Mậu Binh and Tiến Lên: a section of 13 for each seat. Ultimate Texas Hold'em: two for each seat, the house's two,
the flop's three, turn and river.

The law of who sees what: a seat's hand opens at the deal (on an open table for the frontend, on a sealed one for that
seat alone), a board section opens when the referee's receipt names it, the stock opens with the seed alone. On a sealed
table the hands open for everybody with the last section that a receipt names: the house, or where there is no board the
last hand.

>>> layout_of("ultimate_texas", seat_count=1)
Layout(sizes=(2, 2, 3, 2, 43), seat_count=1, has_board=True)
>>> layout_of("tien_len", seat_count=4).stock is None
True
"""

from dataclasses import dataclass
from typing import Final

from referee.cards import DECK, Seat

DECK_SIZE: Final = len(DECK)
BOARD_SECTIONS: Final = ("house", "flop", "turn_river")
OPENING_ORDER: Final = ("flop", "turn_river", "house")
"""The sections that open after the deal, in their order, whatever their place in the deck."""
_BOARD_SIZES: Final = (2, 3, 2)
_HAND_SIZES: Final = {"mau_binh": 13, "tien_len": 13, "ultimate_texas": 2}


@dataclass(frozen=True, slots=True)
class Layout:
    """The sizes of all sections, the first ``seat_count`` of which are the seats' hands."""

    sizes: tuple[int, ...]
    seat_count: int
    has_board: bool

    def hand(self, seat: Seat) -> int:
        """The section of a seat's hand."""
        return int(seat)

    def board(self, name: str) -> int:
        """The section called ``house``, ``flop`` or ``turn_river``; KeyError where the game has none."""
        if not self.has_board or name not in BOARD_SECTIONS:
            raise KeyError(name)
        return self.seat_count + BOARD_SECTIONS.index(name)

    def opened_until(self, section: int, *, is_sealed: bool = False) -> tuple[int, ...]:
        """What lies open once a section that a receipt names does: hands, flop, turn and river, the house, up to it.

        On a sealed table the hands stand there only where it is the last section that opens. KeyError where the section
        is none that opens after the deal.
        """
        order = [self.board(name) for name in OPENING_ORDER] if self.has_board else []
        if is_sealed and section == self.last_opened:
            return (*self.hands, *order)
        if section not in order:
            raise KeyError(section)
        return (*(() if is_sealed else self.hands), *order[: order.index(section) + 1])

    @property
    def last_opened(self) -> int:
        """The section with which everything that is ever opened lies open on a sealed table."""
        return self.board(OPENING_ORDER[-1]) if self.has_board else self.hands[-1]

    @property
    def hands(self) -> tuple[int, ...]:
        """The sections of all seats' hands, by seat: never the house's cards or the board."""
        return tuple(range(self.seat_count))

    @property
    def stock(self) -> int | None:
        """The section of the cards that nobody is dealt; None where all are dealt."""
        dealt = self.seat_count + (len(BOARD_SECTIONS) if self.has_board else 0)
        return dealt if dealt < len(self.sizes) else None


def layout_of(game: str, *, seat_count: int) -> Layout:
    """The layout of a game for a number of seats.

    KeyError for an unknown game, ValueError for no seats or more than the deck has cards for.
    """
    has_board = game == "ultimate_texas"
    sizes = (_HAND_SIZES[game],) * seat_count + (_BOARD_SIZES if has_board else ())
    stock = DECK_SIZE - sum(sizes)
    if seat_count < 1 or stock < 0:
        msg = f"{seat_count} seats cannot be dealt {_HAND_SIZES[game]} cards each from one deck"
        raise ValueError(msg)
    return Layout(sizes + ((stock,) if stock else ()), seat_count, has_board)
