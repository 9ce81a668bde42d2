"""Texts of an answer in both languages, and the limits of proof: ``dispute.toml``."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

import msgspec

from referee.audit.dispute.limits import Condition
from referee.finding import Phrase


class Limit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that nobody can prove, why, where it is so, and what would help."""

    code: str
    when: tuple[Condition, ...]
    text: Phrase
    why: Phrase
    ask: Phrase | None = None
    ask_when: tuple[Condition, ...] = ()
    """Conditions under which ``ask`` is worth asking for."""


Texts = Mapping[str, Phrase]


class DisputeWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Texts by table and code."""

    page: Texts
    verdict: Texts
    advice: Texts
    stage: Texts
    kind: Texts
    weight: Texts
    proves: Texts
    proves_not: Texts
    party: Texts
    certainty: Texts
    honest: Texts
    limits: tuple[Limit, ...]


@cache
def dispute_words() -> DisputeWords:
    """Load ``dispute.toml``."""
    text = resources.files("referee.audit.dispute").joinpath("dispute.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), DisputeWords)
