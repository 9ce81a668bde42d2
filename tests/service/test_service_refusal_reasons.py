"""Every documented reason for refusing a call: produced by a real call, with the status its documentation names."""

import re
from pathlib import Path
from typing import Final

import pytest
from google.rpc import code_pb2

from referee.log import SlotReason
from referee.service.status import CODES
from referee.v1 import shuffler_pb2
from referee.v1.error_reason_pb2 import DESCRIPTOR, ErrorReason
from referee.wire import round as wire_round
from tests.cases.all_cases import REFUSALS
from tests.service.house import House
from tests.service.refused_callers import CASES, server_with_another_sealing_key
from tests.service.refused_rounds import Case

PROTO: Final = Path(__file__).parents[2] / "protos" / "referee" / "v1" / "error_reason.proto"
DOCUMENTED: Final = {
    name: status
    for status, name in re.findall(
        r"^  // ([A-Z_]+)\. [^\n]*\n(?:  //[^\n]*\n)*  ERROR_REASON_([A-Z_]+) = \d+;",
        PROTO.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}
"""The status code of each reason, as its comment says."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.reason}-{case.prepare.__name__}")
def test_refused_call_says_why_and_writes_nothing(house: House, case: Case) -> None:
    """Status as documented, reason, the field's path; the log's checkpoint stays the same text."""
    call = case.prepare(house)
    before = house.checkpoint()
    refusal = house.refusal_of(call)
    assert refusal.seen == (DOCUMENTED[case.reason], case.reason, case.field)
    assert refusal.message
    assert house.checkpoint() == before


def test_every_reason_is_documented_and_produced() -> None:
    """The proto's comments, the table of codes, and the cases here and below ``tests/cases`` name the same reasons."""
    names = {
        name.removeprefix("ERROR_REASON_") for name in DESCRIPTOR.enum_types_by_name["ErrorReason"].values_by_name
    } - {"UNSPECIFIED"}
    assert set(DOCUMENTED) == names
    assert {case.reason for case in CASES} | set(REFUSALS) == names


def test_documented_status_is_the_one_that_is_sent() -> None:
    sent = {
        ErrorReason.Name(reason).removeprefix("ERROR_REASON_"): code_pb2.Code.Name(code)
        for reason, code in CODES.items()
    }
    assert sent == DOCUMENTED


def test_every_refusal_of_the_log_has_a_reason() -> None:
    assert set(wire_round._SLOT_REASONS) == set(SlotReason)  # noqa: SLF001 - the table has no other reader


def test_internal_fault_is_found_again_by_its_request_id(house: House) -> None:
    """The caller's own id comes back in the error, and nothing about the fault but that."""
    server_with_another_sealing_key(house)
    request = shuffler_pb2.DealRoundRequest(
        round={"table_id": "t-1", "round_number": 1}, client_seeds=house.seeds_of(2)
    )
    refusal = house.refusal_of(house.shuffler.DealRound, request, metadata=[("x-request-id", "a-b-c")])
    assert refusal.facts == {"request_id": "a-b-c"}
    assert refusal.message == "the server failed; its log has the request id a-b-c"
