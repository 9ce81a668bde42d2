"""A ruleset that rooms can play by: names of codes, clocks, bets, and what pages show.

Rulesets spell the same word in several ways. A game's words have the spelling that players see, and in ``also`` the
other spellings that it replaces. A name that a house invented is in neither, and is shown unchanged.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from referee_table.words import SHARED, Text, Words

STAKES: Final = (100, 500, 1000, 5000, 10_000)
"""What rooms can be played for."""


@dataclass(frozen=True, slots=True)
class Law:
    """One ruleset. ``data`` is its ``file``, parsed, from which only clocks, limits and words are taken.

    ``words`` are its game's. ``shown`` is what pages are given of it; its names are spelled as those words have them.
    """

    id: str
    game: str
    bet_unit: int
    min_seats: int
    max_seats: int
    file: bytes
    data: Mapping[str, Any]
    words: Words
    shown: dict[str, Any]

    @property
    def limits(self) -> Mapping[str, int]:
        """The limits of the bets by name, such as ``smallest_ante``; empty without limits."""
        limits: Mapping[str, int] = self.data.get("limits", {})
        return limits

    def default_ante(self, stake: int) -> int:
        """Return the Ante of a seat that named none: the room's stake, within the limits of the ruleset."""
        return min(max(stake, self.limits.get("smallest_ante", stake)), self.limits.get("largest_ante", stake))

    def bet_fault(self, *, ante: int, trips: int) -> str:
        """Return what is wrong with the bets of a seat by the bet unit and the limits; empty where nothing is."""
        if ante % self.bet_unit:
            return f"the ante is a multiple of {self.bet_unit}"
        for name, bet in (("ante", ante), ("trips", trips)):
            smallest, largest = (self.limits.get(f"{end}_{name}", bet) for end in ("smallest", "largest"))
            if bet and not smallest <= bet <= largest:
                return f"the {name} is {smallest} to {largest}"
        return ""

    def clock_ms(self, name: str) -> int:
        """Return the length of a clock of the ruleset, such as ``arranging``, in milliseconds."""
        return int(self.data["clocks"][name]["seconds"]) * 1000

    def name(self, table: str, code: str) -> Text:
        """Return the names of a code of one table, or the code itself if it has none."""
        return dict(self.shown["names"].get(table, {}).get(code) or {"vi": code, "en": code})

    def word(self, code: str) -> Text:
        """Return the names of a code, or the code itself if it has none; reasons are looked up first."""
        names = self.shown["names"]
        found = [table[code] for table in (names.get("reason", {}), *names.values()) if code in table]
        return dict(found[0]) if found else {"vi": code, "en": code}

    def respelled(self, text: Text) -> Text:
        """Return words of the referee with the chi called as this table calls them, not by the ruleset's numbers."""
        vi = text["vi"]
        for word in self.words.get("chi", {}).values():
            for other in word["also"]:
                vi = re.sub(rf"\b{other}\b", word["vi"], vi)
        return {**text, "vi": vi}


def named(words: Words, names: Mapping[str, Mapping[str, Text]]) -> dict[str, dict[str, Text]]:
    """Return a ruleset's tables of names in the spelling of its game's words, or else of the shared ones."""
    return {
        table: {code: _spelled(entry(words, table, code), name) for code, name in by_code.items()}
        for table, by_code in names.items()
    }


def entry(words: Words, table: str, code: str) -> Words | None:
    """Return the words for a code: the game's own, or else those that games share; None if there are none."""
    found: Words | None = words.get(table, {}).get(code) or SHARED.get(table, {}).get(code)
    return found


def _spelled(word: Words | None, name: Text) -> Text:
    if word is None:
        return dict(name)
    spellings = {word["vi"], word["en"], *word.get("also", ())}
    return {language: word[language] if name[language] in spellings else name[language] for language in ("vi", "en")}
