"""What an audit would refuse is never appended: for each finding about a leaf, a call that would cause it is refused.

Each case prepares a call on one shared server whose leaf an audit would report under its code. The call is refused, or
answered with violations, and the log does not grow. ``ELSEWHERE`` says of every other code why no case has it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import grpc
import pytest

from referee.audit import Code
from tests.cases.all_cases import FINDINGS
from tests.service.append_courses import CASES
from tests.service.house import House
from tests.service.refused_rounds import Case


def codes(names: str) -> set[Code]:
    return {Code[name] for name in names.split()}


ELSEWHERE: Final = {
    "about the tree, its proofs and its witnesses, not about what a call appends": codes(
        "CHECKPOINT_REFUSED WRONG_ORIGIN LOG_KEY_UNREGISTERED ROOT_MISMATCH LOG_TRUNCATED HISTORY_REWRITTEN SPLIT_VIEW"
        " LOG_RECEIPT_REFUSED PROMISED_LEAF_ABSENT TILE_MISMATCH COSIGNATURE_REFUSED QUORUM_UNMET WITNESS_DOUBLED"
        " HEAD_FROZEN TIME_BACKDATED ROOT_KEY_MISMATCH"
    ),
    "about the bytes and signature of a leaf, which the server writes by itself": codes(
        "NOT_CANONICAL TYPE_CONFUSION SIGNATURE_MALFORMED SIGNATURE_FORGED WRONG_ROLE KEY_NOT_VALID KEY_REUSED"
    ),
    "about what the server derives by itself, so that no call can say otherwise": codes(
        "ROUND_ID_MISMATCH SEAL_BROKEN MIX_MISMATCH LEADER_MISMATCH COMMITMENT_SWAPPED SERVER_SEED_MISMATCH"
        " SERVER_SEED_REPEATED CARDS_MISMATCH DECK_NOT_FROM_SEEDS HIDDEN_CARDS_DIFFER DUPLICATE_CARD SECTION_WRONG_SIZE"
        " DEAL_MISMATCH WRONG_RESULT"
    ),
    "about a leaf that is missing; the sweep writes it": codes("NEVER_REVEALED DEADLINE_PASSED UNFINISHED_IN_COPY"),
    "about a ruleset's file that the server has lost; a round has to end all the same": codes("NEVER_DEALT"),
    "a note, which is allowed": codes(
        "CLIENT_SEED_TRIVIAL CLIENT_SEEDS_EQUAL CLIENT_SEED_REPEATED CLIENT_SEED_UNSIGNED SEED_HELD FORKED_RECEIPTS"
        " WIN_RATE_UNUSUAL UNLIKELY_BY_CHANCE TABLES_UNSEEDED RULESET_UNKNOWN RULESET_NOT_STARTED"
        " ROUNDS_GIVEN_UP GIVEN_UP_BY_YOUNG_KEYS INSTANT_WIN_GIVEN_UP"
    ),
    "about what is handed to the audit beside the log": codes(
        "MOVE_DROPPED HELD_SEED_REFUSED CERTIFICATE_REFUSED CERTIFICATES_DISAGREE SECRET_EXPOSED SECTION_KEY_WEAK"
    ),
    "about a defect in the law of an installed game": codes("LAW_FAILED"),
    "about many rounds together": codes(
        "TABLES_THROWN_AWAY ABORTED_BY_QUALITY ABORTED_FOR_KEY WITHHELD_BY_SEAT CARDS_BY_PLACE_UNEVEN DECKS_CORRELATED"
        " DECK_REPEATED WINS_BEYOND_CHANCE ANSWERED LEFT_OUT SUPERUSER"
    ),
}
"""Findings that no call could cause, by the reason."""


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Start one server for all cases."""
    house = House(tmp_path_factory.mktemp("shared"))
    yield house
    house.close()


@contextmanager
def clock_kept(house: House) -> Iterator[None]:
    """Put the clock right after a test that set it back."""
    before = house.clock.now
    yield
    house.clock.now = max(before, house.clock.now)


@pytest.mark.parametrize("case", [pytest.param(case, id=case.prepare.__name__) for case in CASES])
def test_leaf_that_an_audit_would_refuse_is_not_appended(shared: House, case: Case) -> None:
    with clock_kept(shared):
        ask = case.prepare(shared)
        size = shared.head().size
        try:
            found = {one.code for one in ask().violations}
        except grpc.RpcError:
            found = {shared.refusal_of(ask).reason}
        assert case.reason in found
        assert shared.head().size == size


def test_every_finding_has_a_case_or_a_reason_why_not() -> None:
    named = [
        *{case.finding for case in CASES if case.finding} | {Code[name] for name in FINDINGS},
        *[code for group in ELSEWHERE.values() for code in group],
    ]
    assert {*named} == {*Code}
    assert len(named) == len(Code)
