"""Every way to split thirteen cards into a back and middle of five and a front of three, valued at once.

A front leaves ten cards, which form 126 unordered pairs of five; the stronger hand of a pair is the back, since the
other way round would foul. So 286 fronts by 126 pairs represent all 72,072 splits: those left out foul, or only
exchange two hands of equal strength.

Two gathers by precomputed indices do the work, into buffers that each thread keeps; the next call of ``split`` in the
same thread overwrites the result.

>>> from referee.cards import DECK
>>> from referee.hands import AceLowStraight, Category, Ranking, RankingRules
>>> three_card_order = (Category.HIGH_CARD, Category.PAIR, Category.THREE_OF_A_KIND)
>>> ranking = Ranking.of(RankingRules(tuple(Category)[:9], three_card_order, AceLowStraight.LOWEST))
>>> splits = Splitter(ranking).split(DECK[::4])
>>> splits.backs.shape, int(splits.backs.max()) == 7462, bool(splits.fouled.all())
((286, 126), True, False)
"""

import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.cards import Card
from referee.games.mau_binh import HAND_SIZE, Arrangement
from referee.hands import RANK_KEYS, Ranking

Ints: TypeAlias = NDArray[np.int64]

FIVES: Final = np.array(list(itertools.combinations(range(HAND_SIZE), 5)))
"""The 1,287 choices of five of thirteen places."""

THREES: Final = np.array(list(itertools.combinations(range(HAND_SIZE), 3)))
"""The 286 choices of three of thirteen places: the fronts."""

PAIRS: Final = 126
"""Number of unordered pairs of five of the ten cards beside a front."""

_FIVE_MASKS: Final = (1 << FIVES).sum(axis=1)
_SUITS: Final = range(4)
_FLUSH: Final = 5


def _pairs_of_fives() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the places in ``FIVES`` of the two hands of each pair, by front and pair."""
    everything = (1 << HAND_SIZE) - 1
    place = np.zeros(everything + 1, dtype=np.intp)
    place[_FIVE_MASKS] = np.arange(len(FIVES))
    rests = everything ^ (1 << THREES).sum(axis=1)
    with_lowest = [np.flatnonzero((_FIVE_MASKS & ~rest == 0) & (_FIVE_MASKS & rest & -rest != 0)) for rest in rests]
    first = np.array(with_lowest, dtype=np.intp)
    return first, place[rests[:, np.newaxis] ^ _FIVE_MASKS[first]]


FIRST, SECOND = _pairs_of_fives()


def _incidence(chosen: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the matrix whose product with values by place has, for each choice, the sum over its places."""
    matrix = np.zeros((len(chosen), HAND_SIZE))
    np.put_along_axis(matrix, chosen, 1.0, axis=1)
    return matrix


_SUM_OF_FIVE: Final = _incidence(FIVES)
_SUM_OF_THREE: Final = _incidence(THREES)


@dataclass(frozen=True, slots=True)
class Splits:
    """The splits of one hand, by front (286) and pair (126): strengths of back, middle and front, and which foul.

    ``fronts`` has one strength a front. Of each pair the stronger hand is the back.
    """

    cards: tuple[Card, ...]
    backs: Ints
    middles: Ints
    fronts: Ints
    fouled: NDArray[np.bool_]
    fives: Ints

    def arrangement(self, front: int, pair: int) -> Arrangement:
        """Return the cards of one split, each chi in the order of the hand."""
        back, middle = FIRST[front, pair], SECOND[front, pair]
        if self.fives[back] < self.fives[middle]:
            back, middle = middle, back
        cards = self.cards
        return Arrangement(
            back=tuple([cards[place] for place in FIVES[back]]),
            middle=tuple([cards[place] for place in FIVES[middle]]),
            front=tuple([cards[place] for place in THREES[front]]),
        )


class _Buffers(threading.local):
    """The arrays of one thread for its splits."""

    def __init__(self) -> None:
        shape = len(THREES), PAIRS
        self.first = np.empty(shape, dtype=np.int64)
        self.second = np.empty(shape, dtype=np.int64)
        self.back = np.empty(shape, dtype=np.int64)
        self.fouled = np.empty(shape, dtype=np.bool_)


class Splitter:
    """A splitter of hands under one ranking, which several threads may use at once."""

    def __init__(self, ranking: Ranking) -> None:
        table = ranking.five_table
        self._unsuited = np.frombuffer(table.unsuited, dtype=np.uint16)
        self._suited = np.zeros_like(self._unsuited)
        self._suited[list(table.suited)] = list(table.suited.values())
        threes = ranking.three_table
        self._three = np.zeros(max(threes.strengths) + 1, dtype=np.int64)
        self._three[list(threes.strengths)] = list(threes.strengths.values())
        self._floors = np.array(threes.floors, dtype=np.int64)
        self._buffers = _Buffers()

    def split(self, cards: Sequence[Card]) -> Splits:
        """Split thirteen different cards in all ways; unchecked. The thread's next call overwrites the arrays."""
        keys = np.array([RANK_KEYS[card.rank] for card in cards], dtype=np.float64)
        fives = self._fives(cards, (_SUM_OF_FIVE @ keys).astype(np.intp))
        fronts = self._three.take((_SUM_OF_THREE @ keys).astype(np.intp))
        held = self._buffers
        first = np.take(fives, FIRST, out=held.first, mode="clip")
        second = np.take(fives, SECOND, out=held.second, mode="clip")
        backs = np.maximum(first, second, out=held.back)
        middles = np.minimum(first, second, out=held.first)
        fouled = np.less(middles, self._floors.take(fronts)[:, np.newaxis], out=held.fouled)
        return Splits(tuple(cards), backs, middles, fronts, fouled, fives)

    def _fives(self, cards: Sequence[Card], keys: NDArray[np.intp]) -> Ints:
        """Return the strengths of all fives, by the sums of their keys."""
        strengths = self._unsuited.take(keys).astype(np.int64)
        suits = [card.suit for card in cards]
        for suit in _SUITS:
            if suits.count(suit) >= _FLUSH:
                mask = sum(1 << place for place, held in enumerate(suits) if held == suit)
                flushes = np.flatnonzero(_FIVE_MASKS & ~mask == 0)
                strengths[flushes] = self._suited[keys[flushes]]
        return strengths
