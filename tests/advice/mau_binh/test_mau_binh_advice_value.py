"""What an arrangement is said to be worth is what the game itself pays for it."""

import itertools
from fractions import Fraction
from statistics import mean
from typing import Any, Final, TypeAlias

import msgspec
import pytest

from referee.advice.mau_binh.advisor import Advisor
from referee.advice.mau_binh.population import HandPopulation
from referee.advice.mau_binh.populations import Populations
from referee.advice.mau_binh.splits import Splitter
from referee.advice.mau_binh.suggestion import SCALE
from referee.advice.mau_binh.value import ValueTable
from referee.cards import DECK, Seat
from referee.games.mau_binh import GAME, Arrange, Arrangement, MauBinhRules, begin, instant_win_of, settle
from referee.rulesets import Ruleset
from tests.games.rounds import hands_deal, settled
from tests.randomness import random_from

Few: TypeAlias = Any  # its class is in conftest

DEALT: Final = tuple(DECK[start : start + 13] for start in range(0, 52, 13))


def paid_by_the_game(rules: MauBinhRules, arrangements: tuple[Arrangement, ...]) -> int:
    """Settle by the game and return what the first seat wins, in stakes; the cards need not be of one deck."""
    count = len(arrangements)
    state = begin(rules, hands_deal(DEALT[:count]))
    state = msgspec.structs.replace(state, arrangements=arrangements, instant_wins=(None,) * count)
    return settle(state).net[0]


@pytest.mark.parametrize("seat_count", [2, 3, 4])
def test_value_is_the_mean_payment_over_every_table_of_opponents(few: Few, seat_count: int) -> None:
    """The population is twelve known arrangements, so every table they can make is played out.

    Exact but for rounding, except where four aces and a sweep by every seat meet (see ``ValueTable``).
    """
    table = ValueTable(few.rules, few.population, seat_count=seat_count)
    opponents = seat_count - 1
    stride = 1 if opponents < 3 else 6
    for own in few.arrangements[::stride]:
        tables = list(itertools.product(few.arrangements, repeat=opponents))
        exact = Fraction(sum(paid_by_the_game(few.rules, (own, *others)) for others in tables), len(tables))
        back, middle, front = few.strengths(own)
        valued = Fraction(table.value(back=back, middle=middle, front=front), SCALE)
        allowed = Fraction(1, 100)
        if opponents > 1 and few.hangs_together:
            allowed = 1 + abs(exact) / 50
        assert abs(valued - exact) < allowed, (own, float(valued), float(exact))


def test_twelve_arrangements_stand_in_bins_of_their_own(few: Few) -> None:
    """Otherwise the test above would compare means over bins with exact numbers."""
    for chi, edges in enumerate(few.population.bins):
        strengths = {few.strengths(one)[chi] for one in few.arrangements}
        assert strengths <= set(edges)


def test_twelve_arrangements_meet_every_sweep(few: Few) -> None:
    """All chi are won and lost, and four aces win everything, somewhere among them."""
    wins = [
        tuple(mine > theirs for mine, theirs in zip(few.strengths(one), few.strengths(other), strict=True))
        for one, other in itertools.permutations(few.arrangements, 2)
    ]
    assert wins.count((True, True, True)) > 30
    assert len(set(wins)) == 8
    aces = few.strengths(few.arrangements[0])
    assert sum(all(a > b for a, b in zip(aces, few.strengths(other), strict=True)) for other in few.arrangements) > 6


def test_chi_of_every_strength_are_worth_what_counting_says(ruleset: Ruleset, rules: MauBinhRules) -> None:
    """Against the shipped population, counted again with fractions: won from the weaker, paid to the stronger."""
    population = Populations.builtin().population_for(rules, digest=ruleset.digest)
    table = ValueTable(rules, population, seat_count=2)
    ranker, luck = rules.ranker, random_from(4)
    for chi in range(3):
        counts = population.counts[chi].tolist()
        of_strength = ranker.three_of_strength if chi == 2 else ranker.five_of_strength
        prices = [rules.units[chi][of_strength(strength).category] for strength in range(1, len(counts) + 1)]
        for strength in luck.sample(range(1, len(counts) + 1), 40):
            won = prices[strength - 1] * sum(counts[: strength - 1])
            lost = sum(price * count for price, count in zip(prices[strength:], counts[strength:], strict=True))
            exact = Fraction(won - lost, population.size)
            assert abs(Fraction(int(table.chi[chi][strength]), SCALE) - exact) <= Fraction(1, 2 * SCALE)
            weaker, stronger = table.beaten(chi, strength)
            assert abs(Fraction(weaker, SCALE) - Fraction(sum(counts[: strength - 1]), population.size)) < 1e-4
            assert abs(Fraction(stronger, SCALE) - Fraction(sum(counts[strength:]), population.size)) < 1e-4


@pytest.mark.slow("plays thousands of rounds")
def test_advised_players_win_on_average_what_is_expected(ruleset: Ruleset, rules: MauBinhRules) -> None:
    """Two seats follow the advice over 3,000 deals; what they win is the predicted amount, thrown together by size.

    The prediction knows neither the opponent's cards nor that its own are missing from them, so a small bias is right.
    """
    population = Populations.builtin().population_for(rules, digest=ruleset.digest)
    advisor = Advisor.of(rules, population, seat_count=2)
    luck = random_from(11)
    results: list[tuple[float, int]] = []
    while len(results) < 3_000:
        deck = luck.sample(DECK, 26)
        hands = tuple(deck[:13]), tuple(deck[13:])
        if any(instant_win_of(rules, hand) for hand in hands):
            continue
        best = [advisor.suggest(hand, count=1)[0] for hand in hands]
        events = [Arrange(Seat(seat), *one.arrangement.chi, time=0) for seat, one in enumerate(best)]
        outcome = settled(GAME, rules, hands_deal(hands), events, closed_time=0).outcome
        assert not outcome.fouls
        results.append((best[0].expected / SCALE, outcome.net[0]))
    results.sort()
    for part in (results[:1_000], results[1_000:2_000], results[2_000:]):
        predicted, won = mean(one[0] for one in part), mean(one[1] for one in part)
        error = (mean((one[1] - won) ** 2 for one in part) / len(part)) ** 0.5
        assert abs(predicted - won) < 4 * error + 0.25, (predicted, won, error)
    assert mean(one[0] for one in results[2_000:]) > mean(one[0] for one in results[:1_000]) + 2


def test_population_of_another_ranking_is_refused(rules: MauBinhRules) -> None:
    other = msgspec.structs.replace(rules.ranking.rules, ace_low_straight="SECOND_HIGHEST")
    changed = msgspec.structs.replace(rules, ranking=msgspec.structs.replace(rules.ranking, rules=other))
    population = next(iter(Populations.builtin()))
    with pytest.raises(ValueError, match="another ranking"):
        ValueTable(changed, population, seat_count=2)


def test_table_of_five_seats_is_refused(few: Few) -> None:
    with pytest.raises(ValueError, match="seats, not 5"):
        ValueTable(few.rules, few.population, seat_count=5)


def test_parts_of_a_suggestion_are_its_worth(few: Few) -> None:
    """Twelve opponents hardly fill a population, but every part that can pay is there."""
    advisor = Advisor.of(few.rules, few.population, seat_count=3)
    for one in few.arrangements:
        hand = tuple(card for chi in one.chi for card in chi)
        suggestion = advisor.suggest(hand, count=1)[0]
        levels = advisor.levels(hand)
        shown = [value.strength for value in suggestion.values]
        own, other = (
            [int(levels.of(chi)[strength]) for chi, strength in enumerate(held)] for held in (shown, few.strengths(one))
        )
        assert suggestion.expected == advisor.table.value(back=own[0], middle=own[1], front=own[2])
        assert suggestion.expected >= advisor.table.value(back=other[0], middle=other[1], front=other[2])


def test_one_splitter_serves_all_populations(few: Few) -> None:
    """An advisor's splits are those of its ranking, whatever it learned from."""
    assert isinstance(few.population, HandPopulation)
    splits = Splitter(few.rules.ranker).split(DEALT[0])
    assert splits.backs.shape == splits.middles.shape == splits.fouled.shape == (286, 126)
