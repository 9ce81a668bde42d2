"""Census of all boards: one pass finds the best play, a second pass counts every outcome of it.

Boards are divided into parts, which any number of spawned processes share. Each process makes its own index of starts
(about 450 MB). The result is whole numbers and does not depend on the number of parts or processes.
"""

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from referee.advice.ultimate_texas.pair import Cards
from referee.advice.ultimate_texas.preflop import law_digest
from referee.advice.ultimate_texas.price import Prices
from referee.advice.ultimate_texas.strength import BoardStrengths
from referee.games.ultimate_texas import UltimateTexasRules
from referee.lab.odds.ultimate_texas.board import Starts, Whole, canonical_boards, starts
from referee.lab.odds.ultimate_texas.figures import Figures, OutcomeCount
from referee.lab.odds.ultimate_texas.outcome import Met, count_boards, paths_of
from referee.lab.odds.ultimate_texas.strategy import StartSums, Strategy, merged, strategy_of, sum_boards, value_of

PARTS: Final = 48
"""Number of parts of the boards: small enough for a progress bar, large enough to be worth sending."""

Progress: TypeAlias = Callable[[int, int], None]
"""Callback; its arguments are the number of parts done in both passes, and the number of all parts."""

_Map: TypeAlias = Callable[[Callable[[Any], Any], list[Any]], Iterator[Any]]
"""Function that applies a function to each task and yields the results in any order."""


@dataclass(frozen=True, slots=True, eq=False)
class _Worker:
    """Data that a process needs for every part."""

    strengths: BoardStrengths
    prices: Prices
    starts: Starts
    boards: Cards
    weights: Whole

    @classmethod
    def of(cls, rules: UltimateTexasRules) -> "_Worker":
        return cls(BoardStrengths.of(rules), Prices.of(rules), starts(), *canonical_boards())


_WORKER: Final[list[_Worker]] = []


def census(
    rules: UltimateTexasRules, *, processes: int = 1, progress: Progress = lambda _done, _of: None
) -> tuple[Strategy, Figures]:
    """Find the best play under some rules and count its outcomes over every deal.

    Raise UnsupportedRankingError if ``BoardStrengths`` does not support the rules' ranking of hands.
    """
    prices = Prices.of(rules)
    BoardStrengths.of(rules)
    pairs = starts().pairs
    with _mapping(rules, processes) as mapped:
        sums = merged(_reported(mapped(_sum_part, list(range(PARTS))), progress, already=0))
        strategy = strategy_of(sums, pairs, prices, law=law_digest(rules))
        tasks = [(strategy, part) for part in range(PARTS)]
        counts = np.sum(list(_reported(mapped(_count_part, tasks), progress, already=PARTS)), axis=0)
    return strategy, _figures(strategy, prices, counts)


def _reported(parts: Iterator[Any], progress: Progress, *, already: int) -> Iterator[Any]:
    for done, part in enumerate(parts, already + 1):
        progress(done, 2 * PARTS)
        yield part


def _figures(strategy: Strategy, prices: Prices, counts: Whole) -> Figures:
    outcomes = tuple(
        OutcomeCount(
            street=str(path.street),
            multiple=path.multiple,
            category=str(category),
            met=str(met),
            deals=int(counts[row, column, place]),
        )
        for row, path in enumerate(paths_of(prices))
        for column, category in enumerate(prices.categories)
        for place, met in enumerate(Met)
        if counts[row, column, place]
    )
    table = strategy.table
    return Figures(law=table.law, unit=table.unit, value_units=value_of(table, prices), outcomes=outcomes)


@contextmanager
def _mapping(rules: UltimateTexasRules, processes: int) -> Iterator[_Map]:
    if processes == 1:
        _start(rules)
        yield map
        _WORKER.clear()
        return
    with multiprocessing.get_context("spawn").Pool(processes, _start, (rules,)) as pool:
        yield pool.imap_unordered


def _start(rules: UltimateTexasRules) -> None:
    _WORKER[:] = [_Worker.of(rules)]


def _sum_part(part: int) -> StartSums:
    worker = _WORKER[0]
    return sum_boards(
        worker.strengths, worker.prices, worker.starts, worker.boards[part::PARTS], worker.weights[part::PARTS]
    )


def _count_part(task: tuple[Strategy, int]) -> Whole:
    worker, (strategy, part) = _WORKER[0], task
    return count_boards(
        worker.strengths,
        worker.prices,
        worker.starts,
        strategy,
        worker.boards[part::PARTS],
        worker.weights[part::PARTS],
    )
