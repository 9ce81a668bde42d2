"""The advice plays well: over fixed deals, by more than chance allows."""

import pytest

from tests.advice.tien_len.tournament import at_random, compete, lowest_legal, quick


@pytest.mark.slow("plays thousands of rounds")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_quick_advice_beats_players_of_the_lowest_legal_card(rules, seats: int):
    """Over 100,000 rounds it wins three stakes a round or more; here the interval of 1,200 must lie above one stake."""
    score = compete(quick, lowest_legal, seats=seats, deals=1200 // seats, seed=seats, rules=rules)
    assert score.stakes - 2 * score.interval > 1
    assert score.won - 2 * score.won_interval > 1 / seats


def test_quick_advice_beats_random_players(rules):
    score = compete(quick, at_random, seats=4, deals=100, seed=1, rules=rules)
    assert score.stakes - 2 * score.interval > 3


def test_a_player_wins_nothing_of_itself(rules):
    """Deals are played from every seat, so equal players come out even, to the stake."""
    score = compete(quick, quick, seats=3, deals=30, seed=5, rules=rules)
    assert score.stakes == score.interval == 0
    assert score.won == pytest.approx(1 / 3)
