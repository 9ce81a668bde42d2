"""Texts of the findings for people: what each code means and what to do about it, from ``findings.toml``.

>>> explain(Code.OPENED_TWICE).meaning.en
'One round of a table was opened twice.'
"""

import tomllib
from functools import cache
from importlib import resources

import msgspec

from referee.audit.finding import Code


class Phrase(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text in both languages."""

    vi: str
    en: str


class Explanation(msgspec.Struct, frozen=True):
    """Meaning of a code, and what a reader can do."""

    meaning: Phrase
    remedy: Phrase


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A code's texts; ``remedy`` is a text of its own or the name of a shared one."""

    vi: str
    en: str
    remedy: str | Phrase


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    remedies: dict[str, Phrase]
    codes: dict[Code, _Entry]


def explain(code: Code) -> Explanation:
    """Return the texts of a code."""
    return _explanations()[code]


@cache
def _explanations() -> dict[Code, Explanation]:
    text = resources.files("referee.audit").joinpath("findings.toml").read_text(encoding="utf-8")
    file = msgspec.convert(tomllib.loads(text), _File)
    return {
        code: Explanation(
            Phrase(vi=one.vi, en=one.en), file.remedies[one.remedy] if isinstance(one.remedy, str) else one.remedy
        )
        for code, one in file.codes.items()
    }
