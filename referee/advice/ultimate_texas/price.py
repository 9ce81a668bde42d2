"""The payouts of a ruleset as whole numbers: arrays by strength, in units of which the Ante has ``unit``.

The unit is the smallest that makes every payout of one Ante whole, so that sums over billions of deals stay exact.

>>> from referee.rulesets import get
>>> prices = Prices.of(get("ultimate_texas.casino").rules)
>>> prices.unit, prices.ante, prices.play, prices.fold, int(prices.blind[-1]), int(prices.trips[-1])
(2, 2, 2, -4, 1000, 50)
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.games.ultimate_texas import UltimateTexasRules
from referee.games.ultimate_texas.code import Street
from referee.hands import Category

Whole = npt.NDArray[np.int64]

STRENGTHS: Final = 7_462
"""Strengths count from 1 to this."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prices:
    """The amounts won and lost, in units.

    ``ante`` and ``play`` are won for one Ante staked, ``blind`` by the strength that beats the house. A lost bet costs
    ``unit``, a fold ``-fold``. ``trips`` is won (or -1) for each unit of Trips, by the seat's strength. The house
    qualifies from ``qualifying`` up. ``category`` is the place in the ranking's order, by strength. From
    ``sure_trips`` on (Trips in Antes) no hand that Trips pays is worth folding.
    """

    unit: int
    ante: int
    play: int
    blind: Whole
    trips: Whole
    qualifying: int
    category: npt.NDArray[np.uint8]
    categories: tuple[Category, ...]
    preflop: tuple[int, ...]
    flop: tuple[int, ...]
    river: tuple[int, ...]
    sure_trips: Fraction

    @property
    def fold(self) -> int:
        """Result of a fold: the Ante and the Blind are lost, whatever Trips was."""
        return -2 * self.unit

    @staticmethod
    @lru_cache(maxsize=16)
    def of(rules: UltimateTexasRules) -> "Prices":
        """Return the prices of a ruleset's rules; made once for equal ones."""
        blinds = {category: Fraction(*ratio) for category, ratio in rules.blind_ratios.items()}
        ante, play = Fraction(*rules.ante_ratio), Fraction(*rules.play_ratio)
        unit = math.lcm(ante.denominator, play.denominator, *(ratio.denominator for ratio in blinds.values()))
        order = rules.ranking.rules.order
        categories = [rules.ranker.five_of_strength(strength).category for strength in range(1, STRENGTHS + 1)]
        qualifying = 1 + next(place for place, name in enumerate(categories) if name in rules.qualifying_categories)
        least_paid = min(rules.trips_units.values(), default=None)
        smallest = rules.streets.river.multiples[0]
        return Prices(
            unit=unit,
            ante=int(ante * unit),
            play=int(play * unit),
            blind=_whole([0, *(int(blinds.get(category, Fraction(0)) * unit) for category in categories)]),
            trips=_whole([0, *(rules.trips_units.get(category, -1) for category in categories)]),
            qualifying=qualifying,
            category=np.array([0, *map(order.index, categories)], dtype=np.uint8),
            categories=order,
            preflop=rules.multiples[Street.PREFLOP],
            flop=rules.multiples[Street.FLOP],
            river=rules.multiples[Street.RIVER],
            sure_trips=Fraction(0) if least_paid is None else Fraction(smallest, least_paid + 1),
        )


def _whole(values: list[int]) -> Whole:
    array = np.array(values, dtype=np.int64)
    array.setflags(write=False)
    return array
