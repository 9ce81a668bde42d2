"""Values of a hand's best arrangements if its player knew another hand, by card tables and by the other hand itself.

Both are look-ups. They only have to be good enough to find something: the swap (``swap``) is exact for any values.
"""

import hashlib
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from referee.advice.mau_binh.advisor import Advisor, splitter_of
from referee.advice.mau_binh.card_tables import RANKS, SLOPE, CardTables
from referee.advice.mau_binh.levels import Levels
from referee.advice.mau_binh.population import HandPopulation
from referee.advice.mau_binh.splits import PAIRS, Ints, Splits
from referee.advice.mau_binh.suggestion import SCALE
from referee.advice.mau_binh.value import ValueTable
from referee.cards import Card
from referee.games.mau_binh.arrangement import ChiCards, fouls_of
from referee.games.mau_binh.penalties import SweptPairPlus, SweptPairTimes
from referee.games.mau_binh.rules import MauBinhRules

CANDIDATES: Final = 24
"""Number of a hand's best arrangements with which the chosen one is compared."""
_FRONTS: Final = 96
"""Fronts among whose splits the candidates are looked for first."""
_CHI: Final = 3
_LAWFUL: Final = -(1 << 61)
"""A value below that of every split that does not foul, and above that of those that do."""

Floats: TypeAlias = NDArray[np.float64]


class Arranged(NamedTuple):
    """Arrangements of one hand: strengths and levels of back, middle and front, each an array of n by 3."""

    strengths: Ints
    levels: Ints


class Hand(NamedTuple):
    """A hand of thirteen cards: its cards, how many it has of each rank, and its best arrangements, best first."""

    cards: tuple[Card, ...]
    ranks: Ints
    candidates: Arranged


class Valuer:
    """Values of arrangements under one ruleset at a table of some seats, in stakes."""

    def __init__(self, rules: MauBinhRules, population: HandPopulation, tables: CardTables, *, seat_count: int) -> None:
        self.rules = rules
        self.digest: Final = hashlib.sha256(population.to_bytes() + tables.to_bytes()).digest()
        """Digest of the population and the card tables."""
        self.seat_count: Final = seat_count
        table = ValueTable(rules, population, seat_count=seat_count)
        by_rank = [ValueTable(rules, one, seat_count=seat_count) for one in tables.by_rank]
        self._advisor = Advisor(table)
        self._splitter = splitter_of(rules.ranker)
        self._prices = table.prices
        self._bins = [np.concatenate([[0], population.of_bin(chi)]) for chi in range(_CHI)]
        self._shape = table.joint.shape
        self._values = [_scaled(one) for one in (*table.chi, table.joint)]
        self._gains = [
            np.stack([_scaled(one) for one in ranks]) - mine
            for ranks, mine in zip(
                zip(*[(*one.chi, one.joint) for one in by_rank], strict=True), self._values, strict=True
            )
        ]

    def hand(self, cards: Sequence[Card]) -> Hand:
        """Return a hand with its best arrangements, each of other levels."""
        ordered = tuple(sorted(cards, key=lambda card: card.number))
        splits, levels, values = self._split(ordered)
        of_fronts = np.sort(values.max(axis=1))
        for fronts in (_FRONTS, len(of_fronts)):
            places = np.flatnonzero(values >= max(int(of_fronts[-fronts]), _LAWFUL))
            places = places[np.argsort(-values.reshape(-1)[places], kind="stable")]
            found = _at(splits, levels, places)
            keys = (found.levels << np.array([26, 13, 0])).sum(axis=1)
            first = np.sort(np.unique(keys, return_index=True)[1])[:CANDIDATES]
            if len(first) == CANDIDATES:
                break
        ranks = np.bincount([card.rank for card in ordered], minlength=RANKS)
        return Hand(ordered, ranks, Arranged(found.strengths[first], found.levels[first]))

    def chosen(self, hand: Hand, chi: ChiCards) -> Arranged | None:
        """Return the arrangement that a player chose for a hand; None if it fouled."""
        if fouls_of(self.rules, chi):
            return None
        ranker = self.rules.ranker
        strengths = np.array(
            [[ranker.five_strength(chi[0]), ranker.five_strength(chi[1]), ranker.three_strength(chi[2])]]
        )
        return Arranged(strengths, _levels(self._advisor.levels(hand.cards), strengths))

    def lawful(self, hand: Hand) -> Arranged:
        """Return every arrangement of a hand that does not foul."""
        splits, levels, values = self._split(hand.cards)
        return _at(splits, levels, np.flatnonzero(values >= _LAWFUL))

    def by_cards(self, hand: Hand, arranged: Arranged, others: Sequence[Hand]) -> Floats:
        """Return the value of arrangements if the player knew one of the other hands too: an array of others by n.

        The known hand's player is a partner, so the value is what the hand wins from the other opponents.
        """
        at = self._places(arranged)
        values = self.own(arranged)
        gains = sum([table.take(place, axis=1) for table, place in zip(self._gains, at, strict=True)])
        known = np.stack([hand.ranks + other.ranks for other in others])
        known_to: Floats = max(1, self.seat_count - 2) * (values - SLOPE * (known @ gains))
        return known_to

    def own(self, arranged: Arranged) -> Floats:
        """Return the value of arrangements against one opponent of whom nothing is known."""
        places = zip(self._values, self._places(arranged), strict=True)
        values: Floats = np.sum([table[place] for table, place in places], axis=0)
        return values

    def best(self, cards: Sequence[Card]) -> Ints:
        """Return the strengths of back, middle and front of a hand's best arrangement."""
        splits, _, values = self._split(tuple(sorted(cards, key=lambda card: card.number)))
        front, pair = divmod(int(values.argmax()), PAIRS)
        return np.array([splits.backs[front, pair], splits.middles[front, pair], splits.fronts[front]])

    def by_hands(self, arranged: Arranged, others: Ints) -> Floats:
        """Return what arrangements win from each of the others, by the others' strengths: an array of others by n."""
        theirs = others[:, np.newaxis]
        mine = arranged.strengths[np.newaxis]
        signs = np.sign(mine - theirs)
        prices = np.where(
            signs > 0,
            np.stack([self._prices[chi][mine[..., chi] - 1] for chi in range(_CHI)], axis=-1),
            np.stack([self._prices[chi][theirs[..., chi] - 1] for chi in range(_CHI)], axis=-1),
        )
        won = (signs * prices).sum(axis=-1)
        swept = signs.sum(axis=-1) // _CHI * (abs(signs.sum(axis=-1)) == _CHI)
        match self.rules.sweep:
            case SweptPairTimes(multiplier=multiplier):
                won = won * np.where(swept, multiplier, 1)
            case SweptPairPlus(units=units):
                won = won + swept * units
        paid: Floats = won.astype(np.float64)
        return paid

    def _places(self, arranged: Arranged) -> tuple[Ints, ...]:
        """Return the places of arrangements in the tables of back, middle, front and bins."""
        at = [arranged.levels[:, chi] for chi in range(_CHI)]
        bins = np.ravel_multi_index([self._bins[chi][at[chi]] for chi in range(_CHI)], self._shape)
        return (*at, bins)

    def _split(self, cards: tuple[Card, ...]) -> tuple[Splits, Levels, Ints]:
        """Return the splits of a hand, the levels of its strengths, and the splits' values."""
        splits, levels = self._splitter.split(cards), self._advisor.levels(cards)
        return splits, levels, self._advisor.values(splits, levels)


def _at(splits: Splits, levels: Levels, places: NDArray[np.intp]) -> Arranged:
    fronts, pairs = np.divmod(places, PAIRS)
    strengths = np.stack([splits.backs[fronts, pairs], splits.middles[fronts, pairs], splits.fronts[fronts]], axis=1)
    return Arranged(strengths, _levels(levels, strengths))


def _levels(levels: Levels, strengths: Ints) -> Ints:
    return np.stack([levels.of(chi).take(strengths[:, chi]) for chi in range(_CHI)], axis=1)


def _scaled(values: Ints) -> Floats:
    return (values / SCALE).reshape(-1)
