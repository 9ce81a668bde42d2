"""Quality of a dealt hand, by a measure that no player can influence: it depends on the cards alone.

For thirteen cards it is points, a number for each rank and how many cards of it the hand has; these numbers order hands
about as players do and ignore suits. How many of the 635,013,559,600 hands have which points is counted rank by rank.
Against the house it is whether the seat's hand is better, under the ruleset's own way to make hands: seat and house are
dealt alike, so both are equally often ahead, whatever the ruleset. A measure that orders hands badly only sees less;
its chances stay true.

>>> from referee.cards import parse_cards
>>> hand = bytes(card.number for card in parse_cards("2S 2C 2D 2H AS KS QS JS TS 9S 8S 7S 6S"))
>>> points_of(hand, game="tien_len"), float(points(game="tien_len").mean)
(141, 92.17671068427371)
"""

from collections.abc import Mapping, Sequence
from functools import cache
from operator import getitem
from typing import Final

from referee.audit.distribution import Distribution
from referee.cards import DECK
from referee.games.ultimate_texas import UltimateTexasRules, hand_value

RANKS: Final = 13
SUITS: Final = 4
HAND: Final = 13

_PLACES: Final[Mapping[str, tuple[int, ...]]] = {
    "mau_binh": tuple(range(RANKS)),
    "tien_len": tuple([(rank - 1) % RANKS for rank in range(RANKS)]),
}
"""For each game what a card of each rank, 2 to A, is worth by itself: its place in the game's order of ranks."""
_TOGETHER: Final[Mapping[str, tuple[int, ...]]] = {"mau_binh": (0, 0, 6, 18, 40), "tien_len": (0, 0, 3, 9, 30)}
"""What it is worth besides that one, two, three or four of a rank are together."""

_POINTS: Final = {
    game: tuple(
        [tuple([count * place + _TOGETHER[game][count] for count in range(SUITS + 1)]) for place in _PLACES[game]]
    )
    for game in _PLACES
}
_RANK_OF: Final = bytes([0, *[(number - 1) // SUITS for number in range(1, len(DECK) + 1)]]).ljust(256, b"\0")
_EVERY_RANK: Final = tuple(range(RANKS))


def has_points(game: str) -> bool:
    """Return whether hands of the game have points; in others seats are compared with the house."""
    return game in _POINTS


def points_of(hand: bytes, *, game: str) -> int:
    """Return the points of a hand given by its cards' numbers."""
    ranks = hand.translate(_RANK_OF)
    return sum(map(getitem, _POINTS[game], map(ranks.count, _EVERY_RANK)))


@cache
def points(*, game: str) -> Distribution:
    """Count by points the hands of thirteen."""
    ways = (1, 4, 6, 4, 1)
    held: dict[tuple[int, int], int] = {(0, 0): 1}
    for rank in range(RANKS):
        more: dict[tuple[int, int], int] = {}
        for (cards, total), weight in held.items():
            for count in range(min(SUITS, HAND - cards) + 1):
                key = cards + count, total + _POINTS[game][rank][count]
                more[key] = more.get(key, 0) + weight * ways[count]
        held = more
    return Distribution({total: weight for (cards, total), weight in held.items() if cards == HAND})


def leads_house(rules: UltimateTexasRules, sections: Sequence[bytes], *, seat_count: int) -> tuple[int, ...]:
    """Return for each seat 1 if its hand is better than the house's, -1 if it is worse, 0 if they tie.

    ``sections`` are the numbers of the cards of all sections: the hands, the house, the flop, turn and river.
    """
    hands = [[DECK[number - 1] for number in section] for section in sections[: seat_count + 3]]
    *seats, house, flop, rest = hands
    board = (*flop, *rest)
    limit = hand_value(rules, hole=house, board=board)
    values = [hand_value(rules, hole=hole, board=board) for hole in seats]
    return tuple([(value > limit) - (value < limit) for value in values])
