"""Bounds of chances: never below the truth, by SciPy's distributions, by enumeration and by simulation."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from referee.suspicion.chance import CARDS, log_any, log_at_least, log_at_most, log_drawn_at_least, log_uneven_places
from referee.suspicion.distribution import NEIGHBOURS, PLACES, Distribution, kept_neighbours, kept_places
from tests.randomness import random_from

CLOSE = 1e-6
"""How far below the other library a logarithm may fall; both are floating point."""
REACH = -650.0
"""Below it the other library's numbers lose their digits."""
SHARES = st.sampled_from([Fraction(1, 52), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(9, 10)])


@given(st.integers(1, 20_000), st.floats(0, 1), SHARES)
def test_binomial_tails_are_those_of_scipy(trials: int, part: float, share: Fraction):
    """Above the mean they are equal; below it the bound is one."""
    count = round(part * trials)
    upper, lower = log_at_least(trials, count, share=share), log_at_most(trials, count, share=share)
    above = scipy.stats.binom.logsf(count - 1, trials, float(share))
    below = scipy.stats.binom.logcdf(count, trials, float(share))
    assert below < REACH or lower >= below - CLOSE
    assert above < REACH or upper >= above - CLOSE
    if count > trials * share and above > REACH:
        assert math.isclose(upper, above, abs_tol=1e-5)


@pytest.mark.parametrize(
    ("trials", "count", "share"), [(12, 9, Fraction(1, 3)), (40, 3, Fraction(1, 52)), (7, 7, Fraction(1, 2))]
)
def test_binomial_tail_is_the_sum_of_its_terms(trials: int, count: int, share: Fraction):
    terms = [math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(count, trials + 1)]
    assert math.isclose(float(sum(terms)), math.exp(log_at_least(trials, count, share=share)), rel_tol=1e-9)


def test_binomial_tail_of_a_thousand_million_trials_is_bounded():
    """The sum is cut off and closed by a series that bounds it, so it is no smaller than the other library's."""
    trials, share = 10**9, Fraction(1, 52)
    for deviations in (1, 4, 7):
        count = round(trials / 52 + deviations * math.sqrt(trials * share * (1 - share)))
        other = scipy.stats.binom.logsf(count - 1, trials, float(share))
        assert other - 1e-4 <= log_at_least(trials, count, share=share) <= other + 0.5


def test_tails_that_cannot_be_are_impossible_and_likely_ones_certain():
    half = Fraction(1, 2)
    assert log_at_least(10, 11, share=half) == -math.inf
    assert log_at_most(10, -1, share=half) == -math.inf
    assert log_at_least(10, 5, share=half) == log_at_most(10, 5, share=half) == log_at_least(0, 0, share=half) == 0.0
    with pytest.raises(ValueError, match="cannot succeed"):
        log_at_least(10, 3, share=Fraction(3, 2))


@given(st.integers(1, 300), st.data())
def test_draws_without_return_are_those_of_scipy(of: int, data: st.DataObject):
    marks, draws = data.draw(st.integers(0, of)), data.draw(st.integers(0, of))
    marked = data.draw(st.integers(0, min(marks, draws)))
    other = scipy.stats.hypergeom.logsf(marked - 1, of, marks, draws)
    found = log_drawn_at_least(marked, draws=draws, of=of, marks=marks)
    assert found >= other - CLOSE
    if marked * of > draws * marks and math.isfinite(other):
        assert math.isclose(found, other, abs_tol=1e-6, rel_tol=1e-6)


@pytest.mark.parametrize("size", range(2, 8))
def test_kept_places_and_neighbours_are_counted_over_all_orders(size: int):
    orders = list(itertools.permutations(range(size)))
    places = Counter(sum(card == place for place, card in enumerate(order)) for order in orders)
    neighbours = Counter(sum(b == a + 1 for a, b in itertools.pairwise(order)) for order in orders)
    assert kept_places(size).weights == dict(sorted(places.items()))
    assert kept_neighbours(size).weights == dict(sorted(neighbours.items()))


def test_distributions_of_the_deck_have_the_moments_known_of_them():
    """Of fixed points mean and variance are 1; of successions the mean is 51/52."""
    assert PLACES.total == math.factorial(52)
    assert (PLACES.mean, PLACES.variance) == (Fraction(1), Fraction(1))
    assert (NEIGHBOURS.total, NEIGHBOURS.mean) == (math.factorial(52), Fraction(51, 52))


@given(st.dictionaries(st.integers(-5, 9), st.integers(1, 20), min_size=2, max_size=5), st.integers(1, 20), st.data())
def test_sums_are_never_said_less_likely_than_they_are(weights: dict[int, int], draws: int, data: st.DataObject):
    """Against the sum's own distribution, made by adding draw after draw."""
    distribution = Distribution(weights)
    sums = {0: Fraction(1)}
    for _ in range(draws):
        more: dict[int, Fraction] = {}
        for (total, chance), (value, weight) in itertools.product(sums.items(), weights.items()):
            more[total + value] = more.get(total + value, Fraction(0)) + chance * weight / distribution.total
        sums = more
    total = data.draw(st.sampled_from(sorted(sums)))
    upper = float(sum(chance for value, chance in sums.items() if value >= total))
    lower = float(sum(chance for value, chance in sums.items() if value <= total))
    assert distribution.log_sum_at_least(draws, total) >= math.log(upper) - CLOSE
    assert distribution.log_sum_at_most(draws, total) >= math.log(lower) - CLOSE


@pytest.mark.parametrize("draws", [30, 1_000, 100_000])
def test_bound_of_a_sum_is_near_the_truth_far_out(draws: int):
    """Eight deviations out, Chernoff's bound is within a factor of e^5 of the Poisson tail that fixed points have."""
    total = draws + round(8 * math.sqrt(draws))
    other = scipy.stats.poisson.logsf(total - 1, draws)  # fixed points of 52 cards agree with Poisson in 52 moments
    assert other <= PLACES.log_sum_at_least(draws, total) <= other + 5


@pytest.mark.parametrize("decks", [10, 500, 10**4, 10**6, 10**9])
@pytest.mark.parametrize("deviations", [0, 2, 5, 10, 40])
def test_uneven_places_are_never_said_less_likely_than_chi_square_does(decks: int, deviations: int):
    """51/52 of the statistic is chi-square with 51 x 51 degrees of freedom for many decks, and bounded for all."""
    freedom = (CARDS - 1) ** 2
    statistic = (freedom + deviations * math.sqrt(2 * freedom)) * CARDS / (CARDS - 1)
    assert log_uneven_places(statistic, decks=decks) >= scipy.stats.chi2.logsf(statistic * (CARDS - 1) / CARDS, freedom)


def test_uneven_places_come_near_chi_square_for_very_many_decks():
    """What goes unseen in few decks is found in many: the price of the bound falls with their number."""
    statistic = 1.5 * CARDS * (CARDS - 1)
    found = [log_uneven_places(statistic, decks=decks) for decks in (100, 10**4, 10**6, 10**8, 10**10)]
    assert found == sorted(found, reverse=True)
    assert found[0] > -1
    assert found[-1] < -60


def test_uneven_places_hold_for_few_decks_in_simulation():
    """Of 2,000 tables of 12 decks no more exceed a value than the bound says, at every quantile."""
    luck = random_from(12)
    decks, tables, cards = 12, 2_000, list(range(CARDS))
    statistics = []
    for _ in range(tables):
        cells: Counter[tuple[int, int]] = Counter()
        for _ in range(decks):
            luck.shuffle(cards)
            cells.update(enumerate(cards))
        mean = decks / CARDS
        statistics.append(sum(count**2 for count in cells.values()) / mean - decks * CARDS)
    statistics.sort()
    for place, statistic in enumerate(statistics):
        share = (tables - place) / tables
        slack = 4 * math.sqrt(share * (1 - share) / tables)
        assert share - slack <= math.exp(log_uneven_places(statistic, decks=decks))


def test_many_looks_make_an_event_likelier():
    assert math.isclose(math.exp(log_any(1_000, math.log(1e-9))), 1e-6)
    assert log_any(10, math.log(0.5)) == 0.0
    assert log_any(0, -5.0) == 0.0
