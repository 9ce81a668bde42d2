"""A report as lines of plain text, for a terminal or a mail: counts, levels of proof, then the findings.

Each finding has its place and first difference; the texts of a code follow its first finding. Lines have no colour and
are not wrapped.

>>> for line in report_lines(CountedReport.empty(origin="log.example/1", now=0)):
...     print(line)
log.example/1: 0 leaves
rounds: 0 opened, 0 dealt, 0 settled, 0 aborted before the deal, 0 after it, 0 running, 0 unrevealed
proved: 0 signatures, 0 settlements replayed, 0 decks dealt again
nothing failed
"""

import math
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Final

from referee.audit.explanation import explain
from referee.audit.report import Report, TableCounts
from referee.evidence.printable import printable, printable_lines
from referee.finding import Code, Finding, Severity
from referee.suspicion.answers import Answers
from referee.suspicion.given_up import Share
from referee.suspicion.report import CountedReport, Statistics
from referee.suspicion.score import FAIL_RATE, NOTE_RATE, QuestionKind, Score

EXPLAINED: Final = (
    "more findings are left out: what is wrong above explains them; mend that, then audit again to see what remains"
)
"""Text after the number of findings that are left out because another finding explains them."""
_RARE: Final = -2.0
"""Decimal logarithm of a probability below which its order of magnitude says more than its digits."""


def report_lines(report: CountedReport, *, with_tables: bool = False) -> Iterator[str]:
    """Yield the lines of a report; ``with_tables`` adds lines for each table and tenant and the least likely scores."""
    root = f", root {report.root}" if report.root else ""
    yield f"{printable(report.origin)}: {report.size:,} leaves{root}"
    yield from as_of_lines(report)
    yield f"rounds: {_counts(report.rounds)}"
    checked = report.checked
    yield (
        f"proved: {checked.signatures:,} signatures, {checked.replayed:,} settlements replayed, "
        f"{checked.redealt:,} decks dealt again"
    )
    yield from start_lines(report)
    if report.rounds.dealt:
        yield "dealing: " + ", ".join(f"{level} {count:,}" for level, count in report.dealing_levels.items() if count)
    if report.rounds.settled:
        yield "events: " + ", ".join(f"{level} {count:,}" for level, count in report.event_levels.items() if count)
    if report.statistics.asked:
        yield from _chance_lines(report.statistics, with_scores=with_tables)
    for owner, count in report.statistics.without_seed.items():
        yield f"without a seed: {printable(owner)}: {count:,}"
    yield from _given_up_lines(report, with_tables=with_tables)
    if report.answered is not None:
        yield from _answered_lines(report.answered)
    if with_tables:
        for table_id, counts in report.tables.items():
            yield f"table {printable(table_id)}: {_counts(counts)}"
    yield from _finding_lines(report)
    yield verdict_line(report)


def as_of_lines(report: Report) -> Iterator[str]:
    """Yield the time as of which a copy was audited, and what it cannot show; nothing for an audit at its own time."""
    if report.as_of != report.now:
        yield f"as of {moment(report.as_of)}, audited at {moment(report.now)}"
    if report.unfinished:
        yield unfinished_words(report.unfinished)


def verdict_line(report: Report) -> str:
    """Write in one line what an audit found."""
    failures, notes = report.count(Severity.FAIL), report.count(Severity.NOTE)
    verdict = f"{failures:,} failed" if failures else "nothing failed"
    if report.unfinished:
        broken = f"{failures:,} failed" if failures else "nothing broken"
        verdict = f"{broken} as of {moment(report.as_of)}; {unfinished_words(report.unfinished)}"
    return verdict + (f", {notes:,} noted" if notes else "")


def unfinished_words(count: int) -> str:
    """Say what to do about rounds that a copy of a log does not show to their end."""
    rounds, it = ("round", "it") if count == 1 else ("rounds", "them")
    return f"{count:,} {rounds} had not ended that should have by now: ask the service for {it}"


def start_lines(report: Report) -> Iterator[str]:
    """Yield a line for each START that the report keeps: which program judged from which leaf on."""
    left_out = report.start_count - len(report.starts)
    if left_out:
        yield f"judged: {left_out:,} earlier STARTs are counted and not listed"
    for one in report.starts:
        said = one.start
        yield (
            f"judged from leaf {one.leaf_index:,} at {said.instance}: version {said.version}, files {said.package}, "
            f"Python {said.python}, {len(said.rulesets):,} rulesets, settings {said.settings[:16]}"
        )


def finding_lines(finding: Finding) -> Iterator[str]:
    """Yield the lines of one finding, without the texts of its code."""
    yield f"{finding.severity} {finding.number} {finding.code}: {place_of(finding)}: {finding.detail}"
    difference = finding.difference
    if difference is not None:
        at = f"at {printable(difference.path)}" if difference.path else "as a whole"
        yield f"    first difference {at}"
        yield from _block("claimed", difference.claimed)
        yield from _block("found  ", difference.found)


def place_of(finding: Finding) -> str:
    """Name the table, round and leaf of a finding, as far as it has them, else the whole log."""
    words = []
    if finding.table_id is not None:
        words.append(f"table {printable(finding.table_id)}")
    if finding.round_number is not None:
        words.append(f"round {finding.round_number}")
    if finding.leaf_index is not None:
        words.append(f"leaf {finding.leaf_index}")
    return ", ".join(words) or "the whole log"


def moment(time: int) -> str:
    """Write a time in ms since 1970 as UTC; as a number of ms if it is beyond the end of the calendar."""
    try:
        return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OverflowError, OSError, ValueError):
        return f"{time} ms"


def _chance_lines(statistics: Statistics, *, with_scores: bool) -> Iterator[str]:
    """Yield the number of statistical questions, the least likely score of each kind if wanted, and the verdict."""
    yield f"chance: {statistics.asked:,} questions over {statistics.decks:,} decks dealt again"
    scores = least_likely(statistics.scores)
    if with_scores:
        for score in scores:
            yield (
                f"chance {score.kind}: {printable(score.text)}: {score.observed:,} in {score.trials:,}, expected "
                f"{score.expected:,.1f}; {probability_of(score.log10_anywhere)}"
            )
    if scores:
        yield f"chance: {verdict_on(scores)}"


def _answered_lines(answers: Answers) -> Iterator[str]:
    """Yield the number of rounds and questions, what could not be asked, and each answer that is at least a note."""
    asked = ", ".join(f"{kind} {count:,}" for kind, count in answers.asked.items()) or "no questions"
    yield f"answered: {answers.rounds:,} rounds scored, {asked}; {answers.unknown:,} rounds with an unknown deck"
    if answers.crowded_out:
        yield f"answered: {answers.crowded_out:,} rounds of further pairs and triples were not counted"
    for ruleset_id, rounds in answers.unvalued.items():
        yield f"answered: {rounds:,} rounds of {printable(ruleset_id)} have no card tables; `referee learn` makes them"
    for one in answers.answers:
        if one.is_noted:
            won = "".join(f"; the first won {amount:+,} {printable(name)} from it" for name, amount in one.won.items())
            yield (
                f"answered: {printable(one.text)}: {one.rounds:,} rounds, e-value 10^{one.log10_e:.1f} of "
                f"10^{answers.needed[one.kind]:.1f}{won}"
            )


def least_likely(scores: Iterable[Score]) -> tuple[Score, ...]:
    """Return the first score of each kind; ``scores`` must be sorted, least likely first."""
    first: dict[QuestionKind, Score] = {}
    for score in scores:
        first.setdefault(score.kind, score)
    return tuple(first.values())


def probability_of(log10: float) -> str:
    """Write an upper bound of a corrected probability, which is given by its decimal logarithm."""
    if log10 > _RARE:
        return f"corrected p <= {min(1.0, math.ceil(100 * 10**log10) / 100):.2f}"
    return f"corrected p < 10^{math.ceil(log10)}"


def verdict_on(scores: Iterable[Score]) -> str:
    """Return a clause on whether chance explains these scores."""
    least = min(score.log10_anywhere for score in scores)
    if least > math.log10(NOTE_RATE):
        return "everything asked is as a fair shuffle makes it"
    if least > math.log10(FAIL_RATE):
        return "one answer is rare for a fair shuffle, as happens in one honest log of 1,000; see whether it grows"
    return "a fair shuffle does not explain this; the findings say where"


def _finding_lines(report: Report) -> Iterator[str]:
    explained: set[Code] = set()
    for finding in report.findings:
        yield from finding_lines(finding)
        if finding.code not in explained:
            explained.add(finding.code)
            texts = explain(finding.code)
            yield f"    {texts.meaning.en}"
            yield f"    {texts.remedy.en}"
    if report.explained:
        yield f"{report.explained:,} {EXPLAINED}"
    left_out = sum(report.finding_counts.values()) - len(report.findings)
    if left_out:
        yield f"{left_out:,} more findings are counted and not listed"


def _given_up_lines(report: CountedReport, *, with_tables: bool) -> Iterator[str]:
    """Yield the numbers of rounds given up: in the log, and with ``with_tables`` by tenant and by table."""
    if report.given_up.log.ended:
        yield f"given up: {given_up_text(report.given_up.log)}"
    if with_tables:
        for tenant, share in report.given_up.tenants.items():
            yield f"given up by tenant {printable(tenant)}: {given_up_text(share)}"
        for table_id, share in report.given_up.tables.items():
            yield f"given up at table {printable(table_id)}: {given_up_text(share)}"


def given_up_text(share: Share) -> str:
    """Write in English how many rounds were given up after a seed was received, and in what way."""
    return f"{share.text}, {share.unopened:,} by an unopened arrangement, {share.young:,} where every key was young"


def _counts(counts: TableCounts) -> str:
    before, after = _aborted(counts.aborted_before_deal), _aborted(counts.aborted_after_deal)
    return (
        f"{counts.opened:,} opened, {counts.dealt:,} dealt, {counts.settled:,} settled, "
        f"{before} aborted before the deal, {after} after it, "
        f"{counts.running:,} running, {counts.unrevealed:,} unrevealed"
    )


def _aborted(by_blame: dict[str, int]) -> str:
    total = sum(by_blame.values())
    named = ", ".join(f"seat {seats}: {count:,}" for seats, count in sorted(by_blame.items()) if seats[0].isdigit())
    return f"{total:,} ({named})" if named else f"{total:,}"


def _block(name: str, text: str) -> Iterator[str]:
    """Yield the lines of a value, the first after its name."""
    first, *rest = printable_lines(text).rstrip("\n").split("\n")
    yield f"    {name} {first}"
    yield from (f"            {line}".rstrip() for line in rest)
