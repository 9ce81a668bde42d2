"""The strengths of every pair of hole cards on many boards at once, under either hand rule.

Without a flush a hand depends on ranks alone, so a board has one strength for each of the 91 rank classes. A flush
needs three of its suit on the board; there the best flush of each pair is looked up by its ranks in that suit.

This is right only if a suit never weakens a hand, which is checked: a ranking that puts a flush below a high card of
the same ranks, or a straight flush below a straight, is refused.

>>> from referee.advice.ultimate_texas.pair import indices_of, pairs_among
>>> from referee.cards import parse_cards
>>> from referee.rulesets import get
>>> rules = get("ultimate_texas.casino").rules
>>> board, hole = indices_of(parse_cards("KS QS JS TS 2D")), indices_of(parse_cards("AS AC"))
>>> rows = BoardStrengths.of(rules).rows(board[None], pairs_among(np.sort(hole)))
>>> rules.ranker.five_of_strength(int(rows[0, 0])).category
<Category.ROYAL_FLUSH: 'ROYAL_FLUSH'>
"""

import itertools
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.advice.ultimate_texas.pair import (
    RANK_CLASS,
    RANK_CLASSES,
    RANKS,
    SUIT_MASKS,
    SUITS,
    Cards,
    Strengths,
    suit_masks,
)
from referee.games.ultimate_texas import UltimateTexasRules
from referee.games.ultimate_texas.rules import HandRule
from referee.hands import RANK_KEYS, Ranking, RankingRules

_FLUSH: Final = 5
_FLUSH_ON_BOARD: Final = 3
_BOARD: Final = 5
_KEYS: Final = np.array(RANK_KEYS, dtype=np.int32)
_CLASS_KEYS: Final = _KEYS[RANK_CLASSES]


class UnsupportedRankingError(ValueError):
    """A ranking in which cards of one suit are worth less than the same ranks of several suits."""


class BoardStrengths:
    """Strengths of pairs on boards under one hand rule and ranking; ``of`` returns one object for equal rules."""

    def __init__(self, rule: HandRule, ranking: RankingRules) -> None:
        table = Ranking.of(ranking).five_table
        self._rule = rule
        self._unsuited = np.frombuffer(table.unsuited, dtype=np.uint16)
        self._flushes = _flushes(table.suited, self._unsuited)

    @staticmethod
    def of(rules: UltimateTexasRules) -> "BoardStrengths":
        """Return the strengths under these rules; UnsupportedRankingError if the ranking makes a suit weaken a hand."""
        return _strengths(rules.hands.rule, rules.ranking.rules)

    def rows(self, boards: Cards, pairs: npt.NDArray[np.int16]) -> Strengths:
        """Return the strength of each pair on each board; undefined for a pair that shares a card with the board."""
        keys = _KEYS[boards >> 2]
        _, first, inverse = np.unique(keys.sum(axis=1), return_index=True, return_inverse=True)
        strengths: Strengths = self._by_ranks(keys[first])[inverse].take(RANK_CLASS[pairs], axis=1)
        self._raise_by_flushes(strengths, boards, pairs)
        return strengths

    def _by_ranks(self, keys: npt.NDArray[np.int32]) -> Strengths:
        """Return the strengths without flushes by board (the rank keys of its cards) and rank class."""
        boards = keys.sum(axis=1)
        two = boards[:, None] + _CLASS_KEYS.sum(axis=1)
        best = np.zeros(two.shape, dtype=np.uint16)
        for left, right in itertools.combinations(range(_BOARD), 2):
            self._raise(best, two - (keys[:, left] + keys[:, right])[:, None])
        if self._rule is HandRule.BEST_OF_SEVEN:
            for out, held in itertools.product(range(_BOARD), range(2)):
                self._raise(best, (boards - keys[:, out])[:, None] + _CLASS_KEYS[:, held])
            self._raise(best, boards[:, None])
        return best

    def _raise(self, best: Strengths, keys: npt.NDArray[np.int32]) -> None:
        np.maximum(best, self._unsuited.take(keys, mode="clip"), out=best)

    def _raise_by_flushes(self, strengths: Strengths, boards: Cards, pairs: npt.NDArray[np.int16]) -> None:
        masks = suit_masks(boards)
        for suit in range(SUITS):
            rows = np.flatnonzero(np.bitwise_count(masks[suit]) >= _FLUSH_ON_BOARD)
            if not len(rows):
                continue
            held = SUIT_MASKS[suit, pairs]
            if self._rule is HandRule.BEST_OF_SEVEN:
                flushes = self._flushes[masks[suit, rows][:, None] | held]
                strengths[rows] = np.maximum(strengths[rows], flushes)
            else:
                columns = np.flatnonzero(np.bitwise_count(held) == 2)  # noqa: PLR2004 - both hole cards count
                where = np.ix_(rows, columns)
                strengths[where] = np.maximum(strengths[where], self._of_three(boards[rows], suit, held[columns]))

    def _of_three(self, boards: Cards, suit: int, held: npt.NDArray[np.uint16]) -> Strengths:
        """Return the best flush of each pair (its mask of the suit) with three of each board; zero if there is none."""
        best = np.zeros((len(boards), len(held)), dtype=np.uint16)
        for three in itertools.combinations(range(_BOARD), 3):
            masks = suit_masks(boards[:, three])[suit]
            np.maximum(best, self._flushes[masks[:, None] | held], out=best)
        return best


def _flushes(suited: dict[int, int], unsuited: Strengths) -> Strengths:
    """Return the strength of the best flush by the mask of ranks in one suit; zero for fewer than five ranks."""
    best = np.zeros(1 << RANKS, dtype=np.uint16)
    for mask in range(1 << RANKS):
        ranks = [rank for rank in range(RANKS) if mask >> rank & 1]
        if len(ranks) == _FLUSH:
            key = sum(RANK_KEYS[rank] for rank in ranks)
            best[mask] = suited[key]
            if suited[key] < unsuited[key]:
                msg = "the ranking puts five cards of one suit below the same ranks of several, which is not supported"
                raise UnsupportedRankingError(msg)
        elif len(ranks) > _FLUSH:
            best[mask] = max(best[mask ^ 1 << rank] for rank in ranks)
    return best


_strengths = lru_cache(maxsize=16)(BoardStrengths)
