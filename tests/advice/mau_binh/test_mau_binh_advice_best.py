"""The suggestions are the best of all 72,072 splits, found again by plain loops and the game's own rules."""

import itertools
import random
import threading
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import pytest

from referee.advice.mau_binh.advisor import Advisor
from referee.advice.mau_binh.populations import Populations
from referee.advice.mau_binh.suggestion import Suggestion
from referee.cards import DECK, Card
from referee.games.mau_binh import Arrangement, MauBinhRules, check_arrangement
from referee.games.mau_binh.arrangement import chi_values
from referee.rulesets import Ruleset

AT_LENGTH = pytest.mark.slow("compares with a slower way at length")

Strengths: TypeAlias = tuple[int, int, int]
ALL_SPLITS: Final = 72_072


def advisor_of(ruleset: Ruleset, rules: MauBinhRules, *, seat_count: int) -> Advisor:
    population = Populations.builtin().population_for(rules, digest=ruleset.digest)
    return Advisor.of(rules, population, seat_count=seat_count)


def hands_of(seed: int, count: int) -> Iterator[tuple[Card, ...]]:
    """Random hands; every third is stacked with few ranks or few suits, so that big hands are common."""
    luck = random.Random(seed)  # noqa: S311 - a test that repeats itself
    for number in range(count):
        pool: Sequence[Card] = DECK
        if number % 3 == 1:
            ranks = luck.sample(range(13), luck.randrange(4, 8))
            pool = [card for card in DECK if card.rank in ranks]
        elif number % 3 == 2:
            suits = luck.sample(range(4), 2)
            pool = [card for card in DECK if card.suit in suits]
        yield tuple(luck.sample(pool, 13))


def splits_of(hand: Sequence[Card]) -> Iterator[Arrangement]:
    """All 72,072."""
    for back in itertools.combinations(hand, 5):
        rest = [card for card in hand if card not in back]
        for middle in itertools.combinations(rest, 5):
            yield Arrangement(back, middle, tuple(card for card in rest if card not in middle))


def best_by_the_rules(advisor: Advisor, hand: Sequence[Card], count: int) -> list[tuple[int, Strengths]]:
    """Worth and strengths of the best splits; each split is judged by ``check_arrangement``."""
    rules, seen = advisor.table.rules, 0
    found: dict[Strengths, int] = {}
    for arrangement in splits_of(hand):
        seen += 1
        if not check_arrangement(rules, hand, arrangement):
            back, middle, front = (value.strength for value in chi_values(rules, arrangement.chi))
            found[back, middle, front] = advisor.table.value(back=back, middle=middle, front=front)
    assert seen == ALL_SPLITS
    return _first(found, count)


def best_by_loops(advisor: Advisor, hand: Sequence[Card], count: int) -> list[tuple[int, Strengths]]:
    """Find the same, with strengths looked up by the cards and fouls by the ranking's floors."""
    rules, table = advisor.table.rules, advisor.table
    ranker, floors = rules.ranker, rules.ranker.three_table.floors
    bits = [1 << place for place in range(13)]
    fives = {sum(held): cards for held, cards in _with_bits(bits, hand, 5)}
    strengths = {mask: ranker.five_strength(cards) for mask, cards in fives.items()}
    fronts = [(sum(held), ranker.three_strength(cards)) for held, cards in _with_bits(bits, hand, 3)]
    lawful: set[Strengths] = set()
    for taken, front in fronts:
        rest, floor = 0x1FFF ^ taken, floors[front]
        for mask, back in strengths.items():
            if mask & taken == 0 and back >= floor:
                middle = strengths[rest ^ mask]
                if back >= middle >= floor:
                    lawful.add((back, middle, front))
    return _first({(b, m, f): table.value(back=b, middle=m, front=f) for b, m, f in lawful}, count)


def _with_bits(bits: list[int], hand: Sequence[Card], size: int) -> Iterator[tuple[tuple[int, ...], tuple[Card, ...]]]:
    return zip(itertools.combinations(bits, size), itertools.combinations(hand, size), strict=True)


def _first(found: dict[Strengths, int], count: int) -> list[tuple[int, Strengths]]:
    return sorted(((worth, strengths) for strengths, worth in found.items()), reverse=True)[:count]


def summary(suggestions: Sequence[Suggestion]) -> list[tuple[int, Strengths]]:
    """Worth and strengths, as above."""
    found = []
    for one in suggestions:
        back, middle, front = (value.strength for value in one.values)
        found.append((one.expected, (back, middle, front)))
    return found


def check_cards(rules: MauBinhRules, hand: Sequence[Card], suggestions: Sequence[Suggestion]) -> None:
    """Check that the cards of each suggestion are the hand's, lawful, and have the stated values."""
    for one in suggestions:
        assert check_arrangement(rules, hand, one.arrangement) == ()
        assert chi_values(rules, one.arrangement.chi) == one.values
        assert one.expected == sum(part.expected for part in one.parts)


@pytest.mark.parametrize("seat_count", [pytest.param(2, marks=AT_LENGTH), 4])
def test_suggestions_are_the_best_splits_that_the_rules_allow(
    ruleset: Ruleset, rules: MauBinhRules, seat_count: int
) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=seat_count)
    for hand in hands_of(seat_count, 2):
        suggestions = advisor.suggest(hand, count=10)
        check_cards(rules, hand, suggestions)
        assert summary(suggestions) == best_by_the_rules(advisor, hand, 10)


@pytest.mark.parametrize("seat_count", [pytest.param(2, marks=AT_LENGTH), 3, pytest.param(4, marks=AT_LENGTH)])
def test_suggestions_are_the_best_splits_found_by_loops(ruleset: Ruleset, rules: MauBinhRules, seat_count: int) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=seat_count)
    for hand in hands_of(100 + seat_count, 15):
        suggestions = advisor.suggest(hand, count=10)
        check_cards(rules, hand, suggestions)
        assert summary(suggestions) == best_by_loops(advisor, hand, 10)


@pytest.mark.exhaustive("tries a thousand hands of each ruleset")
def test_suggestions_for_a_thousand_hands_are_the_best_splits(ruleset: Ruleset, rules: MauBinhRules) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=4)
    for hand in hands_of(7, 1_000):
        suggestions = advisor.suggest(hand, count=3)
        check_cards(rules, hand, suggestions)
        assert summary(suggestions) == best_by_loops(advisor, hand, 3)


def test_order_of_the_cards_means_nothing(ruleset: Ruleset, rules: MauBinhRules) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=3)
    luck = random.Random(8)  # noqa: S311 - a test that repeats itself
    for hand in hands_of(5, 20):
        assert advisor.suggest(hand, count=5) == advisor.suggest(luck.sample(hand, 13), count=5)


def test_fewer_suggestions_are_the_beginning_of_more(ruleset: Ruleset, rules: MauBinhRules) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=4)
    for hand in hands_of(6, 20):
        ten = advisor.suggest(hand, count=10)
        for count in (1, 3):
            assert ten[:count] == advisor.suggest(hand, count=count)


def test_hand_with_few_splits_gets_them_all(ruleset: Ruleset, rules: MauBinhRules) -> None:
    """Ten thousand suggestions are more than three fours of a kind and one card have."""
    advisor = advisor_of(ruleset, rules, seat_count=2)
    hand = (*DECK[0:4], *DECK[20:24], *DECK[40:44], DECK[51])
    suggestions = advisor.suggest(hand, count=10_000)
    assert 0 < len(suggestions) < 10_000
    assert summary(suggestions) == best_by_loops(advisor, hand, 10_000)


def test_threads_do_not_disturb_one_another(ruleset: Ruleset, rules: MauBinhRules) -> None:
    """Eight threads share one advisor; each gets what one alone gets."""
    advisor = advisor_of(ruleset, rules, seat_count=4)
    hands = list(hands_of(9, 40))
    expected = [advisor.suggest(hand, count=3) for hand in hands]
    wrong: list[int] = []

    def ask(start: int) -> None:
        for turn in range(len(hands) * 3):
            index = (start + turn) % len(hands)
            if advisor.suggest(hands[index], count=3) != expected[index]:
                wrong.append(index)

    threads = [threading.Thread(target=ask, args=(5 * number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
