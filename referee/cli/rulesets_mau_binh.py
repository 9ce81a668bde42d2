"""Faults of Mậu Binh that pay by a sheet's own words, for ``referee rulesets check``."""

from pathlib import Path
from typing import NamedTuple

from referee.cli.options import catalogue_of
from referee.games.mau_binh import MauBinhRules
from referee.games.mau_binh.bounds import Fault
from referee.rulesets import Ruleset

_NAMES = {Fault.FOUL: ("a foul on purpose", "foul"), Fault.LEFT: ("leaving before the showdown", "leaving")}


class PayingLine(NamedTuple):
    """A fault at a table of some seats, and in how many of 100 hands it pays; None without a population."""

    ruleset: str
    fault: str
    allowed_by: str
    seats: int
    of_100_hands: float | None

    def __str__(self) -> str:
        """Return one line of the command."""
        count = "an unknown number" if self.of_100_hands is None else f"{self.of_100_hands:g}"
        return (
            f"{self.ruleset}: at {self.seats} seats {self.fault} pays in {count} of 100 hands,"
            f" by the words of {self.allowed_by}"
        )


def faults_that_pay(folder: Path) -> list[PayingLine]:
    """Return how often the faults pay that a folder's own rulesets allow, in the order of rulesets and seats."""
    builtin = {ruleset.digest for ruleset in catalogue_of(None)}
    return [
        line
        for ruleset in catalogue_of(folder)
        if ruleset.digest not in builtin and isinstance(ruleset.rules, MauBinhRules) and ruleset.rules.losses.allowed
        for line in _lines(ruleset, ruleset.rules, folder)
    ]


def _lines(ruleset: Ruleset, rules: MauBinhRules, folder: Path) -> list[PayingLine]:
    from referee.advice.mau_binh.faults import paying_faults  # noqa: PLC0415 - numpy
    from referee.advice.mau_binh.populations import NoPopulationError, Populations  # noqa: PLC0415 - numpy

    def line(fault: Fault, seats: int, share: float | None) -> PayingLine:
        name, table = _NAMES[fault]
        count = None if share is None else round(100 * share, 1)
        return PayingLine(ruleset.id, name, f"{table}.allowed_by", seats, count)

    try:
        population = Populations.with_folder(folder).population_for(rules, digest=ruleset.digest)
    except NoPopulationError:
        return [line(fault, seats, None) for fault in rules.losses.allowed for seats in rules.losses.seats]
    return [line(*paying) for paying in paying_faults(rules, population)]
