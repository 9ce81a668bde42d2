"""The value of each split against one opponent of a population, at a ruleset's prices: one number a chi and one joint.

All numbers are whole: 65,536ths (``SCALE``) of a stake. With *N* hands counted, a chi of strength *s* and price *u* is
worth ``u * (weaker hands) / N`` minus the mean price paid to stronger hands; equal hands move nothing. The addition of
a sweep or four aces is computed for every bin of back, middle and front from the joint counts; of two hands of one bin
each is the stronger as often as the counts say, independently in the three chi.

The joint part, for *o* opponents. *W* is the chance to win all three chi against one opponent, *L* to lose all three to
one, *U* the price of the three chi, *P* the mean price paid to one opponent that wins all three.

- Between two seats, times *m*: ``(m - 1) * (U * W - P)``; plus *u*: ``u * (W - L)``.
- By every seat: an opponent pays ``(m - 1) * U`` more when this seat and all the others sweep it, which depends on its
  own hand; this seat pays the same to each when all sweep it, which has the chance ``L`` for each other one.
- Four aces in the back that win all three chi against all: ``W ** o`` times their addition, and then no sweep. With a
  sweep by every seat one chance is not exact: that the others sweep a seat and these aces sweep the others. The latter
  is its mean over all hands that sweep a seat.

- A winner's sweep, times *w*: what it adds to the other prices of a pair, ``max(0, w * (U + u) - own)``, is won with
  the chance ``W ** o`` and lost to an opponent that wins everything from this seat and from all the others, which
  depends on its own hand. With a sweep by every seat it adds less for a seat that all the others sweep too; of four
  seats the chance of that takes two seats as independent of one another that are not.

A commission, which houses may have, is not counted.

>>> from referee.advice.mau_binh.populations import Populations
>>> from referee.rulesets import get
>>> ruleset = get("mau_binh.classic")
>>> population = Populations.builtin().population_for(ruleset.rules, digest=ruleset.digest)
>>> table = ValueTable(ruleset.rules, population, seat_count=2)
>>> 2.99 < int(table.chi[2][455]) / SCALE < 3  # three aces in front win 3, but for nothing against their like
True
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

import numpy as np
from numpy.typing import NDArray

from referee.advice.mau_binh.population import HandPopulation, categories_of
from referee.advice.mau_binh.splits import Ints
from referee.advice.mau_binh.suggestion import SCALE, SCALE_BITS
from referee.games.mau_binh import Reason
from referee.games.mau_binh.penalties import (
    FourAcesFullSweep,
    NoSweep,
    SweptByAll,
    SweptPairPlus,
    SweptPairTimes,
    WinnerSweepTimes,
)
from referee.games.mau_binh.rules import MauBinhRules
from referee.hands import Category

_SHARE_BITS: Final = 30
_BEATS_BITS: Final = 10

Cube: TypeAlias = NDArray[np.int64]
"""One number for each bin of back, middle and front."""


@dataclass(frozen=True, slots=True)
class Extra:
    """Addition of one rule to the three chi, by bins: its units, the chances to be paid and to pay, and its value.

    All but the units are in 65,536ths, against one opponent.
    """

    units: Cube
    won: Cube
    lost: Cube
    value: Cube


class ValueTable:
    """The value of every back, middle and front against one opponent of a population, at these prices.

    ``chi`` has for back, middle and front one value a strength, from 1 (entry 0 is unused); ``prices`` has the price of
    a chi won with each strength, the first for strength 1. ``extras`` are the additions that the rules have to the
    three chi, by their reasons; ``joint`` is the sum of their values. Raises ValueError if the population has another
    ranking or the rules do not allow this number of seats.
    """

    chi: tuple[Ints, ...]
    prices: tuple[Ints, ...]
    extras: Mapping[Reason, Extra]
    joint: Cube

    def __init__(self, rules: MauBinhRules, population: HandPopulation, *, seat_count: int) -> None:
        if population.ranking != rules.ranking.rules:
            raise ValueError("the population has another ranking than these rules")
        if not rules.seats.minimum <= seat_count <= rules.seats.maximum:
            msg = f"these rules allow {rules.seats.minimum} to {rules.seats.maximum} seats, not {seat_count}"
            raise ValueError(msg)
        self.rules, self.population, self.seat_count = rules, population, seat_count
        self.opponents = seat_count - 1
        self.prices = prices = tuple(
            np.array([units[category] for category in categories], dtype=np.int64)
            for units, categories in zip(rules.units, categories_of(rules.ranker), strict=True)
        )
        self.chi = tuple(_chi_values(price, count) for price, count in zip(prices, population.counts, strict=True))
        self._up_to = [np.concatenate([[0], count.cumsum()]).tolist() for count in population.counts]
        self._of_bin = [population.of_bin(chi).tolist() for chi in range(len(prices))]
        bins = _Bins(rules, population, prices)
        extras = {
            Reason.SWEEP: bins.sweep(self.opponents),
            Reason.FOUR_ACES_SWEEP: bins.aces(self.opponents),
            Reason.WINNER_SWEEP: bins.winner(self.opponents),
        }
        self.extras = {reason: extra for reason, extra in extras.items() if extra is not None}
        self.joint = sum([extra.value for extra in self.extras.values()], np.zeros_like(population.joint))

    def value(self, *, back: int, middle: int, front: int) -> int:
        """Return the value of three chi of these strengths against all opponents together."""
        alone = sum(int(values[strength]) for values, strength in zip(self.chi, (back, middle, front), strict=True))
        return self.opponents * (alone + int(self.joint[self.bins_of(back, middle, front)]))

    def bins_of(self, *strengths: int) -> tuple[int, int, int]:
        """Return the bins of a back, a middle and a front."""
        back, middle, front = (bins[strength - 1] for bins, strength in zip(self._of_bin, strengths, strict=True))
        return back, middle, front

    def beaten(self, chi: int, strength: int) -> tuple[int, int]:
        """Return the chances that a chi of this strength beats an opponent's, and that it is beaten."""
        up_to = self._up_to[chi]
        weaker, stronger, size = up_to[strength - 1], up_to[-1] - up_to[strength], up_to[-1]
        return (weaker * SCALE + size // 2) // size, (stronger * SCALE + size // 2) // size


def _chi_values(prices: Ints, count: Ints) -> Ints:
    """Return the value of a chi of each strength, from 0, against one opponent."""
    size, paid = int(count.sum()), prices * count
    won = prices * (count.cumsum() - count)
    lost = int(paid.sum()) - paid.cumsum()
    return np.concatenate([np.zeros(1, dtype=np.int64), ((won - lost) * SCALE + size // 2) // size])


class _Bins:
    """The joint counts as shares, and the additions that follow from them for every bin of back, middle and front."""

    def __init__(self, rules: MauBinhRules, population: HandPopulation, prices: tuple[Ints, ...]) -> None:
        self._rules = rules
        self._shares = (population.joint << _SHARE_BITS) // population.size
        self._same_bin = [
            _same_bin(count, edges) for count, edges in zip(population.counts, population.bins, strict=True)
        ]
        at = [np.array(edges) - 1 for edges in population.bins]
        back, middle, front = (price[edges] for price, edges in zip(prices, at, strict=True))
        self._units: Cube = back[:, None, None] + middle[:, None] + front
        categories = categories_of(rules.ranker)[0]
        is_aces = np.array([categories[edge] is Category.FOUR_ACES for edge in at[0]])
        self._is_aces = np.broadcast_to(is_aces[:, None, None], self._units.shape)
        self._won, self._lost = self._over(self._shares, wins=True), self._over(self._shares, wins=False)

    def aces(self, opponents: int) -> Extra | None:
        """Return the addition for four aces in the back that win all three chi against everyone; None without one."""
        rule = self._rules.four_aces_sweep
        if not isinstance(rule, FourAcesFullSweep):
            return None
        from_others = self._of_aces(_power(self._won, opponents - 1))
        won = from_others * self._won >> SCALE_BITS
        lost = self._over(self._shares * from_others >> SCALE_BITS, wins=False)
        added = rule.units - self._rules.units[0][Category.FOUR_ACES]
        return Extra(np.full_like(self._units, added), won, lost, added * (won - lost))

    def sweep(self, opponents: int) -> Extra | None:
        """Return the addition for winning or losing all three chi; None if the rules have no sweep."""
        rule = self._rules.sweep
        if isinstance(rule, NoSweep):
            return None
        gaining, all_sweep_me, others_won = self._shares, np.full_like(self._shares, SCALE), self._won
        if isinstance(rule, SweptByAll):
            all_sweep_me = _power(self._lost, opponents - 1)
            gaining, others_won = gaining * all_sweep_me >> SCALE_BITS, self._sweepers_won()
        without_aces = SCALE - self._of_aces(_power(others_won, opponents - 1))
        paying = self._shares * without_aces >> SCALE_BITS
        won = self._over(gaining, wins=True) * without_aces >> SCALE_BITS
        lost = self._over(paying, wins=False) * all_sweep_me >> SCALE_BITS
        units = self._units
        match rule:
            case SweptByAll() | SweptPairTimes():
                units = (rule.multiplier - 1) * units
                paid = self._over(paying * self._units, wins=False) * all_sweep_me >> SCALE_BITS
                value = (rule.multiplier - 1) * (self._units * won - paid)
            case SweptPairPlus():
                units = np.full_like(units, rule.units)
                value = rule.units * (won - lost)
            case _:
                assert_never(rule)
        return Extra(units, won, lost, value)

    def winner(self, opponents: int) -> Extra | None:
        """Return what a winner's sweep adds to the dearest other price of a pair; None if the rules have none."""
        if not isinstance(self._rules.winner_sweep, WinnerSweepTimes):
            return None
        others = opponents - 1
        won = _power(self._won, opponents)
        winners = self._shares * _power(self._won, others) >> SCALE_BITS
        lost = self._over(winners, wins=False)
        added = self._added_by_winner(swept_by_all=opponents == 1)
        value = added * won - self._over(winners * added, wins=False)
        if isinstance(self._rules.sweep, SweptByAll) and others:
            less = added - self._added_by_winner(swept_by_all=True)
            swept = self._mean(_power(self._lost, others)) * _power(self._sweepers_won(), others) >> SCALE_BITS
            value -= less * swept - self._to_winner_and_all(less, others)
        return Extra(added, won, lost, value)

    def _added_by_winner(self, *, swept_by_all: bool) -> Cube:
        """Return, by the winner's bins, what its sweep adds for a loser that all the others sweep too, or do not."""
        assert isinstance(self._rules.winner_sweep, WinnerSweepTimes)  # noqa: S101 - asked for by no other rules
        sweep, units = self._rules.sweep, self._units
        own = base = units
        match sweep:
            case SweptByAll():
                own = units * sweep.multiplier if swept_by_all else units
            case SweptPairTimes():
                own = units * sweep.multiplier
            case SweptPairPlus():
                own = base = units + sweep.units
            case NoSweep():
                pass
            case _:
                assert_never(sweep)
        four_aces = self._rules.four_aces_sweep
        if isinstance(four_aces, FourAcesFullSweep):
            dearer = four_aces.units - self._rules.units[0][Category.FOUR_ACES]
            own = np.where(self._is_aces, units + dearer, own)
        added: Cube = np.maximum(self._rules.winner_sweep.multiplier * base - own, 0)
        return added

    def _to_winner_and_all(self, weights: Cube, others: int) -> Cube:
        """Return, by own bins, the mean of the winner's ``weights`` where it and all the others sweep this seat.

        The winner sweeps the ``others`` as well, so each of them lies between this seat and the winner in all chi.
        """
        over = self._over(self._shares * weights, wins=False)
        between = self._over(self._shares * over >> SCALE_BITS, wins=False)
        value = between
        for _ in range(others - 1):
            value = np.where(over > 0, value * between // np.maximum(over, 1), 0)
        return value

    def _mean(self, chance: Cube) -> int:
        """Return the mean of a chance over the population."""
        return int((self._shares * chance).sum()) >> _SHARE_BITS

    def _of_aces(self, chance: Cube) -> Cube:
        """Return ``chance`` at bins with four aces in the back, if the rules pay for sweeping with them; else 0."""
        if not isinstance(self._rules.four_aces_sweep, FourAcesFullSweep):
            return np.zeros_like(self._shares)
        return np.where(self._is_aces, chance, 0)

    def _sweepers_won(self) -> Cube:
        """Return, by own bins, the chance to win all three chi against a seat that itself sweeps another seat."""
        sweepers = self._shares * self._won >> SCALE_BITS
        return self._over((sweepers << _SHARE_BITS) // max(int(sweepers.sum()), 1), wins=True)

    def _over(self, weights: Cube, *, wins: bool) -> Cube:
        """Return, by own bins, the summed weights of opponents that lose all three chi (``wins``) or win all three."""
        for axis, same_bin in enumerate(self._same_bin):
            up_to = weights.cumsum(axis=axis)
            others = up_to - weights if wins else up_to.take([-1], axis=axis) - up_to
            shape = [1] * weights.ndim
            shape[axis] = -1
            weights = others + (weights * same_bin.reshape(shape) >> _BEATS_BITS)
        return weights >> _SHARE_BITS - SCALE_BITS


def _same_bin(count: Ints, edges: tuple[int, ...]) -> Ints:
    """Return for each bin the chance, in 1,024ths, that the first of two of its hands is the stronger."""
    starts = np.concatenate([[0], np.array(edges[:-1], dtype=np.int64)])
    hands, pairs_tied = np.add.reduceat(count, starts), np.add.reduceat(count * count, starts)
    pairs = np.maximum(hands * hands, 1)
    won: Ints = ((pairs - pairs_tied) << _BEATS_BITS) // (2 * pairs)
    return won


def _power(chance: Cube, exponent: int) -> Cube:
    """Raise a chance to a small power."""
    power = np.full_like(chance, SCALE)
    for _ in range(exponent):
        power = power * chance >> SCALE_BITS
    return power
