"""A question about an arrangement, as it is computed; the first question imports numpy."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from referee.advice import NoAdviceError
from referee.advice.mau_binh.suggestion import Suggestion
from referee.cards import Card
from referee.evidence.printable import error_words
from referee.games.mau_binh import MauBinhRules

if TYPE_CHECKING:
    from referee.advice.mau_binh.advisor import Advisor


class ArrangementTable(NamedTuple):
    """The table at which cards are valued: ruleset, digest of its file, seats, and a folder of further populations."""

    rules: MauBinhRules
    ruleset_digest: bytes
    seat_count: int
    folder: Path | None


class ArrangementAnswer(NamedTuple):
    """Suggestions, best first, and the digest of the population that they are valued by."""

    suggestions: tuple[Suggestion, ...]
    population_digest: bytes


def suggest(table: ArrangementTable, cards: tuple[Card, ...], *, count: int) -> ArrangementAnswer:
    """Return at most ``count`` arrangements of the cards; raise NoAdviceError if no population fits the rules."""
    advisor = _advisor_of(table)
    return ArrangementAnswer(advisor.suggest(cards, count=count), advisor.table.population.digest)


@lru_cache(maxsize=16)
def _advisor_of(table: ArrangementTable) -> "Advisor":
    from referee.advice.mau_binh.advisor import Advisor  # noqa: PLC0415 - numpy, which no server imports
    from referee.advice.mau_binh.population import PopulationError  # noqa: PLC0415 - numpy
    from referee.advice.mau_binh.populations import NoPopulationError, Populations  # noqa: PLC0415 - numpy

    rules, folder = table.rules, table.folder
    try:
        populations = Populations.builtin() if folder is None else Populations.with_folder(folder)
        population = populations.population_for(rules, digest=table.ruleset_digest)
    except (NoPopulationError, PopulationError, OSError) as error:
        raise NoAdviceError(error_words(error)) from None
    return Advisor.of(rules, population, seat_count=table.seat_count)
