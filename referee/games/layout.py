"""Sections of a round's deck: the cards that open together.

Sections are dealt from the front of the deck in their order: a hand for each seat, then the game's board sections, then
the stock (what is left, if anything). A seat's hand opens at the deal: on an open table for the frontend, on a sealed
one for that seat alone. A board section opens when the referee's receipt names it, the stock only with the seed. On a
sealed table the hands open for everybody with the last section that a receipt names.

>>> layout = Layout.of(2, hand_size=2, board={"house": 2, "flop": 3}, opening_order=("flop", "house"))
>>> layout.sizes, layout.board("flop"), layout.stock
((2, 2, 2, 3, 43), 3, 4)
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Self

from referee.cards import DECK

DECK_SIZE: Final = len(DECK)


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes of all sections, names of the board sections among them, and the order in which these open.

    ``needs_hands``: whether a round of an open table can only begin if every hand is open.
    """

    sizes: tuple[int, ...]
    names: tuple[str, ...]
    seat_count: int
    opening_order: tuple[str, ...]
    needs_hands: bool = True

    @classmethod
    def of(
        cls,
        seat_count: int,
        *,
        hand_size: int,
        board: Mapping[str, int] | None = None,
        opening_order: tuple[str, ...] = (),
        needs_hands: bool = True,
    ) -> Self:
        """Lay out a deck; raise ValueError for no seats or more than the deck has cards for."""
        board = board or {}
        sizes = (hand_size,) * seat_count + tuple(board.values())
        stock = DECK_SIZE - sum(sizes)
        if seat_count < 1 or stock < 0:
            raise ValueError(f"{seat_count} seats cannot be dealt {hand_size} cards each from one deck")
        return cls(sizes + ((stock,) if stock else ()), tuple(board), seat_count, opening_order, needs_hands)

    def board(self, name: str) -> int:
        """Return the section of this name; raise KeyError if the game has none."""
        if name not in self.names:
            raise KeyError(name)
        return self.seat_count + self.names.index(name)

    def name(self, section: int) -> str:
        """Return the name of a board section; empty for a hand and the stock."""
        place = section - self.seat_count
        return self.names[place] if 0 <= place < len(self.names) else ""

    def opened_until(self, section: int, *, is_sealed: bool = False) -> tuple[int, ...]:
        """Return all sections that are open once a receipt names this one, hands first.

        On a sealed table the hands are among them only if this is the last section to open. Raise KeyError for a
        section that does not open after the deal.
        """
        order = [self.board(name) for name in self.opening_order]
        if is_sealed and section == self.last_opened:
            return (*self.hands, *order)
        if section not in order:
            raise KeyError(section)
        return (*(() if is_sealed else self.hands), *order[: order.index(section) + 1])

    @property
    def last_opened(self) -> int:
        """Section with which the hands of a sealed table open."""
        return self.board(self.opening_order[-1]) if self.opening_order else self.hands[-1]

    @property
    def hands(self) -> tuple[int, ...]:
        """Sections of the seats' hands, by seat."""
        return tuple(range(self.seat_count))

    @property
    def shown(self) -> tuple[int, ...]:
        """Sections that open by the end of a round: all but the stock."""
        return tuple(range(self.seat_count + len(self.names)))

    @property
    def has_board(self) -> bool:
        """Whether there are sections beside hands and stock."""
        return bool(self.names)

    @property
    def stock(self) -> int | None:
        """Section of the cards that are not dealt; None where all are dealt."""
        dealt = self.seat_count + len(self.names)
        return dealt if dealt < len(self.sizes) else None


def hands_alone(hand_size: int) -> Callable[[int], Layout]:
    """Return the layout, by number of seats, of a game that deals each seat a hand of this size and no board."""
    return cache(lambda seat_count: Layout.of(seat_count, hand_size=hand_size))
