"""Rows and sections of a screen of rules, as games write theirs from the data of a ruleset."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from referee_table import sentences
from referee_table.laws import Law
from referee_table.sentences import Data, Text, say

STAKE: Final = "cược"
_LADDER: Final = {
    "HIGH_CARD": "AS QD 9C 6H 3S",
    "PAIR": "KS KD 9C 6H 3S",
    "TWO_PAIR": "KS KD 9C 9H 3S",
    "THREE_OF_A_KIND": "8S 8D 8C JH 3S",
    "STRAIGHT": "5S 6D 7C 8H 9S",
    "FLUSH": "2H 6H 9H JH KH",
    "FULL_HOUSE": "QS QD QC 5H 5S",
    "FOUR_OF_A_KIND": "9S 9D 9C 9H 4S",
    "STRAIGHT_FLUSH": "5D 6D 7D 8D 9D",
    "LOW_STRAIGHT_FLUSH": "AD 2D 3D 4D 5D",
    "ROYAL_FLUSH": "TS JS QS KS AS",
    "FOUR_ACES": "AS AC AD AH 7S",
}


def ladder(law: Law) -> dict[str, Any]:
    """Return the hands from the strongest down."""
    order = reversed(law.data["ranking"]["rules"]["order"])
    rows = [row(law.name("category", one), say("", ""), _LADDER.get(one, "")) for one in order]
    return section("LADDER", say("Thứ hạng, mạnh đến yếu", "Hands, strong to weak"), rows)


def commission(law: Law, unit: str = STAKE) -> dict[str, Any]:
    """Return the section on what winners pay the house."""
    rows = said(law, "COMMISSION", sentences.commission(law.data, unit))
    return section("COMMISSION", law.name("reason", "COMMISSION"), rows)


def said(law: Law, reason: str, sentence: Text) -> list[dict[str, Any]]:
    """Return a row for a reason to pay; none where the ruleset has no such rule."""
    return [row(law.name("reason", reason), sentence)] if sentence["en"] else []


def instant_wins(law: Law, unit: str = STAKE) -> dict[str, Any]:
    """Return the section on hands that win at the deal."""
    rows = [row(law.name("pattern", one["pattern"]), units(one["units"], unit)) for one in law.data["instant_wins"]]
    return section("INSTANT_WINS", law.name("reason", "INSTANT_WIN"), rows)


def prices(law: Law, table: Data) -> list[dict[str, Any]]:
    """Return a row for each price of a table."""
    return [
        row(law.name("price", name.upper()), units(price)) for name, price in table.items() if isinstance(price, int)
    ]


def section(code: str, title: Text, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a section of rows under a title."""
    return {
        "code": code,
        "title": {language: sentence(text, end="") for language, text in title.items()},
        "rows": rows,
    }


def row(label: Text, value: Text, cards: str = "") -> dict[str, Any]:
    """Return a row: a label, its value, and example cards as one text."""
    row: dict[str, Any] = {"label": label, "value": value}
    return row | ({"cards": cards.split()} if cards else {})


def joined(first: Text, second: Text) -> Text:
    """Return two texts as one."""
    return say(f"{first['vi']}, {second['vi']}", f"{first['en']}, {second['en']}")


def units(units: int, unit: str = STAKE) -> Text:
    """Say a number of stakes; ``unit`` is what players of a game call them in Vietnamese."""
    return say(f"{units} {unit}", f"{units} stake" if units == 1 else f"{units} stakes")


def odds(odds: str) -> Text:
    """Say odds."""
    return say(odds.replace("/", " : "), odds.replace("/", " : "))


def multiples(street: Data) -> str:
    """Say by what the Ante is multiplied on a street."""
    return " / ".join(f"{one}x" for one in street["multiples"])


def sentence(text: str, end: str = ".") -> str:
    """Return a text with a capital and an end."""
    return f"{text[:1].upper()}{text[1:]}{end}"
