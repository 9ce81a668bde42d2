"""Price of a duel: the chi won, changed or multiplied by a sweep, a foul or four aces.

The table of who sweeps whom:

- *A seat swept by every seat* (``BY_EVERY_SEAT``) is lawful, did not leave before the showdown and lost all three chi
  to every other seat; no such seat exists if another seat fouled or left before the showdown, and so lost to it. It
  pays everything it owes ``multiplier`` times.
- *A fouled seat* counts as swept against each lawful seat where the rules say so, but not against one that left during
  the showdown where leaving costs chi. Where an arrangement that was not opened costs the foul or the sweep, it counts
  as swept too, and a flat foul is paid only where that is no less.
- *Four aces in the back* whose seat won all three chi against every seat that did not leave before the showdown are
  worth more: each of these seats pays the higher price, and no sweep is added to it.
- *A seat that left before the showdown* counts as swept where the rules say so, against each lawful seat but one that
  left during the showdown where leaving costs chi. It is never swept otherwise, and it does not owe the price of four
  aces that won from everyone.
- *A seat that wins all three chi against every seat* sweeps where the rules say so and every other seat is lawful and
  did not leave before the showdown. A seat that leaves while a chi is shown is judged by its cards, so its departure
  changes nothing.
"""

from collections.abc import Sequence
from typing import Final, assert_never

import msgspec

from referee.cards import Seat
from referee.games.mau_binh.code import Reason, Walkover
from referee.games.mau_binh.duel import Duel, Showing
from referee.games.mau_binh.rules import (
    FoulFlat,
    FoulLosesChi,
    FoulSwept,
    FourAcesFullSweep,
    LeavingBefore,
    MauBinhRules,
    NoSweep,
    NoWinnerSweep,
    SweptByAll,
    SweptPairPlus,
    SweptPairTimes,
    Unopened,
)
from referee.hands import Category


class Added(msgspec.Struct, frozen=True):
    """Units on top of the chi, with the reason and subject of their transfer."""

    units: int
    reason: Reason
    subject: str


class Sweeps(msgspec.Struct, frozen=True):
    """Sweeps that depend on all duels.

    ``swept_by_all``: seats that lost all three chi to every other seat. ``four_aces``: seats with four aces in the back
    that won all three chi against every seat that stayed; a seat whose opponents all left can be among them and changes
    no price. ``winner``: the seat that won all three chi against every other seat if the rules pay for that, else None.
    """

    swept_by_all: frozenset[Seat]
    four_aces: frozenset[Seat]
    winner: Seat | None = None


_NO_SWEEPS: Final = Sweeps(frozenset(), frozenset())


def sweeps_of(rules: MauBinhRules, showings: Sequence[Showing], duels: Sequence[Duel]) -> Sweeps:
    """Return the sweeps that depend on all duels; none where the rules have none."""
    swept = [pair.swept for pair in duels if pair.swept is not None]
    if not swept:
        return _NO_SWEEPS
    stayed = frozenset([Seat(seat) for seat, showing in enumerate(showings) if not showing.left_before])
    lawful = frozenset([seat for seat in stayed if not showings[seat].fouls])
    by_all: frozenset[Seat] = frozenset()
    if isinstance(rules.sweep, SweptByAll):
        everyone = {Seat(seat) for seat in range(len(showings))}
        by_all = frozenset([seat for seat in lawful if all((other, seat) in swept for other in everyone - {seat})])
    four_aces: frozenset[Seat] = frozenset()
    if isinstance(rules.four_aces_sweep, FourAcesFullSweep):
        holders = [seat for seat in lawful if showings[seat].values[0].category is Category.FOUR_ACES]
        four_aces = frozenset([seat for seat in holders if all((seat, other) in swept for other in stayed - {seat})])
    return Sweeps(by_all, four_aces, _winner_of(rules, showings, swept))


def _winner_of(rules: MauBinhRules, showings: Sequence[Showing], swept: Sequence[tuple[Seat, Seat]]) -> Seat | None:
    """Return the seat that wins all three chi against every other seat; None if the rules pay nothing for that."""
    is_lawful = all(not (showing.left_before or showing.fouls) for showing in showings)
    if isinstance(rules.winner_sweep, NoWinnerSweep) or not is_lawful:
        return None
    for winner in {winner for winner, _ in swept}:
        others = [Seat(seat) for seat in range(len(showings)) if seat != winner]
        if all((winner, other) in swept and _beats(showings[winner], showings[other]) for other in others):
            return winner
    return None


def _beats(winner: Showing, loser: Showing) -> bool:
    """Return whether each chi of the winner is strictly stronger than the loser's; leaving and fouls are ignored."""
    return all(mine.strength > theirs.strength for mine, theirs in zip(winner.values, loser.values, strict=True))


def sweeps_between(  # noqa: PLR0913 - as sweep_of
    rules: MauBinhRules, showings: Sequence[Showing], sweeps: Sweeps, *, winner: Seat, loser: Seat, chi_units: int
) -> tuple[Added, ...]:
    """Return the additions of all sweeps to three chi, worth ``chi_units``, that the winner won against the loser.

    Of several multipliers only the dearest counts.
    """
    added = sweep_of(rules, showings, sweeps, winner=winner, loser=loser, chi_units=chi_units)
    single = () if added is None else (added,)
    if winner != sweeps.winner or isinstance(rules.winner_sweep, NoWinnerSweep):
        return single
    plus: tuple[Added, ...] = ()
    if isinstance(rules.sweep, SweptPairPlus):
        plus = (Added(rules.sweep.units, Reason.SWEEP, ""),)
    base = chi_units + sum(part.units for part in plus)
    multiplied = (*plus, Added((rules.winner_sweep.multiplier - 1) * base, Reason.WINNER_SWEEP, ""))
    return max(single, multiplied, key=lambda parts: sum(part.units for part in parts))


def sweep_of(  # noqa: PLR0913 - two seats with their hands, the sweeps, the value of the chi
    rules: MauBinhRules, showings: Sequence[Showing], sweeps: Sweeps, *, winner: Seat, loser: Seat, chi_units: int
) -> Added | None:
    """Return the addition of a sweep to three chi that the winner won against the loser; None if there is none.

    The sweep of a seat that wins against every other seat (``winner_sweep``) is left out.
    """
    fouled, left = bool(showings[loser].fouls), showings[loser].left_before
    if isinstance(rules.four_aces_sweep, FourAcesFullSweep) and winner in sweeps.four_aces and not left:
        units = rules.four_aces_sweep.units - rules.units[0][Category.FOUR_ACES]
        return Added(units, Reason.FOUR_ACES_SWEEP, Category.FOUR_ACES)
    counts, subject = True, ""
    if fouled:
        counts = isinstance(rules.foul, FoulSwept) or costs_the_dearer(rules, showings[loser])
        subject = Walkover.FOUL.value
    elif left:
        counts, subject = rules.leaving.before_showdown is LeavingBefore.SWEPT, Walkover.LEFT.value
    counts = counts and not (subject and showings[winner].left_in_showdown)
    match rules.sweep:
        case SweptByAll():
            counts = counts and (bool(subject) or loser in sweeps.swept_by_all)
            units = chi_units * (rules.sweep.multiplier - 1)
        case SweptPairTimes():
            units = chi_units * (rules.sweep.multiplier - 1)
        case SweptPairPlus():
            units = rules.sweep.units
        case NoSweep():
            return None
        case _:
            assert_never(rules.sweep)
    return Added(units, Reason.SWEEP, subject) if counts else None


def costs_the_dearer(rules: MauBinhRules, loser: Showing) -> bool:
    """Return whether the loser pays the foul or the sweep, whichever costs more, for not opening its arrangement."""
    return rules.foul.unopened is Unopened.FOUL_OR_SWEEP and loser.is_unopened


def flat_foul_of(rules: MauBinhRules, winner: Showing) -> int | None:
    """Return the flat units that a fouled seat pays this lawful winner; None if the chi are paid for instead.

    A winner that left during the showdown, where leaving costs chi, is paid for the chi it was present for.
    """
    match rules.foul:
        case FoulFlat():
            return None if winner.left_in_showdown else rules.foul.units
        case FoulSwept() | FoulLosesChi():
            return None
        case _:
            assert_never(rules.foul)
