"""The values of hole cards before the flop: exact sums over the 20,975,724,000 ways that a deal can go on.

They are counted once, by ``referee odds RULESET --table FOLDER``, and kept as a file of canonical JSON with the digest
of the rules that decide values (``law_digest``); it fits every ruleset with that digest. An operator's file is named
after its ruleset, ``<id>.preflop``. Hole cards are named by kind: ``AA``, ``AKs`` of one suit, ``AKo`` of two.

>>> from referee.cards import parse_cards
>>> kind_of(parse_cards("5H KH")), kind_of(parse_cards("5H KS")), kind_of(parse_cards("5H 5S")), len(KINDS)
('K5s', 'K5o', '55', 169)
>>> from referee.rulesets import get
>>> PreflopTables.builtin().table_for(get("ultimate_texas.casino").rules).unit
2
"""

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from referee.advice.ultimate_texas.price import Prices
from referee.cards import Card
from referee.evidence import canonical
from referee.games.ultimate_texas import UltimateTexasRules

WAYS: Final = 19_600 * 1_081 * 990
"""Number of deals in the sums of a kind: flops, runouts of turn and river, and hands of the house."""

SUFFIX: Final = ".preflop"
"""The end of the name of a table's file."""

_LETTERS: Final = "23456789TJQKA"

KINDS: Final = (
    *(letter * 2 for letter in reversed(_LETTERS)),
    *(f"{high}{low}s" for high, low in itertools.combinations(reversed(_LETTERS), 2)),
    *(f"{high}{low}o" for high, low in itertools.combinations(reversed(_LETTERS), 2)),
)
"""The 169 kinds of hole cards: pairs, suited, unsuited, each from the highest."""


SHIPPED: Final = MappingProxyType(
    {
        "ultimate_texas.casino.preflop": "b1d31a1624960f3cb03a68219b58cde17e2f5bf40d07ceccfa28a73e744a142c",
        "ultimate_texas.two_plus_three.preflop": "62c0402b6e9a0d27b290580585e9dbe2b098b0a02cf1ef5048d85fef89044037",
    }
)
"""SHA-256 of the files that come with the referee."""


class PreflopTableError(ValueError):
    """Bytes that are no table of values before the flop."""


class KindSums(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Sums of one kind over every way that a deal can go on.

    In units of Ante: ``stays``, results of Ante and Blind if a play bet is made; ``play``, results of a play bet of one
    Ante; ``check``, best results after a check without Trips; ``check_sure``, the same if Trips is so large that no
    hand it pays is folded. In units of Trips: ``trips``, results if nothing is folded; ``given_up``, the part of these
    that the folds of ``check`` lose.
    """

    stays: int
    play: int
    check: int
    check_sure: int
    trips: int
    given_up: int


class PreflopTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The sums of every kind. ``law`` is the digest of the rules, ``unit`` the number of units of an Ante."""

    law: str
    unit: int
    kinds: dict[str, KindSums]

    @classmethod
    def read(cls, data: bytes) -> "PreflopTable":
        """Read a file's bytes; raise PreflopTableError unless they are a table."""
        try:
            table = msgspec.convert(canonical.decode(data), cls)
        except (canonical.CanonicalError, msgspec.ValidationError) as error:
            raise PreflopTableError(f"no table of values before the flop: {error}") from None
        if set(table.kinds) != set(KINDS) or table.unit < 1:
            msg = "no table of values before the flop: it must have each of the 169 kinds, and a unit"
            raise PreflopTableError(msg)
        return table

    def write(self) -> bytes:
        """Encode the table's file."""
        return canonical.encode(msgspec.to_builtins(self))


def kind_of(hole: Sequence[Card]) -> str:
    """Return the kind of two hole cards, in any order."""
    low, high = sorted(card.rank for card in hole)
    if low == high:
        return _LETTERS[low] * 2
    return _LETTERS[high] + _LETTERS[low] + ("s" if hole[0].suit == hole[1].suit else "o")


def best_bet(sums: KindSums, prices: Prices) -> tuple[int, int]:
    """Return the best play bet before the flop, the smaller among equals, and its sum in units."""
    return max(((multiple, sums.stays + multiple * sums.play) for multiple in prices.preflop), key=lambda bet: bet[1])


class PreflopTables:
    """The tables that come with the referee, and an operator's own; iterates over them."""

    def __init__(self, tables: Iterable[PreflopTable]) -> None:
        self._tables = {table.law: table for table in tables}

    def __iter__(self) -> Iterator[PreflopTable]:
        return iter(self._tables.values())

    @staticmethod
    @cache
    def builtin() -> "PreflopTables":
        """Return the tables that come with the referee; read once."""
        folder, tables = resources.files("referee.advice.ultimate_texas") / "data", []
        for name, digest in SHIPPED.items():
            data = (folder / name).read_bytes()
            if hashlib.sha256(data).hexdigest() != digest:
                raise PreflopTableError(f"{name} is not the file that came with the referee")
            tables.append(_read(data, name=name))
        return PreflopTables(tables)

    @classmethod
    def with_folder(cls, folder: Path) -> "PreflopTables":
        """Read the tables that come with the referee and every ``.preflop`` file of a folder.

        Raise PreflopTableError, naming the file, for a file that is no table; OSError if the folder cannot be read.
        """
        own = [file for file in sorted(folder.iterdir()) if file.suffix == SUFFIX]
        return cls([*cls.builtin(), *(_read(file.read_bytes(), name=str(file)) for file in own)])

    def table_for(self, rules: UltimateTexasRules) -> PreflopTable | None:
        """Return the table for these rules; None if there is none."""
        return self._tables.get(law_digest(rules))


@lru_cache(maxsize=4)
def tables_of(folder: Path | None) -> PreflopTables:
    """Return the tables that come with the referee and those of a folder, read once; raises as ``with_folder`` does."""
    return PreflopTables.builtin() if folder is None else PreflopTables.with_folder(folder)


def _read(data: bytes, *, name: str) -> PreflopTable:
    try:
        return PreflopTable.read(data)
    except PreflopTableError as error:
        raise PreflopTableError(f"{name}: {error}") from None


def law_digest(rules: UltimateTexasRules) -> str:
    """Return the SHA-256, in hexadecimal, of the canonical JSON of the rules that decide values.

    Two files that agree in these have the same values, whatever their names, seats and sources.
    """
    ranking = rules.ranking.rules
    law = {
        "hands": str(rules.hands.rule),
        "order": [str(category) for category in ranking.order],
        "ace_low_straight": str(ranking.ace_low_straight),
        "preflop": list(rules.streets.preflop.multiples),
        "flop": list(rules.streets.flop.multiples),
        "river": list(rules.streets.river.multiples),
        "qualifying": str(rules.qualifying.category),
        "ante": rules.ante.odds,
        "play": rules.play.odds,
        "blind": [[str(payout.hand), payout.odds] for payout in rules.blind],
        "trips": [[str(payout.hand), payout.odds] for payout in rules.trips],
    }
    return hashlib.sha256(canonical.encode(law)).hexdigest()
