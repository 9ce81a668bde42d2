"""What Trips returns, exactly, under both hand rules.

All C(52,2) * C(50,5) = 2,809,475,760 ways to deal one seat and the board are counted, by hole cards up to the naming of
suits (169 kinds) and every board. Only numpy ranks the hands here; only the paytables are the rulesets'.
"""

import itertools
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import numpy as np
import numpy.typing as npt
import pytest

from referee.games.ultimate_texas import UltimateTexasRules
from referee.hands import Category
from referee.rulesets import Ruleset
from tests.budget import IS_WHOLE, sample
from tests.builtin import rules_as
from tests.hands.test_hands_choice import SEVEN_COUNTS

WAYS: Final = 2_809_475_760
ORDER: Final = (
    *(Category.HIGH_CARD, Category.PAIR, Category.TWO_PAIR, Category.THREE_OF_A_KIND, Category.STRAIGHT),
    *(Category.FLUSH, Category.FULL_HOUSE, Category.FOUR_OF_A_KIND, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH),
)
Places = npt.NDArray[np.uint8]


def _edge(ruleset: Ruleset, counts: Mapping[Category, int]) -> Fraction:
    """Compute the house edge of Trips."""
    units = rules_as(UltimateTexasRules, ruleset).trips_units
    returned = sum(units.get(category, -1) * count for category, count in counts.items())
    return Fraction(-returned, sum(counts.values()))


def test_house_edge_of_the_casino_game_is_the_published_one(casino: Ruleset):
    """3.498 % for 50-40-30-8-7-4-3: wizardofodds.com/games/ultimate-texas-hold-em."""
    assert sum(SEVEN_COUNTS.values()) == 133_784_560
    assert round(100_000 * _edge(casino, SEVEN_COUNTS)) == 3_498


def _places(cards: npt.NDArray[np.int8]) -> Places:
    """Return the index in ORDER of each row of five different cards, numbered 4 * rank + suit."""
    ranks, suits = np.sort(cards >> 2, axis=1), cards & 3
    same = ranks[:, 1:] == ranks[:, :-1]
    pairs = same.sum(axis=1)
    threes = (ranks[:, 2:] == ranks[:, :-2]).sum(axis=1)
    fours = (ranks[:, 3:] == ranks[:, :-3]).sum(axis=1)
    flush = (suits == suits[:, :1]).all(axis=1)
    wheel = (ranks == np.array([0, 1, 2, 3, 12], dtype=np.int8)).all(axis=1)
    straight = (pairs == 0) & ((ranks[:, 4] - ranks[:, 0] == 4) | wheel)
    royal = straight & flush & (ranks[:, 0] == 8)
    cases = [royal, straight & flush, fours == 1, (pairs == 3) & (threes == 1), flush, straight, threes == 1]
    return np.select([*cases, pairs == 2, pairs == 1], [9, 8, 7, 6, 5, 4, 3, 2, 1], 0).astype(np.uint8)


def _hole_kinds() -> list[tuple[tuple[int, int], int]]:
    """One pair of hole cards of each of 169 kinds, with how many pairs are of its kind."""
    kinds = [((4 * rank, 4 * rank + 1), 6) for rank in range(13)]
    for low, high in itertools.combinations(range(13), 2):
        kinds += [((4 * low, 4 * high), 4), ((4 * low, 4 * high + 1), 12)]
    return kinds


def _is_pair(hole: tuple[int, int]) -> bool:
    return hole[0] >> 2 == hole[1] >> 2


def _is_royal(hole: tuple[int, int]) -> bool:
    """Return whether both cards are of one suit and from ten to ace."""
    return hole[0] & 3 == hole[1] & 3 and min(hole) >> 2 >= 8 and not _is_pair(hole)


def _subsets(size: int) -> npt.NDArray[np.int8]:
    """All ascending choices of ``size`` from 50, in lexicographic order."""
    chosen = itertools.chain.from_iterable(itertools.combinations(range(50), size))
    return np.fromiter(chosen, dtype=np.int8).reshape(-1, size)


def _numbering(size: int) -> npt.NDArray[np.int32]:
    """From ``size`` ascending indices below 50 to the row of that choice in ``_subsets(size)``."""
    table = np.zeros((50,) * size, dtype=np.int32)
    rows = _subsets(size)
    table[tuple(rows.T)] = np.arange(len(rows))
    return table


@pytest.mark.exhaustive("counts every deal")
@pytest.mark.smaller("a sixth of the 169 kinds of hole cards, each by counts by hand; without the sum of all")
@pytest.mark.timeout(900)
def test_trips_return_over_every_deal(two_plus_three: Ruleset):
    """The casino game's counts are 21 times the published ones, as seven cards hold 21 pairs of hole cards.

    Of two and three no count is published: royal flushes and fours of a kind are counted by hand below, and the return
    is this computation's own.
    """
    boards, fours, threes = _subsets(5), _subsets(4), _subsets(3)
    four_rows = [_numbering(4)[tuple(boards[:, chosen].T)] for chosen in itertools.combinations(range(5), 4)]
    three_rows = [_numbering(3)[tuple(boards[:, chosen].T)] for chosen in itertools.combinations(range(5), 3)]
    of_seven, of_two_plus_three = np.zeros(10, dtype=np.int64), np.zeros(10, dtype=np.int64)
    kinds = _hole_kinds()
    for hole, weight in sample(kinds[::6], whole=kinds):
        rest = np.array([card for card in range(52) if card not in hole], dtype=np.int8)
        both = _with(rest[threes], hole)
        best = np.zeros(len(boards), dtype=np.uint8)
        for rows in three_rows:
            np.maximum(best, both[rows], out=best)
        found = np.bincount(best, minlength=10)
        assert found[ORDER.index(Category.ROYAL_FLUSH)] == (1_081 if _is_royal(hole) else 0)
        assert found[ORDER.index(Category.FOUR_OF_A_KIND)] == (17_296 if _is_pair(hole) else 2 * 1_081)
        of_two_plus_three += weight * found
        np.maximum(best, _places(rest[boards]), out=best)
        for card in hole:
            one = _with(rest[fours], (card,))
            for rows in four_rows:
                np.maximum(best, one[rows], out=best)
        found = np.bincount(best, minlength=10)
        others = 12 * 46 if _is_pair(hole) else 11 * 46
        fours_of_seven = others + (17_296 if _is_pair(hole) else 2 * 1_081)
        assert found[ORDER.index(Category.FOUR_OF_A_KIND)] == fours_of_seven, "with the hole, or all on the board"
        of_seven += weight * found
    if not IS_WHOLE:
        return
    casino_counts = dict(zip(ORDER, map(int, of_seven), strict=True))
    assert {category: 21 * count for category, count in SEVEN_COUNTS.items()} == casino_counts
    counts = dict(zip(ORDER, map(int, of_two_plus_three), strict=True))
    assert sum(counts.values()) == WAYS
    assert counts[Category.ROYAL_FLUSH] == 4 * 10 * 1_081, "suit, two of its five in the hole, any two beside the three"
    from_pair, from_one = 13 * 6 * 17_296, 13 * 4 * 48 * 1_081
    assert from_pair + from_one == counts[Category.FOUR_OF_A_KIND], "two in the hole, any three; or one and another"
    assert round(100_000 * _edge(two_plus_three, counts)) == 32_413, "golden: found by this computation"


def _with(cards: npt.NDArray[np.int8], hole: tuple[int, ...]) -> Places:
    """Return the indices in ORDER of rows of board cards, each with these hole cards."""
    held = np.broadcast_to(np.array(hole, dtype=np.int8), (len(cards), len(hole)))
    return _places(np.concatenate([held, cards], axis=1))
