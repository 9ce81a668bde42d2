"""The tables at hand: those that come with the referee, and an operator's own beside their rulesets.

A table fits every ruleset of its law, whatever the ruleset is called. An operator's file is named after its ruleset,
``<id>.preflop``, and is written by ``referee odds RULESET --table FOLDER``.

>>> from referee.rulesets import get
>>> Shelf.builtin().table_for(get("ultimate_texas.casino").rules).unit
2
"""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Final

from referee.advice.ultimate_texas.law import law_digest
from referee.advice.ultimate_texas.preflop import SUFFIX, PreflopTable, PreflopTableError
from referee.games.ultimate_texas import UltimateTexasRules

SHIPPED: Final = MappingProxyType(
    {
        "ultimate_texas.casino.preflop": "b1d31a1624960f3cb03a68219b58cde17e2f5bf40d07ceccfa28a73e744a142c",
        "ultimate_texas.two_plus_three.preflop": "62c0402b6e9a0d27b290580585e9dbe2b098b0a02cf1ef5048d85fef89044037",
    }
)
"""The files that come with the referee and their SHA-256."""


class Shelf:
    """Tables by the law that they were counted under; iterates over them."""

    def __init__(self, tables: Iterable[PreflopTable]) -> None:
        self._tables = {table.law: table for table in tables}

    def __iter__(self) -> Iterator[PreflopTable]:
        return iter(self._tables.values())

    @staticmethod
    def builtin() -> "Shelf":
        """The tables that come with the referee; read once."""
        return _builtin()

    @classmethod
    def with_folder(cls, folder: Path) -> "Shelf":
        """The tables that come with the referee and every ``.preflop`` file of a folder.

        PreflopTableError, naming the file, where one is none; OSError where the folder cannot be read.
        """
        own = [file for file in sorted(folder.iterdir()) if file.suffix == SUFFIX]
        return cls([*cls.builtin(), *(_read(file.read_bytes(), name=str(file)) for file in own)])

    def table_for(self, rules: UltimateTexasRules) -> PreflopTable | None:
        """The table of the rules' law; None where there is none."""
        return self._tables.get(law_digest(rules))


@cache
def _builtin() -> Shelf:
    folder = resources.files("referee.advice.ultimate_texas") / "data"
    tables = []
    for name, digest in SHIPPED.items():
        data = (folder / name).read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            msg = f"{name} is not the file that came with the referee"
            raise PreflopTableError(msg)
        tables.append(_read(data, name=name))
    return Shelf(tables)


def _read(data: bytes, *, name: str) -> PreflopTable:
    try:
        return PreflopTable.read(data)
    except PreflopTableError as error:
        msg = f"{name}: {error}"
        raise PreflopTableError(msg) from None
