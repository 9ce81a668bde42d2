"""Exact counts of equally likely cases, none of them made by a shuffle or by the games' own detectors.

A *law* lists how often each outcome happens among all equally likely ones, as whole numbers. The laws of hands come
from formulas, the others from recurrences; each docstring says which. The tests compare every function with whole
enumerations.

>>> hypergeometric(marked=4, drawn=13)[:3]  # hands of thirteen without a two, with one, with two
(192928249296, 278674137872, 135571202208)
>>> [sum(law(4)) for law in (cycle_law, ascent_law, fixed_point_law)]  # each counts all 24 orders of four cards
[24, 24, 24]
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import comb, prod
from typing import Final, TypeAlias

Law: TypeAlias = tuple[int, ...]
"""Number of equally likely cases with each outcome, by the outcome's index."""

CARDS: Final = 52
HAND: Final = 13
HANDS: Final = comb(CARDS, HAND)

FIVE_CARD_HANDS: Final[Law] = (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40)
"""High card, pair, two pairs, three, straight, flush, full house, four, straight flush: published for one deck,
https://en.wikipedia.org/wiki/Poker_probability, frequency of 5-card poker hands."""

SEVEN_CARD_HANDS: Final[Law] = (
    *(23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020),
    *(4_047_644, 3_473_184, 224_848, 41_584),
)
"""The same for the best five of seven cards; royal flushes are straight flushes. Published at the same address."""

DRAGONS: Final = 4**13
"""Hands of thirteen with one card of each rank."""

SIX_PAIRS_AND_ONE: Final = 52 * sum(comb(12, k) * comb(12 - k, 6 - 2 * k) * 6 ** (6 - 2 * k) for k in range(4))
"""Hands of six pairs and a card of another rank, where four of a kind are two pairs.

Factors: the odd card, then the pairs and fours.
"""

FIVE_PAIRS_AND_THREE: Final = 52 * sum(comb(12, k) * comb(12 - k, 5 - 2 * k) * 6 ** (5 - 2 * k) for k in range(3))
"""Hands of five pairs and three of a kind.

Factors: the rank of the triple and the suit that it lacks, then the pairs and fours.
"""

THREE_FLUSHES: Final = (
    12 * (comb(13, 5) ** 2 * comb(13, 3) + comb(13, 10) * comb(13, 3) + comb(13, 8) * comb(13, 5)) + 4
)
"""Hands with suits of 5, 5 and 3 cards, of 10 and 3, of 8 and 5, or of 13."""

TWELVE_OF_A_SUIT: Final = 4 * (13 * 39 + 1)
"""Hands with twelve or thirteen cards of one suit."""


def hypergeometric(*, marked: int, drawn: int) -> Law:
    """Count the sets of ``drawn`` cards that have 0, 1, ... of the deck's ``marked`` cards."""
    return tuple(comb(marked, k) * comb(CARDS - marked, drawn - k) for k in range(min(marked, drawn) + 1))


@cache
def suit_shapes() -> dict[tuple[int, ...], int]:
    """Count the hands of thirteen of each of 39 shapes: the four suits' lengths, longest first."""
    shapes: Counter[tuple[int, ...]] = Counter()
    for lengths in itertools.product(range(HAND + 1), repeat=4):
        if sum(lengths) == HAND:
            shapes[tuple(sorted(lengths, reverse=True))] += prod([comb(HAND, length) for length in lengths])
    return dict(sorted(shapes.items(), reverse=True))


@cache
def three_straight_ranks() -> frozenset[tuple[int, ...]]:
    """Return every hand, as its number of cards by rank from twos on, that splits into runs of five, five and three.

    The ace is low or high in a run.
    """
    ring = (12, *range(13))
    runs = {size: [ring[low : low + size] for low in range(15 - size)] for size in (3, 5)}
    return frozenset(
        tuple([(first + second + third).count(rank) for rank in range(13)])
        for first, second, third in itertools.product(runs[5], runs[5], runs[3])
    )


def three_straights() -> int:
    """Count the hands of thirteen that split into runs of five, five and three; suits are free."""
    return sum(prod([comb(4, count) for count in counts]) for counts in three_straight_ranks())


@cache
def hands_counted_by_rank(step: Callable[[int, int, int], int], accepted: Callable[[int], bool]) -> int:
    """Count the hands of thirteen that an automaton accepts; suits count, so each choice of suits is a hand of its own.

    The automaton starts in state 0 and reads ranks 0 (three) to 12 (two). ``step(state, rank, count)`` returns the
    state after a rank of which the hand has ``count`` cards. ``accepted`` judges the last state.
    """
    ways: Counter[tuple[int, int]] = Counter({(0, 0): 1})
    for rank in range(13):
        after: Counter[tuple[int, int]] = Counter()
        for (cards, state), weight in ways.items():
            for count in range(min(4, HAND - cards) + 1):
                after[cards + count, step(state, rank, count)] += weight * comb(4, count)
        ways = after
    return sum(weight for (cards, state), weight in ways.items() if cards == HAND and accepted(state))


@cache
def cycle_law(cards: int = CARDS) -> Law:
    """Count the orders of the cards with 0, 1, ... cycles: unsigned Stirling numbers of the first kind."""
    return _recurrence(cards, lambda row, n, k: _at(row, k - 1) + (n - 1) * _at(row, k))


@cache
def ascent_law(cards: int = CARDS) -> Law:
    """Count the orders in which 0, 1, ... cards are followed by a higher card: Eulerian numbers."""
    return _recurrence(cards, lambda row, n, k: (n - k) * _at(row, k - 1) + (k + 1) * _at(row, k))


@cache
def fixed_point_law(cards: int = CARDS) -> Law:
    """Count the orders with 0, 1, ... cards at their own place: choices times derangements."""
    deranged = [1]
    for n in range(1, cards + 1):
        deranged.append(n * deranged[-1] + (-1) ** n)
    return tuple(comb(cards, k) * deranged[cards - k] for k in range(cards + 1))


@cache
def bytes_used_law(length: int) -> Law:
    """Count the streams of ``length`` bytes by the number of bytes that a shuffle uses, 0 to ``length``.

    The last count is of streams that are used up before the shuffle ends.

    A draw for n cards accepts ``256 - 256 mod n`` of the 256 values of a byte and rejects the others.
    """
    waiting = {CARDS: 1}  # by the number of cards that the next draw is for
    law = [0]
    for used in range(1, length + 1):
        after: Counter[int] = Counter()
        for cards, ways in waiting.items():
            counting = 256 - 256 % cards
            after[cards - 1] += ways * counting
            after[cards] += ways * (256 - counting)
        law.append(after.pop(1, 0) * 256 ** (length - used))
        waiting = dict(after)
    return (*law, sum(waiting.values()))


def _recurrence(cards: int, value: Callable[[Sequence[int], int, int], int]) -> Law:
    row: Iterable[int] = [1]
    for n in range(1, cards + 1):
        before = list(row)
        row = [value(before, n, k) for k in range(cards + 1)]
    return tuple(row)


def _at(row: Sequence[int], place: int) -> int:
    return row[place] if 0 <= place < len(row) else 0
