"""The best play of every start, from sums over all boards: to bet or check on the flop, and before it.

A start is a pair of hole cards and a flop. Its value is the sum over the boards that contain the flop; the value of
hole cards is the sum over flops of the better of betting and checking. All values are whole numbers of units, so the
order of summing does not matter. If betting and checking have equal values, a check is preferred.

Two strategies are found at once: one for Ante, Blind and Play alone, one with a Trips bet so large that no hand that it
pays is worth folding (``Prices.sure_trips``).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from referee.advice.ultimate_texas.advice import best_plays
from referee.advice.ultimate_texas.pair import PAIRS, Cards
from referee.advice.ultimate_texas.preflop import KINDS, KindSums, PreflopTable, best_bet, kind_of
from referee.advice.ultimate_texas.price import Prices
from referee.advice.ultimate_texas.showdown import HOUSES
from referee.advice.ultimate_texas.strength import BoardStrengths
from referee.cards import DECK
from referee.lab.odds.ultimate_texas.board import FLOPS_IN_BOARD, Starts, Whole, flop_number
from referee.lab.odds.ultimate_texas.picture import bets_of
from referee.lab.odds.ultimate_texas.showdown import showdowns

BATCH: Final = 128
"""Boards computed at once; the number affects memory, not the result."""

KIND_OF_PAIR: Final = np.array(
    [KINDS.index(kind_of((DECK[low], DECK[high]))) for low, high in PAIRS.tolist()], dtype=np.intp
)
PAIRS_OF_KIND: Final = np.bincount(KIND_OF_PAIR)


@dataclass(frozen=True, slots=True, eq=False)
class StartSums:
    """Sums in units by class of starts, over the starts of the class and their boards; ``trips`` is by kind instead.

    ``sure_loss`` is the amount that the second strategy loses on the river compared with the first, ``given_up`` the
    Trips winnings that folds of the first strategy lose.
    """

    stays: Whole
    play: Whole
    check: Whole
    sure_loss: Whole
    given_up: Whole
    trips: Whole

    @classmethod
    def empty(cls, starts: int) -> Self:
        """Make sums of 0 for ``starts`` classes."""
        stays, play, check, sure_loss, given_up = (np.zeros(starts, dtype=np.int64) for _ in range(5))
        return cls(stays, play, check, sure_loss, given_up, np.zeros(len(KINDS), dtype=np.int64))

    def add(self, other: "StartSums") -> None:
        """Add the sums of other boards."""
        for name in self.__slots__:
            mine: Whole = getattr(self, name)
            mine += getattr(other, name)


def sum_boards(strengths: BoardStrengths, prices: Prices, starts: Starts, boards: Cards, weights: Whole) -> StartSums:
    """Sum over boards, each counted as often as its weight says."""
    sums = StartSums.empty(len(starts.sizes))
    for first in range(0, len(boards), BATCH):
        batch, weight = boards[first : first + BATCH], weights[first : first + BATCH, None]
        found = showdowns(strengths, batch, qualifying=prices.qualifying)
        stays, play = found.bets(prices)
        paid = np.where(found.is_dealt, prices.trips[found.own] + 1, 0)
        goes_on = best_plays(stays, play, prices)
        fold = np.where(found.is_dealt, prices.fold * HOUSES, 0)
        check = np.maximum(goes_on, fold)
        gives_up = (fold > goes_on) & (paid > 0)
        numbers = starts.numbers[flop_number(batch[:, FLOPS_IN_BOARD])]
        for total, values in ((sums.stays, stays), (sums.play, play), (sums.check, check)):
            _scatter(total, numbers, values * weight)
        rows, columns = np.nonzero(gives_up)
        where = numbers[rows, :, columns]
        loss = ((fold - goes_on) * weight)[rows, columns]
        np.add.at(sums.sure_loss, where, loss[:, None])
        np.add.at(sums.given_up, where, (paid * weight)[rows, columns, None] * HOUSES)
        by_kind = np.bincount(KIND_OF_PAIR, ((paid - found.is_dealt) * weight).sum(axis=0), minlength=len(KINDS))
        np.add(sums.trips, by_kind.astype(np.int64) * HOUSES * len(FLOPS_IN_BOARD), out=sums.trips)
    return sums


def _scatter(total: Whole, numbers: npt.NDArray[np.int32], values: Whole) -> None:
    """Add the value of each board and pair to the ten starts that it contains; sums are far below 2^53."""
    spread = np.broadcast_to(values[:, None, :], numbers.shape)
    total += np.bincount(numbers.ravel(), spread.ravel(), minlength=len(total)).astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Strategy:
    """The best bets in Antes, 0 for a check: by kind before the flop, by class of starts on the flop.

    On the river ``best_plays`` decides. ``table`` has the sums of each kind.
    """

    preflop: npt.NDArray[np.uint8]
    flop: npt.NDArray[np.uint8]
    table: PreflopTable


def strategy_of(sums: StartSums, pairs: npt.NDArray[np.int16], prices: Prices, *, law: str) -> Strategy:
    """Find the best play without Trips from the sums over all boards; its table has sums for play with Trips too.

    ``pairs`` has one pair of hole cards of each start.
    """
    flop, bet = _best_bets(sums, prices)
    sure = sums.check - sums.sure_loss
    is_bet = bet > sums.check
    kinds = KIND_OF_PAIR[pairs]
    columns = {
        "stays": sums.stays,
        "play": sums.play,
        "check": np.where(is_bet, bet, sums.check),
        "check_sure": np.maximum(bet, sure),
        "given_up": np.where(is_bet, 0, sums.given_up),
    }
    totals = {name: _by_kind(kinds, column) for name, column in columns.items()} | {"trips": _per_pair(sums.trips)}
    table = PreflopTable(
        law=law,
        unit=prices.unit,
        kinds={
            name: KindSums(**{column: int(total[place]) for column, total in totals.items()})
            for place, name in enumerate(KINDS)
        },
    )
    bets = bets_of(table, prices)
    preflop = [bets[name] for name in KINDS]
    return Strategy(np.array(preflop, dtype=np.uint8), np.where(is_bet, flop, 0).astype(np.uint8), table)


def value_of(table: PreflopTable, prices: Prices) -> int:
    """Return the seat's net win over all deals under best play without Trips, in units."""
    return sum(
        int(count) * max(best_bet(table.kinds[name], prices)[1], table.kinds[name].check)
        for name, count in zip(KINDS, PAIRS_OF_KIND, strict=True)
    )


def _best_bets(sums: StartSums, prices: Prices) -> tuple[Whole, Whole]:
    """Return by class of starts the play bet on the flop with the highest value, and that value."""
    multiples = np.array(prices.flop, dtype=np.int64)
    values = sums.stays + multiples[:, None] * sums.play
    best = values.argmax(axis=0)
    return multiples[best], values.max(axis=0)


def _by_kind(kinds: npt.NDArray[np.intp], column: Whole) -> Whole:
    total = np.zeros(len(KINDS), dtype=np.int64)
    np.add.at(total, kinds, column)
    return _per_pair(total)


def _per_pair(total: Whole) -> Whole:
    """Divide the sum of each kind by its number of pairs; raise ArithmeticError if a division is not exact.

    All pairs of a kind have equal sums, so it is exact if every board was summed.
    """
    quotient, rest = np.divmod(total, PAIRS_OF_KIND)
    if rest.any():
        raise ArithmeticError("pairs of one kind do not have the same sums; the boards are not complete")
    return quotient


def merged(parts: Iterator[StartSums]) -> StartSums:
    """Add all parts to the first and return it; there must be at least one part."""
    total = next(parts)
    for part in parts:
        total.add(part)
    return total
