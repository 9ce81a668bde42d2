"""All showdowns of a board at once: each of the 1,081 pairs of hole cards against 990 hands of the house.

The house's hands are the pairs that share no card with the seat's pair. Pairs are counted by strength, once over the
board and once for each card. The number of pairs that a pair beats is the number of weaker pairs less the weaker pairs
that contain one of its cards. So the 1,070,190 showdowns of a board take a few passes over its pairs.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.advice.ultimate_texas.pair import DECK_SIZE, PAIRS, Cards
from referee.advice.ultimate_texas.price import STRENGTHS, Prices, Whole
from referee.advice.ultimate_texas.showdown import HOUSES, Tally
from referee.advice.ultimate_texas.strength import BoardStrengths

_ALL_PAIRS: Final = np.arange(len(PAIRS), dtype=np.int16)
_LOW: Final = PAIRS[:, 0].astype(np.intp)
_HIGH: Final = PAIRS[:, 1].astype(np.intp)
_CARD_BITS: Final = np.left_shift(np.uint64(1), np.arange(DECK_SIZE, dtype=np.uint64))
_PAIR_BITS: Final = _CARD_BITS[PAIRS].sum(axis=1, dtype=np.uint64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Showdowns(Tally):
    """A tally by board and pair, with the pair in place of a seat's hole cards.

    ``is_dealt`` is False for a pair that shares a card with the board; the other values of such a pair are undefined.
    """

    is_dealt: npt.NDArray[np.bool_]

    def bets(self, prices: Prices) -> tuple[Whole, Whole]:
        """Return the sums of ``Tally.bets`` by board and pair, 0 for a pair that shares a card with the board."""
        stays, play = Tally.bets(self, prices)  # a class with slots has no super()
        return np.where(self.is_dealt, stays, 0), np.where(self.is_dealt, play, 0)


def showdowns(strengths: BoardStrengths, boards: Cards, *, qualifying: int) -> Showdowns:
    """Compute the showdowns of boards; the house qualifies with a strength of at least ``qualifying``."""
    rows = strengths.rows(boards, _ALL_PAIRS)
    board_bits = _CARD_BITS[boards].sum(axis=1, dtype=np.uint64)
    is_dealt = (board_bits[:, None] & _PAIR_BITS) == 0
    rows[~is_dealt] = 0
    row = np.arange(len(boards))[:, None]
    steps = np.zeros((len(boards), STRENGTHS + 1), dtype=np.bool_)
    steps[row, rows] = True
    steps[:, 0] = False
    step = steps.cumsum(axis=1, dtype=np.int32)[row, rows]
    width = int(step.max()) + 1
    by_card = _by_card(step, width)
    total = by_card.sum(axis=1) // 2
    beaten = total[row, step] - by_card[row, _LOW, step] - by_card[row, _HIGH, step]
    not_above = total[row, step + 1] - by_card[row, _LOW, step + 1] - by_card[row, _HIGH, step + 1] + 1
    weak = is_dealt & (rows < qualifying)
    last = np.where(weak, step, 0).max(axis=1) + 1
    at = np.arange(len(boards))
    weak_of_card = by_card[at, :, last]
    unqualified = (total[at, last][:, None] - weak_of_card[:, _LOW] - weak_of_card[:, _HIGH]) + weak
    lost = HOUSES - not_above
    return Showdowns(
        is_dealt=is_dealt,
        own=rows,
        won=beaten,
        lost=lost,
        won_qualified=np.maximum(beaten - unqualified, 0),
        lost_qualified=np.minimum(lost, HOUSES - unqualified),
    )


def _by_card(step: npt.NDArray[np.int32], width: int) -> Whole:
    """Count the dealt pairs that contain a card and are below a step, by board, card and step.

    Steps are the ranks of strengths on a board, from 1; step 0 is for pairs that are not dealt. The last axis has
    ``width + 1`` entries.
    """
    boards = len(step)
    base = np.arange(boards)[:, None] * (DECK_SIZE * width)
    places = np.concatenate([base + _LOW * width + step, base + _HIGH * width + step], axis=1)
    counts = np.bincount(places.ravel(), minlength=boards * DECK_SIZE * width).reshape(boards, DECK_SIZE, width)
    counts[:, :, 0] = 0
    below = np.zeros((boards, DECK_SIZE, width + 1), dtype=np.int64)
    np.cumsum(counts, axis=2, out=below[:, :, 1:])
    return below
