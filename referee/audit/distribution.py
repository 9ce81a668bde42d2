"""Distributions of whole numbers that are known exactly, and bounds on sums of many draws.

Weights are counted, never estimated. ``PLACES`` and ``NEIGHBOURS`` are of shuffled decks: if decks are independent and
uniform, then one deck seen from the one before it is uniform too, and every such step is independent of the others,
which makes both a test of serial correlation. ``SeatShares`` bounds a seat's share of what its rounds' hands are worth.

>>> die = Distribution({face: 1 for face in range(1, 7)})
>>> die.mean, die.variance
(Fraction(7, 2), Fraction(35, 12))
>>> float(PLACES.mean), float(NEIGHBOURS.mean)
(1.0, 0.9807692307692307)
>>> shares = SeatShares(2)
>>> for _ in range(30):
...     shares.add((20, 80))
>>> shares.deviation(0), round(shares.log_chance(0) / 2.302585)
(-5.477225575051661, -9)
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Final

from referee.audit.chance import CARDS

LIKELY: Final = 3.0
"""Standard deviations below which no bound is computed: it would be near one."""
_STEPS: Final = 60
_SCALE: Final = 14.0
"""About the standard deviation of a hand's points; any number gives valid bounds."""
_ARGUMENTS: Final = (0.1, 0.2, 0.35, 0.55, 0.8, 1.2, 1.8, 2.8)
"""Arguments of the moment generating function, over the scale."""
_SLACK: Final = 1e-12
"""Floating point error of a logarithm, for each round."""


class Distribution:
    """Whole numbers with positive whole weights; a probability is a weight over the sum of all."""

    def __init__(self, weights: Mapping[int, int]) -> None:
        self.weights: Final = dict(sorted(weights.items()))
        self.total: Final = sum(weights.values())

    @cached_property
    def mean(self) -> Fraction:
        """Expected value."""
        return Fraction(sum(value * weight for value, weight in self.weights.items()), self.total)

    @cached_property
    def variance(self) -> Fraction:
        """Expected square of the distance from the mean."""
        return Fraction(sum(value**2 * weight for value, weight in self.weights.items()), self.total) - self.mean**2

    def deviation(self, draws: int, total: int) -> float:
        """Return by how many standard deviations the sum of independent draws exceeds its mean; 0.0 for no draws."""
        if not draws or not self.variance:
            return 0.0
        return float(total - draws * self.mean) / math.sqrt(draws * self.variance)

    def log_sum_at_least(self, draws: int, total: int) -> float:
        """Return the logarithm of a bound on the chance that independent draws sum to at least ``total``.

        By Chernoff, for every t >= 0 the chance is at most E(e^(tX))^draws e^(-t total). The t is found by bisection;
        a t that is not the best makes the bound larger, never wrong.
        """
        if self.deviation(draws, total) < LIKELY:
            return 0.0
        return self._chernoff(draws, total, sign=1)

    def log_sum_at_most(self, draws: int, total: int) -> float:
        """Return the logarithm of a bound on the chance that independent draws sum to at most ``total``."""
        if self.deviation(draws, total) > -LIKELY:
            return 0.0
        return self._chernoff(draws, total, sign=-1)

    def _chernoff(self, draws: int, total: int, *, sign: int) -> float:
        target = total / draws
        low, high = 0.0, 1.0
        while self._tilted(sign * high)[1] * sign < target * sign and high < 64:  # noqa: PLR2004 - the sum's own end
            high *= 2
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if self._tilted(sign * middle)[1] * sign < target * sign:
                low = middle
            else:
                high = middle
        log_moment = self._tilted(sign * low)[0]
        return min(0.0, draws * log_moment - sign * low * total + 1e-12 * draws)

    def _tilted(self, t: float) -> tuple[float, float]:
        """Return the logarithm of E(e^(tX)), and the mean of X under weights multiplied by e^(tX)."""
        logs = [(value, math.log(weight) + t * value) for value, weight in self.weights.items()]
        peak = max(log for _, log in logs)
        scaled = [(value, math.exp(log - peak)) for value, log in logs]
        mass = math.fsum(part for _, part in scaled)
        return peak + math.log(mass) - math.log(self.total), math.fsum(v * part for v, part in scaled) / mass


def _derangements(count: int) -> list[int]:
    """Return in how many orders of 0, 1, .. ``count`` things none is at its own place."""
    numbers = [1, 0]
    for size in range(2, count + 1):
        numbers.append((size - 1) * (numbers[-1] + numbers[-2]))
    return numbers[: count + 1]


def kept_places(count: int) -> Distribution:
    """Count the things at their own place, over all orders of ``count`` things (problème des rencontres)."""
    apart = _derangements(count)
    weights = {kept: math.comb(count, kept) * apart[count - kept] for kept in range(count + 1)}
    return Distribution({kept: weight for kept, weight in weights.items() if weight})


def kept_neighbours(count: int) -> Distribution:
    """Count the things followed by their own successor, over all orders of two or more things.

    ``comb(n - 1, k) (D(n - k) + D(n - k - 1))`` orders of n keep k, D being the number of derangements.
    """
    apart = _derangements(count)
    weights = {
        kept: math.comb(count - 1, kept) * (apart[count - kept] + apart[count - kept - 1]) for kept in range(count)
    }
    return Distribution({kept: weight for kept, weight in weights.items() if weight})


PLACES: Final = kept_places(CARDS)
"""Number of 52 cards at their own place."""
NEIGHBOURS: Final = kept_neighbours(CARDS)
"""Number of 52 cards followed by their own successor."""


class SeatShares:
    """Points of seats in rounds of one number of seats: whether a seat got better or worse hands than the others.

    Given the hands of a round, a fair shuffle deals each of them to each seat with equal chance, and that stays so if
    rounds are dropped regardless of who holds what. So given a round's points a seat's own are one of them, each as
    likely, however often a hand is dealt and whichever rounds are dropped. The points of a seat beyond the mean of its
    round, times the number of seats, are a whole number; their sum has, given all points, a moment generating function
    that is the product of the rounds', and the same for every seat. Its logarithm is summed for some arguments, and
    Chernoff's bound is the least that any of them gives: valid for every number of rounds, in constant memory.

    ``points`` are each seat's sum, ``rounds`` their number. ``squares`` sums the squares of what is beyond the mean
    over rounds and seats, ``logs`` the logarithms of the moment generating function by argument.
    """

    __slots__ = ("logs", "points", "rounds", "seat_count", "squares")

    def __init__(self, seat_count: int) -> None:
        self.seat_count = seat_count
        self.rounds = 0
        self.points = [0] * seat_count
        self.squares = 0
        self.logs = [0.0] * (2 * len(_ARGUMENTS))

    def add(self, points: tuple[int, ...]) -> None:
        """Add a round, given its points by seat."""
        count, total = self.seat_count, sum(points)
        beyond = [count * value - total for value in points]
        self.rounds += 1
        for seat, value in enumerate(points):
            self.points[seat] += value
        self.squares += sum(value * value for value in beyond)
        for place, argument in enumerate(_arguments(count)):
            self.logs[place] += math.log(math.fsum([math.exp(argument * value) for value in beyond]) / count)

    def merge(self, other: "SeatShares") -> None:
        """Add the other's rounds; both are of one number of seats."""
        self.rounds += other.rounds
        self.squares += other.squares
        self.points = [mine + theirs for mine, theirs in zip(self.points, other.points, strict=True)]
        self.logs = [mine + theirs for mine, theirs in zip(self.logs, other.logs, strict=True)]

    @property
    def expected(self) -> float:
        """Points of a seat that has its fair share."""
        return sum(self.points) / self.seat_count

    def deviation(self, seat: int) -> float:
        """Return by how many standard deviations a seat's points exceed its share; 0.0 if all hands were equal."""
        if not self.squares:
            return 0.0
        return self._beyond(seat) / math.sqrt(self.squares / self.seat_count)

    def log_chance(self, seat: int) -> float:
        """Return the logarithm of a bound on the chance that a seat is as far above, or below, its share."""
        beyond = self._beyond(seat)
        bounds = [
            log - argument * beyond
            for log, argument in zip(self.logs, _arguments(self.seat_count), strict=True)
            if argument * beyond > 0
        ]
        return min(0.0, min(bounds, default=0.0) + _SLACK * self.rounds)

    def _beyond(self, seat: int) -> int:
        return self.seat_count * self.points[seat] - sum(self.points)


def _arguments(seat_count: int) -> list[float]:
    """Return the arguments for points beyond the mean times the number of seats: positive ones, then negative ones."""
    scaled = [argument / (_SCALE * seat_count) for argument in _ARGUMENTS]
    return [*scaled, *[-argument for argument in scaled]]
