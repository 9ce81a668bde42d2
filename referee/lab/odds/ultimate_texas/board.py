"""Every board and every start (hole cards and flop), up to renaming suits, with the number that each represents.

Only which cards share a suit matters, so a set of cards is four masks of ranks, one for each suit, in any order. The
set whose masks descend represents all sets with these masks: 134,459 boards represent 2,598,960, and 1,755 flops
represent 22,100. The suits of hole cards are renamed with those of the flop. If several renamings give the same flop,
the one with the lowest pair of hole cards is taken: 1,286,792 starts represent 25,989,600.

>>> boards, weights = canonical_boards()
>>> len(boards), int(weights.sum())
(134459, 2598960)
"""

import itertools
import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.advice.ultimate_texas.pair import DECK_SIZE, PAIR_INDEX, PAIRS, SUITS, Cards, suit_masks

Whole = npt.NDArray[np.int64]

FLOPS: Final = math.comb(DECK_SIZE, 3)
FLOPS_IN_BOARD: Final = tuple(itertools.combinations(range(5), 3))
_FIRST, _SECOND, _THIRD = 4, 2, 1
_NAMINGS: Final = np.array([24, 12, 12, 4, 12, 6, 4, 1], dtype=np.int64)
"""Number of sets that a canonical set represents.

The index has a bit for each two neighbouring masks that are equal.
"""


def subsets(size: int) -> Cards:
    """Return all ascending choices of ``size`` cards, in lexicographic order."""
    chosen = itertools.chain.from_iterable(itertools.combinations(range(DECK_SIZE), size))
    return np.fromiter(chosen, dtype=np.uint8).reshape(-1, size)


def canonical_boards() -> tuple[Cards, Whole]:
    """Return the canonical boards, in lexicographic order, and the number of boards that each represents."""
    return _canonical(subsets(5))


def flop_number(cards: Cards) -> npt.NDArray[np.intp]:
    """Return the number of a flop, 0 to 22,099, from its three ascending cards along the last axis."""
    low, middle, high = (cards[..., place].astype(np.intp) for place in range(3))
    number: npt.NDArray[np.intp] = high * (high - 1) * (high - 2) // 6 + middle * (middle - 1) // 2 + low
    return number


@dataclass(frozen=True, slots=True, eq=False)
class Starts:
    """The equivalence classes of hole cards and flop.

    ``numbers`` has the class by flop number and pair; it is undefined for a pair that shares a card with the flop.
    ``sizes`` has the number of starts of each class, ``pairs`` one pair of hole cards of the class.
    """

    numbers: npt.NDArray[np.int32]
    sizes: Whole
    pairs: npt.NDArray[np.int16]


def starts() -> Starts:
    """Return the classes of all 25,989,600 starts."""
    flops = subsets(3)
    canonical, _ = _canonical(flops)
    namings = np.array(list(itertools.permutations(range(SUITS))), dtype=np.uint8)
    renamed = [_renamed(PAIRS, naming) for naming in namings]
    pairs = np.stack([PAIR_INDEX[cards[:, 0], cards[:, 1]] for cards in renamed]).astype(np.int32)
    lowest = np.stack([_lowest_pairs(masks, namings, pairs) for masks in suit_masks(canonical).T])
    rows = _rows(canonical)
    numbers = np.empty((FLOPS, len(PAIRS)), dtype=np.int32)
    for flop, masks in zip(flops, suit_masks(flops).T, strict=True):
        naming = np.empty(SUITS, dtype=np.uint8)
        naming[np.argsort(-masks.astype(np.int32), kind="stable")] = np.arange(SUITS)
        row = rows[int(flop_number(np.sort(_renamed(flop, naming))))]
        place = int(np.flatnonzero((namings == naming).all(axis=1))[0])
        numbers[flop_number(flop)] = row * len(PAIRS) + lowest[row, pairs[place]]
    return _dense(numbers, flops)


def _dense(numbers: npt.NDArray[np.int32], flops: Cards) -> Starts:
    """Renumber the classes without gaps."""
    is_start = np.ones(numbers.shape, dtype=np.bool_)
    rows = flop_number(flops)
    for card, place in itertools.product(range(3), range(2)):
        is_start[rows] &= flops[:, card, None] != PAIRS[:, place]
    counted = np.bincount(numbers[is_start])
    used = np.flatnonzero(counted)
    dense = np.zeros(len(counted), dtype=np.int32)
    dense[used] = np.arange(len(used))
    numbers[~is_start] = used[0]
    np.take(dense, numbers, out=numbers, mode="clip")
    return Starts(numbers, counted[used], (used % len(PAIRS)).astype(np.int16))


def _canonical(sets: Cards) -> tuple[Cards, Whole]:
    masks = suit_masks(sets)
    chosen = np.flatnonzero((masks[:-1] >= masks[1:]).all(axis=0))
    equal = masks[:-1, chosen] == masks[1:, chosen]
    return sets[chosen], _NAMINGS[equal[0] * _FIRST + equal[1] * _SECOND + equal[2] * _THIRD]


def _rows(canonical: Cards) -> dict[int, int]:
    """Map the number of a canonical flop to its row."""
    return {int(number): row for row, number in enumerate(flop_number(canonical))}


def _renamed(cards: Cards, naming: Cards) -> Cards:
    """Return the cards with suit ``naming[suit]`` in place of each suit."""
    renamed: Cards = (cards & 0xFC) | naming[cards & 3]
    return renamed


def _lowest_pairs(masks: npt.NDArray[np.uint16], namings: Cards, pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Return for each pair the lowest pair that a renaming of suits gives without changing a flop of these masks."""
    same = [place for place, naming in enumerate(namings) if (masks[naming] == masks).all()]
    lowest: npt.NDArray[np.int32] = pairs[same].min(axis=0)
    return lowest
