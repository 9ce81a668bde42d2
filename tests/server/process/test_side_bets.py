"""What Prometheus reads of side bets: by the cards, once a settled round, and nothing of who bet."""

import urllib.request
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Final

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.driver.ultimate_texas_house import Round, Server

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
def server(tmp_path: Path, quiet_calls: None) -> Iterator[Server]:  # noqa: ARG001 - no lines of calls
    running = Server(tmp_path, metrics="127.0.0.1:0")
    yield running
    running.close()


def counted(server: Server) -> dict[str, float]:
    """Return the samples of side bets by name; every sample is of the casino's ruleset."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{server.app.metrics_port}/metrics").read().decode()
    families = text_string_to_metric_families(text)
    samples = [one for family in families for one in family.samples if one.name.startswith("referee_side_bet")]
    kept = [one for one in samples if one.name.endswith("_total")]
    assert all(one.labels == {"ruleset": "ultimate_texas.casino", "version": "1.0.0"} for one in kept)
    return {one.name: one.value for one in kept}


def returned(played: Round, seats: tuple[int, ...]) -> Fraction:
    """Settle a round twice; return what a unit of Trips got back by the cards, the mean of these seats."""
    outcome = played.settle().outcome
    assert played.settle().outcome == outcome
    units = [PAYS.get(outcome.seats[seat].value.category, -1) + 1 for seat in seats]
    return Fraction(sum(units), len(units))


def test_side_bets_are_counted_by_the_cards_though_a_seat_folded(server: Server) -> None:
    """Once a round, although each settlement is asked for twice; fifteen rounds, so that some of them win."""
    expected = []
    for _ in range(15):
        played = server.deal()
        played.play(*FOLDS)
        expected.append(returned(played, (0, 1)))
    assert any(expected)
    assert counted(server) == {
        "referee_side_bet_rounds_total": 15,
        "referee_side_bet_units_total": pytest.approx(float(sum(expected))),
    }


def test_only_seats_with_a_side_bet_count_and_rounds_without_one_do_not(server: Server) -> None:
    expected = Fraction(0)
    for stakes in (((10, 0), (10, 5)), ((10, 0), (10, 0))):
        played = server.deal(stakes=stakes)
        played.play(*FOLDS)
        if stakes[1][1]:
            expected += returned(played, (1,))
        else:
            played.settle()
    assert counted(server) == {
        "referee_side_bet_rounds_total": 1,
        "referee_side_bet_units_total": pytest.approx(float(expected)),
    }
