"""A report as text of 80 columns: proofs, measures, controls, and the command for dieharder.

>>> from referee.lab.fairness.report import Line
>>> measure_line(Line("card by place", 2611.3, 2601.0, 0.88, 1.0))
'  card by place                                 2,611      2,601    0.88       1'
"""

import textwrap
from collections.abc import Iterable, Iterator
from typing import Final

from referee.lab.fairness.report import ControlLine, FairnessReport, Line

WIDTH: Final = 80
_WHOLE_FROM: Final = 1000


def report_lines(report: FairnessReport) -> Iterator[str]:
    """Yield the lines of a report."""
    yield from _introduction(report)
    yield from _proofs(report)
    yield from _measures(report)
    yield from _certainties(report)
    yield from _controls(report)
    yield from _dieharder(report)
    yield _verdict(report)


def measure_line(line: Line) -> str:
    """Write a measure in one line, with ``!`` before it if it is not ordinary."""
    numbers = f"{short(line.statistic):>10} {short(line.expected):>10} {line.p_value:>7.2g} {line.adjusted:>7.2g}"
    return f"{'  ' if line.holds else '! '}{line.measure:<40} {numbers}"


def _introduction(report: FairnessReport) -> Iterator[str]:
    yield "FAIRNESS REPORT"
    yield ""
    yield from _wrapped(
        f"{report.decks:,} decks, dealt by the derivation of fair dealing from seeds that follow from the one seed "
        "below; the same command gives this report again, byte for byte."
    )
    yield ""
    yield f"  referee fairness-report --decks {report.decks} --control-decks {report.control_decks} \\"
    yield f"    --seed {report.seed}"
    yield ""


def _proofs(report: FairnessReport) -> Iterator[str]:
    yield "1. COUNTED OUT: the shuffle is exactly unbiased if its bytes are"
    yield ""
    for proof in report.proofs:
        yield from _wrapped(f"{_mark(holds=proof.holds)} {proof.claim}: {proof.counts}.", indent=2)
    yield ""


def _measures(report: FairnessReport) -> Iterator[str]:
    yield "2. MEASURED: against what is known beforehand"
    yield ""
    yield from _wrapped(
        f"{len(report.lines)} measures are one family. Each has its p-value; 'Holm' is that p-value adjusted "
        f"for all of them together. Below {report.alpha:g} it is not ordinary, which a fair shuffle shows in at most "
        f"one report of {round(1 / report.alpha)}. 'Ordinary' is the degrees of freedom of a chi-square, or how many "
        "decks are expected."
    )
    yield ""
    yield f"  {'measure':<40} {'statistic':>10} {'ordinary':>10} {'p':>7} {'Holm':>7}"
    yield from map(measure_line, report.lines)
    yield ""


def _certainties(report: FairnessReport) -> Iterator[str]:
    yield "3. CERTAIN: what must hold without any chance worth naming"
    yield ""
    for count, nothing, something in (
        (report.used_up, "no stream was used up", "streams were used up"),
        (report.duplicates, "no deck was dealt twice", "decks were dealt before"),
        (report.differing, "none differs from what deal_order deals", "decks differ from what deal_order deals"),
    ):
        yield f"  {_mark(holds=not count)} {nothing if not count else f'{count:,} {something}'}"
    yield from _wrapped(
        f"Among 52! orders {report.duplicates_expected:.1e} pairs of equal decks are expected; {report.compared:,} "
        "decks were dealt once more by deal_order, the call that deals a table's cards.",
        indent=2,
    )
    yield ""


def _controls(report: FairnessReport) -> Iterator[str]:
    yield f"4. CONTROLS: shufflers with a fault, {report.control_decks:,} decks each, which must be found"
    yield ""
    for control in report.controls:
        yield from _control(control)
    yield ""


def _control(control: ControlLine) -> Iterator[str]:
    yield from _wrapped(f"{_mark(holds=control.found)} {control.control}: {control.fault}.", indent=2)
    if control.caught_by:
        more = control.catches - len(control.caught_by)
        yield from _wrapped(f"caught by {', '.join(control.caught_by)}{f', and {more} more' if more else ''}", indent=6)
    else:
        needed = f": it would take about {control.decks_needed:.0e} decks" if control.decks_needed else ""
        yield from _wrapped(f"caught by no statistic{needed}", indent=6)
    if control.counted:
        yield from _wrapped(f"counted out: {control.counted}", indent=6)


def _dieharder(report: FairnessReport) -> Iterator[str]:
    yield "5. ITS BYTES UNDER DIEHARDER: Debian's package dieharder reads the same streams"
    yield ""
    yield "  referee fairness-report --stream \\"
    yield f"    --seed {report.seed} \\"
    yield "    | dieharder -g 200 -a"
    yield ""
    yield from _wrapped(
        "The bytes come over the pipe and do not repeat; from a file dieharder would start again at its end. All of "
        "its tests (-a) read some hundred gigabytes and take days at a pipe's speed; single ones are -d 0 (birthday "
        "spacings), -d 2 (ranks of 32 x 32 matrices), -d 15 (runs), -d 100 (single bits), -d 101 (runs of bits). Of a "
        "hundred good results one or two are called WEAK; a FAILED that comes again with another seed is a finding."
    )
    yield ""


def _verdict(report: FairnessReport) -> str:
    if report.holds:
        return "HOLDS: no fault was found, and every control was found."
    return "DOES NOT HOLD: see the lines with [!], and measures with ! before them."


def _mark(*, holds: bool) -> str:
    return "[x]" if holds else "[!]"


def short(number: float) -> str:
    """Write a number as a whole one from 1,000 on, otherwise with four digits."""
    return f"{number:,.0f}" if number >= _WHOLE_FROM else f"{number:.4g}"


def _wrapped(text: str, *, indent: int = 0) -> Iterable[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 4 if indent else 0),
        break_on_hyphens=False,
    )
