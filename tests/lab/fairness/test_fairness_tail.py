"""Tail probabilities against scipy, against whole sums, and against a printed table."""

import math
from fractions import Fraction

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from referee.lab.fairness.tail import binomial_two_sided, chi_square_p_value, chi_square_tails


@pytest.mark.parametrize(("degrees", "point"), [(1, 6.635), (2, 9.210), (5, 15.086), (10, 23.209), (100, 135.807)])
def test_one_in_a_hundred_lies_above_the_tabled_point(degrees: int, point: float):
    """The 99 % points of the chi-square table in Abramowitz & Stegun, table 26.8, to their three decimals."""
    assert chi_square_tails(point, degrees=degrees)[1] == pytest.approx(0.01, rel=2e-3)


@given(st.integers(1, 4000), st.floats(-7, 7))
def test_chi_square_tails_are_those_of_scipy(degrees: int, deviations: float):
    statistic = max(0.0, degrees + deviations * math.sqrt(2 * degrees))
    lower, upper = chi_square_tails(statistic, degrees=degrees)
    assert lower == pytest.approx(scipy.stats.chi2.cdf(statistic, degrees), rel=1e-9, abs=1e-14)
    assert upper == pytest.approx(scipy.stats.chi2.sf(statistic, degrees), rel=1e-9, abs=1e-14)


@given(st.integers(1, 60), st.data())
def test_binomial_tails_are_whole_sums(trials: int, data):
    """Exact, in whole numbers, for a chance of a third."""
    successes = data.draw(st.integers(0, trials))
    weights = [math.comb(trials, k) * 2 ** (trials - k) for k in range(trials + 1)]
    smaller = min(sum(weights[: successes + 1]), sum(weights[successes:]))
    expected = min(Fraction(1), 2 * Fraction(smaller, 3**trials))
    assert binomial_two_sided(successes, trials=trials, chance=1 / 3) == pytest.approx(float(expected), rel=1e-9)


@given(st.floats(1e-9, 0.9), st.floats(-6, 6))
def test_binomial_tails_of_millions_are_those_of_scipy(chance: float, deviations: float):
    trials = 4_000_000
    spread = math.sqrt(trials * chance * (1 - chance))
    successes = min(trials, max(0, round(trials * chance + deviations * spread)))
    at_most = scipy.stats.binom.cdf(successes, trials, chance)
    at_least = scipy.stats.binom.sf(successes - 1, trials, chance)
    expected = min(1.0, 2 * min(at_most, at_least))
    assert binomial_two_sided(successes, trials=trials, chance=chance) == pytest.approx(expected, rel=1e-5, abs=1e-12)


def test_counts_that_are_too_even_are_far_out_too():
    assert chi_square_p_value(2200, degrees=2601) < 1e-8
    assert chi_square_p_value(3000, degrees=2601) < 1e-6
    assert chi_square_p_value(2601, degrees=2601) > 0.9


def test_an_even_count_of_few_is_nothing_unusual():
    """Half heads, half tails happens; a p-value of zero would be a false alarm."""
    assert chi_square_p_value(0, degrees=1) == 1
