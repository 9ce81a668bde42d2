"""Whose keys could make the evidence: the table in SECURITY.md has each finding and verdict as a dispute names it."""

import re
from pathlib import Path
from typing import Final

from referee.audit.dispute.dispute import Verdict
from referee.audit.explanation import Party, explain
from referee.finding import Code

PAGE: Final = Path(__file__).parents[2] / "SECURITY.md"
SECTION: Final = re.compile(r"^## Whose keys could make the evidence\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL)
NOT_FINDINGS: Final = {*(verdict.value for verdict in Verdict), "SEED_MISSING"}
"""Verdicts, and the reason of an ABORT that names seats."""
OTHERS: Final = ("anyone", "witness", "seat", "frontend", "reader", "chance", "clock", "connection", "machine", "copy")
"""Words for makers of evidence beside the holders of the operator's keys."""


def rows() -> list[tuple[str, set[str], str, list[str]]]:
    """Return the table's rows: who can make the evidence, the parties named, the certainty, and the codes."""
    found = SECTION.search(PAGE.read_text(encoding="utf-8"))
    assert found is not None
    lines = [line for line in found[1].splitlines() if line.startswith("| ")][1:]
    assert len(lines) > 10
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return [
        (makers, set(named.split(", ")), sure, re.findall(r"`(\w+)`", codes)) for _, makers, named, sure, codes in cells
    ]


def test_every_finding_and_verdict_is_in_one_row() -> None:
    listed = [code for *_, codes in rows() for code in codes]
    assert len(listed) == len(set(listed))
    assert set(listed) == {code.value for code in Code} | NOT_FINDINGS


def test_rows_name_the_parties_that_a_dispute_names() -> None:
    for _, named, sure, codes in rows():
        for code in [Code[one] for one in codes if one not in NOT_FINDINGS]:
            texts = explain(code)
            assert (code, named) == (code, {party.value for party in texts.who} or {"nobody"})
            assert (code, sure) == (code, "proved" if texts.at_fault else "possible" if texts.who else "-")


def test_only_the_holder_of_all_keys_is_proved_by_them() -> None:
    proved = [
        (makers, named) for makers, named, sure, codes in rows() if sure == "proved" and set(codes) - NOT_FINDINGS
    ]
    assert proved
    for makers, named in proved:
        assert named == {Party.OPERATOR.value}
        assert [word for word in OTHERS if word in makers] == []
