"""The available populations: those that come with the referee, and an operator's own beside their rulesets.

A ruleset is advised by the population that was learned from it. Without one, a population of the same ranking serves,
since prices are taken from the ruleset itself: first one with the same kind of sweep, then by id. An operator's file is
named after its ruleset, ``<id>.population``; ``referee learn`` writes it.

>>> from referee.rulesets import get
>>> ruleset = get("mau_binh.classic")
>>> Populations.builtin().population_for(ruleset.rules, digest=ruleset.digest).origin.ruleset_id
'mau_binh.classic'
"""

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

from referee.advice.mau_binh.population import Population, PopulationError
from referee.advice.mau_binh.self_play import sweep_kind
from referee.games.mau_binh import MauBinhRules

SUFFIX: Final = ".population"


class NoPopulationError(LookupError):
    """Rules with a ranking that no available population has."""


class Populations:
    """Populations by the ruleset that they advise."""

    def __init__(self, populations: Iterable[Population]) -> None:
        self._populations = sorted(populations, key=lambda one: (one.origin.ruleset_id, one.origin.ruleset_version))

    @staticmethod
    def builtin() -> "Populations":
        """Return the populations that come with the referee; read once."""
        return _builtin()

    @classmethod
    def with_folder(cls, folder: Path) -> "Populations":
        """Read the populations that come with the referee and every ``.population`` file of a folder.

        Raises PopulationError, naming the file, if one is none; OSError if the folder cannot be read.
        """
        own = [file for file in sorted(folder.iterdir()) if file.suffix == SUFFIX]
        return cls([*cls.builtin(), *(_read(file) for file in own)])

    def __iter__(self) -> Iterator[Population]:
        return iter(self._populations)

    def population_for(self, rules: MauBinhRules, *, digest: bytes) -> Population:
        """Return the population for a ruleset with this digest of its file; raise NoPopulationError if none fits."""
        fitting = [one for one in self._populations if one.ranking == rules.ranking.rules]
        for one in reversed(fitting):
            if one.origin.ruleset_digest == digest.hex():
                return one
        kind = sweep_kind(rules)
        fitting.sort(key=lambda one: one.origin.sweep != kind)
        if not fitting:
            raise NoPopulationError("no population ranks hands as this ruleset does; `referee learn` makes one")
        return fitting[0]


@cache
def _builtin() -> Populations:
    folder = resources.files("referee.advice.mau_binh") / "data"
    return Populations(_read(file) for file in folder.iterdir() if file.name.endswith(SUFFIX))


def _read(file: Traversable) -> Population:
    try:
        return Population.read(file.read_bytes())
    except PopulationError as error:
        raise PopulationError(f"{file}: {error}") from None
