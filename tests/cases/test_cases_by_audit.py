"""The logs that all cases left, one of scripted decks and one that a server dealt by itself: audited, and verified."""

from collections.abc import Iterator
from typing import Final

import pytest
from referee_harness.cases.conform import askable
from referee_harness.cases.engine import run
from referee_harness.cases.rows import Case
from referee_harness.cases.servers import Served, audit_of, by_calls, log_of, serve_dealing, serve_scripted

from referee.audit import Code
from referee.audit.report import DealingLevel
from tests.verifier.built import Verdicts
from tests.waiting import until

CASES: Final = askable()


def left_by(cases: list[Case], server: Served) -> Served:
    """Play cases on a server; wait until it has aborted the rounds whose deadline passed.

    A round that a hand has won at the deal is given up, for the case is played again: the audit notes that.
    """
    for case in cases:
        run(case, server, by_calls(server))
    until(lambda: {one.code for one in audit_of(server).findings} <= {Code.INSTANT_WIN_GIVEN_UP})
    return server


@pytest.fixture(scope="module")
def scripted() -> Iterator[Served]:
    """Play the cases that choose cards."""
    with serve_scripted() as server:
        yield left_by([case for case in CASES if case.is_scripted], server)


@pytest.fixture(scope="module")
def dealt() -> Iterator[Served]:
    """Play the cases that choose none."""
    with serve_dealing() as server:
        yield left_by([case for case in CASES if not case.is_scripted], server)


def test_verifier_finds_no_fault_in_what_the_cases_left(scripted: Served, dealt: Served, verdicts: Verdicts) -> None:
    """Nor does the audit, which the fixtures wait for."""
    for verdict in verdicts([log_of(scripted), log_of(dealt)]):
        assert [one for one in verdict["findings"] if one["severity"] == "FAIL"] == []


def test_scripted_decks_are_rated_l0_and_others_by_their_seeds(scripted: Served, dealt: Served) -> None:
    levels = audit_of(scripted).dealing_levels
    assert [level for level, count in levels.items() if count] == [DealingLevel.L0]
    levels = audit_of(dealt).dealing_levels
    assert [level for level, count in levels.items() if count] == [DealingLevel.L1, DealingLevel.L2]
