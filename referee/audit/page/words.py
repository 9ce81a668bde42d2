"""The page's words in Vietnamese and English, from ``words.toml``, ``findings.vi.toml`` and a ruleset's own names.

The law: words are data, read strictly; a code without words stands for itself in both languages, so a page is made of
whatever the audit found.

>>> words = load_words()
>>> words.of("event", "PASS").en, words.of("event", "NO_SUCH").vi
('passes', 'NO_SUCH')
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

import msgspec

from referee.audit.explanation import explain
from referee.audit.finding import Code
from referee.rulesets import Ruleset

_ROOM: Final = resources.files("referee.audit.page")


class Phrase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing said in both languages."""

    vi: str
    en: str


class Said(msgspec.Struct, frozen=True):
    """What a finding means and what to do, in both languages."""

    meaning: Phrase
    remedy: Phrase


class _Vietnamese(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    meaning: str
    remedy: str


class Words:
    """All words of the page, by table and code."""

    def __init__(self, tables: Mapping[str, Mapping[str, Phrase]], findings: Mapping[str, _Vietnamese]) -> None:
        self._tables: Final = tables
        self._findings: Final = findings

    @property
    def page(self) -> Mapping[str, Phrase]:
        """The fixed texts of the page, by name."""
        return self._tables["page"]

    def of(self, table: str, code: str) -> Phrase:
        """The words for a code of a table; the code itself in both languages where it has none."""
        return self._tables.get(table, {}).get(code) or Phrase(vi=code, en=code)

    def finding(self, code: Code) -> Said:
        """What a finding means and what to do; in English alone where a code has no Vietnamese words yet."""
        english = explain(code)
        vietnamese = self._findings.get(code, _Vietnamese(meaning=english.meaning, remedy=english.remedy))
        return Said(
            meaning=Phrase(vi=vietnamese.meaning, en=english.meaning),
            remedy=Phrase(vi=vietnamese.remedy, en=english.remedy),
        )


@cache
def load_words() -> Words:
    """The words as they stand in the files of this room."""
    tables = msgspec.convert(_read("words.toml"), dict[str, dict[str, Phrase]])
    return Words(tables, msgspec.convert(_read("findings.vi.toml"), dict[str, _Vietnamese]))


def name_of(ruleset: Ruleset | None, code: str) -> Phrase:
    """What a ruleset calls a code, reasons first; the code itself in both languages where it has no name for it."""
    if ruleset is not None:
        for table in ("reason", *ruleset.names):
            name = ruleset.names.get(table, {}).get(code)
            if name is not None:
                return Phrase(vi=name.vi, en=name.en)
    return Phrase(vi=code, en=code)


def _read(name: str) -> dict[str, object]:
    return tomllib.loads(_ROOM.joinpath(name).read_text(encoding="utf-8"))
