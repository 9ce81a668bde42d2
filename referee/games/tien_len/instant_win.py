"""Hands that win at the deal (*tới trắng*), whether they are declared or not.

Of all hands only the strongest collects: the ruleset lists the patterns from strong to weak, and between two hands of
one pattern the higher top card of the pattern wins, rank first, then suit. Two hands never have the same top card.

| pattern | Vietnamese | what it is | its top card |
|---|---|---|---|
| DRAGON_RUN | sảnh rồng | every rank from 3 to A | the best ace |
| PAIR_RUN_6 | sáu đôi thông | six pairs in a row, no twos | the best card of the highest pair's rank |
| FOUR_TRIPLES | bốn bộ ba | four triples | the best card of the highest triple's rank |
| TWO_QUADS | hai tứ quý | two fours of a kind | the heart of the higher |
| TWELVE_OF_A_SUIT | mười hai lá đồng chất | twelve cards of one suit | the best card of that suit |
| PAIR_RUN_5 | năm đôi thông | five pairs in a row, no twos | the best card of the highest pair's rank |
| QUAD_OF_TWOS | tứ quý 2 | all four twos | 2♥ |
| SIX_PAIRS | sáu đôi | six pairs | the best card of the highest pair's rank |

Four of a kind holds two pairs and one triple; three of a kind holds one pair. This module moves no money.

>>> from referee.cards import parse_cards
>>> from referee.games.tien_len.order import set_of
>>> hand = set_of(parse_cards("4D 4H 5D 5H 6S 6H 7C 7H JS JD KS KC 3S"))
>>> top_of_pattern(Pattern.SIX_PAIRS, hand), top_of_pattern(Pattern.PAIR_RUN_5, hand)
(<Card.KING_OF_CLUBS: 46>, None)

Source: the text that ``tien_len.mien_nam.toml`` quotes, "Sảnh rồng > 6 đôi thông > 4 bộ ba > 2 tứ quý > 12 lá đồng chất
>5 đôi thông > Tứ quý hai > 6 đôi. Mang các bộ bài đến trắng cộng chiếc thì xét lá cao nhất của bộ."
"""

from typing import Final

import msgspec

from referee.cards import Card, Seat
from referee.games.tien_len.code import Pattern
from referee.games.tien_len.order import BY_STRENGTH, RANK_COUNT, RANK_OF_TWOS, CardSet
from referee.games.tien_len.rules import InstantWinValue

_SPADES: Final = sum(1 << 4 * rank for rank in range(RANK_COUNT))
_TWOS: Final = 1 << 4 * RANK_OF_TWOS
_BELOW_TWOS: Final = _SPADES ^ _TWOS
"""Sets of ranks, one bit a rank: that of its spade."""
_TWELVE: Final = 12
_SIX: Final = 6
_FOUR: Final = 4
_TWO: Final = 2


class InstantWin(msgspec.Struct, frozen=True):
    """The hand that wins at the deal: its seat, its pattern, the pattern's top card, the units each other seat pays."""

    seat: Seat
    pattern: Pattern
    top_card: Card
    units: int


def find_instant_win(rules: tuple[InstantWinValue, ...], hands: tuple[CardSet, ...]) -> InstantWin | None:
    """Return the strongest of the hands that win at the deal; None if no hand does."""
    tops_by_seat = [(seat, tops) for seat, hand in enumerate(hands) if (tops := _tops_of(hand))]
    for rule in rules:
        candidates = [(tops[rule.pattern], seat) for seat, tops in tops_by_seat if rule.pattern in tops]
        if candidates:
            top, seat = max(candidates)
            return InstantWin(Seat(seat), rule.pattern, BY_STRENGTH[top], rule.units)
    return None


def top_of_pattern(pattern: Pattern, hand: CardSet) -> Card | None:
    """Return the pattern's top card in a hand, or None where the hand does not meet the pattern."""
    top = _tops_of(hand).get(pattern)
    return None if top is None else BY_STRENGTH[top]


def _tops_of(hand: CardSet) -> dict[Pattern, int]:
    """Return, for each pattern that a hand meets, the strength of the highest card of the ranks that make it.

    Each number below is a set of ranks: those that a suit holds, then those that at least one, two, three or four of
    the suits hold.
    """
    spades, clubs, diamonds, hearts = suits = (
        hand & _SPADES,
        hand >> 1 & _SPADES,
        hand >> 2 & _SPADES,
        hand >> 3 & _SPADES,
    )
    black, red, blacks, reds = spades | clubs, diamonds | hearts, spades & clubs, diamonds & hearts
    ones, pairs = black | red, blacks | reds | black & red
    triples, quads = blacks & red | reds & black, blacks & reds
    run = pairs & _BELOW_TWOS
    run_of_5 = run & run << 4 & run << 8 & run << 12 & run << 16
    ranks_of = {
        Pattern.DRAGON_RUN: ones & _BELOW_TWOS if ones & _BELOW_TWOS == _BELOW_TWOS else 0,
        Pattern.PAIR_RUN_6: run_of_5 & run << 20,
        Pattern.FOUR_TRIPLES: triples if triples.bit_count() >= _FOUR else 0,
        Pattern.TWO_QUADS: quads if quads.bit_count() >= _TWO else 0,
        Pattern.PAIR_RUN_5: run_of_5,
        Pattern.QUAD_OF_TWOS: quads & _TWOS,
        Pattern.SIX_PAIRS: pairs if pairs.bit_count() + quads.bit_count() >= _SIX else 0,
    }
    tops = {pattern: (hand & 15 * ranks).bit_length() - 1 for pattern, ranks in ranks_of.items() if ranks}
    for suit, ranks in enumerate(suits):
        if ranks.bit_count() >= _TWELVE:
            tops[Pattern.TWELVE_OF_A_SUIT] = ranks.bit_length() - 1 + suit
    return tops
