"""Tail probabilities, computed here so that a laboratory needs no other software.

Counts that are too even are as suspicious as counts that are too uneven, so a p-value is two-sided: twice the smaller
tail and at most one. For a chi-square with fewer than 20 degrees of freedom it is the upper tail alone, because a few
whole numbers are exactly even now and then. Chi-square tails are regularised incomplete gamma functions, by series
below the mean and by continued fraction above it (Abramowitz & Stegun 6.5.29 and 6.5.31); binomial tails are sums of
exact ratios.

>>> round(chi_square_tails(18.307, degrees=10)[1], 4)  # the tabled 95 % point of ten degrees
0.05
>>> binomial_two_sided(0, trials=10, chance=0.5) == 2 / 2**10
True
"""

import math
from typing import Final

_PRECISION: Final = 1e-16
_TINY: Final = 1e-300
_FEW_DEGREES: Final = 20


def chi_square_p_value(statistic: float, *, degrees: int) -> float:
    """Compute the p-value of a chi-square statistic: the upper tail below 20 degrees of freedom, else two-sided."""
    lower, upper = chi_square_tails(statistic, degrees=degrees)
    return upper if degrees < _FEW_DEGREES else min(1.0, 2 * min(lower, upper))


def chi_square_tails(statistic: float, *, degrees: int) -> tuple[float, float]:
    """Compute the chances that a chi-square variable is below and above ``statistic``."""
    shape, x = degrees / 2, statistic / 2
    if x <= 0:
        return 0.0, 1.0
    scale = math.exp(shape * math.log(x) - x - math.lgamma(shape))
    if x < shape + 1:
        lower = min(1.0, scale * _series(shape, x))
        return lower, 1 - lower
    upper = min(1.0, scale * _fraction(shape, x))
    return 1 - upper, upper


def binomial_two_sided(successes: int, *, trials: int, chance: float) -> float:
    """Compute the two-sided p-value of a number of successes: twice the smaller tail, at most 1."""
    at_most = _binomial_tail(successes, trials, chance)
    at_least = _binomial_tail(trials - successes, trials, 1 - chance)
    return min(1.0, 2 * min(at_most, at_least))


def _series(shape: float, x: float) -> float:
    """Compute the lower incomplete gamma function over ``x**shape * exp(-x)``."""
    term = total = 1 / shape
    place = shape
    while term > total * _PRECISION:
        place += 1
        term *= x / place
        total += term
    return total


def _fraction(shape: float, x: float) -> float:
    """Compute the upper incomplete gamma function over ``x**shape * exp(-x)``, by the modified Lentz method."""
    b = x + 1 - shape
    c, d = 1 / _TINY, 1 / b
    value = d
    place = 0
    change = 0.0
    while abs(change - 1) > _PRECISION * 10:
        place += 1
        a = -place * (place - shape)
        b += 2
        d = 1 / ((a * d + b) or _TINY)
        c = (b + a / c) or _TINY
        change = c * d
        value *= change
    return value


def _binomial_tail(successes: int, trials: int, chance: float) -> float:
    """Compute the chance of at most ``successes`` successes."""
    if successes >= trials:
        return 1.0
    if successes > trials * chance:  # sum the shorter side
        return max(0.0, 1 - _binomial_tail(trials - successes - 1, trials, 1 - chance))
    log_term = (
        math.lgamma(trials + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(trials - successes + 1)
        + successes * math.log(chance)
        + (trials - successes) * math.log1p(-chance)
    )
    term = total = 1.0
    odds = (1 - chance) / chance
    for left in range(successes, 0, -1):
        term *= left / (trials - left + 1) * odds
        total += term
        if term < total * _PRECISION:
            break
    return math.exp(log_term) * total
