"""The fairness report as a page: it loads nothing and says what the report says."""

import re

from msgspec.structs import replace

from referee.lab.fairness.page import render_page
from referee.lab.fairness.proof import Proof
from referee.lab.fairness.report import ControlLine, FairnessReport, Line

REPORT = FairnessReport(
    format=1,
    seed="5e" * 32,
    decks=100_000,
    control_decks=100_000,
    alpha=0.01,
    proofs=(Proof(claim="every index is equally likely", holds=True, counts="51 of 51"),),
    lines=(Line("card by place", 2611.3, 2601.0, 0.44, 1.0), Line("<twos>", 3.0, 1.0, 0.2, 0.4)),
    used_up=0,
    duplicates=0,
    duplicates_expected=1e-58,
    compared=1000,
    differing=0,
    controls=(ControlLine("riffle", "one riffle", 4, ("card by place",), "", 0.0, found=True),),
)


def test_page_of_a_report_that_holds_says_so_and_loads_nothing():
    page = render_page(REPORT)
    assert "✓ Holds" in page
    assert "✗" not in page
    assert not re.search(r"<(script|link|img|iframe)|https?://(?!www\.w3\.org)|url\(", page)
    assert page.count('<circle class="dot"') == len(REPORT.lines)
    assert "&lt;twos&gt;" in page


def test_page_marks_what_does_not_hold():
    outlier = Line("aces", 900.0, 3.0, 0.0, 0.0)
    page = render_page(replace(REPORT, lines=(*REPORT.lines, outlier), duplicates=1))
    assert "✗ Does not hold" in page
    assert page.count('<circle class="dot out"') == 1
    assert page.count("<td>✗</td>") == 2
