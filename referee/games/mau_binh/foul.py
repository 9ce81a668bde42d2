"""Fouls (*binh lủng*): a later chi strictly stronger than an earlier one. Equal chi are lawful.

A front of three cards is measured with a middle of five by category, then by the ranks both have; when those are equal
the five cards are the stronger. A front that outranks the back outranks the middle too, or the middle outranks the
back, so these two comparisons are all.

>>> from referee.cards import parse_cards
>>> from referee.rulesets import get
>>> chi = [parse_cards(text) for text in ("KS KC 9D 5S 2S", "7H 7D 4C TD QC", "7S 7C AC")]
>>> [violation.code.value for violation in fouls_of(get("mau_binh.classic").rules, chi)]
['FOULED_FRONT']
"""

from collections.abc import Sequence
from typing import TypeAlias

from referee.cards import Card
from referee.games.mau_binh.code import Code
from referee.games.mau_binh.rules import MauBinhRules
from referee.hands import HandValue
from referee.verdict import Violation

ChiValues: TypeAlias = tuple[HandValue, HandValue, HandValue]
"""The values of back, middle and front."""


def chi_values(rules: MauBinhRules, chi: Sequence[Sequence[Card]]) -> ChiValues:
    """The values of back, middle and front, which must be of the right sizes without a card twice."""
    back, middle, front = chi
    ranker = rules.ranker
    return (
        ranker.five_of_strength(ranker.five_strength(back)),
        ranker.five_of_strength(ranker.five_strength(middle)),
        ranker.three_of_strength(ranker.three_strength(front)),
    )


def fouls_of(
    rules: MauBinhRules, chi: Sequence[tuple[Card, ...]], values: ChiValues | None = None
) -> tuple[Violation, ...]:
    """The fouls among lawful back, middle and front; empty when there are none. ``values`` are theirs, if known."""
    back, middle, front = values or chi_values(rules, chi)
    fouls: tuple[Violation, ...] = ()
    if middle.strength > back.strength:
        fouls = (Violation(code=Code.FOULED_MIDDLE, cards=chi[1], against=chi[0]),)
    if rules.ranker.front_outranks(front=front, five=middle):
        fouls = (*fouls, Violation(code=Code.FOULED_FRONT, cards=chi[2], against=chi[1]))
    return fouls
