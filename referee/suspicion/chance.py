"""Probabilities of counts under chance alone, never underestimated.

Each function returns the natural logarithm of a probability or of a bound above it, valid for every number of trials.
Tails of counts are summed to the end, with the rest of the sum bounded by a geometric series; the card-by-place table
is bounded by Bousquet's inequality. For a value on the likely side the result is 0.0, the logarithm of one.

>>> from fractions import Fraction
>>> import math
>>> round(math.exp(log_at_least(10, 9, share=Fraction(1, 2))), 9) == round(11 / 1024, 9)
True
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Final

from referee.cards import DECK

CARDS: Final = len(DECK)
_TERMS: Final = 20_000
"""Terms of a tail that are summed singly; a geometric series bounds the others."""
_SLACK: Final = 1e-14
"""Floating point error, over the largest logarithm that a result is made of."""


def log_at_least(trials: int, successes: int, *, share: Fraction) -> float:
    """Return the logarithm of P(X >= successes), for independent trials that each succeed with chance ``share``.

    For trials of unequal chances with this mean it is a bound wherever successes exceed the expected number by one
    (Hoeffding 1956, theorem 4).
    """
    if not 0 <= share <= 1 or trials < 0:
        raise ValueError(f"{trials} trials cannot succeed with chance {share}")
    if successes <= trials * share or successes <= 0:
        return 0.0
    if successes > trials or share == 0:
        return -math.inf
    odds = float(share / (1 - share))
    first = (
        log_choose(trials, successes)
        + successes * (math.log(share.numerator) - math.log(share.denominator))
        + (trials - successes) * math.log1p(-float(share))
    )
    tail = _log_tail(lambda taken: (trials - taken) / (taken + 1) * odds, successes, trials)
    return min(0.0, first + tail + _slack(trials))


def log_at_most(trials: int, successes: int, *, share: Fraction) -> float:
    """Return the logarithm of P(X <= successes), as ``log_at_least`` does."""
    return log_at_least(trials, trials - successes, share=1 - share)


def log_drawn_at_least(marked: int, *, draws: int, of: int, marks: int) -> float:
    """Return the logarithm of the chance that at least ``marked`` of some draws are marked.

    ``draws`` are taken out of ``of``, of which ``marks`` are marked, without replacement: Fisher's one-sided exact test
    of whether two shares are equal.
    """
    if not 0 <= marks <= of or not 0 <= draws <= of:
        raise ValueError(f"{draws} cannot be drawn out of {of} with {marks} marked")
    if marked * of <= draws * marks:
        return 0.0
    most = min(draws, marks)
    if marked > most:
        return -math.inf
    first = log_choose(marks, marked) + log_choose(of - marks, draws - marked) - log_choose(of, draws)

    def ratio(taken: int) -> float:
        return (marks - taken) * (draws - taken) / ((taken + 1) * (of - marks - draws + taken + 1))

    return min(0.0, first + _log_tail(ratio, marked, most) + _slack(of))


def log_uneven_places(statistic: float, *, decks: int) -> float:
    """Return the logarithm of a bound on P(X2 >= statistic), X2 being Pearson's over the table of cards by place.

    The table is the sum of ``decks`` independent uniform permutation matrices, so X2 is 52/decks times the squared
    length of the sum of P - J/52. Each such term has length sqrt(51), its variance in no direction exceeds 1/51
    (Hoeffding 1951), and the expected length is at most sqrt(51 decks). Bousquet's inequality (2002, theorem 2.3) for
    the largest of all projections, which is the length, gives the bound.
    """
    if decks <= 0:
        return 0.0
    length, expected = math.sqrt(statistic * decks / CARDS), math.sqrt((CARDS - 1) * decks)
    if length <= expected:
        return 0.0
    reach = math.sqrt(CARDS - 1)
    spread = math.sqrt(2 * (decks / (CARDS - 1) + 2 * reach * expected))
    # with y = sqrt(x): reach/3 y^2 + spread y = length - expected
    root = (-spread + math.sqrt(spread**2 + 4 * reach / 3 * (length - expected))) / (2 * reach / 3)
    return -(root**2)


def log_any(count: int, log: float) -> float:
    """Return the logarithm of a bound on the chance that one of ``count`` events, each at most this likely, happens."""
    return min(0.0, math.log(count) + log) if count > 0 else 0.0


def log_choose(count: int, chosen: int) -> float:
    """Return the logarithm of the number of ways to choose ``chosen`` of ``count``."""
    return math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)


def log10(log: float) -> float:
    """Convert a natural logarithm to a decimal one, rounded to two places for people; -9999.0 for minus infinity."""
    return -9999.0 if log == -math.inf else round(max(log / math.log(10), -9999.0), 2)


def _log_tail(ratio: Callable[[int], float], first: int, last: int) -> float:
    """Return the logarithm of the sum of the terms from ``first`` to ``last``, the first being 1.

    ``ratio`` of k is term k + 1 over term k, is below 1 and falls.
    """
    term = total = 1.0
    for taken in range(first, min(last, first + _TERMS)):
        step = ratio(taken)
        rest = term * step / (1 - step) if step < 1 else math.inf
        if rest < total * 1e-17:
            break
        term *= step
        total += term
    else:
        taken = min(last, first + _TERMS)
        step = ratio(taken) if taken < last else 0.0
        rest = term * step / (1 - step)
    return math.log(total + rest)


def _slack(trials: int) -> float:
    return _SLACK * (1 + math.lgamma(trials + 2))
