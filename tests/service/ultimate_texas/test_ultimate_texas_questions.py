"""Decisions asked about and accepted: broken rules are answered with violations, and nothing else happens."""

from typing import Any, Final

import pytest

from referee.rulesets import get
from referee.v1 import ultimate_texas_pb2
from referee.v1.ultimate_texas_pb2 import Decision
from tests.service.courses import payload_of
from tests.service.ultimate_texas_house import Server

DECISIONS: Final = tuple(name.removeprefix("DECISION_") for name in Decision.keys() if name != "DECISION_UNSPECIFIED")  # noqa: SIM118 - an enum of the wire is no dict
STATES: Final = (
    (),
    ((0, "CHECK"),),
    ((0, "CHECK"), (1, "PLAY_4X")),
    ((0, "PLAY_3X"), (1, "CHECK")),
    ((0, "CHECK"), (1, "CHECK"), (1, "CHECK"), (0, "TIMEOUT")),
    ((0, "CHECK"), (1, "CHECK"), (0, "CHECK"), (1, "PLAY_2X")),
    ((0, "LEAVE"),),
    ((0, "PLAY_4X"), (0, "LEAVE")),
    ((0, "CHECK"), (1, "CHECK"), (0, "CHECK"), (1, "CHECK"), (1, "FOLD")),
    ((0, "PLAY_4X"), (1, "PLAY_4X")),
)


def _codes(answer: Any) -> list[str]:  # noqa: ANN401 - answers of several methods
    return [violation.code for violation in answer.violations]


@pytest.mark.parametrize("decisions", STATES)
def test_what_is_listed_as_legal_is_what_is_lawful_and_accepted(server: Server, decisions: tuple[tuple[int, str], ...]):
    """Every decision of every seat, asked in one batch and then for acceptance, beside the state's own list."""
    played = server.deal(2)
    played.play(*decisions)
    asked = [(seat, decision) for seat in range(3) for decision in DECISIONS]
    answers = server.referee.CheckDecisions(
        ultimate_texas_pb2.CheckDecisionsRequest(
            requests=[
                ultimate_texas_pb2.CheckDecisionRequest(
                    round=played.message,
                    event=ultimate_texas_pb2.UltimateTexasEvent(seat=seat, decision=f"DECISION_{decision}"),
                )
                for seat, decision in asked
            ]
        )
    ).responses
    before = ultimate_texas_pb2.UltimateTexasRound.FromString(played.message.SerializeToString())
    state = played.preview().state
    legal = [
        (seat.seat, Decision.Name(one).removeprefix("DECISION_"))
        for seat in state.seats
        for one in seat.legal_decisions
    ]
    lawful = [one for one, answer in zip(asked, answers, strict=True) if not answer.violations]
    assert sorted(lawful) == sorted(legal)
    assert all(answer.state == state for answer in answers)
    assert all(answer.ruleset_digest == get("ultimate_texas.casino").digest for answer in answers)
    for one, answer in zip(asked, answers, strict=True):
        accepted = played.accept(*one)
        assert _codes(accepted) == _codes(answer)
        assert (one in legal) == bool(accepted.receipt)
        if accepted.event_number:
            assert accepted.event_number == len(decisions) + 1
            played.message.CopyFrom(before)


@pytest.mark.parametrize(
    ("decisions", "asked", "codes"),
    [
        ((), (2, "CHECK"), ["UNKNOWN_SEAT"]),
        ((), (0, "FOLD"), ["FOLD_NOT_OFFERED"]),
        ((), (0, "PLAY_1X"), ["PLAY_NOT_OFFERED"]),
        (((0, "LEAVE"),), (0, "CHECK"), ["ALREADY_LEFT", "ALREADY_CHECKED"]),
        (((0, "PLAY_4X"),), (0, "CHECK"), ["ALREADY_PLAYED"]),
        (STATES[8], (1, "PLAY_1X"), ["ALREADY_FOLDED"]),
        (STATES[4], (1, "CHECK"), ["CHECK_NOT_OFFERED"]),
        (STATES[9], (1, "LEAVE"), ["ROUND_OVER"]),
    ],
)
def test_unlawful_event_is_answered_with_what_is_wrong_and_no_receipt(
    server: Server, decisions: tuple[tuple[int, str], ...], asked: tuple[int, str], codes: list[str]
):
    played = server.deal(2)
    played.play(*decisions)
    before = played.preview().state
    answer = played.accept(*asked)
    assert _codes(answer) == codes
    assert answer.state == before
    assert (answer.HasField("event"), answer.event_number, answer.refused_event_number) == (False, 0, 0)
    assert all(violation.text.vi and violation.text.en for violation in answer.violations)


@pytest.mark.parametrize("behind", [1, 2_000])
def test_referees_clock_that_was_set_back_a_little_stays_at_the_rounds_time(server: Server, behind: int):
    """The round's time is that of the referee's event before, or of the shuffler's deal and openings."""
    played = server.deal(2)
    dealt, server.clock.now = server.clock.now, server.clock.now - behind
    assert played.accept(0, "CHECK").event.time == dealt
    server.clock.now = dealt + 5_000
    assert played.accept(1, "CHECK").event.time == dealt + 5_000
    server.clock.now += 1_000
    opened = played.open_section().unsealed_time
    assert opened == dealt + 6_000
    server.clock.now -= behind
    assert played.accept(0, "CHECK").event.time == opened


def test_round_is_settled_at_the_referees_last_time_at_the_earliest(server: Server):
    """The clock was set back since."""
    played = server.deal(1)
    server.clock.now += 5_000
    played.play((0, "PLAY_4X"))
    server.clock.now -= 1
    settled = played.settle()
    assert payload_of(settled.log_receipt.leaf)["inputs"]["closed_time"] == server.clock.now + 1
