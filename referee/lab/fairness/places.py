"""Measures of the order of cards: the card at each place, neighbouring cards, and the kind of permutation.

*Card by place.* The 52 x 52 counts of N random decks, centred, have the covariance of a chi-square with 51^2 degrees of
freedom once Pearson's sum is multiplied by 51/52: an order is a permutation matrix M, and the covariance of M is 1/51
times the projection on matrices whose rows and columns add up to nothing.

*Neighbours.* A[a, b] counts decks in which b follows a directly. Rows and columns of A only show which cards are last
and first; their part is removed. The rest splits into a symmetric part of 1,274 dimensions with variance N/52 in
each, and an antisymmetric part of 1,275 with N * (1/52 + 2/2652): by the chances that two given neighbours are in one
deck, which are 1/52 for one pair with itself, none for pairs that contradict, and 1/2652 for all others. The two sums
of squares over their variances together are chi-square with 2,549 degrees of freedom.

Both claims are checked in the tests by all orders of four and five cards.

>>> import numpy as np
>>> from referee.lab.fairness.decks import Decks, in_order
>>> decks = Decks(in_order(3), np.zeros(3, dtype=np.int64))
>>> [int(np.argmax(measure.count(decks))) for measure in (CYCLES, ASCENTS, FIXED)]
[52, 51, 52]
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.lab.fairness.decks import PLACES, Cards, Decks, Integers
from referee.lab.fairness.law import ascent_law, cycle_law, fixed_point_law
from referee.lab.fairness.measure import FairnessMeasure, Judgement, Spread
from referee.lab.fairness.tail import chi_square_p_value


@dataclass(frozen=True, slots=True)
class ByPlace:
    """Card at each place."""

    name: str = "card by place"
    size: int = PLACES

    def count(self, decks: Decks) -> Integers:
        """Count the decks with each card at each place; places are rows."""
        return np.concatenate([np.bincount(row, minlength=self.size) for row in decks.cards]).astype(np.int64)

    def judge(self, counts: Integers, *, decks: int) -> Judgement:
        """Judge Pearson's sum times (n - 1) / n, on (n - 1)^2 degrees of freedom."""
        expected = decks / self.size
        statistic = float(((counts - expected) ** 2).sum() / expected) * (self.size - 1) / self.size
        degrees = (self.size - 1) ** 2
        return Judgement(statistic, degrees, chi_square_p_value(statistic, degrees=degrees))


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Card directly after each card."""

    name: str = "neighbouring cards"
    size: int = PLACES

    def count(self, decks: Decks) -> Integers:
        """Count the decks with each card directly after each card; the former are rows."""
        found = np.zeros(self.size**2, dtype=np.int64)
        wide = decks.cards.astype(np.int16)
        for place in range(self.size - 1):
            found += np.bincount(wide[place] * self.size + wide[place + 1], minlength=self.size**2)
        return found

    def judge(self, counts: Integers, *, decks: int) -> Judgement:
        """Judge the sum of the squares of both parts, each divided by its variance."""
        n = self.size
        rest = without_margins(counts.reshape(n, n).astype(np.float64))
        symmetric, antisymmetric = (rest + rest.T) / 2, (rest - rest.T) / 2
        variance = decks / n
        statistic = float((symmetric**2).sum() / variance)
        statistic += float((antisymmetric**2).sum() / (variance + 2 * decks / (n * (n - 1))))
        degrees = n * (n - 1) - (2 * n - 1)
        return Judgement(statistic, degrees, chi_square_p_value(statistic, degrees=degrees))


def without_margins(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Subtract from the cells off the diagonal a part of each row and of each column, so that all their sums are zero.

    The parts r and c minimise the squares: row i's sum is (n - 1) r_i plus all c but c_i, and likewise for columns.
    """
    n = len(matrix)
    off = ~np.eye(n, dtype=bool)
    rest = np.where(off, matrix, 0.0)
    mean = rest.sum() / (n * (n - 1))
    rest = np.where(off, rest - mean, 0.0)
    rows, columns = rest.sum(axis=1), rest.sum(axis=0)
    of_rows = ((n - 1) * rows + columns) / (n * (n - 2))
    of_columns = ((n - 1) * columns + rows) / (n * (n - 2))
    return np.where(off, rest - of_rows[:, None] - of_columns[None, :], 0.0)


def pair_at(place: int) -> Spread:
    """Make the measure of the pair of cards at a place, counted from 0, and the next: 2,652 pairs, equally likely."""
    law = tuple([int(first != second) for first in range(PLACES) for second in range(PLACES)])

    def observe(decks: Decks) -> npt.NDArray[np.int16]:
        wide = decks.cards[place : place + 2].astype(np.int16)
        return np.asarray(wide[0] * PLACES + wide[1], dtype=np.int16)

    return Spread(f"cards at places {place} and {place + 1}", law, observe)


@dataclass(frozen=True, slots=True)
class BetweenDecks:
    """First cards of two successive decks, which must be independent."""

    name: str = "first cards of successive decks"

    def count(self, decks: Decks) -> Integers:
        """Count the pairs of first cards, of decks 0 and 1, 2 and 3, and so on; each deck is in one pair only."""
        first = decks.cards[0, : len(decks) // 2 * 2].astype(np.int16)
        return np.bincount(first[0::2] * PLACES + first[1::2], minlength=PLACES**2).astype(np.int64)

    def judge(self, counts: Integers, *, decks: int) -> Judgement:
        """Judge by chi-square over all pairs."""
        del decks
        pairs = int(counts.sum())
        expected = pairs / len(counts)
        statistic = float(((counts - expected) ** 2).sum() / expected)
        return Judgement(statistic, len(counts) - 1, chi_square_p_value(statistic, degrees=len(counts) - 1))


def _cycles(decks: Decks) -> Cards:
    """Count the cycles of each deck as a permutation, which takes each place to the number of the card there.

    The label of a place becomes the lowest place of its cycle, in steps of 1, 2, 4, ... 64 places along the cycle.
    """
    step = decks.cards.copy()
    label = np.minimum(np.arange(PLACES, dtype=np.uint8)[:, None], step)
    for _ in range(PLACES.bit_length()):
        np.minimum(label, np.take_along_axis(label, step, axis=0), out=label)
        step = np.take_along_axis(step, step, axis=0)
    return np.asarray((label == np.arange(PLACES, dtype=np.uint8)[:, None]).sum(axis=0), dtype=np.uint8)


CYCLES: Final = Spread("number of cycles", cycle_law(), _cycles)
ASCENTS: Final = Spread(
    "number of rising neighbours", ascent_law(), lambda decks: (decks.cards[1:] > decks.cards[:-1]).sum(axis=0)
)
FIXED: Final = Spread(
    "cards at their place of before",
    fixed_point_law(),
    lambda decks: (decks.cards == np.arange(PLACES, dtype=np.uint8)[:, None]).sum(axis=0),
)

MEASURES: Final[tuple[FairnessMeasure, ...]] = (
    ByPlace(),
    Neighbours(),
    BetweenDecks(),
    *map(pair_at, (0, 12, 25, 38, 50)),
    CYCLES,
    ASCENTS,
    FIXED,
)
