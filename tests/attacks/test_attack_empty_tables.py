"""Sixty tables opened and given up at once by a frontend: the honest operator's log is noted, and does not fail."""

from referee.audit import Code
from referee.finding import Severity
from referee.v1 import shuffler_pb2
from tests.service.house import House

TABLES = 60


def abort(house: House, table_id: str) -> None:
    """Give up a table's first round as an operator."""
    reason = shuffler_pb2.ABORT_REASON_OPERATOR
    house.shuffler.AbortRound(
        shuffler_pb2.AbortRoundRequest(round={"table_id": table_id, "round_number": 1}, reason=reason)
    )


def test_tables_given_up_before_any_seed_are_only_noted(house: House) -> None:
    for number in range(TABLES):
        house.open(f"empty-{number}")
        abort(house, f"empty-{number}")
    report = house.audit()
    assert [finding.code for finding in report.findings] == [Code.TABLES_UNSEEDED]
    assert (report.is_clean, report.rounds.unseeded) == (True, TABLES)


def test_tables_given_up_with_a_seed_fail_among_any_number_of_empty_ones(house: House) -> None:
    """Empty tables do not hide those whose decks somebody could know."""
    for number in range(12):
        table = house.table(seats=2).open()
        table.contribute(0)
        house.clock.now = table.header.deal_deadline_time + 1
        table.abort(shuffler_pb2.ABORT_REASON_SEED_MISSING)
        for empty in range(5):
            house.open(f"empty-{number}-{empty}")
            abort(house, f"empty-{number}-{empty}")
    failed = [finding.code for finding in house.audit().findings if finding.severity is Severity.FAIL]
    assert failed == [Code.TABLES_THROWN_AWAY]
