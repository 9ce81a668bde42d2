"""How likely a play holds its trick: what is unseen that beats it, and what of that rivals can hold.

The law: only cards that the seat cannot place count, each as likely with any holder of unseen cards; rivals are those
who can still play in the trick. From the number of better plays that rivals hold on average follows a chance, by a
slope for each kind: rivals do not always spend what they hold. Chops are rare and reckoned as one constant. The slopes
are measured by tournaments of the bots; this module prices nothing and chooses nothing.

>>> from referee.advice.tien_len.view import EVERYTHING
>>> from referee.cards import parse_cards
>>> from referee.games.tien_len import read_combination, set_of
>>> control = Control(unseen=EVERYTHING, rivals=(13, 13, 13))
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
"""The chance that nobody chops a two, and that nothing beats what chops twos."""

_SLOPES: Final = {Kind.SINGLE: 0.6, Kind.PAIR: 0.9, Kind.TRIPLE: 1.0, Kind.RUN: 1.0}
_PAIR: Final = 2
_TRIPLE: Final = 3


class Control:
    """What rivals may hold in one position: ``unseen`` cards, and how many cards each rival has of them."""

    def __init__(self, *, unseen: CardSet, rivals: Sequence[int]) -> None:
        self._unseen = unseen
        count = max(1, unseen.bit_count())
        self._shares = [held / count for held in rivals]
        self._all_shares = sum(self._shares)
        self._pairs: tuple[float, ...] = ()
        self._triples: tuple[float, ...] = ()

    def hold(self, play: Combination) -> float:
        """The chance that nobody beats a play."""
        if not self._shares:
            return 1.0
        kind = play.kind
        if kind is Kind.SINGLE:
            better = (self._unseen >> play.top + 1).bit_count() * self._all_shares
        elif kind is Kind.PAIR:
            better = self._better_groups(play.top, self._chances_of_pairs())
        elif kind is Kind.TRIPLE:
            better = self._better_groups(play.top, self._chances_of_triples())
        elif kind is Kind.RUN:
            better = self._better_runs(play.top, play.length)
        else:
            return NO_CHOP
        chance = math.exp(-_SLOPES[kind] * better)
        return chance * NO_CHOP if play.top >> 2 == RANK_OF_TWOS else chance

    def _better_groups(self, top: int, by_count: tuple[float, ...]) -> float:
        """How many ranks rivals hold, on average, that beat a group with this top card."""
        rank = top >> 2
        found = 0.0
        same = self._unseen >> 4 * rank & 15
        if same >> (top & 3):
            found += by_count[COUNT[same]]
        for higher in range(rank + 1, RANK_COUNT):
            found += by_count[COUNT[self._unseen >> 4 * higher & 15]]
        return found

    def _better_runs(self, top: int, length: int) -> float:
        """How many runs of a length rivals hold, on average, with a top rank at least this card's."""
        found = 0.0
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
                found += chance
        return found

    def _chances_of_pairs(self) -> tuple[float, ...]:
        """By how many cards of a rank are unseen: on how many rivals holding two of them, on average."""
        if not self._pairs:
            self._pairs = tuple([self._chance(unseen, _PAIR) for unseen in range(5)])
        return self._pairs

    def _chances_of_triples(self) -> tuple[float, ...]:
        if not self._triples:
            self._triples = tuple([self._chance(unseen, _TRIPLE) for unseen in range(5)])
        return self._triples

    def _chance(self, unseen: int, wanted: int) -> float:
        return sum(
            math.comb(unseen, held) * share**held * (1 - share) ** (unseen - held)
            for share in self._shares
            for held in range(wanted, unseen + 1)
        )
