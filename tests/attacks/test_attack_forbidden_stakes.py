"""A round opened for a stake or bets that its ruleset forbids: refused, and found where an operator's program opens it.

Such a round that was never settled passed every verifier.
"""

from typing import Any

import pytest

from referee.audit import Code
from referee.v1 import money_pb2, shuffler_pb2
from tests.service.house import House

FORBIDDEN: list[dict[str, Any]] = [
    {"stake_minor": 2**53 - 1},
    {
        "ruleset_id": "ultimate_texas.casino",
        "stake_minor": 2,
        "seat_stakes": [money_pb2.SeatStake(bet_minor=bet, side_bet_minor=0) for bet in (10, 3)],
    },
]


@pytest.mark.parametrize("terms", FORBIDDEN, ids=["stake", "bets"])
def test_operator_that_opens_it_all_the_same_is_found(
    house: House, monkeypatch: pytest.MonkeyPatch, terms: dict[str, Any]
) -> None:
    """Although the round is given up, so that nothing is ever settled."""
    monkeypatch.setattr("referee.service.terms._check_stakes", lambda *_, **__: None)
    house.open("felt", **terms)
    reason = shuffler_pb2.ABORT_REASON_OPERATOR
    house.shuffler.AbortRound(
        shuffler_pb2.AbortRoundRequest(round={"table_id": "felt", "round_number": 1}, reason=reason)
    )
    (finding,) = house.audit().findings
    assert (finding.code, finding.number, finding.table_id) == (Code.TERMS_FORBIDDEN, 73, "felt")
