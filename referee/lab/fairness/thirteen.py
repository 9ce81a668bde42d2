"""Measures by hands of thirteen, seat by seat: suits, colours, twos and aces, and every hand that wins at the deal.

The patterns of Mậu Binh and Tiến Lên are found here from counts of ranks and suits, independently of the games' own
detectors; the tests compare both. The number of hands of each pattern is a formula or a recurrence over ranks. Seat 0
has the first thirteen cards of the deck, seat 1 the next.

>>> import numpy as np
>>> from referee.lab.fairness.decks import Decks, in_order
>>> deck = Decks(in_order(1), np.zeros(1, dtype=np.int64))
>>> [name for name, found in MAU_BINH.items() if found.ask(deck.hands[0])[0]]  # 2222 3333 4444 5
['six pairs']
>>> [name for name, found in TIEN_LEN.items() if found.ask(deck.hands[0])[0]]
['two fours of a kind', 'all four twos', 'six pairs']
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.lab.fairness import law
from referee.lab.fairness.decks import HAND, RANKS, SEATS, SUITS_AT, HandKeys, Integers
from referee.lab.fairness.law import HANDS, Law, hands_counted_by_rank, hypergeometric
from referee.lab.fairness.measure import FairnessMeasure, Rate, Spread

_TWO: Final = 0
_ACE: Final = 12
_SIX: Final = 6
_ONE_OF_EACH: Final = sum(1 << 3 * rank for rank in range(RANKS))
_PAIRS_IN: Final = np.array((0, 0, 1, 1, 2), dtype=np.uint8)

Bits = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class DealtPattern:
    """A pattern: the number of hands that show it, and the function that recognises them."""

    hands: int
    ask: Callable[[HandKeys], Bits]


def _one_odd_rank(hands: HandKeys, *, thrice: bool) -> Bits:
    """Return whether each hand is pairs but for one rank, which it has three times (``thrice``) or once."""
    odd = hands.ranks & _ONE_OF_EACH
    tripled = hands.ranks & odd << 1 != 0
    return np.asarray((np.bitwise_count(odd) == 1) & (tripled == thrice), dtype=np.bool_)


@cache
def _three_straight_keys() -> Integers:
    found = [sum(count << 3 * rank for rank, count in enumerate(counts)) for counts in law.three_straight_ranks()]
    return np.array(sorted(found), dtype=np.int64)


def _three_straights(hands: HandKeys) -> Bits:
    keys = _three_straight_keys()
    places = np.searchsorted(keys, hands.ranks)
    return np.asarray(keys[np.minimum(places, len(keys) - 1)] == hands.ranks)


@cache
def _three_flush_keys() -> npt.NDArray[np.bool_]:
    """Make a table, by the sixteen bits of the suits' counts, of whether a hand is three flushes."""
    found = np.zeros(1 << 16, dtype=np.bool_)
    for first in range(4):
        for second in range(4):
            for third in range(4):
                found[(5 << 4 * first) + (5 << 4 * second) + (3 << 4 * third)] = True
    return found


def _reds(hands: HandKeys) -> npt.NDArray[np.uint8]:
    return np.asarray(hands.by_suit[2] + hands.by_suit[3], dtype=np.uint8)


def _reds_are(count: int) -> DealtPattern:
    return DealtPattern(comb(26, count) * comb(26, HAND - count), lambda hands: _reds(hands) == count)


MAU_BINH: Final[Mapping[str, DealtPattern]] = {
    "dragon": DealtPattern(law.DRAGONS, lambda hands: hands.ranks == _ONE_OF_EACH),
    "thirteen red": _reds_are(13),
    "thirteen black": _reds_are(0),
    "twelve black and a red": _reds_are(1),
    "twelve red and a black": _reds_are(12),
    "five pairs and a three": DealtPattern(law.FIVE_PAIRS_AND_THREE, lambda hands: _one_odd_rank(hands, thrice=True)),
    "six pairs": DealtPattern(law.SIX_PAIRS_AND_ONE, lambda hands: _one_odd_rank(hands, thrice=False)),
    "three flushes": DealtPattern(law.THREE_FLUSHES, lambda hands: _three_flush_keys()[hands.keys >> SUITS_AT]),
    "three straights": DealtPattern(law.three_straights(), _three_straights),
}


def _has_pair_run(hands: HandKeys, length: int) -> Bits:
    bits = hands.pair_bits
    for _ in range(length - 1):
        bits = bits & bits >> 1
    return np.asarray(bits != 0)


def _pair_runs(length: int) -> int:
    """Count the hands with a run of ``length`` pairs or more, threes to aces.

    The automaton's state is the length of the run so far; it does not change once the run is long enough.
    """

    def step(state: int, rank: int, count: int) -> int:
        if state >= length or rank == RANKS - 1:
            return state if state >= length else 0
        return state + 1 if count >= 2 else 0  # noqa: PLR2004 - a pair

    return hands_counted_by_rank(step, lambda state: state >= length)


def _grouped(size: int, needed: int) -> int:
    """Count the hands that have at least ``size`` cards of each of at least ``needed`` ranks."""
    return hands_counted_by_rank(lambda state, _, count: state + (count >= size), lambda state: state >= needed)


def _groups(hands: HandKeys, *, size: int, needed: int) -> Bits:
    return np.asarray((hands.by_rank >= size).sum(axis=0) >= needed)


TIEN_LEN: Final[Mapping[str, DealtPattern]] = {
    "dragon run": DealtPattern(
        hands_counted_by_rank(
            lambda state, rank, count: state | (rank < RANKS - 1 and not count), lambda state: not state
        ),
        lambda hands: np.asarray((hands.by_rank[1:] > 0).all(axis=0)),
    ),
    "six pairs in a row": DealtPattern(_pair_runs(6), lambda hands: _has_pair_run(hands, 6)),
    "four threes": DealtPattern(_grouped(3, 4), lambda hands: _groups(hands, size=3, needed=4)),
    "two fours of a kind": DealtPattern(_grouped(4, 2), lambda hands: _groups(hands, size=4, needed=2)),
    "twelve of a suit": DealtPattern(
        law.TWELVE_OF_A_SUIT, lambda hands: np.asarray((hands.by_suit >= RANKS - 1).any(axis=0))
    ),
    "five pairs in a row": DealtPattern(_pair_runs(5), lambda hands: _has_pair_run(hands, 5)),
    "all four twos": DealtPattern(comb(48, 9), lambda hands: hands.by_rank[_TWO] == 4),  # noqa: PLR2004 - as it says
    "six pairs": DealtPattern(
        hands_counted_by_rank(lambda state, _, count: state + (0, 0, 1, 1, 2)[count], lambda state: state >= _SIX),
        lambda hands: _PAIRS_IN[hands.by_rank].sum(axis=0) >= _SIX,
    ),
}

_SHAPES: Final = law.suit_shapes()


@cache
def _shape_numbers() -> npt.NDArray[np.uint8]:
    """Make a table, by the sixteen bits of the suits' counts, of the index of a hand's shape."""
    numbers = np.zeros(1 << 16, dtype=np.uint8)
    places = {shape: place for place, shape in enumerate(_SHAPES)}
    for key in range(1 << 16):
        lengths = tuple(sorted((key >> 4 * suit & 15 for suit in range(4)), reverse=True))
        numbers[key] = places.get(lengths, 0)
    return numbers


def _shapes(hands: HandKeys) -> npt.NDArray[np.uint8]:
    return np.asarray(_shape_numbers()[hands.keys >> SUITS_AT], dtype=np.uint8)


def _spread(seat: int, name: str, known: Law, observe: Callable[[HandKeys], npt.NDArray[np.uint8]]) -> Spread:
    return Spread(f"seat {seat}: {name}", known, lambda decks: observe(decks.hands[seat]))


def _rate(seat: int, game: str, name: str, pattern: DealtPattern) -> Rate:
    return Rate(f"seat {seat}: {game}, {name}", pattern.hands, HANDS, lambda decks: pattern.ask(decks.hands[seat]))


def _of_seat(seat: int) -> tuple[FairnessMeasure, ...]:
    return (
        _spread(seat, "shapes of suits", tuple(_SHAPES.values()), _shapes),
        _spread(seat, "red cards", hypergeometric(marked=26, drawn=HAND), _reds),
        _spread(seat, "twos", hypergeometric(marked=4, drawn=HAND), lambda hands: hands.by_rank[_TWO]),
        _spread(seat, "aces", hypergeometric(marked=4, drawn=HAND), lambda hands: hands.by_rank[_ACE]),
        *(_rate(seat, "Mậu Binh", name, pattern) for name, pattern in MAU_BINH.items()),
        *(_rate(seat, "Tiến Lên", name, pattern) for name, pattern in TIEN_LEN.items()),
    )


MEASURES: Final[tuple[FairnessMeasure, ...]] = tuple([measure for seat in range(SEATS) for measure in _of_seat(seat)])
