"""How many of the 635,013,559,600 hands are each pattern: formulas and enumerations against the detector."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from math import comb, prod

import pytest

from referee.cards import DECK, Card
from referee.games.mau_binh.code import Pattern
from referee.games.mau_binh.instant_win import patterns_of
from tests.budget import sample

HANDS = comb(52, 13)
RUNS = {size: ["A23456789TJQKA"[low : low + size] for low in range(15 - size)] for size in (3, 5)}


def hand_of_suit_counts(counts: Sequence[int]) -> list[Card]:
    return [DECK[4 * rank + suit] for suit, count in enumerate(counts) for rank in range(count)]


def hand_of_rank_counts(counts: Sequence[int]) -> list[Card]:
    return [DECK[4 * rank + suit] for rank, count in enumerate(counts) for suit in range(count)]


def hands_with_rank_counts(counts: Sequence[int]) -> int:
    return prod(comb(4, count) for count in counts)


def counted_by_suits() -> Counter[Pattern]:
    """Hands of each pattern, over all 560 ways that four suits can share thirteen cards."""
    found: Counter[Pattern] = Counter()
    for counts in itertools.product(range(14), repeat=4):
        if sum(counts) == 13:
            hands = prod(comb(13, count) for count in counts)
            found.update(dict.fromkeys(patterns_of(hand_of_suit_counts(counts)), hands))
    return found


def test_patterns_of_suits_are_as_many_as_the_formulas_say() -> None:
    """Three flushes hold 5-5-3, 10-3, 8-5 or 13 cards of their suits."""
    found = counted_by_suits()
    orders = 12
    three_flushes = (
        orders * comb(13, 5) ** 2 * comb(13, 3)
        + orders * comb(13, 10) * comb(13, 3)
        + orders * comb(13, 8) * comb(13, 5)
        + 4
    )
    assert three_flushes == 5_705_516_392
    assert {
        Pattern.SUITED_DRAGON: 4,
        Pattern.THIRTEEN_RED: comb(26, 13),
        Pattern.THIRTEEN_BLACK: comb(26, 13),
        Pattern.TWELVE_RED_ONE_BLACK: 26 * comb(26, 12),
        Pattern.TWELVE_BLACK_ONE_RED: 26 * comb(26, 12),
        Pattern.THREE_FLUSHES: three_flushes,
    } == {pattern: found[pattern] for pattern in found if pattern in BY_SUITS}


BY_SUITS = {
    Pattern.SUITED_DRAGON,
    Pattern.THIRTEEN_RED,
    Pattern.THIRTEEN_BLACK,
    Pattern.TWELVE_RED_ONE_BLACK,
    Pattern.TWELVE_BLACK_ONE_RED,
    Pattern.THREE_FLUSHES,
}


def three_straight_counts() -> set[tuple[int, ...]]:
    """Count the ranks of three runs, for every choice of three."""
    runs = itertools.product(RUNS[5], RUNS[5], RUNS[3])
    return {tuple("".join(three).count(rank) for rank in "23456789TJQKA") for three in runs}


def test_three_straights_are_all_found() -> None:
    """Suits are free, so hands are counted by ranks; each of these rank counts is found."""
    counts = three_straight_counts()
    assert sum(hands_with_rank_counts(one) for one in counts) == 2_029_579_776
    assert all(Pattern.THREE_STRAIGHTS in patterns_of(hand_of_rank_counts(one)) for one in counts)


def rank_counts(ranks: int, cards: int) -> Iterator[tuple[int, ...]]:
    """Every way that so many ranks hold so many cards, four at most each."""
    if ranks == 1:
        if cards <= 4:
            yield (cards,)
        return
    for first in range(max(0, cards - 4 * (ranks - 1)), min(4, cards) + 1):
        for rest in rank_counts(ranks - 1, cards - first):
            yield (first, *rest)


@pytest.mark.exhaustive("counts every hand")
@pytest.mark.smaller("the hands of ten ranks, 5 to A, by the same formulas, instead of those of thirteen")
@pytest.mark.timeout(900)
def test_patterns_of_ranks_are_as_many_as_the_formulas_say() -> None:
    """Over every way that ranks can hold thirteen cards: none found too many, none missed.

    Pairs: the odd rank and its suits, then how many of the others stand four times and how many twice.
    """
    found: Counter[str] = Counter()
    hands, ranks = 0, sample(10, whole=13)
    absent = (0,) * (13 - ranks)
    for upper in rank_counts(ranks, 13):
        counts = (*absent, *upper)
        weight = hands_with_rank_counts(counts)
        hands += weight
        for pattern in patterns_of(hand_of_rank_counts(counts)):
            if pattern not in BY_SUITS:
                found[pattern] += weight
            elif pattern is Pattern.SUITED_DRAGON:
                found[Pattern.DRAGON] += weight
    straights = [counts for counts in three_straight_counts() if counts[: 13 - ranks] == absent]
    odd, others = 4 * ranks, ranks - 1
    assert hands == comb(4 * ranks, 13)
    assert found == {
        **({Pattern.DRAGON: 4**13} if ranks == 13 else {}),
        Pattern.SIX_PAIRS: odd
        * sum(comb(others, k) * comb(others - k, 6 - 2 * k) * 6 ** (6 - 2 * k) for k in range(4)),
        Pattern.FIVE_PAIRS_ONE_TRIPLE: odd
        * sum(comb(others, k) * comb(others - k, 5 - 2 * k) * 6 ** (5 - 2 * k) for k in range(3)),
        Pattern.THREE_STRAIGHTS: sum(map(hands_with_rank_counts, straights)),
    }


def test_dragons_are_all_found() -> None:
    """4^13 hands hold each rank once; the four of one suit are the suited ones. Every suit pattern of the ranks 2-5."""
    assert 4**13 == 67_108_864
    for suits in itertools.product(range(4), repeat=4):
        hand = [DECK[4 * rank + suit] for rank, suit in enumerate((*suits, *[suits[3]] * 9))]
        expected = Pattern.SUITED_DRAGON if len(set(suits)) == 1 else Pattern.DRAGON
        assert [p for p in patterns_of(hand) if p in {Pattern.DRAGON, Pattern.SUITED_DRAGON}] == [expected]
