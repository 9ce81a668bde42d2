"""Bets on which decks are kept: against every way to deal the same hands to the seats, counted one by one."""

import itertools
import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.suspicion.bets import GIVEN_UP, KEPT, Bets, growth, shared
from tests.suspicion.shuffled_rounds import Luck

ROUNDS = st.lists(
    st.tuples(st.lists(st.integers(40, 160), min_size=3, max_size=3), st.booleans()), min_size=1, max_size=6
)


def stakes(rounds: Sequence[tuple[Sequence[int], bool]], seats: Sequence[int]) -> tuple[float, float]:
    """Return the stakes, from 1, after rounds in which the owner sat in these seats: favoured, then harmed."""
    bets = Bets()
    for (values, is_kept), seat in zip(rounds, seats, strict=True):
        if is_kept:
            bets.add_kept(growth(values, KEPT)[seat])
        else:
            bets.add_given_up(*[growth(values, GIVEN_UP)[seat]] * 2)
    return math.exp(bets.log_favoured), math.exp(bets.log_harmed)


@given(ROUNDS)
def test_stakes_are_worth_one_on_average_over_every_deal(rounds: list[tuple[list[int], bool]]):
    """And at most one in 1/p deals reaches p, whatever p (Ville), by counting all of them."""
    every = [stakes(rounds, seats) for seats in itertools.product(range(3), repeat=len(rounds))]
    for side in zip(*every, strict=True):
        assert math.isclose(math.fsum(side) / len(side), 1.0, rel_tol=1e-9)
        for reached in side:
            assert sum(other >= reached for other in side) / len(side) <= min(1.0, 1 / reached) * (1 + 1e-9)


def fates(depth: int) -> Iterator[tuple[float, float]]:
    """Yield the largest stake on a path of hands of 1, 2 or 4 points, and the path's chance.

    Whether a round is kept depends on all hands before it: it is given up after a hand of 1, and after two of 2.
    """
    values = (1, 2, 4)
    for path in itertools.product(range(3), repeat=depth):
        bets, most = Bets(), 0.0
        for number, seat in enumerate(path):
            before = [values[one] for one in path[:number]]
            is_given_up = before[-1:] == [1] or before[-2:] == [2, 2]
            if is_given_up:
                bets.add_given_up(*[growth(values, GIVEN_UP)[seat]] * 2)
            else:
                bets.add_kept(growth(values, KEPT)[seat])
            most = max(most, bets.log_favoured)
        yield math.exp(most), 3.0**-depth


def test_bound_holds_at_any_time_and_for_fates_that_follow_from_earlier_rounds():
    paths = list(fates(8))
    assert math.isclose(sum(chance for _, chance in paths), 1.0)
    for level in (1.5, 2.0, 3.0, 5.0, 8.0):
        assert sum(chance for most, chance in paths if most >= level) <= 1 / level


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_stakes_divided_over_all_seats_stay_what_they_are(seats: int):
    luck = Luck("shared", seats)
    grown = growth([luck.randrange(40, 160) for _ in range(seats)], GIVEN_UP)
    assert shared(grown) == pytest.approx([0.0] * len(GIVEN_UP), abs=1e-12)


def test_growth_is_that_of_the_definition():
    """By fractions and one exponential each: hands of 1, 2 and 6 have the mean 3 and the variance 14/3."""
    values = (1, 2, 6)
    spread = math.sqrt(Fraction(14, 3))
    for place, argument in enumerate(GIVEN_UP):
        terms = [math.exp(argument * (value - 3) / spread) for value in values]
        mean = sum(terms) / 3
        found = [grown[place] for grown in growth(values, GIVEN_UP)]
        assert found == pytest.approx([math.log(term / mean) for term in terms])


def test_equal_hands_show_nothing():
    assert growth((7, 7, 7), KEPT) == ((0.0,) * len(KEPT),) * 3


def test_growth_does_not_depend_on_the_unit_of_the_values():
    assert growth((10, 30, 80), KEPT)[1] == pytest.approx(growth((1, 3, 8), KEPT)[1])


def test_chosen_seeds_gain_nothing_over_those_all_handed_in():
    """Of every choice of six decks to hand in, none raises the stakes above those with all six known."""
    luck = Luck("chosen")
    decks = [growth([luck.randrange(40, 160) for _ in range(4)], GIVEN_UP)[0] for _ in range(6)]
    whole = Bets()
    for grown in decks:
        whole.add_handed_in(grown, grown)
    for chosen in itertools.product((True, False), repeat=6):
        part = Bets()
        for grown, is_shown in zip(decks, chosen, strict=True):
            if is_shown:
                part.add_handed_in(grown, grown)
        part.withhold(chosen.count(False))
        assert part.log_favoured <= whole.log_favoured + 1e-12
        assert part.log_harmed <= whole.log_harmed + 1e-12
