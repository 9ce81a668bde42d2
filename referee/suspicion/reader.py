"""The reader of an audit's rounds that counts them, compares the counts with chance, and adds what chance excludes."""

from collections.abc import Iterator
from itertools import islice
from typing import Final, Self

from msgspec.structs import asdict

from referee.audit.documents import NO_DOCUMENTS, Documents
from referee.audit.report import Report
from referee.audit.round_leaves import ExaminedRound
from referee.audit.seed_book import SeedBook, SeedKind
from referee.finding import Finding
from referee.suspicion.answers import Answers
from referee.suspicion.given_up import GivenUpBook
from referee.suspicion.owners import Owners
from referee.suspicion.population import LogCounts
from referee.suspicion.questions import questions
from referee.suspicion.report import CountedReport, Statistics
from referee.suspicion.sample import sample_of
from referee.suspicion.score import KEPT, judge


class Suspicion:
    """Statistics of the rounds of one audit, which it gets as a ``RoundReader``.

    ``documents`` are those of the audit. Leaving the context deletes a temporary file of deck hashes.
    """

    def __init__(self, documents: Documents = NO_DOCUMENTS) -> None:
        self._population: Final = LogCounts()
        self._owners: Final = Owners(are_seeds_handed_in=bool(documents.seeds))
        self._given_up: Final = GivenUpBook()
        self._decks: Final = SeedBook()
        self._statistics = Statistics()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._decks.close()

    def on_round(self, examined: ExaminedRound) -> None:
        """Count the next round."""
        sample = sample_of(examined)
        self._population.add(sample)
        self._given_up.add(sample, is_young=self._owners.are_young(sample))
        self._owners.add(sample)
        if sample.shown:
            self._decks.add(SeedKind.DECK, sample.shown, leaf=sample.leaf_index)

    def close(self, report: Report) -> Iterator[Finding]:
        """Compare the counts with chance; yield a finding for each that chance does not explain."""
        population = self._population
        repeated = [(again.first_leaf, again.leaf) for again in islice(self._decks.repeated(), KEPT)]
        judged = judge(questions(population, self._owners, report.tables, repeated=repeated))
        self._statistics = Statistics(
            decks=population.decks,
            asked=judged.asked,
            scores=judged.scores,
            places=tuple([tuple(row[1:]) for row in population.cells]) if population.decks else (),
            without_seed=dict(islice(self._owners.blamed().items(), KEPT)),
        )
        yield from self._given_up.suspicions()
        yield from judged.suspicions

    def complete(self, report: Report, answered: Answers | None = None) -> CountedReport:
        """Return the audit's report with the statistics, which are empty if no leaf was examined, and the answers."""
        shares = self._given_up.shares
        return CountedReport(**asdict(report), statistics=self._statistics, given_up=shares, answered=answered)
