"""The suggestions are the best of all 72,072 splits, found again by plain loops and the game's own rules.

None that is suggested is dominated by any split: levels, which say so, are found again from the other cards.
"""

import itertools
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import pytest

from referee.advice.mau_binh.advisor import Advisor
from referee.advice.mau_binh.populations import Populations
from referee.advice.mau_binh.suggestion import Suggestion
from referee.cards import DECK, Card, parse_cards
from referee.games.mau_binh import Arrangement, MauBinhRules
from referee.games.mau_binh.arrangement import check_arrangement, chi_values
from referee.hands import HandValue, Ranking
from referee.hands.ladder import MULTIPLICITIES, SUITED
from referee.rulesets import Ruleset
from tests.advice.mau_binh import kickers
from tests.budget import examples, sample
from tests.randomness import random_from

AT_LENGTH = pytest.mark.slow("compares with a slower way at length")

Strengths: TypeAlias = tuple[int, int, int]
ALL_SPLITS: Final = 72_072


def advisor_of(ruleset: Ruleset, rules: MauBinhRules, *, seat_count: int) -> Advisor:
    population = Populations.builtin().population_for(rules, digest=ruleset.digest)
    return Advisor.of(rules, population, seat_count=seat_count)


def hands_of(seed: int, count: int) -> Iterator[tuple[Card, ...]]:
    """Random hands; every third is stacked with few ranks or few suits, so that big hands are common."""
    luck = random_from(seed)
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
    """Worth and levels of the best splits; each split is judged by ``check_arrangement``."""
    rules, seen = advisor.table.rules, 0
    lawful: set[Strengths] = set()
    for arrangement in splits_of(hand):
        seen += 1
        if not check_arrangement(rules, hand, arrangement):
            back, middle, front = (value.strength for value in chi_values(rules, arrangement.chi))
            lawful.add((back, middle, front))
    assert seen == ALL_SPLITS
    return best_of(advisor, hand, lawful, count)


def best_by_loops(advisor: Advisor, hand: Sequence[Card], count: int) -> list[tuple[int, Strengths]]:
    """Find the same, with strengths looked up by the cards and fouls by the ranking's floors."""
    ranker = advisor.table.rules.ranker
    floors = ranker.three_table.floors
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
    return best_of(advisor, hand, lawful, count)


def _with_bits(bits: list[int], hand: Sequence[Card], size: int) -> Iterator[tuple[tuple[int, ...], tuple[Card, ...]]]:
    return zip(itertools.combinations(bits, size), itertools.combinations(hand, size), strict=True)


def best_of(advisor: Advisor, hand: Sequence[Card], lawful: set[Strengths], count: int) -> list[tuple[int, Strengths]]:
    """Worth and levels of the best of the lawful splits that none of them dominates, by comparing with each."""
    table = advisor.table
    five, three = levels_by_loops(table.rules.ranker, hand)
    levels = {(five[back], five[middle], three[front]) for back, middle, front in lawful}
    found = [
        (table.value(back=back, middle=middle, front=front), (back, middle, front)) for back, middle, front in levels
    ]
    best: list[tuple[int, Strengths]] = []
    for worth, level in sorted(found, reverse=True):
        if not any(dominates(other, level) for other in levels):
            best.append((worth, level))
        if len(best) == count:
            break
    return best


def dominates(level: Strengths, other: Strengths) -> bool:
    """Return whether a split is nowhere lower than another and higher in one chi at least.

    The prices of the rulesets rise with the strength, so a chi that is not lower is paid no less.
    """
    return level != other and all(mine >= theirs for mine, theirs in zip(level, other, strict=True))


def levels_by_loops(ranker: Ranking, hand: Sequence[Card]) -> tuple[dict[int, int], dict[int, int]]:
    """Return the level of each strength of five and of three cards, from what the other 39 cards can make."""
    left = [card for card in DECK if card not in hand]
    ranks = Counter(card.rank for card in left)
    suits = [{card.rank for card in left if card.suit == suit} for suit in range(4)]

    def is_made(value: HandValue) -> bool:
        held = list(zip(value.ranks, MULTIPLICITIES[value.category], strict=False))
        if value.category in SUITED:
            return any(all(rank in suit for rank, _ in held) for suit in suits)
        return all(ranks[rank] >= count for rank, count in held)

    fives = [ranker.five_of_strength(strength) for strength in range(1, 7463)]
    threes = [ranker.three_of_strength(strength) for strength in range(1, 456)]
    return _levels([(value, is_made(value)) for value in fives]), _levels([(value, is_made(value)) for value in threes])


def _levels(values: Sequence[tuple[HandValue, bool]]) -> dict[int, int]:
    levels: dict[int, int] = {}
    above: tuple[HandValue, bool] | None = None
    for value, is_made in reversed(values):
        is_alone = is_made or above is None or above[1] or above[0].category is not value.category
        levels[value.strength] = value.strength if is_alone else levels[value.strength + 1]
        above = value, is_made
    return levels


def summary(advisor: Advisor, hand: Sequence[Card], suggestions: Sequence[Suggestion]) -> list[tuple[int, Strengths]]:
    """Worth and levels, as above."""
    five, three = levels_by_loops(advisor.table.rules.ranker, hand)
    found = []
    for one in suggestions:
        back, middle, front = (value.strength for value in one.values)
        found.append((one.expected, (five[back], five[middle], three[front])))
    return found


def check_cards(rules: MauBinhRules, hand: Sequence[Card], suggestions: Sequence[Suggestion]) -> None:
    """Check that the cards of each suggestion are the hand's, lawful, and have the stated values."""
    for one in suggestions:
        assert check_arrangement(rules, hand, one.arrangement) == ()
        assert chi_values(rules, one.arrangement.chi) == one.values
        assert one.expected == sum(part.expected for part in one.parts)


def test_levels_are_of_the_hands_that_the_other_cards_make(ruleset: Ruleset, rules: MauBinhRules) -> None:
    """Every five and every three of the other 39 cards: a strength that one of them has is a level of its own."""
    hand = next(hands_of(21, 1))
    left = [card for card in DECK if card not in hand]
    made = {rules.ranker.five_strength(five) for five in itertools.combinations(left, 5)}
    made_of_three = {rules.ranker.three_strength(three) for three in itertools.combinations(left, 3)}
    levels = advisor_of(ruleset, rules, seat_count=2).levels(hand)
    for of_strength, level, known in (
        (rules.ranker.five_of_strength, levels.five.tolist(), made),
        (rules.ranker.three_of_strength, levels.three.tolist(), made_of_three),
    ):
        assert len(known) < len(level) - 1
        for strength in range(1, len(level)):
            end = strength
            while end not in known and end + 1 not in known and end + 1 < len(level):
                if of_strength(end + 1).category is not of_strength(end).category:
                    break
                end += 1
            assert level[strength] == end


def test_levels_are_found_again_by_loops(ruleset: Ruleset, rules: MauBinhRules) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=2)
    for hand in hands_of(22, 12):
        levels = advisor.levels(hand)
        five, three = levels_by_loops(rules.ranker, hand)
        assert levels.five.tolist()[1:] == [five[strength] for strength in range(1, 7463)]
        assert levels.three.tolist()[1:] == [three[strength] for strength in range(1, 456)]


def test_kickers_that_nobody_can_meet_go_where_they_count(ruleset: Ruleset, rules: MauBinhRules) -> None:
    """Nobody else has three kings, so fours do beside them what fives do, and the fives better the middle."""
    cards = parse_cards("KS KC KD 5S 5C 9H 9D 4C 4H TD QS QC 2D")
    best = advisor_of(ruleset, rules, seat_count=4).suggest(cards, count=1)[0]
    assert best.arrangement.chi == tuple(
        tuple(sorted(parse_cards(chi), key=lambda card: card.number))
        for chi in ("KS KC KD 4C 4H", "9H 9D 5S 5C 2D", "QS QC TD")
    )


@pytest.mark.parametrize("count", [1, 3])
def test_no_suggestion_is_dominated(ruleset: Ruleset, count: int) -> None:
    """By strengths alone one in fourteen is."""
    counted = kickers.count(ruleset, seats=4, hands=150, seed=count, suggestions=count)
    assert counted.after == 0
    assert counted.before > 0
    assert 0 < counted.most < 1


@pytest.mark.parametrize("seat_count", [pytest.param(2, marks=AT_LENGTH), 4])
def test_suggestions_are_the_best_splits_that_the_rules_allow(
    ruleset: Ruleset, rules: MauBinhRules, seat_count: int
) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=seat_count)
    for hand in hands_of(seat_count, 2):
        suggestions = advisor.suggest(hand, count=10)
        check_cards(rules, hand, suggestions)
        assert summary(advisor, hand, suggestions) == best_by_the_rules(advisor, hand, 10)


@pytest.mark.parametrize("seat_count", [pytest.param(2, marks=AT_LENGTH), 3, pytest.param(4, marks=AT_LENGTH)])
def test_suggestions_are_the_best_splits_found_by_loops(ruleset: Ruleset, rules: MauBinhRules, seat_count: int) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=seat_count)
    for hand in hands_of(100 + seat_count, examples(8)):
        suggestions = advisor.suggest(hand, count=10)
        check_cards(rules, hand, suggestions)
        assert summary(advisor, hand, suggestions) == best_by_loops(advisor, hand, 10)


@pytest.mark.exhaustive("tries many hands of each ruleset")
@pytest.mark.smaller("60 hands of each ruleset instead of 1,000")
@pytest.mark.timeout(900)
def test_suggestions_for_many_hands_are_the_best_splits(ruleset: Ruleset, rules: MauBinhRules) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=4)
    for hand in hands_of(7, sample(60, whole=1_000)):
        suggestions = advisor.suggest(hand, count=3)
        check_cards(rules, hand, suggestions)
        assert summary(advisor, hand, suggestions) == best_by_loops(advisor, hand, 3)


def test_order_of_the_cards_means_nothing(ruleset: Ruleset, rules: MauBinhRules) -> None:
    advisor = advisor_of(ruleset, rules, seat_count=3)
    luck = random_from(8)
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
    assert summary(advisor, hand, suggestions) == best_by_loops(advisor, hand, 10_000)


def test_threads_do_not_disturb_one_another(ruleset: Ruleset, rules: MauBinhRules) -> None:
    """Eight threads share one advisor; each gets what one alone gets."""
    advisor = advisor_of(ruleset, rules, seat_count=4)
    hands = list(hands_of(9, 40))
    expected = [advisor.suggest(hand, count=3) for hand in hands]
    wrong: list[int] = []

    def ask(start: int) -> None:
        for turn in range(len(hands)):
            index = (start + turn) % len(hands)
            if advisor.suggest(hands[index], count=3) != expected[index]:
                wrong.append(index)

    threads = [threading.Thread(target=ask, args=(5 * number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
