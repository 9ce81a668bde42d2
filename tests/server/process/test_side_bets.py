"""What Prometheus reads of side bets: by the cards, once a settled round, and nothing of who bet."""

import urllib.request
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import pytest
from prometheus_client.parser import text_string_to_metric_families
from referee_client import Bet

from tests.driver.driver import AnyRound
from tests.driver.running import Running

PAYS: Final = {
    "ROYAL_FLUSH": 50,
    "STRAIGHT_FLUSH": 40,
    "FOUR_OF_A_KIND": 30,
    "FULL_HOUSE": 8,
    "FLUSH": 7,
    "STRAIGHT": 4,
    "THREE_OF_A_KIND": 3,
}
"""Trips of the casino's table, to one; other hands lose."""
FOLDS: Final = ((0, "PLAY_4X"), (1, "CHECK"), (1, "CHECK"), (1, "FOLD"))


@pytest.fixture
def server(make_running: Callable[..., Running]) -> Running:
    return make_running(metrics="127.0.0.1:0")


def counted(server: Running) -> dict[str, float]:
    """Return the samples of side bets by name; every sample is of the casino's ruleset."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{server.app.metrics_port}/metrics").read().decode()
    families = text_string_to_metric_families(text)
    samples = [one for family in families for one in family.samples if one.name.startswith("referee_side_bet")]
    kept = [one for one in samples if one.name.endswith("_total")]
    assert all(one.labels == {"ruleset": "ultimate_texas.casino", "version": "1.0.0"} for one in kept)
    return {one.name: one.value for one in kept}


def folded(server: Running, number: int, *trips: int) -> AnyRound:
    """Play a round in which the second seat folds, at a table of this number, with these bets of Trips."""
    bets = [Bet(ante=10, trips=bet) for bet in trips]
    played: Any = server.driver.deal(f"t-{number}", "ultimate_texas", bets=bets)
    for seat, decision in FOLDS:
        assert played.decide(seat, decision).event_number
    return played


def returned(played: AnyRound, seats: tuple[int, ...]) -> Fraction:
    """Settle a round twice; return what a unit of Trips got back by the cards, the mean of these seats."""
    outcome = played.settle().result
    assert played.settle().result == outcome
    units = [PAYS.get(outcome.seats[seat].value.category, -1) + 1 for seat in seats]
    return Fraction(sum(units), len(units))


def test_side_bets_are_counted_by_the_cards_though_a_seat_folded(server: Running) -> None:
    """Once a round, although each settlement is asked for twice; fifteen rounds, so that some of them win."""
    expected = [returned(folded(server, number, 5, 5), (0, 1)) for number in range(15)]
    assert any(expected)
    assert counted(server) == {
        "referee_side_bet_rounds_total": 15,
        "referee_side_bet_units_total": pytest.approx(float(sum(expected))),
    }


def test_only_seats_with_a_side_bet_count_and_rounds_without_one_do_not(server: Running) -> None:
    expected = Fraction(0)
    for number, bet in enumerate((5, 0)):
        played = folded(server, number, 0, bet)
        if bet:
            expected += returned(played, (1,))
        else:
            played.settle()
    assert counted(server) == {
        "referee_side_bet_rounds_total": 1,
        "referee_side_bet_units_total": pytest.approx(float(expected)),
    }
