"""The words of all games in both languages: one spelling for each, whatever the text of a ruleset writes.

``glossary.json`` beside this file is read by the page as well. ``also`` lists the spellings of rulesets that a word
replaces; a name that is neither the glossary's nor listed there is a house's own and stays.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

Words = dict[str, dict[str, str]]

GLOSSARY: Final[dict[str, dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "glossary.json").read_text(encoding="utf-8")
)
_LANGUAGES: Final = ("vi", "en")


def named(game: str, names: Mapping[str, Words]) -> dict[str, Words]:
    """Return a ruleset's tables of names in the glossary's spelling."""
    return {
        table: {code: _spelled(entry(game, table, code), given) for code, given in words.items()}
        for table, words in names.items()
    }


def entry(game: str, table: str, code: str) -> Mapping[str, Any] | None:
    """Return the glossary's entry of a code, of the game's own table or else of the one that games share."""
    found = GLOSSARY.get(f"{game}.{table}", {}).get(code) or GLOSSARY.get(table, {}).get(code)
    return found if found is None or "vi" in found else None


def _spelled(found: Mapping[str, Any] | None, given: Mapping[str, str]) -> dict[str, str]:
    if found is None:
        return dict(given)
    known = {found["vi"], found["en"], *found.get("also", ())}
    return {language: found[language] if given[language] in known else given[language] for language in _LANGUAGES}
