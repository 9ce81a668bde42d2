"""Hands that win at the deal (*tới trắng*), seen in the thirteen cards whether declared or not.

Of all hands only the strongest collects: the ruleset lists the patterns from strong to weak, and between two hands of
one pattern the higher top card of the pattern wins, rank first, then suit. Two hands never have the same top card.

| pattern | Vietnamese | what it is | its top card |
|---|---|---|---|
| DRAGON_RUN | sảnh rồng | every rank from 3 to A | the best ace |
| PAIR_RUN_6 | sáu đôi thông | six pairs in a row, no twos | the best card of the highest pair's rank |
| FOUR_TRIPLES | bốn bộ ba | four triples | the best card of the highest triple's rank |
| TWO_QUADS | hai tứ quý | two fours of a kind | the heart of the higher |
| TWELVE_OF_A_SUIT | mười hai lá đồng chất | twelve cards of one suit | the best card of that suit |
| PAIR_RUN_5 | năm đôi thông | five pairs in a row, no twos | the best card of the highest pair's rank |
| QUAD_OF_TWOS | tứ quý 2 | all four twos | 2♥ |
| SIX_PAIRS | sáu đôi | six pairs | the best card of the highest pair's rank |

Four of a kind holds two pairs and one triple; three of a kind holds one pair. This module moves no money.

>>> from referee.cards import parse_cards
>>> from referee.games.tien_len.order import set_of
>>> hand = set_of(parse_cards("4D 4H 5D 5H 6S 6H 7C 7H JS JD KS KC 3S"))
>>> top_of_pattern(Pattern.SIX_PAIRS, hand), top_of_pattern(Pattern.PAIR_RUN_5, hand)
(<Card.KING_OF_CLUBS: 46>, None)

Source: 002_0fe8d9549e6acb7c.txt, "Sảnh rồng > 6 đôi thông > 4 bộ ba > 2 tứ quý > 12 lá đồng chất >5 đôi thông > Tứ quý
hai > 6 đôi. Mang các bộ bài đến trắng cộng chiếc thì xét lá cao nhất của bộ."
"""

from typing import Final, assert_never

import msgspec

from referee.cards import Card, Seat
from referee.games.tien_len.code import Pattern
from referee.games.tien_len.order import (
    BY_STRENGTH,
    RANK_OF_ACES,
    RANK_OF_TWOS,
    CardSet,
    highest_of_rank,
    rank_counts,
)
from referee.games.tien_len.rules import InstantWinValue

_NO_TOP: Final = -1
_TWELVE: Final = 12
_SIX: Final = 6
_QUAD: Final = 4
_TRIPLE: Final = 3
_PAIR: Final = 2
_PAIRS_IN: Final = (0, 0, 1, 1, 2)
_SUITS: Final = tuple(sum(1 << 4 * rank + suit for rank in range(13)) for suit in range(4))


class InstantWin(msgspec.Struct, frozen=True):
    """The hand that wins at the deal: its seat, its pattern, the pattern's top card, the units each other seat pays."""

    seat: Seat
    pattern: Pattern
    top_card: Card
    units: int


def find_instant_win(rules: tuple[InstantWinValue, ...], hands: tuple[CardSet, ...]) -> InstantWin | None:
    """Return the strongest hand of all that win at the deal, or None."""
    counted = [(hand, rank_counts(hand)) for hand in hands]
    for rule in rules:
        tops = [_top(rule.pattern, hand, counts) for hand, counts in counted]
        best = max((top, seat) for seat, top in enumerate(tops))
        if best[0] != _NO_TOP:
            return InstantWin(Seat(best[1]), rule.pattern, BY_STRENGTH[best[0]], rule.units)
    return None


def top_of_pattern(pattern: Pattern, hand: CardSet) -> Card | None:
    """Return the pattern's top card in a hand, or None where the hand does not meet the pattern."""
    top = _top(pattern, hand, rank_counts(hand))
    return None if top == _NO_TOP else BY_STRENGTH[top]


def _top(pattern: Pattern, hand: CardSet, counts: list[int]) -> int:
    """Return the strength of the pattern's top card, or _NO_TOP."""
    match pattern:
        case Pattern.DRAGON_RUN:
            rank = RANK_OF_ACES if all(counts[:RANK_OF_TWOS]) else None
        case Pattern.PAIR_RUN_6:
            rank = _top_of_pair_run(counts, length=6)
        case Pattern.FOUR_TRIPLES:
            rank = _top_of_groups(counts, size=_TRIPLE, needed=4)
        case Pattern.TWO_QUADS:
            rank = _top_of_groups(counts, size=_QUAD, needed=2)
        case Pattern.TWELVE_OF_A_SUIT:
            return max(
                (hand & suit).bit_length() - 1 if (hand & suit).bit_count() >= _TWELVE else _NO_TOP for suit in _SUITS
            )
        case Pattern.PAIR_RUN_5:
            rank = _top_of_pair_run(counts, length=5)
        case Pattern.QUAD_OF_TWOS:
            rank = RANK_OF_TWOS if counts[RANK_OF_TWOS] == _QUAD else None
        case Pattern.SIX_PAIRS:
            rank = (
                _top_of_groups(counts, size=_PAIR, needed=1)
                if sum(_PAIRS_IN[count] for count in counts) >= _SIX
                else None
            )
        case _:
            assert_never(pattern)
    return _NO_TOP if rank is None else highest_of_rank(hand, rank)


def _top_of_groups(counts: list[int], *, size: int, needed: int) -> int | None:
    ranks = [rank for rank, count in enumerate(counts) if count >= size]
    return ranks[-1] if len(ranks) >= needed else None


def _top_of_pair_run(counts: list[int], *, length: int) -> int | None:
    found, unbroken = None, 0
    for rank, count in enumerate(counts[:RANK_OF_TWOS]):
        unbroken = unbroken + 1 if count >= _PAIR else 0
        if unbroken >= length:
            found = rank
    return found
