"""The best arrangements of thirteen cards, each with its value and what makes it up.

The order of the cards does not matter. Splits of the same three strengths are one suggestion, shown with the first
cards that make it. Among suggestions of equal value the one with the stronger back is first, then middle, then front.

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
from typing import Final, assert_never

import numpy as np

from referee.advice.mau_binh.population import Population
from referee.advice.mau_binh.splits import PAIRS, THREES, Ints, Splits, Splitter
from referee.advice.mau_binh.suggestion import Part, Suggestion
from referee.advice.mau_binh.value import Extra, ValueTable
from referee.cards import Card
from referee.games.mau_binh import Reason
from referee.games.mau_binh.arrangement import ChiValues
from referee.games.mau_binh.code import CHI_REASONS
from referee.games.mau_binh.rules import (
    FourAcesFullSweep,
    MauBinhRules,
    NoSweep,
    SweptByAll,
    SweptPairPlus,
    SweptPairTimes,
)
from referee.hands import Category, Ranking

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
        shape = table.joint.shape
        strides = (shape[1] * shape[2], shape[2], 1)
        if table.joint.size > _IN_BINS:
            msg = f"the population has {table.joint.size} bins, at most {_IN_BINS} are possible"
            raise ValueError(msg)
        self._back, self._middle, self._front = (
            _packed(values, table.population.of_bin(chi) * strides[chi]) for chi, values in enumerate(table.chi)
        )
        self._joint = table.joint.reshape(-1)
        self._buffers = _Buffers()

    @staticmethod
    def of(rules: MauBinhRules, population: Population, *, seat_count: int) -> "Advisor":
        """Return the advisor of a table; raise ValueError if the population or the seats do not fit the rules."""
        return Advisor(ValueTable(rules, population, seat_count=seat_count))

    def suggest(self, cards: Sequence[Card], *, count: int) -> tuple[Suggestion, ...]:
        """Return at most ``count`` arrangements of thirteen different cards, best first."""
        ordered = sorted(cards, key=lambda card: card.number)
        splits = self._splitter.split(ordered)
        values = self.values(splits)
        return tuple([self._suggestion(splits, place) for place in _best(splits, values, count)])

    def values(self, splits: Splits) -> Ints:
        """Value each split against one opponent; a fouled one is below all others.

        The thread's next call overwrites the array.
        """
        held = self._buffers
        value = np.take(self._back, splits.backs, out=held.value, mode="clip")
        value += np.take(self._middle, splits.middles, out=held.other, mode="clip")
        value += self._front.take(splits.fronts)[:, np.newaxis]
        bins = np.bitwise_and(value, _IN_BINS, out=held.other)
        value >>= _BIN_BITS
        value += np.take(self._joint, bins, out=held.joint, mode="clip")
        np.copyto(value, _FOULED, where=splits.fouled)
        return value

    def _suggestion(self, splits: Splits, place: tuple[int, int]) -> Suggestion:
        back, middle = int(splits.backs[place]), int(splits.middles[place])
        front = int(splits.fronts[place[0]])
        values = (
            self._ranking.five_of_strength(back),
            self._ranking.five_of_strength(middle),
            self._ranking.three_of_strength(front),
        )
        return Suggestion(splits.arrangement(*place), values, tuple(self._parts(values)))

    def _parts(self, values: ChiValues) -> Iterator[Part]:
        """Yield the values of the three chi, then what a sweep and four aces add."""
        table, units = self.table, []
        for chi, (reason, value) in enumerate(zip(CHI_REASONS, values, strict=True)):
            units.append(table.rules.units[chi][value.category])
            won, lost = table.beaten(chi, value.strength)
            expected = table.opponents * int(table.chi[chi][value.strength])
            yield Part(reason=reason, units=units[-1], won=won, lost=lost, expected=expected)
        bins = table.bins_of(*(value.strength for value in values))
        if table.sweep:
            yield self._part(Reason.SWEEP, table.sweep, bins, units=_sweep_units(table.rules, sum(units)))
        four_aces = table.rules.four_aces_sweep
        if table.aces and isinstance(four_aces, FourAcesFullSweep):
            added = four_aces.units - table.rules.units[0][Category.FOUR_ACES]
            yield self._part(Reason.FOUR_ACES_SWEEP, table.aces, bins, units=added)

    def _part(self, reason: Reason, extra: Extra, bins: tuple[int, int, int], *, units: int) -> Part:
        expected = self.table.opponents * int(extra.value[bins])
        return Part(reason=reason, units=units, won=int(extra.won[bins]), lost=int(extra.lost[bins]), expected=expected)


@lru_cache(maxsize=16)
def splitter_of(ranking: Ranking) -> Splitter:
    """Return the splitter of a ranking, made on first use."""
    return Splitter(ranking)


def _packed(values: Ints, bins: Ints) -> Ints:
    """Pack value and bin of each strength into one number; a sum of three has both sums, as neither overflows."""
    packed = values << _BIN_BITS
    packed[1:] += bins
    return packed


def _best(splits: Splits, values: Ints, count: int) -> list[tuple[int, int]]:
    """Return the places of the best splits, one for each three strengths."""
    of_fronts = np.sort(values.max(axis=1))
    looked_at = count
    while True:
        looked_at = min(looked_at, len(of_fronts))
        least = of_fronts[-looked_at] if looked_at < len(of_fronts) else _FOULED + 1
        places = np.flatnonzero(values >= max(least, _FOULED + 1))
        fronts, pairs = np.divmod(places, PAIRS)
        keys = (
            splits.fronts[fronts],
            splits.middles[fronts, pairs],
            splits.backs[fronts, pairs],
            values[fronts, pairs],
        )
        found: dict[tuple[int, int, int], tuple[int, int]] = {}
        for index in np.lexsort(keys)[::-1].tolist():
            strengths = int(keys[2][index]), int(keys[1][index]), int(keys[0][index])
            place = int(fronts[index]), int(pairs[index])
            found[strengths] = min(place, found.get(strengths, place))
        if len(found) >= count or looked_at == len(of_fronts):
            return list(found.values())[:count]
        looked_at *= 4


def _sweep_units(rules: MauBinhRules, units: int) -> int:
    """Return what a sweep adds to three chi that pay ``units``."""
    match rules.sweep:
        case SweptByAll() | SweptPairTimes():
            return (rules.sweep.multiplier - 1) * units
        case SweptPairPlus():
            return rules.sweep.units
        case NoSweep():
            return 0
        case _:
            assert_never(rules.sweep)
