"""The 1,326 pairs of cards as arrays, so that a whole board's showdowns are a few array operations.

A card is its index 0 to 51, ``4 * rank + suit``; pairs are in the order of ``itertools.combinations(range(52), 2)``.
A pair's rank class is its two ranks without suits, one of 91. A suit mask has bit ``rank`` for each card of that suit.

>>> first = PAIRS[0]
>>> int(PAIR_INDEX[first[1], first[0]]), int(SUIT_MASKS[0, 0]), int(SUIT_MASKS[1, 0])
(0, 1, 1)
>>> len(RANK_CLASSES), RANK_CLASSES[int(RANK_CLASS[0])].tolist()
(91, [0, 0])
"""

import itertools
from collections.abc import Iterable
from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from referee.cards import Card

Cards: TypeAlias = npt.NDArray[np.uint8]
"""Card indices 0 to 51; boards are rows of five."""

Strengths: TypeAlias = npt.NDArray[np.uint16]
"""Strengths of hands on the scale of one ranking."""

DECK_SIZE: Final = 52
RANKS: Final = 13
SUITS: Final = 4


@cache
def places_of(count: int) -> Cards:
    """Return all pairs of places below ``count``, in lexicographic order; made once for each count."""
    return np.array(list(itertools.combinations(range(count), 2)), dtype=np.uint8)


PAIRS: Final = places_of(DECK_SIZE)
"""The two cards of each pair, the lower first."""

PAIR_INDEX: Final = np.full((DECK_SIZE, DECK_SIZE), -1, dtype=np.int16)
"""The pair of two cards in any order; -1 for a card and itself."""
PAIR_INDEX[PAIRS[:, 0], PAIRS[:, 1]] = PAIR_INDEX[PAIRS[:, 1], PAIRS[:, 0]] = np.arange(len(PAIRS))

RANK_CLASSES: Final = np.array(list(itertools.combinations_with_replacement(range(RANKS), 2)), dtype=np.uint8)
"""The two ranks of each rank class, the lower first."""

CLASS_INDEX: Final = np.zeros((RANKS, RANKS), dtype=np.uint8)
"""The class of two ranks in any order."""
CLASS_INDEX[RANK_CLASSES[:, 0], RANK_CLASSES[:, 1]] = np.arange(len(RANK_CLASSES))
CLASS_INDEX[RANK_CLASSES[:, 1], RANK_CLASSES[:, 0]] = np.arange(len(RANK_CLASSES))

RANK_CLASS: Final = CLASS_INDEX[PAIRS[:, 0] >> 2, PAIRS[:, 1] >> 2]
"""The rank class of each pair."""


def suit_masks(cards: Cards) -> npt.NDArray[np.uint16]:
    """Return the masks of the cards along the last axis: one for each suit, which becomes the first axis."""
    bits = (1 << (cards >> 2).astype(np.uint16)).astype(np.uint16)
    return np.stack([np.bitwise_or.reduce(np.where(cards & 3 == suit, bits, 0), axis=-1) for suit in range(SUITS)])


SUIT_MASKS: Final = suit_masks(PAIRS)
"""By suit, then pair."""


def indices_of(cards: Iterable[Card]) -> Cards:
    """Return the indices of cards, in their order."""
    return np.array([card.number - 1 for card in cards], dtype=np.uint8)


def pairs_among(cards: Cards) -> npt.NDArray[np.int16]:
    """Return the pairs of ascending cards, in the order of combinations."""
    places = places_of(len(cards))
    pairs: npt.NDArray[np.int16] = PAIR_INDEX[cards[places[:, 0]], cards[places[:, 1]]]
    return pairs
