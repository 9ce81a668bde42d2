"""The best arrangements of thirteen cards, each with its value and the parts of this value.

The order of the cards does not matter. A strength is valued by its level (``levels``): kickers that no opponent's hand
can meet count for nothing, so they are free for another chi. Splits of the same three levels are one suggestion,
shown with the strongest and first cards that make it. A split is never suggested where another has no lower level and
no lower price in any chi and a higher level in one. Among suggestions of equal value the one with the higher back is
first, then middle, then front.

>>> from referee.advice.mau_binh.populations import Populations
>>> from referee.cards import parse_cards
>>> from referee.rulesets import get
>>> ruleset = get("mau_binh.chi_2020")
>>> population = Populations.builtin().population_for(ruleset.rules, digest=ruleset.digest)
>>> advisor = Advisor.of(ruleset.rules, population, seat_count=2)
>>> best = advisor.suggest(parse_cards("AS AC AD 2S 2C KH QH JC 9D 8D 7S 5H 4C"), count=2)[0]
>>> [value.category.value for value in best.values], [part.reason.value for part in best.parts]
(['FULL_HOUSE', 'HIGH_CARD', 'HIGH_CARD'], ['BACK', 'MIDDLE', 'FRONT', 'SWEEP'])
>>> best.expected == sum(part.expected for part in best.parts)
True
"""

import threading
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from referee.advice.mau_binh.levels import Leveller, Levels
from referee.advice.mau_binh.population import HandPopulation
from referee.advice.mau_binh.splits import PAIRS, THREES, Ints, Splits, Splitter
from referee.advice.mau_binh.suggestion import Part, Suggestion
from referee.advice.mau_binh.value import ValueTable
from referee.cards import Card
from referee.games.mau_binh.arrangement import ChiValues
from referee.games.mau_binh.code import CHI_REASONS
from referee.games.mau_binh.rules import MauBinhRules

_BIN_BITS: Final = 20
_IN_BINS: Final = (1 << _BIN_BITS) - 1
_FOULED: Final = -(1 << 62)


class _Buffers(threading.local):
    """The arrays of one thread for the values of its splits."""

    def __init__(self) -> None:
        shape = len(THREES), PAIRS
        self.value = np.empty(shape, dtype=np.int64)
        self.other = np.empty(shape, dtype=np.int64)
        self.joint = np.empty(shape, dtype=np.int64)


class Advisor:
    """An advisor for one kind of table, which several threads may use at once."""

    def __init__(self, table: ValueTable) -> None:
        self.table = table
        self._ranking = table.rules.ranker
        self._splitter = splitter_of(self._ranking)
        self._leveller = leveller_of(self._ranking)
        shape = table.joint.shape
        strides = (shape[1] * shape[2], shape[2], 1)
        if table.joint.size > _IN_BINS:
            raise ValueError(f"the population has {table.joint.size} bins, at most {_IN_BINS} are possible")
        self._back, self._middle, self._front = (
            _packed(values, table.population.of_bin(chi) * strides[chi]) for chi, values in enumerate(table.chi)
        )
        self._joint = table.joint.reshape(-1)
        self._buffers = _Buffers()

    @staticmethod
    def of(rules: MauBinhRules, population: HandPopulation, *, seat_count: int) -> "Advisor":
        """Return the advisor of a table; raise ValueError if the population or the seats do not fit the rules."""
        return Advisor(ValueTable(rules, population, seat_count=seat_count))

    def suggest(self, cards: Sequence[Card], *, count: int) -> tuple[Suggestion, ...]:
        """Return at most ``count`` arrangements of thirteen different cards, best first."""
        ordered = sorted(cards, key=lambda card: card.number)
        splits = self._splitter.split(ordered)
        levels = self._leveller.levels(ordered)
        best = self._best(splits, self.values(splits, levels), levels, count)
        return tuple([self._suggestion(splits, place, levels) for place in best])

    def levels(self, cards: Sequence[Card]) -> Levels:
        """Return the level of each strength for a seat that holds these cards."""
        return self._leveller.levels(cards)

    def values(self, splits: Splits, levels: Levels | None = None) -> Ints:
        """Return the value of each split against one opponent; a fouled split has a value below all others.

        Strengths are valued by ``levels``, or by themselves without it. The thread's next call overwrites the array.
        """
        held = self._buffers
        backs, middles, fronts = self._back, self._middle, self._front
        if levels is not None:
            backs, middles, fronts = backs.take(levels.five), middles.take(levels.five), fronts.take(levels.three)
        value = np.take(backs, splits.backs, out=held.value, mode="clip")
        value += np.take(middles, splits.middles, out=held.other, mode="clip")
        value += fronts.take(splits.fronts)[:, np.newaxis]
        bins = np.bitwise_and(value, _IN_BINS, out=held.other)
        value >>= _BIN_BITS
        value += np.take(self._joint, bins, out=held.joint, mode="clip")
        np.copyto(value, _FOULED, where=splits.fouled)
        return value

    def _best(self, splits: Splits, values: Ints, levels: Levels, count: int) -> list[tuple[int, int]]:
        """Return the places of the ``count`` best splits, or fewer, that no other split dominates.

        A split that dominates another is worth as much at least and precedes it, so a split need only be compared with
        those taken before it.
        """
        of_fronts = np.sort(values.max(axis=1))
        looked_at = count if count == 1 else 4 * count
        while True:
            looked_at = min(looked_at, len(of_fronts))
            least = of_fronts[-looked_at] if looked_at < len(of_fronts) else _FOULED + 1
            places = np.flatnonzero(values >= max(least, _FOULED + 1))
            best = self._undominated(splits, values, levels, places, count)
            if len(best) >= count or looked_at == len(of_fronts):
                return best
            looked_at *= 4

    def _undominated(
        self, splits: Splits, values: Ints, levels: Levels, places: NDArray[np.intp], count: int
    ) -> list[tuple[int, int]]:
        """Return the best ``count`` of the splits at these places, best first, that no better one dominates."""
        fronts, pairs = np.divmod(places, PAIRS)
        strengths = splits.backs[fronts, pairs], splits.middles[fronts, pairs], splits.fronts[fronts]
        level = [levels.of(chi).take(strength) for chi, strength in enumerate(strengths)]
        price = [self.table.prices[chi].take(strength - 1) for chi, strength in enumerate(strengths)]
        keys = (-places, *strengths[::-1], *level[::-1], values[fronts, pairs])
        left = np.lexsort(keys)[::-1]
        taken: list[tuple[int, int]] = []
        while len(left) and len(taken) < count:
            best = left[0]
            taken.append((int(fronts[best]), int(pairs[best])))
            left = left[np.logical_or.reduce([of_chi[left] > of_chi[best] for of_chi in (*level, *price)])]
        return taken

    def _suggestion(self, splits: Splits, place: tuple[int, int], levels: Levels) -> Suggestion:
        back, middle = int(splits.backs[place]), int(splits.middles[place])
        front = int(splits.fronts[place[0]])
        values = (
            self._ranking.five_of_strength(back),
            self._ranking.five_of_strength(middle),
            self._ranking.three_of_strength(front),
        )
        return Suggestion(splits.arrangement(*place), values, tuple(self._parts(values, levels)))

    def _parts(self, values: ChiValues, levels: Levels) -> Iterator[Part]:
        """Yield the value of each chi, then those of the additions that the rules have to all three."""
        table = self.table
        level = [int(levels.of(chi)[value.strength]) for chi, value in enumerate(values)]
        for chi, (reason, value) in enumerate(zip(CHI_REASONS, values, strict=True)):
            units = table.rules.units[chi][value.category]
            won, lost = table.beaten(chi, level[chi])
            expected = table.opponents * int(table.chi[chi][level[chi]])
            yield Part(reason=reason, units=units, won=won, lost=lost, expected=expected)
        bins = table.bins_of(*level)
        for reason, extra in table.extras.items():
            yield Part(
                reason=reason,
                units=int(extra.units[bins]),
                won=int(extra.won[bins]),
                lost=int(extra.lost[bins]),
                expected=table.opponents * int(extra.value[bins]),
            )


splitter_of = lru_cache(maxsize=16)(Splitter)
"""Function that returns the splitter of a ranking, made on first use."""
leveller_of = lru_cache(maxsize=16)(Leveller)
"""Function that returns the leveller of a ranking, made on first use."""


def _packed(values: Ints, bins: Ints) -> Ints:
    """Pack value and bin of each strength into one number, so that adding three numbers adds values and bins apart."""
    packed = values << _BIN_BITS
    packed[1:] += bins
    return packed
