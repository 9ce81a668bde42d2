"""Texts of the page in Vietnamese and English, from ``words.toml`` and a ruleset's own names.

A code without a text is shown itself, so a page can show every code.

>>> words = load_words()
>>> words.of("abort", "OPERATOR").en, words.of("abort", "NO_SUCH").vi
('by the operator', 'NO_SUCH')
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Final

import msgspec

from referee.evidence.printable import printable, readable
from referee.finding import Phrase
from referee.rulesets import Ruleset
from referee.rulesets.ruleset import Name


class Words:
    """Texts of the page, by table and code."""

    def __init__(self, tables: Mapping[str, Mapping[str, Phrase]]) -> None:
        self._tables: Final = tables

    @property
    def page(self) -> Mapping[str, Phrase]:
        """Fixed texts of the page, by name."""
        return self._tables["page"]

    @property
    def glossary(self) -> Sequence[tuple[Phrase, Phrase]]:
        """Terms of the page with their meanings, in the order of ``words.toml``."""
        return [(term, self._tables["glossary"][name]) for name, term in self._tables["term"].items()]

    def of(self, table: str, code: str) -> Phrase:
        """Return the text of a code in a table of ``words.toml``; the code itself if it has no text."""
        return self._tables.get(table, {}).get(code) or _as_it_is(code)


@cache
def load_words() -> Words:
    """Load ``words.toml``."""
    text = resources.files("referee.audit.page").joinpath("words.toml").read_text(encoding="utf-8")
    return Words(msgspec.convert(tomllib.loads(text), dict[str, dict[str, Phrase]]))


def name_of(ruleset: Ruleset | None, code: str) -> Phrase:
    """Return the name that a ruleset gives a code, from its reasons first; the code itself if it has no name."""
    if ruleset is not None:
        for table in ("reason", *ruleset.names):
            name = ruleset.names.get(table, {}).get(code)
            if name is not None:
                return Phrase(vi=readable(name.vi), en=readable(name.en))
    return _as_it_is(code)


def phrase_of(names: Mapping[str, Name], code: str) -> Phrase:
    """Return the words that a game has for a code; the code itself if it has none."""
    name = names.get(code)
    return _as_it_is(code) if name is None else Phrase(vi=readable(name.vi), en=readable(name.en))


def title_of(ruleset: Ruleset | None, ruleset_id: str) -> Phrase:
    """Return a ruleset's title; the id if ``ruleset`` is None."""
    if ruleset is None:
        return _as_it_is(ruleset_id)
    return Phrase(vi=readable(ruleset.title.vi), en=readable(ruleset.title.en))


def _as_it_is(code: str) -> Phrase:
    text = printable(code)
    return Phrase(vi=text, en=text)
