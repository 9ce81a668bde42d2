"""The words of games in both languages, one spelling for each.

Rulesets spell the same word in several ways. A glossary has the spelling that players see, and in ``also`` the other
spellings that it replaces: ``glossary.json`` beside this file has the words that games share, and a game's registration
its own. A name that a house invented is in neither, and is shown unchanged.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

Words = dict[str, dict[str, str]]
Glossary = Mapping[str, Mapping[str, Any]]
"""Tables of names, each of entries by code; and ``terms``, what players say, each with what it means."""

_LANGUAGES: Final = ("vi", "en")


def read_glossary(folder: Path) -> Glossary:
    """Return the glossary of a folder, from its ``glossary.json``."""
    glossary: Glossary = json.loads((folder / "glossary.json").read_text(encoding="utf-8"))
    return glossary


SHARED: Final = read_glossary(Path(__file__).parent)
"""Words of more than one game; each of its terms names its games."""


def terms(game: str, glossary: Glossary) -> dict[str, Any]:
    """Return what players of a game say, by code: the terms of its own glossary, then those that games share."""
    shared = {code: term for code, term in SHARED["terms"].items() if game in term["games"]}
    return {**glossary.get("terms", {}), **shared}


def named(glossary: Glossary, names: Mapping[str, Words]) -> dict[str, Words]:
    """Return a ruleset's tables of names in the spelling of its game's glossary, or else of the shared one."""
    return {
        table: {code: _spelled(entry(glossary, table, code), name) for code, name in words.items()}
        for table, words in names.items()
    }


def entry(glossary: Glossary, table: str, code: str) -> Mapping[str, Any] | None:
    """Return the entry for a code: from the game's own glossary, or else from the one that games share.

    Return None if neither has one.
    """
    return glossary.get(table, {}).get(code) or SHARED.get(table, {}).get(code)


def _spelled(word: Mapping[str, Any] | None, name: Mapping[str, str]) -> dict[str, str]:
    """Return a ruleset's name in the spelling of its glossary entry, unchanged without an entry for this spelling."""
    if word is None:
        return dict(name)
    spellings = {word["vi"], word["en"], *word.get("also", ())}
    return {language: word[language] if name[language] in spellings else name[language] for language in _LANGUAGES}
