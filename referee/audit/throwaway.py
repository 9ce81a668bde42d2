"""Thrown-away tables: many tables that were given up after one round, which was aborted or never revealed.

The law: an operator who looks at decks and keeps only those it likes can open a new table for each, and no table shows
more than one bad round. So tables are counted whose first round was their last and was not settled and shown. Two
things must both be beyond chance before that is held against the log: more of these than ``SHARE`` of all tables, by
the exact binomial tail; and a larger share than bad rounds have at the log's other tables, by Fisher's exact test,
where there are others. So an operator with bad lines, whose rounds fail everywhere, is not accused. The chance given
is the larger of the two, and so bounds the chance that a log of which either holds is accused.

It refuses to know why a table was given up.

>>> counts = {f"table-{number}": TableCounts(opened=1, aborted_after_deal={"NOBODY": 1}) for number in range(12)}
>>> question = thrown_away(counts)
>>> question.observed, question.trials, round(question.log / 2.302585, 1)
(12, 12, -12.0)
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from referee.audit.chance import log_at_least, log_drawn_at_least
from referee.audit.score import Measure, Question, Subject
from referee.audit.table import TableCounts

SHARE: Final = Fraction(1, 10)
"""Of all tables: as many may be given up after a first round that came to nothing."""


def thrown_away(tables: Mapping[str, TableCounts]) -> Question:
    """How many tables were given up after one bad round, and how likely that is."""
    trials = thrown = rounds = bad = 0
    for counts in tables.values():
        ended = counts.opened - counts.running
        if not ended:
            continue
        failed = ended - counts.settled + _unrevealed_settlements(counts)
        trials += 1
        if counts.opened == 1:
            thrown += failed
        else:
            rounds += ended
            bad += failed
    log = log_at_least(trials, thrown, share=SHARE)
    if rounds:
        single = sum(1 for counts in tables.values() if counts.opened == 1 and not counts.running)
        log = max(log, log_drawn_at_least(thrown, draws=single, of=single + rounds, marks=thrown + bad))
    deviation = float(thrown - trials * SHARE) / float(trials * SHARE * (1 - SHARE)) ** 0.5 if trials else 0.0
    return Question(
        subject=Subject(Measure.THROWN_AWAY),
        trials=trials,
        observed=thrown,
        expected=float(trials * SHARE),
        deviation=deviation,
        log=log,
    )


def _unrevealed_settlements(counts: TableCounts) -> int:
    """Rounds that were settled and not shown, as far as the counts tell: aborted ones count as bad already."""
    aborted = sum(counts.aborted_before_deal.values()) + sum(counts.aborted_after_deal.values())
    return max(0, counts.unrevealed - aborted)
