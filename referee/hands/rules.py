"""The rules of a ranking as a ruleset states them; no field has a default.

>>> order = ["HIGH_CARD", "PAIR", "TWO_PAIR", "THREE_OF_A_KIND", "STRAIGHT", "FLUSH", "FULL_HOUSE", "FOUR_OF_A_KIND"]
>>> data = {"order": order, "three_card_order": [], "ace_low_straight": "LOWEST"}
>>> msgspec.convert(data, RankingRules)
Traceback (most recent call last):
...
msgspec.ValidationError: order does not list STRAIGHT_FLUSH
>>> msgspec.convert({**data, "order": [*order, "STRAIGHT_FLUSH"]}, RankingRules).order[-1]
<Category.STRAIGHT_FLUSH: 'STRAIGHT_FLUSH'>
"""

from typing import Final

import msgspec

from referee.hands.category import AceLowStraight, Category

REFINEMENTS: Final = {
    Category.LOW_STRAIGHT_FLUSH: Category.STRAIGHT_FLUSH,
    Category.ROYAL_FLUSH: Category.STRAIGHT_FLUSH,
    Category.FOUR_ACES: Category.FOUR_OF_A_KIND,
}
"""For each refinement, the wider category that its hands have under a ranking that does not list the refinement."""

THREE_CARD_CATEGORIES: Final = frozenset({Category.HIGH_CARD, Category.PAIR, Category.THREE_OF_A_KIND})


class RankingRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of a ranking.

    ``order`` lists categories from weak to strong: the nine that are no refinements, and any of the refinements. A hand
    has the narrowest category listed. ``three_card_order`` lists the categories of three cards, in the same relative
    order; empty if three cards are never ranked. Orders that break this raise ValueError, and so does a
    LOW_STRAIGHT_FLUSH where A-2-3-4-5 is no straight.
    """

    order: tuple[Category, ...]
    three_card_order: tuple[Category, ...]
    ace_low_straight: AceLowStraight

    def __post_init__(self) -> None:
        self._check_order()
        self._check_three_card_order()

    def _check_order(self) -> None:
        twice = sorted({category for category in self.order if self.order.count(category) > 1})
        if twice:
            raise ValueError(f"order lists {', '.join(twice)} more than once")
        missing = [category for category in Category if category not in {*self.order, *REFINEMENTS}]
        if missing:
            raise ValueError(f"order does not list {', '.join(missing)}")
        no_low = self.ace_low_straight is AceLowStraight.NOT_A_STRAIGHT
        if no_low and Category.LOW_STRAIGHT_FLUSH in self.order:
            raise ValueError("order lists LOW_STRAIGHT_FLUSH, but ace_low_straight says that A-2-3-4-5 is no straight")

    def _check_three_card_order(self) -> None:
        allowed = [category for category in self.order if category in THREE_CARD_CATEGORIES]
        if self.three_card_order and list(self.three_card_order) != allowed:
            raise ValueError(
                f"three_card_order must be empty or {', '.join(allowed)}, in the order that five cards have"
            )
