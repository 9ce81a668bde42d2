"""Probabilities of counts under chance alone, never underestimated.

Each function returns the natural logarithm of a probability or of an upper bound of it, valid for every number of
trials. The first terms of a tail are summed, and a geometric series bounds the rest; Bousquet's inequality bounds the
chi-square of the table of cards by place. For a count that is not beyond its expected value the result is 0.0, the
logarithm of 1.

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
"""Floating point error of a result, relative to the largest logarithm in its computation."""


def log_at_least(trials: int, successes: int, *, share: Fraction) -> float:
    """Return the logarithm of P(X >= successes), where X counts successes in trials of chance ``share`` each.

    Trials are independent. If their chances differ and have the mean ``share``, the result is an upper bound if
    ``successes`` exceeds the expected number by at least 1 (Hoeffding 1956, theorem 4).
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
    """Return the logarithm of the chance that at least ``marked`` of the cards drawn are marked.

    ``draws`` cards are drawn without replacement out of ``of`` cards, ``marks`` of them marked. This is Fisher's
    one-sided exact test of whether two shares are equal.
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
    """Return the logarithm of an upper bound of P(X2 >= statistic) for the table of cards by place.

    X2 is Pearson's chi-square over the 52 x 52 cells. The table is the sum of ``decks`` independent uniform permutation
    matrices P, so X2 is 52/decks times the squared length of the sum of P - J/52, where J is all ones. Each such term
    has length sqrt(51), its variance in no direction exceeds 1/51 (Hoeffding 1951), and the expected length is at most
    sqrt(51 decks). Bousquet's inequality (2002, theorem 2.3) for the largest of all projections, which is the length,
    gives the bound.
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
    """Return the logarithm of an upper bound of the chance that at least one of ``count`` events happens.

    ``log`` is the logarithm of the largest chance of one event; with no events the result is 0.0.
    """
    return min(0.0, math.log(count) + log) if count > 0 else 0.0


def log_choose(count: int, chosen: int) -> float:
    """Return the logarithm of the number of ways to choose ``chosen`` of ``count``."""
    return math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)


def log10(log: float) -> float:
    """Convert a natural logarithm to a decimal one, rounded to two places; -9999.0 for any smaller value."""
    return -9999.0 if log == -math.inf else round(max(log / math.log(10), -9999.0), 2)


def _log_tail(ratio: Callable[[int], float], first: int, last: int) -> float:
    """Return the logarithm of the sum of the terms from ``first`` to ``last``, where term ``first`` is 1.

    ``ratio(k)`` must be term k + 1 divided by term k, be below 1, and fall as k grows.
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
