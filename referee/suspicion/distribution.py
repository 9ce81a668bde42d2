"""Distributions of whole numbers that are known exactly, and bounds on sums of many draws.

Weights are counted, never estimated. ``PLACES`` and ``NEIGHBOURS`` are of shuffled decks: if decks are independent and
uniform, then one deck seen from the one before it is uniform too, and every such step is independent of the others,
which makes both a test of serial correlation.

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
"""Standard deviations below which no bound is computed: it would be near one."""
_STEPS: Final = 60


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
