"""The value of one hand: a number that compares, and the category and ranks that explain it.

A value compares only with values of the same ranking and card count: a number without its scale would let a front of
three be compared with a middle of five, which has a rule of its own (``Ranking.front_outranks``).

>>> from referee.hands import AceLowStraight, RankingRules
>>> rules = RankingRules(tuple(Category), (), AceLowStraight.LOWEST)
>>> five, three = Scale(rules, card_count=5), Scale(rules, card_count=3)
>>> low = HandValue(1, Category.HIGH_CARD, (5, 3, 2, 1, 0), five)
>>> low < HandValue(7, Category.HIGH_CARD, (6, 4, 3, 2, 0), five)
True
>>> low < HandValue(7, Category.HIGH_CARD, (5, 2, 1), three)
Traceback (most recent call last):
...
TypeError: '<' not supported between instances of 'HandValue' and 'HandValue'
"""

from dataclasses import dataclass, field

from referee.hands.category import Category
from referee.hands.rules import RankingRules


@dataclass(frozen=True, slots=True)
class Scale:
    """The scale of a strength: one ranking and one card count (3 or 5)."""

    rules: RankingRules
    card_count: int


@dataclass(frozen=True, slots=True)
class HandValue:
    """The value of a hand on its scale.

    ``strength`` is dense from 1; equal strengths are a tie. ``ranks`` are the distinct rank indices (0 two, 12 ace),
    the most significant first: of a full house the three then the pair, of a straight from its top, so A-2-3-4-5 is
    ``(3, 2, 1, 0, 12)``. Values of two scales are never equal, and ordering them is a TypeError. Python
    answers ``>`` and ``>=`` by asking the other value for ``<`` and ``<=``.
    """

    strength: int
    category: Category = field(compare=False)
    ranks: tuple[int, ...] = field(compare=False)
    scale: Scale = field(repr=False)

    def __lt__(self, other: object) -> bool:
        return NotImplemented if (theirs := self._strength_of(other)) is None else self.strength < theirs

    def __le__(self, other: object) -> bool:
        return NotImplemented if (theirs := self._strength_of(other)) is None else self.strength <= theirs

    def _strength_of(self, other: object) -> int | None:
        """Return the strength of another value of this scale; None for anything else."""
        if isinstance(other, HandValue) and (self.scale is other.scale or self.scale == other.scale):
            return other.strength
        return None
