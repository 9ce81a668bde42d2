"""Combinations that may be played: the same number of cards of each of one or more neighbouring ranks.

| kind | Vietnamese | cards of a rank | ranks |
|---|---|---|---|
| SINGLE | rác | 1 | 1 |
| PAIR | đôi | 2 | 1 |
| TRIPLE | bộ ba | 3 | 1 |
| QUAD | tứ quý | 4 | 1 |
| RUN | sảnh | 1 | 3 to 12 |
| PAIR_RUN_3 | 3 đôi thông | 2 | 3 |
| PAIR_RUN_4 | 4 đôi thông | 2 | 4 |

Twos stand in no run. Nothing else is a play, five pairs in a row neither: those win at the deal or are played in parts.
This module does not know whose turn it is nor what beats what.

>>> from referee.cards import parse_cards, spell
>>> from referee.games.tien_len.order import set_of
>>> read_combination(set_of(parse_cards("3S 4H 5C"))).kind.value
'RUN'
>>> read_combination(set_of(parse_cards("KS AH 2C"))) is None
True
>>> [spell(play.cards) for play in combinations_in(set_of(parse_cards("3S 3H 4C 5C")))]
['3S', '3H', '4C', '5C', '3S 3H', '3S 4C 5C', '3H 4C 5C']
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Final, NamedTuple

import msgspec

from referee.cards import Card
from referee.games.tien_len.code import Kind
from referee.games.tien_len.order import BY_STRENGTH, COUNT, RANK_COUNT, RANK_OF_TWOS, CardSet, cards_of, set_of


class Shape(NamedTuple):
    """A kind with its measure: ``width`` cards of each of ``length`` neighbouring ranks."""

    kind: Kind
    width: int
    length: int


SHORTEST_RUN: Final = 3
LONGEST_RUN: Final = RANK_OF_TWOS

SHAPES: Final = (
    Shape(Kind.SINGLE, 1, 1),
    Shape(Kind.PAIR, 2, 1),
    Shape(Kind.TRIPLE, 3, 1),
    Shape(Kind.QUAD, 4, 1),
    *(Shape(Kind.RUN, 1, length) for length in range(SHORTEST_RUN, LONGEST_RUN + 1)),
    Shape(Kind.PAIR_RUN_3, 2, 3),
    Shape(Kind.PAIR_RUN_4, 2, 4),
)
"""Every shape that may be played, in the order in which plays are listed."""

_SHAPE_BY_MEASURE: Final = {(shape.width, shape.length): shape for shape in SHAPES}
_SHAPE_BY_KIND: Final = {(shape.kind, shape.length): shape for shape in SHAPES}

_CHOICES: Final = tuple(
    tuple(
        tuple(
            tuple(part << 4 * rank for part in range(1, 16) if part & nibble == part and COUNT[part] == width)
            for nibble in range(16)
        )
        for rank in range(RANK_COUNT)
    )
    for width in range(5)
)
"""``_CHOICES[width][rank][nibble]``: the ways to take that many cards of a rank, lowest top card first."""


class Combination(msgspec.Struct, frozen=True):
    """A legal combination: ``kind``, ``length`` in ranks, its cards, and ``top``, the strength of its best card."""

    kind: Kind
    length: int
    card_set: CardSet
    top: int

    @property
    def cards(self) -> tuple[Card, ...]:
        """Cards, weakest first."""
        return cards_of(self.card_set)

    @property
    def top_card(self) -> Card:
        """Strongest card, which decides between two of one kind and length."""
        return BY_STRENGTH[self.top]


@lru_cache(maxsize=4096)  # at most a megabyte
def read_combination(card_set: CardSet) -> Combination | None:
    """Return the combination that a set of cards makes, or None; the empty set makes none."""
    top = card_set.bit_length() - 1
    low_rank = (card_set & -card_set).bit_length() - 1 >> 2
    length = (top >> 2) - low_rank + 1
    width, uneven = divmod(card_set.bit_count(), length)
    shape = _SHAPE_BY_MEASURE.get((width, length))
    if uneven or shape is None:
        return None
    if length > 1:
        if top >> 2 == RANK_OF_TWOS:
            return None
        rest = card_set >> 4 * low_rank
        while rest:
            if COUNT[rest & 15] != width:
                return None
            rest >>= 4
    return Combination(shape.kind, length, card_set, top)


@lru_cache(maxsize=4096)  # at most two megabytes
def read_cards(cards: tuple[Card, ...]) -> tuple[CardSet, Combination | None]:
    """Return the set of a play's cards, and their combination: None if they make none or a card is given twice."""
    card_set = set_of(cards)
    return card_set, read_combination(card_set) if card_set.bit_count() == len(cards) else None


def sets_of_shape(hand: CardSet, shape: Shape, *, above: int = -1) -> Iterator[CardSet]:
    """Yield every way to make a shape of a hand's cards with a top card stronger than ``above``, weaker tops first.

    Lazy: a hand of 52 cards has 16,777,216 runs of twelve.
    """
    ways = _CHOICES[shape.width]
    ranks_allowed = RANK_COUNT if shape.length == 1 else RANK_OF_TWOS
    for high in range(max(shape.length - 1, above >> 2), ranks_allowed):
        window = [ways[rank][hand >> 4 * rank & 15] for rank in range(high, high - shape.length, -1)]
        if high == above >> 2:
            window[0] = tuple(part for part in window[0] if part.bit_length() - 1 > above)
        if all(window):
            yield from map(sum, product(*window)) if shape.length > 1 else window[0]


def shape_of(combination: Combination) -> Shape:
    """Return the shape of a combination, one of SHAPES."""
    return _SHAPE_BY_KIND[combination.kind, combination.length]


def combinations_in(hand: CardSet) -> Iterator[Combination]:
    """Yield every combination of a hand's cards, in the order of SHAPES, weaker tops first."""
    for shape in SHAPES:
        for card_set in sets_of_shape(hand, shape):
            yield Combination(shape.kind, shape.length, card_set, card_set.bit_length() - 1)
