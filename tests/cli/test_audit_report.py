"""What a report prints in a narrow terminal: ids and values may be folded, and are never cut off."""

import io

import pytest
from rich.console import Console

from referee.audit.finding import Code, Difference, Finding
from referee.audit.report import Report
from referee.cli.report import print_report
from referee.suspicion.tables import TableCounts

TABLES = ["demo.ultimate_texas.two_plus_three", "demo.mau_binh.maubinh_com", "t" * 64]


@pytest.mark.parametrize("width", [80, 120])
def test_no_table_id_and_no_value_is_cut(width: int) -> None:
    claimed, found = "0123456789abcdef" * 4, "fedcba9876543210" * 4
    report = Report.empty(origin="log.example/1", now=0)
    report.tables = {name: TableCounts(opened=1) for name in TABLES}
    difference = Difference("inputs.deck_root", claimed, found)
    report.findings = (Finding.of(Code.DECK_ROOT_MISMATCH, "another deck", difference=difference),)
    report.finding_counts = {Code.DECK_ROOT_MISMATCH: 1}
    written = io.StringIO()
    console = Console(file=written, width=width)
    print_report(console, report)
    printed = written.getvalue()
    rows = [[cell.strip() for cell in line.split("│")] for line in printed.splitlines() if "│" in line]
    assert "…" not in printed
    assert ["".join(cells) for cells in zip(*[row[1:4] for row in rows], strict=True)] == [
        "inputs.deck_root",
        claimed,
        found,
    ]
    joined = "".join(line.split(" ")[0] for line in printed.splitlines())
    assert all(name in joined for name in TABLES)
