"""The chance that a play holds its trick, by the unseen cards that beat it and the numbers of cards of rivals.

Each unseen card is equally likely with any holder of unseen cards; rivals are those who can still play in the trick.
The number of better plays that rivals have on average gives a chance, by a slope for each kind, as rivals do not always
spend what they have. A rival with one card always spends it, as it then goes out, and can only beat a single. Chops are
rare and counted as one constant. The slopes are measured by tournaments of the bots.

>>> from referee.advice.tien_len.view import EVERYTHING
>>> from referee.cards import parse_cards
>>> from referee.games.tien_len import read_combination, set_of
>>> control = HoldChances(unseen=EVERYTHING, rivals=(13, 13, 13))
>>> [round(control.hold(read_combination(set_of(parse_cards(text)))), 2) for text in ("3S", "KH", "2H")]
[0.0, 0.03, 0.97]
"""

import math
from collections.abc import Sequence
from typing import Final

from referee.games.tien_len.code import Kind
from referee.games.tien_len.combination import Combination
from referee.games.tien_len.order import COUNT, RANK_COUNT, RANK_OF_TWOS, CardSet

NO_CHOP: Final = 0.97
"""Chance that no rival chops a two, and that no rival beats a play that can chop."""

_SLOPES: Final = {Kind.SINGLE: 0.6, Kind.PAIR: 0.9, Kind.TRIPLE: 1.0, Kind.RUN: 1.0}
_PAIR: Final = 2
_TRIPLE: Final = 3


class HoldChances:
    """The chances in one position: the ``unseen`` cards, and how many of them each rival has."""

    def __init__(self, *, unseen: CardSet, rivals: Sequence[int]) -> None:
        self._unseen = unseen
        count = max(1, unseen.bit_count())
        self._unseen_count = count
        self._last_cards = sum(held == 1 for held in rivals)
        self._shares = [held / count for held in rivals if held > 1]
        self._all_shares = sum(self._shares)
        self._by_count: dict[int, tuple[float, ...]] = {}

    def hold(self, play: Combination) -> float:
        """Return the chance that no rival beats a play."""
        kind, certain = play.kind, 1.0
        if kind is Kind.SINGLE:
            higher = (self._unseen >> play.top + 1).bit_count()
            better = higher * self._all_shares
            certain = (1 - higher / self._unseen_count) ** self._last_cards
            if not self._shares:
                return certain
        elif not self._shares:
            return 1.0
        elif kind is Kind.PAIR:
            better = self._better_groups(play.top, self._having(_PAIR))
        elif kind is Kind.TRIPLE:
            better = self._better_groups(play.top, self._having(_TRIPLE))
        elif kind is Kind.RUN:
            better = self._better_runs(play.top, play.length)
        else:
            return NO_CHOP
        chance = certain * math.exp(-_SLOPES[kind] * better)
        return chance * NO_CHOP if play.top >> 2 == RANK_OF_TWOS else chance

    def _better_groups(self, top: int, by_count: tuple[float, ...]) -> float:
        """Return how many ranks rivals have, on average, that beat a group with this top card."""
        rank = top >> 2
        better = 0.0
        same = self._unseen >> 4 * rank & 15
        if same >> (top & 3):
            better += by_count[COUNT[same]]
        for higher in range(rank + 1, RANK_COUNT):
            better += by_count[COUNT[self._unseen >> 4 * higher & 15]]
        return better

    def _better_runs(self, top: int, length: int) -> float:
        """Return how many runs of a length rivals have, on average, with a top rank at least this card's."""
        better = 0.0
        counts = [COUNT[self._unseen >> 4 * rank & 15] for rank in range(RANK_OF_TWOS)]
        for high in range(top >> 2, RANK_OF_TWOS):
            if high == top >> 2 and not (self._unseen >> 4 * high & 15) >> (top & 3):
                continue
            needed = counts[high - length + 1 : high + 1]
            if 0 in needed:
                continue
            for share in self._shares:
                chance = 1.0
                for count in needed:
                    chance *= 1 - (1 - share) ** count
                better += chance
        return better

    def _having(self, wanted: int) -> tuple[float, ...]:
        """Return the mean number of rivals with ``wanted`` cards of a rank, by the number of its unseen cards."""
        if wanted not in self._by_count:
            self._by_count[wanted] = tuple([self._chance(unseen, wanted) for unseen in range(5)])
        return self._by_count[wanted]

    def _chance(self, unseen: int, wanted: int) -> float:
        return sum(
            math.comb(unseen, held) * share**held * (1 - share) ** (unseen - held)
            for share in self._shares
            for held in range(wanted, unseen + 1)
        )
