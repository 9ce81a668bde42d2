"""Instant wins (*thắng trắng*): patterns of thirteen dealt cards, which win whether they are declared or not.

Each card has a key that counts its rank and its suit in separate bits, so one sum gives how often every rank and every
suit is held. Ranks: three bits each (at most four cards), suits: four bits each (at most thirteen).

- *Năm đôi một sám*, *lục phé bôn*: thirteen cards hold an odd number of ranks an odd number of times. Where it is one
  rank, the others make pairs (four of a kind is two): that rank held three times is the triple, held once the odd card.
- *Ba thùng* depends on the four suit counts alone: sums of flushes of 5, 5 and 3.
- *Ba sảnh* depends on the thirteen rank counts alone: sums of runs of 5, 5 and 3, because suits are free.

>>> from referee.cards import parse_cards
>>> [pattern.value for pattern in patterns_of(parse_cards("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AC"))]
['DRAGON', 'THIRTEEN_BLACK', 'THREE_STRAIGHTS']
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from referee.cards import DECK, Card
from referee.games.mau_binh.code import CHI_SIZES, HAND_SIZE, Pattern
from referee.games.mau_binh.rules import MauBinhRules

_SUITS_AT: Final = 3 * 13
_KEYS: Final = {card: 1 << 3 * card.rank | 1 << _SUITS_AT + 4 * card.suit for card in DECK}
_ONE_OF_EACH_RANK: Final = sum(1 << 3 * rank for rank in range(13))
_RANK_BITS: Final = (1 << _SUITS_AT) - 1


class InstantWin(msgspec.Struct, frozen=True):
    """The pattern that a dealt hand wins with: ``place`` ranks (1 is the strongest), a beaten seat pays ``units``."""

    pattern: Pattern
    place: int
    units: int


def patterns_of(dealt: Sequence[Card]) -> tuple[Pattern, ...]:
    """Return every pattern of thirteen different cards, in the order of ``Pattern``; usually none."""
    key = sum(map(_KEYS.__getitem__, dealt))
    patterns = _by_ranks(key & _RANK_BITS) + _BY_SUITS.get(key >> _SUITS_AT, ())
    if len(patterns) > 1:
        if Pattern.SUITED_DRAGON in patterns:
            patterns = tuple(pattern for pattern in patterns if pattern is not Pattern.DRAGON)
        patterns = tuple(pattern for pattern in Pattern if pattern in patterns)
    return patterns


def instant_win_of(rules: MauBinhRules, dealt: Sequence[Card]) -> InstantWin | None:
    """Return the instant win of thirteen cards, None if they have none under the rules.

    Of several patterns it is the one that pays most, of equal payments the first in the ruleset's list.
    """
    patterns = patterns_of(dealt)
    if not patterns:
        return None
    wins = [win for pattern, win in rules.instant_win_values.items() if pattern in patterns]
    if not wins:
        return None
    best = max(wins, key=lambda win: win.units)
    return InstantWin(best.pattern, best.place, best.units)


def _by_ranks(ranks: int) -> tuple[Pattern, ...]:
    """Return the patterns that a hand with these rank counts has, whatever its suits."""
    patterns: tuple[Pattern, ...] = ()
    odd = ranks & _ONE_OF_EACH_RANK
    if odd & (odd - 1) == 0:
        patterns = (Pattern.FIVE_PAIRS_ONE_TRIPLE if ranks & odd << 1 else Pattern.SIX_PAIRS,)
    elif ranks == _ONE_OF_EACH_RANK:
        patterns = (Pattern.DRAGON,)
    return (*patterns, Pattern.THREE_STRAIGHTS) if ranks in _THREE_STRAIGHTS else patterns


def _runs(length: int) -> list[int]:
    """Return the rank counts of each run of this length, the ace low or high."""
    aces_at_both_ends = (12, *range(13))
    tops = range(length, len(aces_at_both_ends) + 1)
    return [sum(1 << 3 * rank for rank in aces_at_both_ends[top - length : top]) for top in tops]


_THREE_STRAIGHTS: Final = frozenset(sum(runs) for runs in itertools.product(*(_runs(length) for length in CHI_SIZES)))
"""The rank counts that split into runs of five, five and three. Each rank is held three times at most."""


def _suit_counts() -> Iterator[tuple[int, int, int, int]]:
    for spades, clubs, diamonds in itertools.product(range(HAND_SIZE + 1), repeat=3):
        if (hearts := HAND_SIZE - spades - clubs - diamonds) >= 0:
            yield spades, clubs, diamonds, hearts


def _suit_key(counts: Sequence[int]) -> int:
    return sum(count << 4 * suit for suit, count in enumerate(counts))


def _patterns_by_suits() -> dict[int, tuple[Pattern, ...]]:
    """Return the patterns that a hand has by its suit counts, by the key of these counts."""
    three_flushes = {
        _suit_key([sum(size for size, at in zip(CHI_SIZES, suits, strict=True) if at == suit) for suit in range(4)])
        for suits in itertools.product(range(4), repeat=3)
    }
    reds = {
        0: Pattern.THIRTEEN_BLACK,
        1: Pattern.TWELVE_BLACK_ONE_RED,
        12: Pattern.TWELVE_RED_ONE_BLACK,
        13: Pattern.THIRTEEN_RED,
    }
    patterns: dict[int, list[Pattern]] = defaultdict(list)
    for counts in _suit_counts():
        key = _suit_key(counts)
        if HAND_SIZE in counts:
            patterns[key].append(Pattern.SUITED_DRAGON)
        if (red := reds.get(counts[2] + counts[3])) is not None:
            patterns[key].append(red)
        if key in three_flushes:
            patterns[key].append(Pattern.THREE_FLUSHES)
    return {key: tuple(listed) for key, listed in patterns.items()}


_BY_SUITS: Final = _patterns_by_suits()
