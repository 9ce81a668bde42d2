"""Measures by poker hands: of five cards, of seven cards, and whether the house qualifies.

Hands are classified by the table of ``referee.hands``; the number of hands of each kind is published, not computed
here. Ultimate Texas Hold'em is dealt to one seat: two cards to the seat, two to the house, then the five of the board.

>>> import numpy as np
>>> from referee.lab.fairness.decks import Decks, in_order
>>> deck = Decks(in_order(1), np.zeros(1, dtype=np.int64))  # the first cards are the four twos, then 3S
>>> [measure.count(deck).tolist().index(1) for measure in MEASURES[:1]]
[7]
"""

import itertools
from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.hands import RANK_KEYS, AceLowStraight, Category, Ranking, RankingRules
from referee.lab.fairness.decks import Decks
from referee.lab.fairness.law import FIVE_CARD_HANDS, SEVEN_CARD_HANDS
from referee.lab.fairness.measure import FairnessMeasure, Rate, Spread

CATEGORIES: Final = (
    *(Category.HIGH_CARD, Category.PAIR, Category.TWO_PAIR, Category.THREE_OF_A_KIND, Category.STRAIGHT),
    *(Category.FLUSH, Category.FULL_HOUSE, Category.FOUR_OF_A_KIND, Category.STRAIGHT_FLUSH),
)
_RANKING: Final = RankingRules(order=CATEGORIES, three_card_order=(), ace_low_straight=AceLowStraight.LOWEST)

SEAT: Final = (0, 1)
HOUSE: Final = (2, 3)
BOARD: Final = (4, 5, 6, 7, 8)

Kinds = npt.NDArray[np.uint8]


def kinds_of_five(decks: Decks, places: Sequence[int]) -> Kinds:
    """Return for each deck the index in CATEGORIES of the five cards at five places."""
    keys, unsuited, suited = _tables()
    ranks, suits = decks.ranks, decks.suits
    total = np.zeros(len(decks), dtype=np.int32)
    unlike = np.zeros(len(decks), dtype=np.uint8)
    for place in places:
        total += keys[ranks[place]]
        unlike |= suits[place] ^ suits[places[0]]
    return np.where(unlike == 0, suited[total], unsuited[total])


def kinds_of_seven(decks: Decks, places: Sequence[int]) -> Kinds:
    """Return for each deck the index in CATEGORIES of the best five of the seven cards at seven places."""
    best = np.zeros(len(decks), dtype=np.uint8)
    for five in itertools.combinations(places, 5):
        np.maximum(best, kinds_of_five(decks, five), out=best)
    return best


@cache
def _tables() -> tuple[npt.NDArray[np.int32], Kinds, Kinds]:
    """Return the keys of ranks, and by sum of five keys the kind of five cards of several suits, and of one suit."""
    ranking = Ranking.of(_RANKING)
    kind_of = np.array(
        [0, *(CATEGORIES.index(ranking.five_of_strength(strength).category) for strength in range(1, 7463))],
        dtype=np.uint8,
    )
    unsuited = kind_of[np.array(ranking.five_table.unsuited)]
    suited = np.zeros_like(unsuited)
    for total, strength in ranking.five_table.suited.items():
        suited[total] = kind_of[strength]
    return np.array(RANK_KEYS, dtype=np.int32), unsuited, suited


def _five_from(first: int) -> Spread:
    places = tuple(range(first, first + 5))
    return Spread(f"five-card hands from place {first}", FIVE_CARD_HANDS, lambda decks: kinds_of_five(decks, places))


MEASURES: Final[tuple[FairnessMeasure, ...]] = (
    *map(_five_from, range(0, 50, 5)),
    Spread(
        "Ultimate Texas: the seat's seven cards", SEVEN_CARD_HANDS, lambda decks: kinds_of_seven(decks, (*SEAT, *BOARD))
    ),
    Spread(
        "Ultimate Texas: the house's seven cards",
        SEVEN_CARD_HANDS,
        lambda decks: kinds_of_seven(decks, (*HOUSE, *BOARD)),
    ),
    Rate(
        "Ultimate Texas: the house qualifies",
        sum(SEVEN_CARD_HANDS) - SEVEN_CARD_HANDS[0],
        sum(SEVEN_CARD_HANDS),
        lambda decks: kinds_of_seven(decks, (*HOUSE, *BOARD)) > 0,
    ),
)
