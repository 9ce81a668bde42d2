"""What two hole cards are worth before the flop: exact sums over the 20,975,724,000 ways that a deal can go on.

They are counted once, by ``referee odds --table``, and kept as a file: canonical JSON that names the law it was
counted under (``law_digest``). Hole cards are told apart by kind: ``AA``, ``AKs`` of one suit, ``AKo`` of two.

>>> from referee.cards import parse_cards
>>> kind_of(parse_cards("5H KH")), kind_of(parse_cards("5H KS")), kind_of(parse_cards("5H 5S")), len(KINDS)
('K5s', 'K5o', '55', 169)
"""

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import msgspec

from referee.advice.ultimate_texas.price import Prices
from referee.cards import Card
from referee.evidence import canonical

WAYS: Final = 19_600 * 1_081 * 990
"""Flops, runouts of turn and river, and hands of the house: what the sums of a kind run over."""

SUFFIX: Final = ".preflop"
"""How a table's file is named: after its ruleset, with this behind it."""

_LETTERS: Final = "23456789TJQKA"

KINDS: Final = (
    *(letter * 2 for letter in reversed(_LETTERS)),
    *(f"{high}{low}s" for high, low in itertools.combinations(reversed(_LETTERS), 2)),
    *(f"{high}{low}o" for high, low in itertools.combinations(reversed(_LETTERS), 2)),
)
"""The 169 kinds of hole cards: pairs, suited, unsuited, each from the highest."""


class PreflopTableError(ValueError):
    """Bytes that are no table of values before the flop."""


class KindSums(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Sums of one kind over every way that a deal can go on.

    In units of Ante: ``stays``, what Ante and Blind come to once a play bet is made; ``play``, once the Ante as a play
    bet; ``check``, the best after a check with no Trips; ``check_sure``, the same where Trips is so large that no hand
    it pays is folded. In units of Trips: ``trips``, with nothing folded; ``given_up``, what the folds of ``check`` give
    away of that.
    """

    stays: int
    play: int
    check: int
    check_sure: int
    trips: int
    given_up: int


class PreflopTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The sums of every kind under one law. ``unit`` is how many units an Ante has."""

    law: str
    unit: int
    kinds: dict[str, KindSums]

    @classmethod
    def read(cls, data: bytes) -> "PreflopTable":
        """The table that a file's bytes are; PreflopTableError for any other bytes."""
        try:
            table = msgspec.convert(canonical.decode(data), cls)
        except (canonical.CanonicalError, msgspec.ValidationError) as error:
            msg = f"no table of values before the flop: {error}"
            raise PreflopTableError(msg) from None
        if set(table.kinds) != set(KINDS) or table.unit < 1:
            msg = "no table of values before the flop: it must have each of the 169 kinds, and a unit"
            raise PreflopTableError(msg)
        return table

    def write(self) -> bytes:
        """The bytes of the table's file."""
        return canonical.encode(msgspec.to_builtins(self))


def kind_of(hole: Sequence[Card]) -> str:
    """The kind of two hole cards, in any order."""
    low, high = sorted(card.rank for card in hole)
    if low == high:
        return _LETTERS[low] * 2
    return _LETTERS[high] + _LETTERS[low] + ("s" if hole[0].suit == hole[1].suit else "o")


def best_bet(sums: KindSums, prices: Prices) -> tuple[int, int]:
    """The play bet before the flop that is worth most, the smaller among equals, and its sum in units."""
    return max(((multiple, sums.stays + multiple * sums.play) for multiple in prices.preflop), key=lambda bet: bet[1])


def per_ante(units: int, *, unit: int) -> Fraction:
    """A sum in units as a value in Antes."""
    return Fraction(units, WAYS * unit)
