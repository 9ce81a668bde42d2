"""Outcome of a deal if every seat arranges its hand in the plainest way, as a measure for an audit's statistics.

The back is the strongest five of the hand, the middle the strongest five of the rest.

>>> from referee.rulesets import get
>>> outcomes(get("mau_binh.classic").rules, [bytes(range(40, 53)), bytes(range(1, 14))])
(1, -1)
"""

from collections.abc import Sequence
from itertools import combinations

from referee.cards import DECK, Card
from referee.games.mau_binh.rules import MauBinhRules


def outcomes(rules: MauBinhRules, hands: Sequence[bytes]) -> tuple[int, ...]:
    """Return for each hand of card numbers the chi that it wins minus the chi that it loses, over all other hands.

    Winning or losing all three chi against another hand counts double.
    """
    ranker = rules.ranker

    def strengths(hand: bytes) -> tuple[int, int, int]:
        back, rest = _strongest([DECK[number - 1] for number in hand])
        middle, front = _strongest(rest)
        return ranker.five_strength(back), ranker.five_strength(middle), ranker.three_strength(front)

    def _strongest(cards: Sequence[Card]) -> tuple[Sequence[Card], Sequence[Card]]:
        five = max(combinations(cards, 5), key=ranker.five_strength)
        return five, [card for card in cards if card not in five]

    shown = [strengths(hand) for hand in hands]
    return tuple([sum(_won(mine, theirs) for theirs in shown) for mine in shown])


def _won(mine: Sequence[int], theirs: Sequence[int]) -> int:
    won = sum((own > other) - (own < other) for own, other in zip(mine, theirs, strict=True))
    return 2 * won if abs(won) == len(mine) else won
