"""Rankings: which three and five cards beat which, from rules that are data.

>>> from referee.cards import parse_cards
>>> from referee.hands import AceLowStraight
>>> three_card_order = (Category.HIGH_CARD, Category.PAIR, Category.THREE_OF_A_KIND)
>>> ranking = Ranking.of(RankingRules(tuple(Category), three_card_order, AceLowStraight.LOWEST))
>>> ranking.five(parse_cards("AH 2H 3H 4H 5H")).category
<Category.LOW_STRAIGHT_FLUSH: 'LOW_STRAIGHT_FLUSH'>
>>> front, middle = ranking.three(parse_cards("AS AC KD")), ranking.five(parse_cards("AH AD KC 3S 2S"))
>>> ranking.front_outranks(front=front, five=middle)
False
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property

from referee.cards import Card, spell
from referee.hands import choice
from referee.hands.category import Category
from referee.hands.choice import Chosen
from referee.hands.ladder import Ranks, five_card_ladder, three_card_ladder
from referee.hands.rules import RankingRules
from referee.hands.strength import Strength, five_strength_of, seven_strength_of
from referee.hands.strength_table import RANK_KEYS, FiveTable, ThreeTable, five_table, three_table_of
from referee.hands.value import HandValue, Scale


class Ranking:
    """The order of hands under some rules; ``Ranking.of`` gives one object for equal rules.

    Methods that take cards raise ValueError unless the cards have the right number and are all different. The functions
    and tables for counting many hands (``x_strength``, ``x_table``) check nothing.
    """

    rules: RankingRules
    five_table: FiveTable
    five_strength: Strength
    """Function from five different cards, in any order, to their strength, 1 to 7,462; unchecked."""

    seven_strength: Strength
    """Function from seven different cards, in any order, to the strength of the best five; unchecked."""

    five_of_strength: Callable[[int], HandValue]
    """Function from a strength, 1 (weakest) to 7,462, to the value of five cards; ValueError for any other."""

    three_of_strength: Callable[[int], HandValue]
    """Function from a strength, 1 (weakest) to 455, to the value of three cards; ValueError for any other."""

    def __init__(self, rules: RankingRules) -> None:
        self.rules = rules
        self._ladder = five_card_ladder(rules)
        self.five_table = five_table(self._ladder)
        self.five_strength = five_strength_of(self.five_table)
        self.seven_strength = seven_strength_of(self.five_table, self.five_strength)
        self._five_values = _Values(Scale(rules, 5), self._ladder)
        self._three_values = _Values(Scale(rules, 3), three_card_ladder(rules))
        self.five_of_strength = self._five_values.__getitem__
        self.three_of_strength = self._three_values.__getitem__

    @staticmethod
    @cache
    def of(rules: RankingRules) -> "Ranking":
        """Return the ranking of these rules, made on first use."""
        return Ranking(rules)

    @cached_property
    def three_table(self) -> ThreeTable:
        """Strengths of three cards, 1 to 455, and the floor of each; empty if the rules do not rank three cards."""
        return three_table_of(three_card_ladder(self.rules), self._ladder)

    def five(self, cards: Sequence[Card]) -> HandValue:
        """Return the value of five cards, in any order."""
        _check(cards, 5)
        return self._five_values[self.five_strength(cards)]

    def three(self, cards: Sequence[Card]) -> HandValue:
        """Return the value of three cards, in any order; raise ValueError if the rules do not rank three cards."""
        _check(cards, 3)
        if not self.rules.three_card_order:
            raise ValueError("this ranking does not rank three cards")
        return self._three_values[self.three_strength(cards)]

    def three_strength(self, cards: Sequence[Card]) -> int:
        """Return the strength of three different cards, in any order, 1 to 455; unchecked."""
        a, b, c = cards
        return self.three_table.strengths[RANK_KEYS[a.rank] + RANK_KEYS[b.rank] + RANK_KEYS[c.rank]]

    def best_of_seven(self, cards: Sequence[Card]) -> HandValue:
        """Return the value of the best five of seven cards."""
        _check(cards, 7)
        return self._five_values[self.seven_strength(cards)]

    def best_two_plus_three(self, *, hole: Sequence[Card], board: Sequence[Card]) -> HandValue:
        """Return the value of the best hand of both hole cards and three of the five board cards."""
        _check_two_plus_three(hole, board)
        return self._five_values[self.two_plus_three_strength(hole=hole, board=board)]

    def chosen_of_seven(self, cards: Sequence[Card]) -> Chosen:
        """Return the best five of seven cards with their value; the five keep the order of the seven."""
        _check(cards, 7)
        strength = self.seven_strength(cards)
        best = choice.first_of_seven(self.five_table, self.five_strength, cards, strength)
        return Chosen(self._five_values[strength], best)

    def chosen_two_plus_three(self, *, hole: Sequence[Card], board: Sequence[Card]) -> Chosen:
        """Return the best hand of both hole cards and three of the board with its value; hole cards first."""
        _check_two_plus_three(hole, board)
        best = max(choice.fives_of_two_plus_three(hole, board), key=self.five_strength)
        return Chosen(self.five(best), best)

    def two_plus_three_strength(self, *, hole: Sequence[Card], board: Sequence[Card]) -> int:
        """Return the strength of the best hand of both hole cards and three of five board cards; unchecked."""
        return choice.two_plus_three_strength(self.five_table, self.five_strength, hole=hole, board=board)

    def front_outranks(self, *, front: HandValue, five: HandValue) -> bool:
        """Return whether three cards are strictly stronger than five: by category, then by as many ranks as both have.

        Raise TypeError for values that are not of three and of five cards under this ranking.
        """
        threes, fives = self._three_values.scale, self._five_values.scale
        if (front.scale is not threes or five.scale is not fives) and (front.scale, five.scale) != (threes, fives):
            raise TypeError("front_outranks compares three with five cards of its own ranking")
        return five.strength < self.three_table.floors[front.strength]

    def is_fouled(self, *, back: HandValue, middle: HandValue, front: HandValue) -> bool:
        """Return whether the middle is strictly stronger than the back, or the front than the middle."""
        return middle > back or self.front_outranks(front=front, five=middle)


class _Values(dict[int, HandValue]):
    """The values of a ladder by strength, each made on first use."""

    def __init__(self, scale: Scale, ladder: Sequence[tuple[Category, tuple[Ranks, ...]]]) -> None:
        self.scale = scale
        self._hands = [(category, ranks) for category, members in ladder for ranks in members]

    def __missing__(self, strength: int) -> HandValue:
        if not 1 <= strength <= len(self._hands):
            raise ValueError(f"{strength} is no strength; strengths are 1 to {len(self._hands)}")
        category, ranks = self._hands[strength - 1]
        value = self[strength] = HandValue(strength, category, ranks, self.scale)
        return value


def _check(cards: Sequence[Card], count: int) -> None:
    if len(cards) != count or len(set(cards)) != count:
        raise ValueError(f"expected {count} different cards, got {spell(cards) or 'none'}")


def _check_two_plus_three(hole: Sequence[Card], board: Sequence[Card]) -> None:
    if len(hole) != 2 or len(board) != 5:  # noqa: PLR2004 - the numbers in the name
        raise ValueError(f"expected two hole cards and five board cards, got {len(hole)} and {len(board)}")
    _check([*hole, *board], 7)
