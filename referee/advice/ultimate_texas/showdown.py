"""A seat's hand against every hand that the house can still have, board by board.

On the river one board meets 990 pairs of the house. On the flop 1,081 boards can follow, each meeting the 990 pairs
that share no card with it: 1,070,190 showdowns, all of them counted. Cards of other seats count as unseen.

>>> from referee.cards import parse_cards
>>> from referee.rulesets import get
>>> rules = get("ultimate_texas.casino").rules
>>> tally = on_river(rules, hole=parse_cards("AS KS"), board=parse_cards("QS JS TS 2D 3H"))
>>> int(tally.won[0]), int(tally.lost[0]), int(tally.won_qualified[0])
(990, 0, 648)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.advice.ultimate_texas.pair import (
    DECK_SIZE,
    PAIR_INDEX,
    Cards,
    Strengths,
    indices_of,
    pairs_among,
    places_of,
)
from referee.advice.ultimate_texas.price import Prices, Whole
from referee.advice.ultimate_texas.strength import BoardStrengths
from referee.cards import Card
from referee.games.ultimate_texas import UltimateTexasRules

HOUSES: Final = 990
"""Number of pairs that the house can have besides a seat's two cards and a board: two of 45 cards."""

RUNOUTS: Final = 1_081
"""Number of turns and rivers that can follow a flop: two of 47 cards."""

_ALWAYS_HIGHER: Final = 0xFFFF


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """The seat's strength on each board, and the numbers of the house's 990 hands that it beats and loses to.

    ``won_qualified`` and ``lost_qualified`` count only hands with which the house qualifies.
    """

    own: Strengths
    won: Whole
    lost: Whole
    won_qualified: Whole
    lost_qualified: Whole

    def bets(self, prices: Prices) -> tuple[Whole, Whole]:
        """Return two sums for each board over the house's hands, in units of ``prices``; losses are negative.

        The first is what Ante and Blind win together, the second what a play bet of one Ante wins.
        """
        stays = prices.ante * self.won_qualified + prices.blind[self.own] * self.won
        stays -= prices.unit * (self.lost_qualified + self.lost)
        return stays, prices.play * self.won - prices.unit * self.lost


def on_river(rules: UltimateTexasRules, *, hole: Sequence[Card], board: Sequence[Card]) -> Tally:
    """Count one complete board."""
    return _tally(rules, hole, indices_of(board)[None])


def on_flop(rules: UltimateTexasRules, *, hole: Sequence[Card], flop: Sequence[Card]) -> Tally:
    """Count the 1,081 boards that can follow a flop, in the order of their turn and river."""
    flop_cards = indices_of(flop)
    runouts = _unseen(np.concatenate([indices_of(hole), flop_cards]))[places_of(DECK_SIZE - 5)]
    boards = np.concatenate([np.broadcast_to(flop_cards, (len(runouts), 3)), runouts], axis=1)
    return _tally(rules, hole, boards)


def _tally(rules: UltimateTexasRules, hole: Sequence[Card], boards: Cards) -> Tally:
    seen = indices_of(hole)
    common = boards[0] if len(boards) == 1 else boards[0, :3]
    house_pairs = pairs_among(_unseen(np.concatenate([seen, common])))
    rows = BoardStrengths.of(rules).rows(boards, np.append(house_pairs, PAIR_INDEX[seen[0], seen[1]]))
    own, house = rows[:, -1], rows[:, :-1]
    surplus = house.shape[1] - HOUSES
    if surplus:
        house[_overlapping(len(boards))] = _ALWAYS_HIGHER
    won, beaten = _count(house < own[:, None]), _count(house > own[:, None]) - surplus
    unqualified = _count(house < Prices.of(rules).qualifying)
    return Tally(
        own=own,
        won=won,
        lost=beaten,
        won_qualified=np.maximum(won - unqualified, 0),
        lost_qualified=np.minimum(beaten, HOUSES - unqualified),
    )


def _count(matrix: npt.NDArray[np.bool_]) -> Whole:
    """Count the true values of each row; rows are shorter than 2^16."""
    counts: Whole = matrix.view(np.uint8).sum(axis=1, dtype=np.uint16).astype(np.int64)
    return counts


def _unseen(cards: Cards) -> Cards:
    return np.setdiff1d(np.arange(DECK_SIZE, dtype=np.uint8), cards, assume_unique=True)


@lru_cache(maxsize=4)
def _overlapping(runouts: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the runouts and pairs of the house, both of the same unseen cards, that share a card."""
    places = places_of(next(count for count in range(DECK_SIZE) if count * (count - 1) // 2 == runouts))
    shared = (places[:, None, :, None] == places[None, :, None, :]).any(axis=(2, 3))
    rows, columns = np.nonzero(shared)
    return rows, columns
