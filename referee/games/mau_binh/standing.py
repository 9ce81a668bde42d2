"""What stands for a seat once the showdown has begun: its cards, their values, a foul, and how long it stayed."""

from typing import assert_never

import msgspec

from referee.cards import Seat
from referee.games.mau_binh.arrangement import Arrangement
from referee.games.mau_binh.code import CHI
from referee.games.mau_binh.foul import ChiValues, chi_values, fouls_of
from referee.games.mau_binh.rules import LeavingInShowdown
from referee.games.mau_binh.state import BEFORE_SHOWDOWN, State
from referee.verdict import Violation


class Standing(msgspec.Struct, frozen=True):
    """What stands for one seat.

    ``fouls`` of a seat that left before the showdown are none: its arrangement is not looked at. ``chi_stayed`` counts
    the chi that the seat was there for as far as the rules care: 0 where it left before the showdown, 3 unless leaving
    costs it later chi. ``left_in_showdown`` tells that it left later under rules by which that costs chi.
    """

    arrangement: Arrangement
    values: ChiValues
    fouls: tuple[Violation, ...]
    chi_stayed: int
    left_in_showdown: bool

    @property
    def left_before(self) -> bool:
        """Whether the seat left before the showdown."""
        return self.chi_stayed == 0


def standing_of(state: State, seat: Seat) -> Standing:
    """Return what counts for a seat in the showdown; a foul carries the seat."""
    rules, departure, arrangement = state.rules, state.departures[seat], state.shown(seat)
    chi = arrangement.chi
    values = chi_values(rules, chi)
    if departure == BEFORE_SHOWDOWN:
        return Standing(arrangement, values, (), chi_stayed=0, left_in_showdown=False)
    fouls = fouls_of(rules, chi, values)
    if fouls:
        fouls = tuple([Violation(code=foul.code, seat=seat, cards=foul.cards, against=foul.against) for foul in fouls])
    stayed, left = len(CHI), False
    if departure is not None:
        match rules.leaving.in_showdown:
            case LeavingInShowdown.LOSES_LATER_CHI:
                stayed, left = departure, True
            case LeavingInShowdown.ARRANGEMENT_STANDS:
                pass
            case _:
                assert_never(rules.leaving.in_showdown)
    return Standing(arrangement, values, fouls, chi_stayed=stayed, left_in_showdown=left)
