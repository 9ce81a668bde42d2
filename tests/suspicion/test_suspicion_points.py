"""Points that an audit gives hands: distributed as counted, and alike for seat and house."""

import math
from collections import Counter

import pytest

from referee.cards import DECK
from referee.games import GAMES
from referee.games.questions import PointQuestions
from referee.games.tien_len.game import QUESTIONS as TIEN_LEN
from referee.games.ultimate_texas import UltimateTexasRules
from referee.games.ultimate_texas.game import leads
from referee.suspicion.questions import points_of_hands
from tests.builtin import rules_as
from tests.suspicion.shuffled_rounds import Luck


@pytest.mark.parametrize("game", ["mau_binh", "tien_len"])
def test_points_are_distributed_as_their_count_over_all_hands_says(game: str):
    """20,000 hands by Pearson's chi-square over bins of at least 50 expected, at one in a million."""
    from scipy import stats  # noqa: PLC0415 - beside the one test that needs it

    distribution = points_of_hands(game)
    assert distribution.total == math.comb(52, 13)
    measured = GAMES[game].questions
    assert isinstance(measured, PointQuestions)
    luck, hands = Luck("points", game), 20_000
    cards = list(range(1, 53))
    seen = Counter(measured.points(bytes(luck.sample(cards, 13))) for _ in range(hands))
    bins: list[tuple[int, float]] = []
    observed, expected = 0, 0.0
    for value, weight in distribution.weights.items():
        observed, expected = observed + seen[value], expected + hands * weight / distribution.total
        if expected >= 50:
            bins.append((observed, expected))
            observed, expected = 0, 0.0
    bins[-1] = (bins[-1][0] + observed, bins[-1][1] + expected)
    statistic = sum((found - due) ** 2 / due for found, due in bins)
    assert stats.chi2.sf(statistic, len(bins) - 1) > 1e-6


def test_points_are_those_of_ranks_and_groups_by_hand():
    """3-3-3, a pair of kings, a 2 and seven singles in Tiến Lên: places 0 (3) to 12 (2), 9 for three and 3 for two."""
    hand = ["3S", "3C", "3D", "KS", "KC", "2H", "4S", "5S", "7D", "8D", "9H", "TH", "JC"]
    numbers = bytes([card.number for card in DECK if card.text in hand])
    assert TIEN_LEN.points(numbers) == (0 + 9) + (2 * 10 + 3) + 12 + (1 + 2 + 4 + 5 + 6 + 7 + 8)


@pytest.mark.parametrize("ruleset_id", ["ultimate_texas.casino", "ultimate_texas.two_plus_three"])
def test_seat_and_house_change_places_and_the_lead_changes_sides(ruleset_id: str):
    """What makes the two alike under a fair shuffle: for every deal there is the one with their cards exchanged."""
    rules, luck = rules_as(UltimateTexasRules, ruleset_id), Luck(ruleset_id)
    cards = list(range(1, 53))
    for _ in range(500):
        luck.shuffle(cards)
        seat, house, flop, rest = bytes(cards[:2]), bytes(cards[2:4]), bytes(cards[4:7]), bytes(cards[7:9])
        one = leads(rules, [seat, house, flop, rest], 1)
        other = leads(rules, [house, seat, flop, rest], 1)
        assert one[0] == -other[0]
