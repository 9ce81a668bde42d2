"""Wins at the deal: counts by formula, and a second count that goes card by card."""

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from referee.games.mau_binh import MauBinhRules
from referee.games.tien_len import TienLenRules
from referee.lab.odds import mau_binh, tien_len
from referee.lab.odds.instant_win import InstantWinOdds
from referee.rulesets import Ruleset, load_builtin
from tests.builtin import rules_as

HANDS = math.comb(52, 13)
MAU_BINH = [ruleset for ruleset in load_builtin() if ruleset.game == "mau_binh"]
TIEN_LEN = [ruleset for ruleset in load_builtin() if ruleset.game == "tien_len"]

MAU_BINH_MET = {
    "SUITED_DRAGON": 4,
    "DRAGON": 4**13 - 4,
    "THIRTEEN_RED": math.comb(26, 13),
    "THIRTEEN_BLACK": math.comb(26, 13),
    "TWELVE_RED_ONE_BLACK": 26 * math.comb(26, 12),
    "TWELVE_BLACK_ONE_RED": 26 * math.comb(26, 12),
    "THREE_FLUSHES": 5_705_516_392,
    "THREE_STRAIGHTS": 2_029_579_776,
    "SIX_PAIRS": 52 * sum(math.comb(12, k) * math.comb(12 - k, 6 - 2 * k) * 6 ** (6 - 2 * k) for k in range(4)),
    "FIVE_PAIRS_ONE_TRIPLE": 52
    * sum(math.comb(12, k) * math.comb(12 - k, 5 - 2 * k) * 6 ** (5 - 2 * k) for k in range(3)),
}
"""By the formulas that the law's own tests prove against the detector."""


@pytest.mark.parametrize("ruleset", MAU_BINH, ids=lambda ruleset: ruleset.id)
def test_counts_of_mau_binh_patterns_are_those_of_the_formulas(ruleset: Ruleset):
    rules = rules_as(MauBinhRules, ruleset)
    odds = mau_binh.instant_win_odds(rules)
    assert {one.pattern: one.met for one in odds.chances} == {
        one.pattern: MAU_BINH_MET[one.pattern] for one in odds.chances
    }
    assert [one.pattern for one in odds.chances] == [win.pattern for win in rules.instant_wins]
    assert all(one.wins <= one.met for one in odds.chances)


def test_every_hand_of_mau_binh_is_counted_once():
    assert sum(count for _, count in mau_binh._kinds()) == HANDS  # noqa: SLF001 - what the counts run over


def test_three_flushes_win_unless_a_pattern_of_ranks_is_higher():
    """Second count, rank by rank with the suits held: hands of 5-5-3, 10-3, 8-5 or 13 that are pairs or a dragon."""
    shapes = {(5, 5, 3, 0), (10, 3, 0, 0), (8, 5, 0, 0), (13, 0, 0, 0)}
    states: Counter[tuple[tuple[int, ...], int, int]] = Counter({((0, 0, 0, 0), 0, 0): 1})
    for rank in range(13):
        grown: Counter[tuple[tuple[int, ...], int, int]] = Counter()
        for (suits, odd, single), ways in states.items():
            for taken in product((0, 1), repeat=4):
                held, count = tuple(map(sum, zip(suits, taken, strict=True))), sum(taken)
                after = odd + count % 2, single + (count == 1)
                if sum(held) <= 13 and (after[0] <= 1 or after[1] == rank + 1):
                    grown[(held, *after)] += ways
        states = grown
    both = sum(
        ways
        for (suits, odd, single), ways in states.items()
        if tuple(sorted(suits, reverse=True)) in shapes and sum(suits) == 13 and (odd == 1 or single == 13)
    )
    classic = next(ruleset for ruleset in MAU_BINH if ruleset.id == "mau_binh.classic")
    flushes = next(
        one
        for one in mau_binh.instant_win_odds(rules_as(MauBinhRules, classic)).chances
        if one.pattern == "THREE_FLUSHES"
    )
    assert flushes.met - flushes.wins == both


@pytest.mark.parametrize("ruleset", TIEN_LEN, ids=lambda ruleset: ruleset.id)
def test_hands_of_tien_len_are_as_many_as_the_formulas_say(ruleset: Ruleset):
    odds = tien_len.instant_win_odds(rules_as(TienLenRules, ruleset))
    met = {one.pattern: one.met for one in odds.chances}
    assert met["DRAGON_RUN"] == 4**13 + 12 * 6 * 4**11
    assert met["TWELVE_OF_A_SUIT"] == 4 * (13 * 39 + 1)
    assert met["QUAD_OF_TWOS"] == math.comb(48, 9)
    assert met["FOUR_TRIPLES"] == math.comb(13, 4) * (4**4 * 9 * 4 + 4 * 4**3)
    assert met["TWO_QUADS"] == sum(
        (-1) ** k * math.comb(k + 1, 1) * math.comb(13, k + 2) * math.comb(52 - 4 * (k + 2), 13 - 4 * (k + 2))
        for k in range(2)
    )
    assert met["SIX_PAIRS"] == sum(
        math.comb(13, quads)
        * math.comb(13 - quads, 6 - 2 * quads)
        * (6 ** (6 - 2 * quads) * (7 + quads) * 4 + (6 - 2 * quads) * 4 * 6 ** max(0, 5 - 2 * quads))
        for quads in range(4)
    )
    assert met["PAIR_RUN_6"] == sum(6**6 * 4 * (13 - 6) + 6 * 4 * 6**5 for _ in range(12 - 6 + 1)), (
        "six in a row, and a thirteenth card of another rank or of one of theirs"
    )


@pytest.mark.parametrize("ruleset", TIEN_LEN, ids=lambda ruleset: ruleset.id)
def test_any_win_of_tien_len_is_as_frequent_as_over_all_counts_of_ranks(ruleset: Ruleset):
    """0.8312 % was found over all 3,598,180 counts of ranks by the law's own exhaustive test."""
    assert round(float(100 * tien_len.instant_win_odds(rules_as(TienLenRules, ruleset)).any_win), 4) == 0.8312


@pytest.mark.parametrize("ruleset", [*MAU_BINH, *TIEN_LEN], ids=lambda ruleset: ruleset.id)
def test_worth_is_chance_times_units_times_the_seats_that_pay(ruleset: Ruleset):
    rules = ruleset.rules
    assert isinstance(rules, MauBinhRules | TienLenRules)
    odds: InstantWinOdds = (
        mau_binh.instant_win_odds(rules) if isinstance(rules, MauBinhRules) else tien_len.instant_win_odds(rules)
    )
    prices = {str(win.pattern): win.units for win in rules.instant_wins}
    for seats in (2, 3, 4):
        expected = sum(Fraction(one.wins * prices[one.pattern], HANDS) for one in odds.chances) * (seats - 1)
        assert odds.worth(seats) == expected
