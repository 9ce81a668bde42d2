"""The words for broken rules, as data: ``texts/<game>.toml`` has one table ``[violation.CODE]`` with ``vi`` and ``en``.

Where a game's advice gives reasons, tables ``[advice.CODE]`` beside them have the words for these. ``[event]`` and
``[group]`` have the words for codes of events and for labels of groups of cards, as an audit's page shows them.

A violation's text may hold ``{seat}`` (counted from 0, as in the API), ``{cards}``, ``{against}``, ``{expected}``,
``{found}``, ``{late_seconds}``, and the ruleset's own names as ``{table[CODE]}``, such as ``{chi[BACK]}``. The words
for faults of a table's stake, ``texts/stakes.toml``, belong to every game. Programs read the codes; these words may
change at any time and are never part of a transcript.

>>> from referee.verdict import Violation
>>> names = {"chi": {"BACK": Name(vi="chi 1", en="back")}}
>>> load_texts("mau_binh").say(Violation(code="BACK_WRONG_SIZE", expected=5, found=4), Language.VI, names)
'Chi 1 có 4 lá; cần 5 lá.'
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final, TypeAlias

import msgspec

from referee.cards import glyphs_of
from referee.games import GAMES
from referee.rulesets.ruleset import Name, RulesetError, read_toml
from referee.verdict import Violation


class Language(enum.StrEnum):
    """A language that all texts exist in."""

    VI = "vi"
    EN = "en"


Names: TypeAlias = Mapping[str, Mapping[str, Name]]
"""A ruleset's names for people, by table and code."""

_NO_NAMES: Final[Names] = {}


@dataclass(frozen=True, slots=True)
class Texts:
    """The words for the violations of one game, the reasons of its advice, its events and groups of cards, by code."""

    violations: Mapping[str, Name]
    advice: Mapping[str, Name]
    events: Mapping[str, Name]
    groups: Mapping[str, Name]

    def advise(self, code: str, facts: Mapping[str, str], language: Language) -> str:
        """Return a reason of advice in words, with its ``{facts}`` filled in; the code itself if there are no words."""
        name = self.advice.get(code)
        if name is None:
            return code
        return _in(name, language).format(**facts)

    def say(self, violation: Violation, language: Language, names: Names = _NO_NAMES) -> str:
        """Return the violation in words, with the ruleset's ``names``; the code itself if there are no words.

        Raise KeyError if the words use a name that ``names`` does not have.
        """
        name = self.violations.get(violation.code)
        if name is None:
            return violation.code
        words = _in(name, language).format(**_names_in(names, language), **_facts(violation))
        return words[:1].upper() + words[1:]


def _in(name: Name, language: Language) -> str:
    return name.vi if language is Language.VI else name.en


def _names_in(names: Names, language: Language) -> dict[str, dict[str, str]]:
    return {table: {code: _in(name, language) for code, name in rows.items()} for table, rows in names.items()}


def _facts(violation: Violation) -> dict[str, str]:
    facts = {
        "seat": None if violation.seat is None else violation.seat,
        "cards": glyphs_of(violation.cards),
        "against": glyphs_of(violation.against),
        "expected": violation.expected,
        "found": violation.found,
        "late_seconds": None,
    }
    if violation.deadline_time is not None and violation.received_time is not None:
        facts["late_seconds"] = -(-(violation.received_time - violation.deadline_time) // 1000)
    return {key: "?" if value is None else str(value) for key, value in facts.items()}


class _File(msgspec.Struct, forbid_unknown_fields=True):
    violation: dict[str, Name]
    advice: dict[str, Name] = {}
    event: dict[str, Name] = {}
    group: dict[str, Name] = {}


@cache
def load_texts(game: str) -> Texts:
    """Return the words of one game; raise RulesetError if its file is not of the right shape."""
    read = _read(GAMES[game].data, f"{game}.toml")
    violations = _read(__package__, "stakes.toml").violation | read.violation
    return Texts(violations, read.advice, read.event, read.group)


def _read(package: str, name: str) -> _File:
    file = resources.files(package) / "texts" / name
    try:
        return msgspec.convert(read_toml(file.read_bytes(), file=name), _File)
    except msgspec.ValidationError as error:
        raise RulesetError(name, [(None, str(error))]) from error
