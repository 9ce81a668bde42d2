"""Staying is best: nothing beats the advice but what a sheet's own words allow.

A sample of the table of ``STAYING.md``, drawn from other deals, and two rulesets under which an option does pay.
"""

import re
from pathlib import Path
from typing import Final

import msgspec
import pytest

from referee.games.mau_binh import MauBinhRules
from referee.games.mau_binh.penalties import SweptPairPlus, Unopened
from tests.builtin import rules_as
from tests.games import staying, staying_mau_binh
from tests.games.combinations import FAULTS

PAGE: Final = Path(__file__).parent / "STAYING.md"
ALLOWED: Final = {
    ("mau_binh.maubinh_com", staying_mau_binh.LEAVE),
    ("mau_binh.classic", staying_mau_binh.CLOCK),
    ("mau_binh.classic", staying_mau_binh.FOUL),
    ("mau_binh.house_example", staying_mau_binh.CLOCK),
    ("mau_binh.house_example", staying_mau_binh.FOUL),
}
"""Options that a sheet's own words make pay. On maubinh.com's, leaving, which costs no sweep. On the classic sheet,
and on the example that is made of it, a flat foul, on purpose or by letting the clock run."""
SURE: Final = 3.29
"""Standard errors of an interval of 99.9 %, as there are some forty options."""


@pytest.mark.slow("plays hundreds of rounds in every game")
@pytest.mark.parametrize("ruleset", staying.RULESETS)
def test_nothing_beats_the_advice_but_what_a_sheet_allows(ruleset: str) -> None:
    found = list(staying.table(deals=250, seed=11, rulesets=[ruleset]))
    assert all(row.decisions for row in found)
    better = {(row.ruleset, row.option) for row in found if row.is_better(errors=SURE)}
    assert better <= ALLOWED


@pytest.mark.slow("plays hundreds of rounds")
def test_leaving_that_costs_no_sweep_is_caught() -> None:
    """With three chi for leaving and no sweep the bad hands leave: one of nine on the 2020 sheet."""
    rules = staying_mau_binh.without_sweep_of_leavers(rules_as(MauBinhRules, ruleset := "mau_binh.chi_2020"))
    trials = staying_mau_binh.trials(
        ruleset, seats=4, deals=700, seed=12, rules=rules, options=[staying_mau_binh.LEAVE]
    )
    (row,) = staying.rows(ruleset, 4, trials)
    assert row.is_better(errors=SURE)


@pytest.mark.slow("plays hundreds of rounds")
def test_keeping_cards_shut_at_the_price_of_a_foul_is_caught() -> None:
    """The classic sheet where what is not opened is a foul like any other: three, and a sweep costs five."""
    rules = rules_as(MauBinhRules, "mau_binh.classic")
    assert isinstance(rules.sweep, SweptPairPlus)
    rules = msgspec.structs.replace(rules, foul=msgspec.structs.replace(rules.foul, unopened=Unopened.FOUL))
    trials = staying_mau_binh.trials(
        "mau_binh.classic", seats=4, deals=100, seed=13, rules=rules, options=[staying_mau_binh.SHUT]
    )
    (row,) = staying.rows("mau_binh.classic", 4, trials)
    assert row.is_better()


def test_page_shows_every_option_and_only_the_allowed_as_better() -> None:
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    assert {re.sub("`", "", row[0]) for row in cells} == set(staying.RULESETS)
    better = {(row[0].strip("`"), row[2]) for row in cells if "yes" in row[-1]}
    assert better <= ALLOWED
    options = {row[2] for row in cells if row[0] == "`mau_binh.classic`"}
    assert options >= {staying_mau_binh.LEAVE, staying_mau_binh.CLOCK, staying_mau_binh.FOUL, staying_mau_binh.SHUT}


def test_page_shows_no_fault_as_better_under_combinations_but_the_allowed() -> None:
    lines = PAGE.read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "| not allowed |" in line]
    assert {row[0] for row in rows} == set(FAULTS)
    assert {row[3] for row in rows} == {"0"}
