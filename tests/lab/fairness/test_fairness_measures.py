"""Measures judge fairly: their statistics over all orders of few cards, and their p-values over fair decks."""

import itertools

import numpy as np
import pytest

from referee.lab.fairness.decks import Decks, shuffled
from referee.lab.fairness.measure import Rate, Spread, pooled
from referee.lab.fairness.places import ASCENTS, CYCLES, FIXED, ByPlace, Neighbours, without_margins
from referee.lab.fairness.survey import MEASURES
from tests.randomness import number_from


def small_decks(cards: int) -> Decks:
    orders = np.array(list(itertools.permutations(range(cards))), dtype=np.uint8).T.copy()
    return Decks(orders, np.zeros(orders.shape[1], dtype=np.int64))


@pytest.mark.parametrize("cards", [4, 5, 6])
@pytest.mark.parametrize("measure", [ByPlace, Neighbours])
def test_one_order_adds_on_average_what_is_ordinary(measure, cards: int):
    """Over all orders, each alone as a survey of one deck, the statistic's mean is its degrees of freedom, exactly."""
    decks = small_decks(cards)
    asked = measure(size=cards)
    statistics, degrees = [], 0.0
    for column in range(len(decks)):
        one = Decks(decks.cards[:, [column]], decks.used[[column]])
        judged = asked.judge(asked.count(one), decks=1)
        statistics.append(judged.statistic)
        degrees = judged.expected
    assert np.mean(statistics) == pytest.approx(degrees)


@pytest.mark.parametrize("cards", [4, 5])
def test_neighbours_vary_equally_in_every_direction(cards: int):
    """The covariance over all orders, scaled as the measure scales it, is a projection, as chi-square needs."""
    decks = small_decks(cards)
    n, rows = cards, []
    for column in range(len(decks)):
        one = Decks(decks.cards[:, [column]], decks.used[[column]])
        rest = without_margins(Neighbours(size=n).count(one).reshape(n, n).astype(float))
        symmetric, antisymmetric = (rest + rest.T) / 2, (rest - rest.T) / 2
        scaled = symmetric / np.sqrt(1 / n) + antisymmetric / np.sqrt(1 / n + 2 / (n * (n - 1)))
        rows.append(scaled.reshape(-1))
    covariance = np.cov(np.array(rows).T, bias=True)
    values = np.linalg.eigvalsh(covariance)
    assert np.allclose(np.minimum(abs(values), abs(values - 1)), 0, atol=1e-9)
    assert round(values.sum()) == n * (n - 1) - (2 * n - 1)


@pytest.mark.parametrize("cards", [4, 5])
def test_cards_by_place_vary_equally_in_every_direction(cards: int):
    orders = small_decks(cards).cards
    rows = [np.eye(cards)[order].reshape(-1) for order in orders.T]
    values = np.linalg.eigvalsh((cards - 1) * np.cov(np.array(rows).T, bias=True))
    assert np.allclose(np.minimum(abs(values), abs(values - 1)), 0, atol=1e-9)
    assert round(values.sum()) == (cards - 1) ** 2


def test_margins_leave_nothing_in_rows_and_columns():
    source = np.random.default_rng(number_from(2))
    matrix = source.random((7, 7))
    rest = without_margins(matrix)
    assert np.allclose([*rest.sum(axis=0), *rest.sum(axis=1), *rest.diagonal()], 0)


def test_margins_take_away_what_rows_and_columns_add():
    """Whatever is added to a whole row or column changes nothing."""
    source = np.random.default_rng(number_from(3))
    matrix, rows, columns = source.random((6, 6)), source.random((6, 1)), source.random((1, 6))
    assert np.allclose(without_margins(matrix), without_margins(matrix + rows + columns))


def test_cycles_rises_and_fixed_cards_are_counted_by_their_definition():
    source = np.random.default_rng(number_from(4))
    decks = shuffled(source.integers(0, 256, (300, 128), dtype=np.uint8))
    cycles, rises, fixed = (measure.observe(decks) for measure in (CYCLES, ASCENTS, FIXED))
    for column in range(300):
        order = decks.cards[:, column].tolist()
        seen: set[int] = set()
        count = 0
        for start in range(52):
            count += start not in seen
            place = start
            while place not in seen:
                seen.add(place)
                place = order[place]
        assert count == cycles[column]
        assert sum(a < b for a, b in itertools.pairwise(order)) == rises[column]
        assert sum(place == card for place, card in enumerate(order)) == fixed[column]


def test_counts_add_up_over_batches():
    source = np.random.default_rng(number_from(5))
    decks = shuffled(source.integers(0, 256, (400, 128), dtype=np.uint8))
    halves = [decks.kept(np.arange(400) < 200), decks.kept(np.arange(400) >= 200)]
    for measure in MEASURES:
        assert np.array_equal(measure.count(decks), measure.count(halves[0]) + measure.count(halves[1]))


def test_fair_decks_are_called_unlikely_as_often_as_they_are():
    """Fifty surveys of numpy's generator: each measure's p-value is below a tenth about five times.

    Of a coin that shows heads once in ten, 17 heads or more of fifty come four times in a million. Measures of rare
    things may call less often; those of many outcomes must call at least once.
    """
    source = np.random.default_rng(number_from(6))
    calls = dict.fromkeys(MEASURES, 0)
    for _ in range(50):
        decks = shuffled(source.integers(0, 256, (3_000, 128), dtype=np.uint8))
        for measure in MEASURES:
            calls[measure] += measure.judge(measure.count(decks), decks=3_000).p_value < 0.1
    assert {measure.name: count for measure, count in calls.items() if count > 16} == {}
    sensitive = [ByPlace, Neighbours, CYCLES, ASCENTS, FIXED]
    assert all(count for measure, count in calls.items() if measure in sensitive or type(measure) in sensitive)


def test_what_has_no_case_and_happens_is_beyond_chance():
    never = Spread("never", (1, 0), lambda decks: np.ones(len(decks), dtype=np.int64))
    decks = small_decks(4)
    assert never.judge(never.count(decks), decks=24).p_value == 0


def test_a_rate_that_is_off_is_far_out():
    rate = Rate("half", 1, 2, lambda decks: np.ones(len(decks), dtype=np.bool_))
    decks = small_decks(5)
    assert rate.judge(rate.count(decks), decks=120).p_value == pytest.approx(2 * 2.0**-120)


def test_rare_outcomes_are_judged_together():
    assert pooled([(3, 4.0), (90, 88.0), (10, 9.5), (14, 13.0), (300, 302.5)]) == [(27, 26.5), (90, 88.0), (300, 302.5)]
