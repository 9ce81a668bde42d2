"""An arrangement: thirteen dealt cards laid out as back, middle and front.

Cards that were not dealt, are missing or are given twice refuse an arrangement. A foul (*binh lủng*) does not: the
arrangement counts and loses, so fouls are warnings. It is a later chi strictly stronger than an earlier one; equal chi
are lawful. A front of three cards is compared with a middle of five by category, then by the ranks both have; when
those are equal the five cards are the stronger. A front that outranks the back outranks the middle too, or the middle
outranks the back, so these two comparisons suffice.

>>> from referee.cards import parse_cards
>>> dealt = parse_cards("AS KS 9S 5S 2S 7H 7D 4C 4H TD AD QC JC")
>>> Arrangement.as_dealt(dealt).front == parse_cards("AD QC JC")
True
>>> from referee.rulesets import get
>>> chi = [parse_cards(text) for text in ("KS KC 9D 5S 2S", "7H 7D 4C TD QC", "7S 7C AC")]
>>> [violation.code.value for violation in fouls_of(get("mau_binh.classic").rules, chi)]
['FOULED_FRONT']
"""

from collections import Counter
from collections.abc import Sequence
from typing import Self, TypeAlias

import msgspec

from referee.cards import Card
from referee.games.mau_binh.code import CHI_SIZES, HAND_SIZE, SIZE_CODES, ViolationCode
from referee.games.mau_binh.rules import MauBinhRules
from referee.hands import HandValue
from referee.verdict import Violation

ChiCards: TypeAlias = tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]
"""The cards of back, middle and front."""

ChiValues: TypeAlias = tuple[HandValue, HandValue, HandValue]
"""The values of back, middle and front."""


class Arrangement(msgspec.Struct, frozen=True):
    """Back (five cards when lawful), middle (five) and front (three); the order within a chi means nothing."""

    back: tuple[Card, ...]
    middle: tuple[Card, ...]
    front: tuple[Card, ...]

    @classmethod
    def as_dealt(cls, dealt: Sequence[Card]) -> Self:
        """Arrange cards in the order dealt: the first five, the next five, the last three."""
        return cls(tuple(dealt[:5]), tuple(dealt[5:10]), tuple(dealt[10:]))

    @property
    def chi(self) -> ChiCards:
        """Back, middle and front."""
        return self.back, self.middle, self.front


def check_arrangement(rules: MauBinhRules, dealt: Sequence[Card], arrangement: Arrangement) -> tuple[Violation, ...]:
    """Check an arrangement of the cards dealt; return all faults, empty when it is lawful and not fouled.

    Wrong sizes come first, then foreign, doubled and missing cards, each in the order of the arrangement. Only an
    arrangement without these is checked for fouls, which do not refuse it.
    """
    return check_cards(dealt, arrangement.chi) or fouls_of(rules, arrangement.chi)


def check_cards(dealt: Sequence[Card], chi: ChiCards) -> tuple[Violation, ...]:
    """Return the faults that refuse an arrangement: wrong sizes, and cards foreign, doubled or missing."""
    back, middle, front = chi
    placed = (*back, *middle, *front)
    held = set(dealt)
    if len(back) == len(middle) == 5 and len(placed) == HAND_SIZE and held == set(placed):  # noqa: PLR2004 - chi sizes
        return ()
    faults = [
        Violation(code=code, cards=cards, expected=size, found=len(cards))
        for code, size, cards in zip(SIZE_CODES, CHI_SIZES, chi, strict=True)
        if len(cards) != size
    ]
    counts = Counter(placed)
    for code, cards in (
        (ViolationCode.CARD_NOT_DEALT, tuple(card for card in counts if card not in held)),
        (ViolationCode.CARD_TWICE, tuple(card for card, count in counts.items() if count > 1)),
        (ViolationCode.CARD_MISSING, tuple(card for card in dealt if card not in counts)),
    ):
        if cards:
            faults.append(Violation(code=code, cards=cards))
    return tuple(faults)


def chi_values(rules: MauBinhRules, chi: Sequence[Sequence[Card]]) -> ChiValues:
    """Return the values of back, middle and front. The caller must ensure the right sizes and no card twice."""
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
    """Return the fouls of back, middle and front, whose cards ``check_cards`` accepts.

    ``values`` are the values of the three, if the caller has them.
    """
    back, middle, front = values or chi_values(rules, chi)
    fouls: tuple[Violation, ...] = ()
    if middle.strength > back.strength:
        fouls = (Violation(code=ViolationCode.FOULED_MIDDLE, cards=chi[1], against=chi[0]),)
    if rules.ranker.front_outranks(front=front, five=middle):
        fouls = (*fouls, Violation(code=ViolationCode.FOULED_FRONT, cards=chi[2], against=chi[1]))
    return fouls
