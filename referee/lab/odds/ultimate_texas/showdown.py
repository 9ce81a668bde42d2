"""All showdowns of a board at once: each of the 1,081 pairs against the 990 that share no card with it.

Pairs are counted by strength, once over the board and once for each card. The pairs that a hand beats are those weaker
than it, less those that contain one of its cards, so 1,070,190 showdowns of a board cost a few passes over its pairs.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.advice.ultimate_texas.pair import DECK_SIZE, PAIRS, Cards, Strengths
from referee.advice.ultimate_texas.price import STRENGTHS, Prices
from referee.advice.ultimate_texas.showdown import HOUSES
from referee.advice.ultimate_texas.strength import BoardStrengths

Counts = npt.NDArray[np.int64]

_ALL_PAIRS: Final = np.arange(len(PAIRS), dtype=np.int16)
_LOW: Final = PAIRS[:, 0].astype(np.intp)
_HIGH: Final = PAIRS[:, 1].astype(np.intp)
_CARD_BITS: Final = np.left_shift(np.uint64(1), np.arange(DECK_SIZE, dtype=np.uint64))
_PAIR_BITS: Final = _CARD_BITS[PAIRS].sum(axis=1, dtype=np.uint64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Showdowns:
    """The strength of each pair of each board, and how many of 990 hands of the house it beats and loses to.

    The last two count the hands with which the house qualifies. Values of a pair that shares a card with the board
    (``is_dealt`` is false) are undefined.
    """

    is_dealt: npt.NDArray[np.bool_]
    strengths: Strengths
    won: Counts
    lost: Counts
    won_qualified: Counts
    lost_qualified: Counts

    def bets(self, prices: Prices) -> tuple[Counts, Counts]:
        """Return the sums, in units, of Ante and Blind, and of a play bet of one Ante; 0 if not dealt."""
        stays = prices.ante * self.won_qualified + prices.blind[self.strengths] * self.won
        stays -= prices.unit * (self.lost_qualified + self.lost)
        play = prices.play * self.won - prices.unit * self.lost
        return np.where(self.is_dealt, stays, 0), np.where(self.is_dealt, play, 0)


def showdowns(strengths: BoardStrengths, boards: Cards, *, qualifying: int) -> Showdowns:
    """Compute the showdowns of some boards; the house qualifies from a strength up."""
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
        strengths=rows,
        won=beaten,
        lost=lost,
        won_qualified=np.maximum(beaten - unqualified, 0),
        lost_qualified=np.minimum(lost, HOUSES - unqualified),
    )


def _by_card(step: npt.NDArray[np.int32], width: int) -> Counts:
    """Count the dealt pairs with a card below a step, by board, card and step; one step more than there are."""
    boards = len(step)
    base = np.arange(boards)[:, None] * (DECK_SIZE * width)
    places = np.concatenate([base + _LOW * width + step, base + _HIGH * width + step], axis=1)
    counts = np.bincount(places.ravel(), minlength=boards * DECK_SIZE * width).reshape(boards, DECK_SIZE, width)
    counts[:, :, 0] = 0
    below = np.zeros((boards, DECK_SIZE, width + 1), dtype=np.int64)
    np.cumsum(counts, axis=2, out=below[:, :, 1:])
    return below
