"""Measures of dealt hands for an audit's statistics. They depend on the cards alone, so no player can affect them.

A game's seats are compared with one another by points, or each with the house. A measure that ranks hands badly detects
less, but its probabilities stay true. Hands are bytes of card numbers, 1 to 52.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import getitem
from typing import Any, Final

from referee.cards import DECK, Card, cards_of

RANKS: Final = 13
SUITS: Final = 4
_RANK_OF: Final = bytes([0, *[(number - 1) // SUITS for number in range(1, len(DECK) + 1)]]).ljust(256, b"\0")
_EVERY_RANK: Final = tuple(range(RANKS))


@dataclass(frozen=True, kw_only=True)
class PointQuestions:
    """Questions of a game whose seats are compared by the points of their hands.

    ``points(hand)`` returns a hand's points, ``weights()`` the number of possible hands by points. ``are_seats_alike``
    says that seats of equal skill win equally often; without it nothing is asked about who wins.
    ``outcomes(rules, hands)`` returns what each seat would win by plain play, as a second measure of the decks of
    rounds that were given up; it must treat all seats alike.
    """

    points: Callable[[bytes], int]
    weights: Callable[[], Mapping[int, int]]
    are_seats_alike: bool = True
    outcomes: Callable[[Any, Sequence[bytes]], tuple[int, ...]] | None = None


@dataclass(frozen=True, kw_only=True)
class HouseQuestions:
    """Questions of a game whose seats are dealt to like the house and compared with it.

    ``leads(rules, sections, seat_count)`` returns for each seat 1 for a better hand than the house's, -1 for a worse
    hand, 0 for a tie; ``sections`` are all but the stock, in the order of the layout. ``side_returns(state, outcome)``
    is what a unit on the side bet of each seat that made one gets back by the cards alone, as if nobody folded: 0 if it
    loses, the unit itself included if it wins.
    """

    leads: Callable[[Any, Sequence[bytes], int], tuple[int, ...]]
    side_returns: Callable[[Any, Any], tuple[int, ...]]


Questions = PointQuestions | HouseQuestions


def rank_points(*, hand_size: int, places: Sequence[int], together: Sequence[int]) -> PointQuestions:
    """Return questions about points by rank: each card counts the place of its rank, and equal ranks count more.

    ``places`` go by rank, 2 to A; ``together[n]`` are the points that n cards of one rank (0 to 4) add.

    >>> questions = rank_points(hand_size=2, places=range(13), together=(0, 0, 6, 18, 40))
    >>> questions.points(bytes((1, 2))), sum(questions.weights().values())
    (6, 1326)
    """
    table = tuple([tuple([count * place + together[count] for count in range(SUITS + 1)]) for place in places])

    def points(hand: bytes) -> int:
        ranks = hand.translate(_RANK_OF)
        return sum(map(getitem, table, map(ranks.count, _EVERY_RANK)))

    def weights() -> Mapping[int, int]:
        ways = (1, 4, 6, 4, 1)
        counted: dict[tuple[int, int], int] = {(0, 0): 1}
        for rank in range(RANKS):
            more: dict[tuple[int, int], int] = {}
            for (cards, total), weight in counted.items():
                for count in range(min(SUITS, hand_size - cards) + 1):
                    key = cards + count, total + table[rank][count]
                    more[key] = more.get(key, 0) + weight * ways[count]
            counted = more
        return {total: weight for (cards, total), weight in counted.items() if cards == hand_size}

    return PointQuestions(points=points, weights=weights)


def strength_points(
    hand_size: int, strength: Callable[[Sequence[Card]], int], *, are_seats_alike: bool = True
) -> PointQuestions:
    """Return questions about the strength of hands. ``weights`` tries all hands, so ``hand_size`` must be small."""
    return PointQuestions(
        points=lambda hand: strength(cards_of(hand)),
        weights=lambda: Counter(map(strength, combinations(DECK, hand_size))),
        are_seats_alike=are_seats_alike,
    )
