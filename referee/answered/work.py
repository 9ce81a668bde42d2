"""Scoring of rounds in any process: a round is sent with its ruleset's file, and its tables are built there."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

from referee.answered.choices import Choices, growth_alone, growth_of
from referee.answered.tables import valuer_of
from referee.answered.values import Floats, Valuer
from referee.rulesets import Ruleset, parse_ruleset

Growth: TypeAlias = tuple[Floats, Floats, Floats]
"""Growth of a round's stakes: by card tables and by whole hands, by seat and known seat, and by seat alone."""


class Work(NamedTuple):
    """A round to be scored: its ruleset's source and file, the house's folder, its choices, the seats asked about."""

    source: bytes
    file: str
    folder: Path | None
    choices: Choices
    seats: tuple[int, ...]


def grow(works: Sequence[Work]) -> list[Growth]:
    """Score rounds whose rulesets have card tables."""
    return [_grown(work) for work in works]


def _grown(work: Work) -> Growth:
    values = _values(work)
    return *growth_of(values, work.choices), growth_alone(values, work.choices, work.seats)


def _values(work: Work) -> Valuer:
    values = valuer_of(_ruleset(work.source, work.file), len(work.choices.chosen), work.folder)
    assert values is not None  # noqa: S101 - the caller left out rounds without tables
    return values


@lru_cache(maxsize=64)
def _ruleset(source: bytes, file: str) -> Ruleset:
    return parse_ruleset(source, file=file)
