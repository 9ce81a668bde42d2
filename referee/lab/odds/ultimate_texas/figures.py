"""Counts of the outcomes of best play over every deal, and the figures that follow from them.

A file of figures has only whole numbers; every rate is a fraction computed from them and the ruleset's prices.

>>> from referee.rulesets import get
>>> rules = get("ultimate_texas.casino").rules
>>> deals = 27_813_810_024_000
>>> count = OutcomeCount(street="PREFLOP", multiple=4, category="FLUSH", met="WON_UNQUALIFIED", deals=deals)
>>> figures = Figures(law="", unit=2, value_units=11 * deals, outcomes=(count,))
>>> print(figures.house_edge, figures.mean_bet, figures.net(rules, count), figures.variance(rules))
-11/2 6 11/2 0
"""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Final

import msgspec

from referee.advice.ultimate_texas.preflop import WAYS, law_digest
from referee.evidence import canonical
from referee.games.ultimate_texas import UltimateTexasRules
from referee.hands import Category

DEALS: Final = math.comb(52, 2) * WAYS
"""Number of deals: hole cards, flop, turn and river, the house's cards."""


class OutcomeCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Number of deals with one outcome.

    ``street`` and ``multiple`` are the play bet's street and its size in Antes, 0 for a fold; ``category`` is that of
    the seat's hand, ``met`` its result against the house.
    """

    street: str
    multiple: int
    category: str
    met: str
    deals: int


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Counts of one paytable.

    ``value_units`` is a seat's net win over all deals, in units of which an Ante has ``unit``.
    """

    law: str
    unit: int
    value_units: int
    outcomes: tuple[OutcomeCount, ...]

    @classmethod
    def read(cls, data: bytes) -> "Figures":
        """Read the figures of a file; raise CanonicalError or msgspec.ValidationError for other bytes."""
        return msgspec.convert(canonical.decode(data), cls)

    @classmethod
    def counted(cls, rules: UltimateTexasRules) -> "Figures | None":
        """Return the figures that are installed for rules of the same law; None if there are none."""
        law = law_digest(rules)
        return next((figures for figures in _builtin() if figures.law == law), None)

    def write(self) -> bytes:
        """Encode the figures as canonical JSON."""
        return canonical.encode(msgspec.to_builtins(self))

    @property
    def house_edge(self) -> Fraction:
        """Part of an Ante that the house wins on average, without Trips."""
        return Fraction(-self.value_units, DEALS * self.unit)

    @property
    def mean_bet(self) -> Fraction:
        """Average bet in Antes: Ante, Blind and Play."""
        return 2 + Fraction(sum(one.multiple * one.deals for one in self.outcomes), DEALS)

    @property
    def element_of_risk(self) -> Fraction:
        """Part of all bets that the house wins on average, without Trips."""
        return self.house_edge / self.mean_bet

    def qualifies(self, rules: UltimateTexasRules) -> Fraction:
        """Return the chance that the house qualifies; in a tie its category is that of the seat's hand."""
        tied = {str(category) for category in rules.qualifying_categories}
        return self.chance(lambda one: one.met.endswith("_QUALIFIED") or (one.met == "TIED" and one.category in tied))

    def chance(self, is_meant: Callable[[OutcomeCount], bool]) -> Fraction:
        """Return the chance of the outcomes that ``is_meant`` selects."""
        return Fraction(sum(one.deals for one in self.outcomes if is_meant(one)), DEALS)

    def by_path(self) -> dict[tuple[str, int], Fraction]:
        """Return the chance of each path: the street of the play bet and its Antes, 0 for a fold."""
        counts: Counter[tuple[str, int]] = Counter()
        for one in self.outcomes:
            counts[one.street, one.multiple] += one.deals
        return {path: Fraction(count, DEALS) for path, count in counts.items()}

    @staticmethod
    def net(rules: UltimateTexasRules, one: OutcomeCount) -> Fraction:
        """Return the seat's net win by an outcome in Antes, without Trips; negative if it loses."""
        if not one.multiple:
            return Fraction(-2)
        if one.met == "TIED":
            return Fraction(0)
        qualified = one.met.endswith("_QUALIFIED")
        if one.met.startswith("WON"):
            blind = rules.blind_ratios.get(Category(one.category))
            ante = Fraction(*rules.ante_ratio) if qualified else Fraction(0)
            return ante + Fraction(*rules.play_ratio) * one.multiple + (Fraction(*blind) if blind else 0)
        return Fraction(-1 - one.multiple - qualified)

    def variance(self, rules: UltimateTexasRules) -> Fraction:
        """Return the variance of a round, in Antes squared, without Trips."""
        squares = sum((self.net(rules, one) ** 2 * one.deals for one in self.outcomes), Fraction(0))
        return squares / DEALS - self.house_edge**2

    def trips_edge(self, rules: UltimateTexasRules, *, folds: bool) -> Fraction:
        """Return the part of a Trips bet that the house wins on average.

        With ``folds`` a folded hand loses its Trips bet; otherwise it is paid as if the seat had not folded.
        """
        returned = 0
        for one in self.outcomes:
            is_lost = folds and not one.multiple
            returned += one.deals * (-1 if is_lost else rules.trips_units.get(Category(one.category), -1))
        return Fraction(-returned, DEALS)

    def trips_variance(self, rules: UltimateTexasRules) -> Fraction:
        """Return the variance of what a unit of Trips wins by the cards, as if nobody folded, in units squared."""
        squares = sum(one.deals * rules.trips_units.get(Category(one.category), -1) ** 2 for one in self.outcomes)
        return Fraction(squares, DEALS) - self.trips_edge(rules, folds=False) ** 2


@cache
def _builtin() -> tuple[Figures, ...]:
    folder = resources.files("referee.lab.odds.ultimate_texas") / "data"
    return tuple(Figures.read(file.read_bytes()) for file in folder.iterdir() if file.name.endswith(".json"))
