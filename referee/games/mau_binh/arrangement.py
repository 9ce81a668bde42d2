"""An arrangement: thirteen dealt cards laid out as back, middle and front.

Cards that were not dealt, are missing or stand twice are refused. A foul (*binh lủng*) is no reason to refuse: the
arrangement stands and loses, so the fouls are told as warnings beside the faults.

>>> from referee.cards import parse_cards
>>> dealt = parse_cards("AS KS 9S 5S 2S 7H 7D 4C 4H TD AD QC JC")
>>> Arrangement.as_dealt(dealt).front == parse_cards("AD QC JC")
True
"""

from collections import Counter
from collections.abc import Sequence
from typing import Self

import msgspec

from referee.cards import Card
from referee.games.mau_binh.code import CHI_SIZES, HAND_SIZE, SIZE_CODES, WARNINGS, Code
from referee.games.mau_binh.foul import fouls_of
from referee.games.mau_binh.rules import MauBinhRules
from referee.verdict import Violation


class Arrangement(msgspec.Struct, frozen=True):
    """Back (five cards when lawful), middle (five) and front (three); the order within a chi means nothing."""

    back: tuple[Card, ...]
    middle: tuple[Card, ...]
    front: tuple[Card, ...]

    @classmethod
    def as_dealt(cls, dealt: Sequence[Card]) -> Self:
        """The arrangement that stands when none was submitted: the first five, the next five, the last three."""
        return cls(tuple(dealt[:5]), tuple(dealt[5:10]), tuple(dealt[10:]))

    @property
    def chi(self) -> tuple[tuple[Card, ...], tuple[Card, ...], tuple[Card, ...]]:
        """Back, middle and front."""
        return self.back, self.middle, self.front


def check_arrangement(rules: MauBinhRules, dealt: Sequence[Card], arrangement: Arrangement) -> tuple[Violation, ...]:
    """Everything that is wrong with an arrangement of the cards dealt; empty when lawful and not fouled.

    Wrong sizes first, then foreign, doubled and missing cards, each list in the order the cards stand in. Only an
    arrangement without these is looked at for fouls, which do not refuse it: see ``is_acceptable``.
    """
    return check_cards(dealt, arrangement) or fouls_of(rules, arrangement.chi)


def is_acceptable(violations: Sequence[Violation]) -> bool:
    """Whether nothing among the violations refuses: there are none, or fouls only."""
    return not violations or all(violation.code in WARNINGS for violation in violations)


def check_cards(dealt: Sequence[Card], arrangement: Arrangement) -> tuple[Violation, ...]:
    """The faults that refuse an arrangement: wrong sizes, and cards foreign, doubled or missing."""
    back, middle, front = arrangement.chi
    placed = (*back, *middle, *front)
    held = set(dealt)
    if len(back) == len(middle) == 5 and len(placed) == HAND_SIZE and held == set(placed):  # noqa: PLR2004 - chi sizes
        return ()
    faults = [
        Violation(code=code, cards=cards, expected=size, found=len(cards))
        for code, size, cards in zip(SIZE_CODES, CHI_SIZES, arrangement.chi, strict=True)
        if len(cards) != size
    ]
    counts = Counter(placed)
    for code, cards in (
        (Code.CARD_NOT_DEALT, tuple(card for card in counts if card not in held)),
        (Code.CARD_TWICE, tuple(card for card, count in counts.items() if count > 1)),
        (Code.CARD_MISSING, tuple(card for card in dealt if card not in counts)),
    ):
        if cards:
            faults.append(Violation(code=code, cards=cards))
    return tuple(faults)
