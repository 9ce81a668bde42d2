"""Questions about tables that were given up after one failed round.

>>> counts = {f"table-{number}": TableCounts(opened=1, aborted_after_deal={"NOBODY": 1}) for number in range(12)}
>>> question = thrown_away(counts)
>>> question.observed, question.trials, round(question.log / 2.302585, 1)
(12, 12, -12.0)
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from referee.audit.report import TableCounts
from referee.suspicion.chance import log_at_least, log_drawn_at_least
from referee.suspicion.score import Measure, Question, Subject

THROWN_AWAY_SHARE: Final = Fraction(1, 10)
"""Share of all tables that are given up after one failed round in the null model."""


def thrown_away(tables: Mapping[str, TableCounts]) -> Question:
    """Ask whether too many tables were given up after a single round that was not both settled and revealed.

    An operator who looks at decks and keeps only those it likes can open a new table for each deck, so that no table
    shows more than one failed round. Two numbers must both be beyond chance. The number of such tables must exceed
    ``THROWN_AWAY_SHARE`` of all tables, by the exact binomial tail. The share of failed rounds at tables of one round
    must exceed that at the log's other tables, if there are any, by Fisher's exact test. So an operator with bad
    connections, whose rounds fail everywhere, is not accused. The chance is the larger of the two. Rounds that were
    given up before any seed was received are not counted: nobody could know their decks.
    """
    return _of_tables(Measure.THROWN_AWAY, tables, are_unseeded=False)


def unseeded(tables: Mapping[str, TableCounts]) -> Question:
    """Ask whether too many tables were given up after a single round before any seed was received.

    Nobody could know these decks, so the answer is never more than a note.
    """
    return _of_tables(Measure.UNSEEDED, tables, are_unseeded=True)


def _of_tables(measure: Measure, tables: Mapping[str, TableCounts], *, are_unseeded: bool) -> Question:
    """Ask whether too many tables were given up after their only round failed.

    With ``are_unseeded`` only rounds that failed before any seed was received count, otherwise only rounds with a seed.
    """
    trials = single = thrown = rounds = bad = 0
    for counts in tables.values():
        ended = counts.opened - counts.running
        failed = counts.unseeded
        if not are_unseeded:
            ended -= counts.unseeded
            failed = ended - counts.settled + _unrevealed_settlements(counts)
        if not ended:
            continue
        trials += 1
        if counts.opened == 1:
            single += 1
            thrown += failed
        else:
            rounds += ended
            bad += failed
    log = log_at_least(trials, thrown, share=THROWN_AWAY_SHARE)
    if rounds:
        log = max(log, log_drawn_at_least(thrown, draws=single, of=single + rounds, marks=thrown + bad))
    deviation = (
        float(thrown - trials * THROWN_AWAY_SHARE) / float(trials * THROWN_AWAY_SHARE * (1 - THROWN_AWAY_SHARE)) ** 0.5
        if trials
        else 0.0
    )
    return Question(
        subject=Subject(measure),
        trials=trials,
        observed=thrown,
        expected=float(trials * THROWN_AWAY_SHARE),
        deviation=deviation,
        log=log,
    )


def _unrevealed_settlements(counts: TableCounts) -> int:
    """Return the fewest settled rounds that can be unrevealed, given the counts of unrevealed and aborted rounds."""
    aborted = sum(counts.aborted_before_deal.values()) + sum(counts.aborted_after_deal.values())
    return max(0, counts.unrevealed - aborted)
