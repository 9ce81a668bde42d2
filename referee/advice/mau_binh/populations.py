"""The available populations: those that come with the referee, and an operator's own beside their rulesets.

A ruleset is advised by the population that was learned from it. Otherwise a population of the same ranking is used,
because prices are taken from the ruleset itself: preferably one with the same kind of sweep, then the first by id. An
operator's file is named after its ruleset, ``<id>.population``; ``referee learn`` writes it.

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

from referee.advice.mau_binh.population import HandPopulation, PopulationError
from referee.advice.mau_binh.self_play import sweep_kind
from referee.games.mau_binh import MauBinhRules

SUFFIX: Final = ".population"


class NoPopulationError(LookupError):
    """No available population has the ranking of the rules."""


class Populations:
    """Populations by the ruleset that they advise."""

    def __init__(self, populations: Iterable[HandPopulation]) -> None:
        ordered = sorted(populations, key=lambda learned: (learned.origin.ruleset_id, learned.origin.ruleset_version))
        self._populations = ordered

    @staticmethod
    @cache
    def builtin() -> "Populations":
        """Return the populations that come with the referee; read once."""
        folder = resources.files("referee.advice.mau_binh") / "data"
        return Populations(_read(file) for file in folder.iterdir() if file.name.endswith(SUFFIX))

    @classmethod
    def with_folder(cls, folder: Path) -> "Populations":
        """Read the populations that come with the referee and every ``.population`` file of a folder.

        Raise PopulationError, naming the file, for a file that is no population; OSError if the folder cannot be read.
        """
        own = [file for file in sorted(folder.iterdir()) if file.suffix == SUFFIX]
        return cls([*cls.builtin(), *(_read(file) for file in own)])

    def __iter__(self) -> Iterator[HandPopulation]:
        return iter(self._populations)

    def population_for(self, rules: MauBinhRules, *, digest: bytes) -> HandPopulation:
        """Return the population that was learned from the ruleset file with this digest, or else one of its ranking.

        Raise NoPopulationError if no population has the ruleset's ranking.
        """
        fitting = [learned for learned in self._populations if learned.ranking == rules.ranking.rules]
        for learned in reversed(fitting):
            if learned.origin.ruleset_digest == digest.hex():
                return learned
        kind = sweep_kind(rules)
        fitting.sort(key=lambda learned: learned.origin.sweep != kind)
        if not fitting:
            raise NoPopulationError("no population ranks hands as this ruleset does; `referee learn` makes one")
        return fitting[0]


def _read(file: Traversable) -> HandPopulation:
    try:
        return HandPopulation.read(file.read_bytes())
    except PopulationError as error:
        raise PopulationError(f"{file}: {error}") from None
