"""A duel: two seats compared chi by chi.

A chi is compared if both seats are lawful and still there; equal chi are won by neither. A lawful seat that is still
there wins without comparing against one that fouled or has left. Nothing is paid between two fouled seats, between a
fouled seat and one that has left, or between two that have left.
"""

from typing import Final, TypeAlias, assert_never

import msgspec

from referee.cards import Seat
from referee.games.mau_binh.arrangement import Arrangement, ChiValues, chi_values, fouls_of
from referee.games.mau_binh.code import CHI, ViolationCode, Walkover
from referee.games.mau_binh.penalties import LeavingInShowdown
from referee.games.mau_binh.sealing import not_opened
from referee.games.mau_binh.state import BEFORE_SHOWDOWN, State
from referee.hands import HandValue
from referee.verdict import Violation

FIRST: Final = 1
SECOND: Final = -1
_ALL: Final = 3
_Chi: TypeAlias = tuple[tuple[int, ...], tuple[Walkover | None, ...]]
"""Winners and walkovers of a duel, by chi."""
_COMPARED: Final[tuple[Walkover | None, ...]] = (None,) * _ALL
_ALL_FIRST: Final = (FIRST,) * _ALL
_ALL_SECOND: Final = (SECOND,) * _ALL


class Showing(msgspec.Struct, frozen=True):
    """Hand of one seat in the showdown: its arrangement and the values of its chi.

    A seat that left before the showdown has no ``fouls``: its arrangement is not checked. ``chi_stayed`` is the number
    of chi that leaving has not cost the seat: 0 if it left before the showdown, otherwise 3 unless it left during the
    showdown under rules by which it loses the later chi. ``left_in_showdown``: whether it left so.
    """

    arrangement: Arrangement
    values: ChiValues
    fouls: tuple[Violation, ...]
    chi_stayed: int
    left_in_showdown: bool

    @property
    def is_unopened(self) -> bool:
        """Whether the seat fouled by not opening its commitment in time; its cards are shown as dealt."""
        return any(foul.code is ViolationCode.NOT_OPENED for foul in self.fouls)

    @property
    def left_before(self) -> bool:
        """Whether the seat left before the showdown."""
        return self.chi_stayed == 0


def showing_of(state: State, seat: Seat) -> Showing:
    """Return a seat's showing; its fouls name the seat."""
    rules, departure, arrangement = state.rules, state.departures[seat], state.shown(seat)
    chi = arrangement.chi
    values = chi_values(rules, chi)
    if departure == BEFORE_SHOWDOWN:
        return Showing(arrangement, values, (), chi_stayed=0, left_in_showdown=False)
    sealing = state.sealing
    if sealing is not None and sealing.unopened[seat]:
        return Showing(arrangement, values, (not_opened(seat),), chi_stayed=len(CHI), left_in_showdown=False)
    fouls = fouls_of(rules, chi, values)
    if fouls:
        fouls = tuple([Violation(code=foul.code, seat=seat, cards=foul.cards, against=foul.against) for foul in fouls])
    stayed, left = len(CHI), False
    if departure is not None:
        match rules.leaving.in_showdown:
            case LeavingInShowdown.LOSES_LATER_CHI:
                stayed, left = departure, True
            case LeavingInShowdown.ARRANGEMENT_COUNTS:
                pass
            case _:
                assert_never(rules.leaving.in_showdown)
    return Showing(arrangement, values, fouls, chi_stayed=stayed, left_in_showdown=left)


class Duel(msgspec.Struct, frozen=True):
    """Result of the chi between two seats.

    ``winners`` has for each chi FIRST (1), SECOND (-1) or 0 for neither. ``walkovers`` has for each chi the reason why
    it was won without comparing, otherwise None. ``swept`` is (winner, loser) if one seat won all three chi, else None.
    """

    first: Seat
    second: Seat
    winners: tuple[int, ...]
    walkovers: tuple[Walkover | None, ...]
    swept: tuple[Seat, Seat] | None


def duel(first_seat: Seat, first: Showing, second_seat: Seat, second: Showing) -> Duel:
    """Compare two seats chi by chi."""
    winners: tuple[int, ...]
    walkovers = _COMPARED
    if first.chi_stayed == second.chi_stayed == _ALL and not (first.fouls or second.fouls):
        back, middle, front = first.values
        other_back, other_middle, other_front = second.values
        winners = (_compared(back, other_back), _compared(middle, other_middle), _compared(front, other_front))
    else:
        winners, walkovers = _walked_over(first, second)
    swept = None
    if winners == _ALL_FIRST:
        swept = (first_seat, second_seat)
    elif winners == _ALL_SECOND:
        swept = (second_seat, first_seat)
    return Duel(first_seat, second_seat, winners, walkovers, swept)


def _compared(mine: HandValue, theirs: HandValue) -> int:
    return (mine.strength > theirs.strength) - (mine.strength < theirs.strength)


def _walked_over(first: Showing, second: Showing) -> _Chi:
    """Return winners and walkovers between two seats of which at least one fouled or was gone before the end."""
    reason = Walkover.FOUL if first.fouls or second.fouls else Walkover.LEFT
    winners: list[int] = []
    walkovers: list[Walkover | None] = []
    for chi in range(_ALL):
        mine, theirs = [not showing.fouls and chi < showing.chi_stayed for showing in (first, second)]
        if mine and theirs:
            winners.append(_compared(first.values[chi], second.values[chi]))
            walkovers.append(None)
        else:
            winners.append(mine - theirs)
            walkovers.append(reason if mine or theirs else None)
    return tuple(winners), tuple(walkovers)
