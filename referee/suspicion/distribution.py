"""Exact distributions of whole numbers, and bounds on sums of many draws from them.

Weights are counted, never estimated. ``PLACES`` and ``NEIGHBOURS`` compare a shuffled deck with the deck before it. If
decks are independent and uniform, the permutation that leads from one deck to the next is uniform too and independent
of the other such permutations. So both distributions test for serial correlation.

>>> die = Distribution({face: 1 for face in range(1, 7)})
>>> die.mean, die.variance
(Fraction(7, 2), Fraction(35, 12))
>>> float(PLACES.mean), float(NEIGHBOURS.mean)
(1.0, 0.9807692307692307)
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Final

from referee.suspicion.chance import CARDS

LIKELY: Final = 3.0
"""Standard deviations below which no bound is computed, since it would be near 1."""
_STEPS: Final = 60


class Distribution:
    """Distribution of whole numbers. Each has a positive whole weight; its probability is its share of the total."""

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
        """Return by how many standard deviations ``total`` exceeds the mean of the sum of ``draws`` independent draws.

        The result is 0.0 without draws, or if the distribution has one value only.
        """
        if not draws or not self.variance:
            return 0.0
        return float(total - draws * self.mean) / math.sqrt(draws * self.variance)

    def log_sum_at_least(self, draws: int, total: int) -> float:
        """Return the logarithm of an upper bound of the chance that independent draws sum to at least ``total``.

        By Chernoff, for every t >= 0 the chance is at most E(e^(tX))^draws e^(-t total). The t is found by bisection; a
        t that is not the best makes the bound larger, never wrong.
        """
        if self.deviation(draws, total) < LIKELY:
            return 0.0
        return self._chernoff(draws, total, sign=1)

    def log_sum_at_most(self, draws: int, total: int) -> float:
        """Return the logarithm of an upper bound of the chance that independent draws sum to at most ``total``."""
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
    """Return, for 0, 1, ... ``count`` things, the number of orders in which no thing is at its own place."""
    numbers = [1, 0]
    for size in range(2, count + 1):
        numbers.append((size - 1) * (numbers[-1] + numbers[-2]))
    return numbers[: count + 1]


def kept_places(count: int) -> Distribution:
    """Return the distribution of the number of things at their own place, over all orders of ``count`` things.

    The literature calls it the problème des rencontres.
    """
    apart = _derangements(count)
    weights = {kept: math.comb(count, kept) * apart[count - kept] for kept in range(count + 1)}
    return Distribution({kept: weight for kept, weight in weights.items() if weight})


def kept_neighbours(count: int) -> Distribution:
    """Return the distribution of the number of things followed by their own successor, over all orders of things.

    ``count`` must be 2 or more. ``comb(n - 1, k) (D(n - k) + D(n - k - 1))`` orders of n things keep k successors,
    where D is the number of derangements.
    """
    apart = _derangements(count)
    weights = {
        kept: math.comb(count - 1, kept) * (apart[count - kept] + apart[count - kept - 1]) for kept in range(count)
    }
    return Distribution({kept: weight for kept, weight in weights.items() if weight})


PLACES: Final = kept_places(CARDS)
"""Distribution of the number of cards, of 52, at their own place."""
NEIGHBOURS: Final = kept_neighbours(CARDS)
"""Distribution of the number of cards, of 52, followed by their own successor."""
