"""Counts of the outcomes of a strategy: every showdown of every board, by path, seat's hand and result.

A path is the street and size of the play bet, or a fold. The counts are over all ``DEALS``, which distinguish the flop
from turn and river.
"""

import enum
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from referee.advice.ultimate_texas.advice import best_plays
from referee.advice.ultimate_texas.pair import Cards
from referee.advice.ultimate_texas.price import Prices
from referee.advice.ultimate_texas.showdown import HOUSES
from referee.advice.ultimate_texas.strength import BoardStrengths
from referee.games.ultimate_texas.code import Street
from referee.lab.odds.ultimate_texas.board import FLOPS_IN_BOARD, Starts, Whole, flop_number
from referee.lab.odds.ultimate_texas.showdown import Showdowns, showdowns
from referee.lab.odds.ultimate_texas.strategy import BATCH, KIND_OF_PAIR, Strategy


class Path(NamedTuple):
    """The street of the play bet and its size in Antes; a fold is the river with 0."""

    street: Street
    multiple: int


class Met(enum.StrEnum):
    """Result of the seat's hand against the house's; for a folded hand, the result that it would have had."""

    WON_QUALIFIED = "WON_QUALIFIED"
    WON_UNQUALIFIED = "WON_UNQUALIFIED"
    TIED = "TIED"
    LOST_QUALIFIED = "LOST_QUALIFIED"
    LOST_UNQUALIFIED = "LOST_UNQUALIFIED"


FOLD: Final = Path(Street.RIVER, 0)
_PER_BOARD: Final = len(FLOPS_IN_BOARD)


def paths_of(prices: Prices) -> tuple[Path, ...]:
    """Return the paths of a ruleset in order of streets, with smaller bets first; the fold is last."""
    bets = ((Street.PREFLOP, prices.preflop), (Street.FLOP, prices.flop), (Street.RIVER, prices.river))
    return (*(Path(street, multiple) for street, multiples in bets for multiple in multiples), FOLD)


def count_boards(  # noqa: PLR0913, PLR0917 - a strategy and the deals that it is counted over
    strengths: BoardStrengths, prices: Prices, starts: Starts, strategy: Strategy, boards: Cards, weights: Whole
) -> Whole:
    """Count some boards by path, category of the seat's hand (in the ranking's order) and result."""
    paths = paths_of(prices)
    counts = np.zeros((len(paths), len(prices.categories), len(Met)), dtype=np.int64)
    for first in range(0, len(boards), BATCH):
        batch, weight = boards[first : first + BATCH], weights[first : first + BATCH, None]
        found = showdowns(strengths, batch, qualifying=prices.qualifying)
        taken = _taken(found, prices, strategy, starts.numbers[flop_number(batch[:, FLOPS_IN_BOARD])], paths)
        category = np.where(found.is_dealt, prices.category[found.own], 0).ravel()
        met = (
            found.won_qualified,
            found.won - found.won_qualified,
            HOUSES - found.won - found.lost,
            found.lost_qualified,
            found.lost - found.lost_qualified,
        )
        for path, times in enumerate(taken):
            weighted = np.where(found.is_dealt, times * weight, 0)
            if not weighted.any():
                continue
            for place, showdown in enumerate(met):
                by_category = np.bincount(category, (weighted * showdown).ravel(), minlength=len(prices.categories))
                counts[path, :, place] += by_category.astype(np.int64)
    return counts


def _taken(
    found: Showdowns, prices: Prices, strategy: Strategy, numbers: npt.NDArray[np.int32], paths: tuple[Path, ...]
) -> list[Whole]:
    """Return for each path an array by board and pair: in how many of the board's ten flops the play takes the path."""
    preflop = np.broadcast_to(strategy.preflop[KIND_OF_PAIR], found.own.shape)
    flop = np.where(preflop[:, None, :] > 0, 0, strategy.flop[numbers])
    stays, play = found.bets(prices)
    river = np.zeros(preflop.shape, dtype=np.uint8)
    river[best_plays(stays, play, prices) >= prices.fold * HOUSES] = prices.river[0]
    for multiple in prices.river[1:]:
        river[(river > 0) & (play > 0)] = multiple
    left = np.where(preflop > 0, 0, _PER_BOARD - (flop > 0).sum(axis=1))
    taken = []
    for street, multiple in paths:
        if street is Street.PREFLOP:
            taken.append((preflop == multiple).astype(np.int64) * _PER_BOARD)
        elif street is Street.FLOP:
            taken.append((flop == multiple).sum(axis=1))
        else:
            taken.append(np.where(river == multiple, left, 0))
    return taken
