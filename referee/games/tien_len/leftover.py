"""Price of the cards left in a hand: each card by itself, or grouped if that costs more.

A group is paid in place of its cards. If cards can be grouped in several ways the dearest counts, found by trying them
all. Of equally dear ways the one that groups more cards is returned, then the one with fewer groups, then with more
four-pair runs, then with more quads; that choice never changes the amount owed.

Source: the text that ``tien_len.mien_nam.toml`` quotes, "1 lá bài rác bị thối: một cược. Thối 2 đen: 2 cược. Thối 2 đỏ:
4 cược. 3 đôi thông: 6 cược. Tứ Quý: 8 cược. 4 đôi thông: 12 cược."
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from referee.cards import Card
from referee.games.tien_len.code import Price
from referee.games.tien_len.order import COUNT, RANK_OF_TWOS, TWOS, CardSet, cards_of
from referee.games.tien_len.rules import LeftoverPrices

_BLACK_TWOS: Final = TWOS & 0b0011 << 4 * RANK_OF_TWOS
_RED_TWOS: Final = TWOS ^ _BLACK_TWOS
_LOWEST: Final = 0x1111111111111
"""The lowest card of every rank."""
_RUN_PRICES: Final = {3: Price.PAIR_RUN_3, 4: Price.PAIR_RUN_4}
_PAIR: Final = 2
_QUAD: Final = 4
_GROUP_ORDER: Final = (Price.PAIR_RUN_4, Price.QUAD, Price.PAIR_RUN_3)
_Group = tuple[Price, CardSet]


class Leftover(msgspec.Struct, frozen=True):
    """One entry of the bill for cards left: price code, cards, weakest first, and the units that they cost together."""

    price: Price
    cards: tuple[Card, ...]
    units: int


def price_leftover(prices: LeftoverPrices, hand: CardSet) -> tuple[Leftover, ...]:
    """Price the cards left in a hand at their dearest: the groups, then red twos, black twos and other cards.

    Each group is an entry: four-pair runs first, then quads, then three-pair runs, each from the lowest ranks on. All
    red twos are one entry, and so are all black twos and all other cards.
    """
    groups = _dearest(prices, hand)
    items = [
        Leftover(price, cards_of(cards), leftover_units(prices, price))
        for wanted in _GROUP_ORDER
        for price, cards in groups
        if price is wanted
    ]
    for _, cards in groups:
        hand ^= cards
    for price, cards in ((Price.RED_TWO, hand & _RED_TWOS), (Price.BLACK_TWO, hand & _BLACK_TWOS)):
        if cards:
            items.append(Leftover(price, cards_of(cards), cards.bit_count() * leftover_units(prices, price)))
    if hand & ~TWOS:
        items.append(Leftover(Price.CARD, cards_of(hand & ~TWOS), (hand & ~TWOS).bit_count() * prices.card))
    return tuple(items)


def leftover_units(prices: LeftoverPrices, price: Price) -> int:
    """Return the units of one card or group left; raise KeyError for a pair of twos, which only a chop has."""
    return {
        Price.CARD: prices.card,
        Price.BLACK_TWO: prices.black_two,
        Price.RED_TWO: prices.red_two,
        Price.PAIR_RUN_3: prices.pair_run_3,
        Price.QUAD: prices.quad,
        Price.PAIR_RUN_4: prices.pair_run_4,
    }[price]


def _dearest(prices: LeftoverPrices, hand: CardSet) -> tuple[_Group, ...]:
    def worth(groups: tuple[_Group, ...]) -> tuple[int, int, int, int, int]:
        units = sum(leftover_units(prices, price) - _alone(prices, cards) for price, cards in groups)
        kinds = [price for price, _ in groups]
        grouped = sum(cards.bit_count() for _, cards in groups)
        return units, grouped, -len(groups), kinds.count(Price.PAIR_RUN_4), kinds.count(Price.QUAD)

    return max(_groupings(hand, 0), key=worth) if _may_group(hand) else ()


def _may_group(hand: CardSet) -> bool:
    """Return whether a hand has four cards of a rank or two of each of three neighbouring ranks; most have neither."""
    counts = sum([hand >> suit & _LOWEST for suit in range(4)])  # of cards, in the four bits of each rank
    pairs = counts >> 1  # of two or three cards, in the lowest bit
    return bool(counts & 4 * _LOWEST or pairs & pairs >> 4 & pairs >> 8 & _LOWEST)


def _alone(prices: LeftoverPrices, cards: CardSet) -> int:
    blacks = (cards & _BLACK_TWOS).bit_count()
    reds = (cards & _RED_TWOS).bit_count()
    return (cards & ~TWOS).bit_count() * prices.card + blacks * prices.black_two + reds * prices.red_two


def _groupings(hand: CardSet, rank: int) -> Iterator[tuple[_Group, ...]]:
    """Yield every choice of groups that share no card and start at this rank or above, the empty one first."""
    yield ()
    for start in range(rank, RANK_OF_TWOS + 1):
        for group in _groups_at(hand, start):
            for others in _groupings(hand ^ group[1], start):
                yield (group, *others)


def _groups_at(hand: CardSet, rank: int) -> Iterator[_Group]:
    """Yield the groups whose lowest rank is this one; of three or four cards of a rank a run takes the two weakest."""
    if COUNT[hand >> 4 * rank & 15] == _QUAD:
        yield Price.QUAD, 15 << 4 * rank
    run = 0
    for length in range(1, RANK_OF_TWOS - rank + 1):
        nibble = hand >> 4 * (rank + length - 1) & 15
        if COUNT[nibble] < _PAIR or length > max(_RUN_PRICES):
            return
        lowest = nibble & -nibble
        run |= (lowest | (nibble ^ lowest) & -(nibble ^ lowest)) << 4 * (rank + length - 1)
        if length in _RUN_PRICES:
            yield _RUN_PRICES[length], run
