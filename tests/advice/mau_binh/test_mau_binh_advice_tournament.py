"""The advice beats the other policies at their own table, by more than chance allows.

600 deals, 2,400 rounds a ruleset. Each claim is a mean more than 3.29 standard errors above zero, over independent
deals whose seed is fixed; ``tournament`` plays a hundred thousand rounds, whose means are five times as sure.
"""

import pytest

from referee.advice.mau_binh.splits import Splitter
from referee.cards import DECK
from referee.games.mau_binh import MauBinhRules
from referee.games.mau_binh.arrangement import check_arrangement
from referee.rulesets import Ruleset
from tests.advice.mau_binh import tournament
from tests.builtin import rules_as
from tests.randomness import random_from


@pytest.mark.slow("plays thousands of rounds")
def test_advice_wins_money_from_every_other_policy(ruleset: Ruleset) -> None:
    report = tournament.play(ruleset, tournament.standard_policies(ruleset, seed=1), deals=600, seed=3)
    assert report.rounds == 2_400
    total = report.totals[tournament.ADVICE]
    assert total.mean > total.margin
    for (mine, other), won in report.against.items():
        if mine == tournament.ADVICE:
            assert won.mean > won.margin, (other, won.mean, won.margin)


def test_every_policy_lays_out_lawful_hands(ruleset: Ruleset, rules: MauBinhRules) -> None:
    """So that none of them loses by fouling."""
    splitter = Splitter(rules.ranker)
    luck = random_from(2)
    for _ in range(40):
        hand = tuple(luck.sample(DECK, 13))
        splits = splitter.split(hand)
        for name, policy in tournament.standard_policies(ruleset, seed=2).items():
            assert check_arrangement(rules, hand, splits.arrangement(*policy(splits))) == (), name


def test_back_first_takes_the_strongest_back() -> None:
    """Then the strongest middle beside it, then the front: found again by sorting all lawful splits."""
    rules = rules_as(MauBinhRules, "mau_binh.classic")
    luck = random_from(6)
    for _ in range(20):
        splits = Splitter(rules.ranker).split(luck.sample(DECK, 13))
        lawful = [
            (int(splits.backs[place]), int(splits.middles[place]), int(splits.fronts[place[0]]))
            for place in zip(*(~splits.fouled).nonzero(), strict=True)
        ]
        place = tournament.back_first(splits)
        assert (splits.backs[place], splits.middles[place], splits.fronts[place[0]]) == max(lawful)


def test_equal_policies_win_nothing_from_one_another(ruleset: Ruleset) -> None:
    """The tournament itself favours no seat: four times the advice comes out even to the last stake."""
    advice = tournament.by_advice(ruleset)
    report = tournament.play(ruleset, {str(number): advice for number in range(4)}, deals=60, seed=5)
    assert [total.sums for total in report.totals.values()] == [0.0] * 4
