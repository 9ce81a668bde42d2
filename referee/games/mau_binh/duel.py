"""A duel: two seats compared chi by chi.

Compared where both are there and lawful; won without comparing against a fouled seat, and against one that has left by
the seat still there. Nothing passes between two fouled seats, between a fouled seat and one that is gone, or where both
are gone. Equal chi are won by neither.
"""

from typing import Final

import msgspec

from referee.cards import Seat
from referee.games.mau_binh.code import Walkover
from referee.games.mau_binh.standing import Standing
from referee.hands import HandValue

FIRST: Final = 1
SECOND: Final = -1
_NOTHING: Final = (0, 0, 0)
_COMPARED: Final = (None, None, None)
_ALL: Final = 3
_SWEEPERS: Final[dict[tuple[int, ...], int]] = {(FIRST,) * _ALL: FIRST, (SECOND,) * _ALL: SECOND}


class Duel(msgspec.Struct, frozen=True):
    """The chi between two seats, ``first`` before ``second``.

    ``winners`` has FIRST (1), SECOND (-1) or 0 for each chi; ``walkovers`` says why one was won without comparing.
    """

    first: Seat
    second: Seat
    winners: tuple[int, ...]
    walkovers: tuple[Walkover | None, ...]

    @property
    def sweeper(self) -> int:
        """FIRST or SECOND where that seat won all three chi, otherwise 0."""
        return _SWEEPERS.get(self.winners, 0)

    @property
    def swept(self) -> tuple[Seat, Seat]:
        """The seat that won all three chi and the one that lost them, where ``sweeper`` is not 0."""
        return (self.first, self.second) if self.sweeper == FIRST else (self.second, self.first)


def duel(first_seat: Seat, first: Standing, second_seat: Seat, second: Standing) -> Duel:
    """The duel of two seats by what stands for them."""
    if first.fouls or second.fouls:
        if first.fouls and second.fouls:
            return Duel(first_seat, second_seat, _NOTHING, _COMPARED)
        winner, stayed = (SECOND, second.chi_stayed) if first.fouls else (FIRST, first.chi_stayed)
        there = [chi < stayed for chi in range(_ALL)]
        return Duel(
            first_seat,
            second_seat,
            tuple([winner if is_there else 0 for is_there in there]),
            tuple([Walkover.FOUL if is_there else None for is_there in there]),
        )
    if first.chi_stayed == second.chi_stayed == _ALL:
        back, middle, front = first.values
        other_back, other_middle, other_front = second.values
        winners = (_compared(back, other_back), _compared(middle, other_middle), _compared(front, other_front))
        return Duel(first_seat, second_seat, winners, _COMPARED)
    return _duel_with_absent(first_seat, first, second_seat, second)


def _compared(mine: HandValue, theirs: HandValue) -> int:
    return (mine.strength > theirs.strength) - (mine.strength < theirs.strength)


def _duel_with_absent(first_seat: Seat, first: Standing, second_seat: Seat, second: Standing) -> Duel:
    """The duel of two lawful seats of which one at least was gone before the end."""
    winners: list[int] = []
    walkovers: list[Walkover | None] = []
    for chi in range(_ALL):
        first_is_there, second_is_there = chi < first.chi_stayed, chi < second.chi_stayed
        if first_is_there and second_is_there:
            winners.append(_compared(first.values[chi], second.values[chi]))
            walkovers.append(None)
        else:
            winners.append(first_is_there - second_is_there)
            walkovers.append(Walkover.LEFT if first_is_there or second_is_there else None)
    return Duel(first_seat, second_seat, tuple(winners), tuple(walkovers))
