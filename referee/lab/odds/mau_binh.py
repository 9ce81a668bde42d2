"""Counts of the 635,013,559,600 hands of Mậu Binh that win at the deal, by pattern.

Three properties decide which patterns a hand meets: how many ranks it holds once, twice, three and four times; whether
its ranks split into three straights; and how many cards of each suit it holds. Hands that agree in all three are of one
kind. The game's own rules judge one hand of each kind, and the hands of its kind are counted.

>>> from referee.rulesets import get
>>> odds = instant_win_odds(get("mau_binh.classic").rules)
>>> odds.chances[0].pattern, odds.chances[0].wins, f"{float(odds.any_win):.6f}"
('SUITED_DRAGON', 4, '0.016605')
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from referee.cards import DECK, Card
from referee.games.mau_binh import HAND_SIZE, MauBinhRules, instant_win_of
from referee.games.mau_binh.instant_win import patterns_of
from referee.lab.fairness.law import three_straight_ranks
from referee.lab.odds.instant_win import InstantWinOdds

RANKS: Final = 13
SUITS: Final = 4

Vector: TypeAlias = tuple[int, ...]
"""Number of cards of each rank in a hand, from the two to the ace."""


def instant_win_odds(rules: MauBinhRules) -> InstantWinOdds:
    """Count the wins under a ruleset, in the order of its list of patterns."""

    def judged() -> Iterator[tuple[Sequence[str], str | None, int]]:
        for hand, count in _kinds():
            if patterns := patterns_of(hand):
                win = instant_win_of(rules, hand)
                yield patterns, None if win is None else win.pattern, count

    units: dict[str, int] = {pattern: value.units for pattern, value in rules.instant_win_values.items()}
    return InstantWinOdds.counted(units, judged())


def _kinds() -> Iterator[tuple[list[Card], int]]:
    """Yield one hand of every kind, with the number of hands of its kind."""
    straights: dict[Vector, list[Vector]] = {}
    for vector in sorted(three_straight_ranks()):
        straights.setdefault(_shape(vector), []).append(vector)
    for shape in _shapes():
        suits = _suit_counts(shape)
        special = straights.get(shape, [])
        others = math.factorial(RANKS)
        for count in range(SUITS + 1):
            others //= math.factorial(shape.count(count))
        plain = next((one for one in _vectors(shape) if one not in special), None)
        for one, vectors in ((plain, others - len(special)), (next(iter(special), None), len(special))):
            if one is not None and vectors:
                for spades, clubs, diamonds in np.argwhere(suits).tolist():
                    held = (spades, clubs, diamonds, HAND_SIZE - spades - clubs - diamonds)
                    yield _hand(one, held), vectors * int(suits[spades, clubs, diamonds])


def _shape(vector: Vector) -> Vector:
    return tuple(sorted(vector, reverse=True))


def _shapes() -> Iterator[Vector]:
    """Yield every descending vector of thirteen numbers of cards that sum to thirteen."""

    def grow(shape: Vector, left: int) -> Iterator[Vector]:
        if len(shape) == RANKS:
            if not left:
                yield shape
            return
        for count in range(min(left, shape[-1] if shape else SUITS), -1, -1):
            if count * (RANKS - len(shape)) >= left:
                yield from grow((*shape, count), left - count)

    return grow((), HAND_SIZE)


def _vectors(shape: Vector) -> Iterator[Vector]:
    """Yield vectors of a shape, among them one that is no vector of three straights, if the shape has such a vector."""
    for first in range(RANKS):
        turned = shape[first:] + shape[:first]
        yield turned
        yield turned[::-1]
    yield from itertools.islice(itertools.permutations(shape), 100_000)


def _suit_counts(shape: Vector) -> npt.NDArray[np.int64]:
    """Count the ways to give suits to the cards of a vector, by the numbers of spades, clubs and diamonds."""
    ways = np.zeros((HAND_SIZE + 1,) * 3, dtype=np.int64)
    ways[0, 0, 0] = 1
    for count in shape:
        taken = np.zeros_like(ways)
        for suits in itertools.combinations(range(SUITS), count):
            shifted = ways
            for suit in suits:
                if suit < SUITS - 1:
                    shifted = np.roll(shifted, 1, axis=suit)
            taken += shifted
        ways = taken
    return ways


def _hand(vector: Vector, suits: Sequence[int]) -> list[Card]:
    """Build a hand with these numbers of cards by rank and by suit.

    The ranks with most cards choose first; each takes the suits with most cards left.
    """
    wanted = list(suits)
    hand = []
    for rank in sorted(range(RANKS), key=lambda one: -vector[one]):
        for suit in sorted(range(SUITS), key=lambda one: -wanted[one])[: vector[rank]]:
            wanted[suit] -= 1
            hand.append(DECK[SUITS * rank + suit])
    return hand
