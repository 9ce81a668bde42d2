"""Every vector, as any client reads it: codes, numbers and cards as text, no Python."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from referee.cards import Seat
from referee.games.ultimate_texas import (
    GAME,
    Decision,
    Event,
    State,
    UltimateTexasRules,
    ViolationCode,
    apply,
    begin,
    check,
    legal_decisions,
)
from referee.games.ultimate_texas.legality import check_closing
from referee.games.ultimate_texas.stakes import check_stakes
from referee.verdict import Violation
from tests.games.rounds import texas_deal
from tests.vectors.reading import each, read

BET_UNIT: Final = 2

Vector = dict[str, Any]
RulesOf = Callable[..., UltimateTexasRules]


def _facts(violations: tuple[Violation, ...]) -> list[Vector]:
    empty = msgspec.structs.asdict(Violation(code=""))
    return [
        {key: fact for key, fact in msgspec.structs.asdict(violation).items() if fact != empty[key]}
        for violation in violations
    ]


def _event(fields: Vector, time: int = 0) -> Event:
    return Event(Seat(fields["seat"]), Decision(fields["decision"]), fields.get("time", time))


def _stakes(stakes: list[Vector]) -> list[tuple[int, int]]:
    return [(stake["ante"], stake["trips"]) for stake in stakes]


def _state_before(vector: Vector, rules_of: RulesOf) -> State:
    rules = rules_of(vector["ruleset"], vector.get("order"))
    state = begin(rules, texas_deal([(2, 0)] * vector["seats"], dealt_time=vector["dealt_time"]))
    for fields in vector["events"]:
        state = apply(state, _event(fields))
    return state


@each("ultimate_texas/decisions", argument="vector")
def test_decision_is_judged_as_the_vector_says(vector: Vector, rules_of: RulesOf):
    state, event = _state_before(vector, rules_of), _event(vector["event"])
    assert vector["violations"] == _facts(check(state, event))
    if not vector["violations"]:
        after, layout = apply(state, event), GAME.layout(vector["seats"])
        assert vector["opens"] == [layout.name(section).upper() for section in GAME.later.opens(state, after)]
        assert vector["street"] == after.street


@each("ultimate_texas/decisions", argument="vector")
def test_legal_decisions_are_those_without_a_fault(vector: Vector, rules_of: RulesOf):
    state = _state_before(vector, rules_of)
    for index in range(-1, vector["seats"] + 1):
        seat = Seat(index)
        lawful = {what for what in Decision if not check(state, Event(seat, what, state.last_time))}
        assert lawful == set(legal_decisions(state, seat))
        deadline = state.deadline_time
        late = (
            set() if deadline is None else {what for what in Decision if not check(state, Event(seat, what, deadline))}
        )
        may_decide = bool(lawful - {Decision.LEAVE})
        assert late == lawful & {Decision.LEAVE} | ({Decision.TIMEOUT} if may_decide else set())


@each("ultimate_texas/stakes", argument="vector")
def test_stakes_are_judged_as_the_vector_says(vector: Vector, rules_of: RulesOf):
    stakes = _stakes(vector["stakes"])
    rules = rules_of(vector["ruleset"])
    found = check_stakes(rules, seat_count=len(stakes), stake=BET_UNIT, seat_stakes=stakes, bet_unit=BET_UNIT)
    assert vector["violations"] == _facts(found)


def test_every_code_is_broken_by_some_vector(rules_of: RulesOf):
    """The two codes of settling too early are shown here, as no vector of a finished round can."""
    codes = {
        fault["code"]
        for name in ("decisions", "stakes")
        for one in read(f"ultimate_texas/{name}")
        for fault in one["violations"]
    }
    state = begin(rules_of("ultimate_texas.casino"), texas_deal([(2, 0)], dealt_time=9))
    early = check_closing(state, 8)
    assert _facts(early) == [
        {"code": "ROUND_NOT_OVER", "seat": 0},
        {"code": "CLOSED_TOO_EARLY", "expected": 9, "received_time": 8},
    ]
    assert set(ViolationCode) == codes | {violation.code for violation in early}
