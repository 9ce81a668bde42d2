"""An audit's report for a terminal: numbers of checks, levels of proof, tables, and findings."""

from typing import Final

from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.table import Table as Grid

from referee.audit.explanation import explain
from referee.audit.page.text import (
    EXPLAINED,
    as_of_lines,
    given_up_text,
    place_of,
    start_lines,
    verdict_line,
    verdict_on,
)
from referee.audit.report import DealingLevel, Report
from referee.cli.show import shown
from referee.evidence.printable import counted
from referee.finding import Code, Severity
from referee.suspicion.report import CountedReport
from referee.transcript.proof import EventLevel

SHOWN_FINDINGS: Final = 20
SHOWN_TABLES: Final = 12

DEALING_WORDS: Final = {
    DealingLevel.L0: "no commitment, or a deck given for a test: such a deal proves nothing",
    DealingLevel.L1: "the server committed before the seats' seeds came",
    DealingLevel.L2: "every seat committed to its own seed before the round was opened",
    DealingLevel.L3: "as L2, and a witness had seen it opened",
}
EVENT_WORDS: Final = {
    EventLevel.E0: "times and departures are the frontend's word",
    EventLevel.E1: "the referee received every event and gave its time",
    EventLevel.E2: "as E1, and every event is signed by its seat or is its timeout",
    EventLevel.NONE: "no events: it ended at the deal, or nobody did anything",
}


def print_report(console: Console, report: CountedReport) -> None:
    """Print a report with tables and colours."""
    console.print(f"log [bold]{shown(report.origin)}[/], {report.size:,} leaves, root {report.root}")
    for line in as_of_lines(report):
        console.print(line, highlight=False)
    _print_proved(console, report)
    for line in start_lines(report):
        console.print(f"  {shown(line)}", highlight=False)
    _print_tables(console, report)
    for severity in Severity:
        _print_findings(console, report, severity)
    if report.explained:
        console.print(f"[dim]{report.explained:,} {EXPLAINED}[/]")
    failures = report.count(Severity.FAIL)
    if failures:
        console.print(f"[bold red]✗ {counted(failures, 'thing')} {'does' if failures == 1 else 'do'} not hold[/]")
    elif report.unfinished:
        console.print(f"[bold yellow]{verdict_line(report)}[/]", highlight=False)
    else:
        console.print("[bold green]✓ everything in this log holds[/]")


def _print_proved(console: Console, report: CountedReport) -> None:
    rounds, checked = report.rounds, report.checked
    grid = Grid.grid(padding=(0, 1))
    grid.add_row(f"  {checked.signatures:,}", "signatures are by keys that the root named")
    grid.add_row(
        f"  {checked.replayed:,} of {rounds.settled:,}", "settlements follow from what was given, byte for byte"
    )
    grid.add_row(f"  {checked.redealt:,} of {rounds.dealt:,}", "decks were dealt again from their seeds, card for card")
    for level, count in report.dealing_levels.items():
        if count:
            grid.add_row(f"  {count:,} at {level}", DEALING_WORDS[level])
    for attested, count in report.event_levels.items():
        if count:
            grid.add_row(
                f"  {count:,} at {attested}" if attested is not EventLevel.NONE else f"  {count:,}",
                EVENT_WORDS[attested],
            )
    statistics = report.statistics
    if statistics.decks:
        grid.add_row(f"  {statistics.asked:,}", f"questions were put to chance, over {statistics.decks:,} decks")
    if report.given_up.log.ended:
        grid.add_row(
            f"  {report.given_up.log.given_up:,}", f"rounds were given up: {given_up_text(report.given_up.log)}"
        )
    for owner, count in statistics.without_seed.items():
        grid.add_row(f"  {count:,}", f"aborts without the seed of {shown(owner)}")
    console.print(grid)
    if statistics.scores:
        console.print(f"  {verdict_on(statistics.scores)}")


def _print_tables(console: Console, report: Report) -> None:
    stages = ("opened", "dealt", "settled", "aborted", "running", "unrevealed")
    grid = Grid(Column("table", overflow="fold"), *stages, box=None, padding=(0, 1, 0, 0))  # 30 characters of 80 fit
    for table_id, counts in list(report.tables.items())[:SHOWN_TABLES]:
        aborted = sum(counts.aborted_before_deal.values()) + sum(counts.aborted_after_deal.values())
        numbers = (counts.opened, counts.dealt, counts.settled, aborted, counts.running, counts.unrevealed)
        grid.add_row(shown(table_id), *[f"{number:,}" for number in numbers])
    if len(report.tables) > SHOWN_TABLES:
        grid.add_row(f"and {len(report.tables) - SHOWN_TABLES:,} more", *[""] * 6)
    console.print(grid)


def _print_findings(console: Console, report: Report, severity: Severity) -> None:
    found = [finding for finding in report.findings if finding.severity is severity]
    style = "red" if severity is Severity.FAIL else "yellow"
    explained: set[Code] = set()
    for finding in found[:SHOWN_FINDINGS]:
        console.print(f"[{style}]{severity} {finding.code}[/] {escape(place_of(finding))}: {escape(finding.detail)}")
        if finding.difference is not None:
            grid = Grid(*[Column(name, overflow="fold") for name in ("first difference at", "claimed", "found")])
            grid.add_row(
                *[
                    shown(text)
                    for text in (finding.difference.path, finding.difference.claimed, finding.difference.found)
                ]
            )
            console.print(grid)
        if finding.code not in explained:
            explained.add(finding.code)
            texts = explain(finding.code)
            console.print(f"[dim]  {escape(texts.meaning.en)} {escape(texts.remedy.en)}[/]")
    more = report.count(severity) - min(len(found), SHOWN_FINDINGS)
    if more:
        console.print(f"[{style}]and {more:,} more; --json lists them[/]")
