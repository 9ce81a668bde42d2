"""Levels: strengths with no opponent's hand between them, given the thirteen cards that a seat holds itself.

Against the 39 other cards many strengths are worth the same: with three aces in the back nobody else has three, so
neither of the two cards beside them ever decides. A strength that the other cards can make is its own level. Any other
strength is raised to the strongest one of its category below the next strength that the other cards can make. In one
chi, two hands of one level win, lose and are paid alike whatever the others hold, and of two levels the higher never
wins less often.

>>> from referee.cards import parse_cards
>>> from referee.rulesets import get
>>> ranking = get("mau_binh.classic").rules.ranker
>>> levels = Leveller(ranking).levels(parse_cards("AS AC AD KS QS 9H 8H 7D 6D 5C 4C 3D 2H"))
>>> aces = [ranking.five_strength(parse_cards(text)) for text in ("AS AC AD 3D 2H", "AS AC AD KS QS")]
>>> [int(levels.five[strength]) for strength in aces] == [aces[1], aces[1]]
True
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from referee.advice.mau_binh.splits import Ints
from referee.cards import Card
from referee.hands import Category, HandValue, Ranking
from referee.hands.ladder import MULTIPLICITIES, SUITED

_FIVES: Final = 7462
_BITS: Final = 4
_GUARDS: Final = sum(8 << _BITS * rank for rank in range(13))
"""One bit a rank, above the number of its cards: it stays set where as many cards are left as are needed."""
_WHOLE_RANKS: Final = sum(4 << _BITS * rank for rank in range(13))
_SUITS: Final = range(4)


class Levels(NamedTuple):
    """The level of each strength from 1 of five cards (back and middle) and of three (front); entry 0 is 0."""

    five: Ints
    three: Ints

    def of(self, chi: int) -> Ints:
        """Return the levels of a chi: 0 back, 1 middle, 2 front."""
        return (self.five, self.five, self.three)[chi]


class Leveller:
    """The hands of a ranking by the cards they need, which several threads may use at once."""

    def __init__(self, ranking: Ranking) -> None:
        threes = len(ranking.three_table.floors) - 1
        self._five, self._suited, self._five_ends = _needed(ranking.five_of_strength, _FIVES)
        self._three, _, self._three_ends = _needed(ranking.three_of_strength, threes)
        self._flushes = np.flatnonzero(self._suited)
        self._ranks = self._suited[self._flushes]

    def levels(self, cards: Sequence[Card]) -> Levels:
        """Return the levels of a seat that holds these cards."""
        left = _WHOLE_RANKS
        held = [0] * len(_SUITS)
        for card in cards:
            left -= 1 << _BITS * card.rank
            held[card.suit] |= 1 << card.rank
        five = _enough(self._five, left)
        five[self._flushes] = np.logical_or.reduce([self._ranks & mine == 0 for mine in held])
        return Levels(_levels(five, self._five_ends), _levels(_enough(self._three, left), self._three_ends))


def _needed(of_strength: Callable[[int], HandValue], count: int) -> tuple[Ints, Ints, NDArray[np.bool_]]:
    """Return three arrays by strength; entry 0 is no hand.

    They are the packed numbers of cards that the hand needs of each rank, the ranks of its flush as bits (0 without a
    flush), and whether the hand is the strongest of its category.
    """
    needed, suited = np.zeros(count + 1, dtype=np.int64), np.zeros(count + 1, dtype=np.int64)
    ends = np.ones(count + 1, dtype=np.bool_)
    following: Category | None = None
    for strength in range(count, 0, -1):
        value = of_strength(strength)
        held = list(zip(value.ranks, MULTIPLICITIES[value.category], strict=False))
        needed[strength] = sum(many << _BITS * rank for rank, many in held)
        if value.category in SUITED:
            suited[strength] = sum(1 << rank for rank, _ in held)
        ends[strength] = value.category is not following
        following = value.category
    return needed, suited, ends


def _enough(needed: Ints, left: int) -> NDArray[np.bool_]:
    """Return by strength whether the cards left include the ranks that the hand needs; suits are not checked."""
    enough: NDArray[np.bool_] = ((left | _GUARDS) - needed) & _GUARDS == _GUARDS
    return enough


def _levels(made: NDArray[np.bool_], ends: NDArray[np.bool_]) -> Ints:
    """Return the level of each strength: the next strength that is made, precedes a made one, or ends a category."""
    last = made | ends
    last[:-1] |= made[1:]
    last[0] = True
    places = np.flatnonzero(last)
    levels: Ints = places[last.cumsum() - last]
    return levels
