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
  left during the showdown where leaving costs chi; then it owes the price of four aces as a seat that stayed does.
  Where leaving is no sweep it owes neither.
- *A seat that wins all three chi against every seat*, by its hands or because the other seat is at fault (it fouled, or
  left before the showdown), is paid the winner's sweep where the rules have one and no price of the pair is dearer. A
  lawful loser in a round with a seat at fault owes what it would without it; what the winner's sweep would add, the
  seats at fault owe in its place (*đền*), in equal parts, an odd unit by the first of them after the winner.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, assert_never

import msgspec

from referee.cards import Seat
from referee.games.mau_binh.code import CHI_REASONS, Reason, Walkover
from referee.games.mau_binh.duel import Duel, Showing
from referee.games.mau_binh.penalties import (
    FoulFlat,
    FoulLosesChi,
    FoulSwept,
    FourAcesFullSweep,
    LeavingBefore,
    NoSweep,
    NoWinnerSweep,
    SweptByAll,
    SweptPairPlus,
    SweptPairTimes,
    Unopened,
)
from referee.games.mau_binh.rules import MauBinhRules
from referee.hands import Category

TEXTS: Final[dict[str, str]] = {code: code.value for code in (*Category, *Walkover)}
"""Codes of the subjects of chi, as plain text."""


class Owed(msgspec.Struct, frozen=True):
    """Units that one seat owes another, with the reason and subject of their transfer."""

    units: int
    reason: Reason
    subject: str


class Sweeps(msgspec.Struct, frozen=True):
    """Sweeps that depend on all duels.

    ``swept_by_all``: seats that lost all three chi to every other seat. ``four_aces``: seats with four aces in the back
    that won all three chi against every seat that stayed; a seat whose opponents all left can be among them, which
    changes a price only where leaving is a sweep. ``winner``: the seat that won all three chi against every other seat
    if the rules pay for that, else None. ``at_fault``: seats that fouled or left before the showdown, in order.
    """

    swept_by_all: frozenset[Seat]
    four_aces: frozenset[Seat]
    winner: Seat | None = None
    at_fault: tuple[Seat, ...] = ()


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
    if isinstance(rules.winner_sweep, NoWinnerSweep):
        return Sweeps(by_all, four_aces)
    count = len(showings)
    sweepers = [winner for winner, _ in swept]
    winner = next((seat for seat in lawful if sweepers.count(seat) == count - 1), None)
    return Sweeps(by_all, four_aces, winner, tuple([Seat(seat) for seat in range(count) if seat not in lawful]))


def chi_owed(rules: MauBinhRules, pair: Duel, chi: int, winner: Showing) -> Owed:
    """Return what the loser of one chi owes its winner for it."""
    category = winner.values[chi].category
    return Owed(rules.units[chi][category], CHI_REASONS[chi], TEXTS[pair.walkovers[chi] or category])


def owed_when_swept(
    rules: MauBinhRules, showings: Sequence[Showing], sweeps: Sweeps, pair: Duel, swept: tuple[Seat, Seat]
) -> tuple[Owed, ...]:
    """Return what the loser of all three chi owes their winner, the dearest of its prices.

    ``swept`` is winner and loser. What the loser owes in place of other seats is left out.
    """
    defeat = _Defeat(rules, showings, sweeps, pair, *swept)
    winner, loser = swept
    is_counted = winner == sweeps.winner and (not sweeps.at_fault or loser in sweeps.at_fault)
    return defeat.dearest_price() if is_counted else defeat.own_price()


def compensations(
    rules: MauBinhRules, showings: Sequence[Showing], sweeps: Sweeps, duels: Sequence[Duel]
) -> Mapping[Seat, Owed]:
    """Return what each seat at fault owes the seat that won everything in place of the lawful losers."""
    winner, at_fault = sweeps.winner, sweeps.at_fault
    if winner is None or not at_fault:
        return {}
    added = 0
    for pair in duels:
        if pair.swept is not None and pair.swept[0] == winner and pair.swept[1] not in at_fault:
            defeat = _Defeat(rules, showings, sweeps, pair, *pair.swept)
            added += _sum(defeat.dearest_price()) - _sum(defeat.own_price())
    part, odd = divmod(added, len(at_fault))
    first = next((seat for seat in at_fault if seat > winner), at_fault[0])
    parts = {seat: part + (odd if seat == first else 0) for seat in at_fault}
    return {seat: Owed(units, Reason.COMPENSATION, _fault_of(showings[seat])) for seat, units in parts.items() if units}


class _Defeat(NamedTuple):
    """Two seats of which one lost all three chi to the other, and what its prices depend on."""

    rules: MauBinhRules
    showings: Sequence[Showing]
    sweeps: Sweeps
    pair: Duel
    winner: Seat
    loser: Seat

    def dearest_price(self) -> tuple[Owed, ...]:
        """Return the loser's own price, or the winner's sweep if that is dearer; the rules must have one."""
        return _dearest(self.own_price(), self._winner_sweep())

    def own_price(self) -> tuple[Owed, ...]:
        """Return what the loser owes if nobody's winning everything is paid for."""
        winner, loser = self.showings[self.winner], self.showings[self.loser]
        flat: tuple[Owed, ...] = ()
        if loser.fouls and (units := _flat_foul_of(self.rules, winner)) is not None:
            flat = (Owed(units, Reason.FOUL, ""),)
            if not _costs_the_dearer(self.rules, loser):
                return flat
        chi = self._chi()
        added = self._sweep(_sum(chi))
        return _dearest(flat, chi if added is None else (*chi, added))

    def _chi(self) -> tuple[Owed, ...]:
        winner = self.showings[self.winner]
        return tuple([chi_owed(self.rules, self.pair, chi, winner) for chi in range(len(CHI_REASONS))])

    def _winner_sweep(self) -> tuple[Owed, ...]:
        """Return the price of the winner's sweep: so many times the chi and what a sweep adds to them in units."""
        rule, sweep = self.rules.winner_sweep, self.rules.sweep
        if isinstance(rule, NoWinnerSweep):
            return ()
        fault, base = _fault_of(self.showings[self.loser]), self._chi()
        if isinstance(sweep, SweptPairPlus):
            base = (*base, Owed(sweep.units, Reason.SWEEP, fault))
        return (*base, Owed((rule.multiplier - 1) * _sum(base), Reason.WINNER_SWEEP, fault))

    def _sweep(self, chi_units: int) -> Owed | None:
        """Return what a sweep or four aces add to the three chi, the winner's sweep apart; None if nothing."""
        rules, loser = self.rules, self.showings[self.loser]
        fault, counts = _fault_of(loser), True
        if loser.fouls:
            counts = isinstance(rules.foul, FoulSwept) or _costs_the_dearer(rules, loser)
        elif fault:
            counts = rules.leaving.before_showdown is LeavingBefore.SWEPT
        owes_aces = counts or fault != Walkover.LEFT
        if isinstance(rules.four_aces_sweep, FourAcesFullSweep) and self.winner in self.sweeps.four_aces and owes_aces:
            units = rules.four_aces_sweep.units - rules.units[0][Category.FOUR_ACES]
            return Owed(units, Reason.FOUR_ACES_SWEEP, Category.FOUR_ACES.value)
        counts = counts and not (fault and self.showings[self.winner].left_in_showdown)
        match rules.sweep:
            case SweptByAll():
                counts = counts and (bool(fault) or self.loser in self.sweeps.swept_by_all)
                units = chi_units * (rules.sweep.multiplier - 1)
            case SweptPairTimes():
                units = chi_units * (rules.sweep.multiplier - 1)
            case SweptPairPlus():
                units = rules.sweep.units
            case NoSweep():
                return None
            case _:
                assert_never(rules.sweep)
        return Owed(units, Reason.SWEEP, fault) if counts else None


def _sum(owed: Sequence[Owed]) -> int:
    return sum([part.units for part in owed])


def _dearest(own: tuple[Owed, ...], other: tuple[Owed, ...]) -> tuple[Owed, ...]:
    return other if _sum(other) > _sum(own) else own


def _fault_of(showing: Showing) -> str:
    """Return the code of a seat's fault, empty for a seat that is lawful."""
    if showing.fouls:
        return Walkover.FOUL.value
    return Walkover.LEFT.value if showing.left_before else ""


def _costs_the_dearer(rules: MauBinhRules, loser: Showing) -> bool:
    """Return whether the loser pays the foul or the sweep, whichever costs more, for not opening its arrangement."""
    return rules.foul.unopened is Unopened.FOUL_OR_SWEEP and loser.is_unopened


def _flat_foul_of(rules: MauBinhRules, winner: Showing) -> int | None:
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
