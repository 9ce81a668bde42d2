"""Hands of thirteen from many decks at once, each as a number of 55 bits: three for each rank, then four for each suit.

They hold the number of cards of the rank or suit. The lowest bits are those of the twos; spades are the first suit.

>>> import numpy as np
>>> hands = HandKeys.of(np.arange(13, dtype=np.uint8)[:, None])  # the twos, the threes, the fours and 5S
>>> hands.by_rank[:, 0].tolist(), hands.by_suit[:, 0].tolist()
([4, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [4, 3, 3, 3])
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

SEATS: Final = 4
HAND: Final = 13
RANKS: Final = 13
SUITS_AT: Final = 3 * RANKS
_KEYS: Final = np.array([1 << 3 * (card >> 2) | 1 << SUITS_AT + 4 * (card & 3) for card in range(52)], dtype=np.int64)

Cards = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class HandKeys:
    """Hands of thirteen, one from each of many decks, as one number each."""

    keys: Integers

    @classmethod
    def of(cls, cards: Cards) -> "HandKeys":
        """Make a hand of each column of thirteen rows of cards."""
        return cls(_KEYS[cards].sum(axis=0))

    @cached_property
    def ranks(self) -> Integers:
        """The 39 bits of each hand that hold the numbers of cards by rank."""
        return self.keys & ((1 << SUITS_AT) - 1)

    @cached_property
    def by_rank(self) -> npt.NDArray[np.uint8]:
        """Number of cards of each rank in each hand; ranks are rows, twos first."""
        return np.stack([(self.keys >> 3 * rank & 7).astype(np.uint8) for rank in range(RANKS)])

    @cached_property
    def by_suit(self) -> npt.NDArray[np.uint8]:
        """Number of cards of each suit in each hand; suits are rows."""
        return np.stack([(self.keys >> SUITS_AT + 4 * suit & 15).astype(np.uint8) for suit in range(4)])

    @cached_property
    def pair_bits(self) -> npt.NDArray[np.int32]:
        """One bit for each rank from three to ace, threes lowest: whether the hand has two or more cards of it."""
        bits = (self.by_rank[1:] >= 2).astype(np.int32)  # noqa: PLR2004 - a pair
        return np.asarray((bits << np.arange(RANKS - 1, dtype=np.int32)[:, None]).sum(axis=0), dtype=np.int32)
