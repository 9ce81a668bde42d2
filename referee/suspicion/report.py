"""The report of an audit together with the statistics of the log's rounds, as ``referee audit`` writes it.

>>> from referee.suspicion.report import CountedReport
>>> CountedReport.empty(origin="log.example/1", now=0).statistics.decks
0
"""

import msgspec

from referee.audit.report import Report
from referee.suspicion.answers import Answers
from referee.suspicion.given_up import Shares
from referee.suspicion.score import Score


class Statistics(msgspec.Struct):
    """Comparison of a log's rounds with chance.

    ``asked`` is the number of statistical questions; ``scores`` are the least likely answers of each measure, by kind,
    least likely first. ``places`` has for each place of the deck the number of times that each card, 1 to 52, was there
    among the ``decks`` dealt again; it is empty without decks. ``without_seed`` counts aborts by the owner of the
    missing seed, for the twelve owners with the most.
    """

    decks: int = 0
    asked: int = 0
    scores: tuple[Score, ...] = ()
    places: tuple[tuple[int, ...], ...] = ()
    without_seed: dict[str, int] = msgspec.field(default_factory=dict)


class CountedReport(Report, kw_only=True, omit_defaults=True):
    """A report with the statistics of all rounds, and the shares of rounds that were given up.

    ``answered`` is None unless the audit asked whether owners arranged as if they knew other hands.
    """

    statistics: Statistics = msgspec.field(default_factory=Statistics)
    given_up: Shares = msgspec.field(default_factory=Shares)
    answered: Answers | None = None
