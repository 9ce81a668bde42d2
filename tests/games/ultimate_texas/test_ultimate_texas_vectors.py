"""Every vector, as any client reads it: codes, numbers and cards as text, no Python."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from referee.cards import Seat, parse_cards
from referee.games.ultimate_texas import (
    Code,
    Decision,
    Event,
    Stake,
    State,
    TableCards,
    UltimateTexasRules,
    apply,
    check_decision,
    check_settlement,
    check_stakes,
    closes_street,
    legal_decisions,
    opened_sections,
    replay,
    settle,
    start,
)
from referee.money import Amount, net_amounts
from referee.verdict import Violation

FOLDER: Final = Path(__file__).parents[2] / "vectors" / "ultimate_texas"
BET_UNIT: Final = 2

Vector = dict[str, Any]
RulesOf = Callable[..., UltimateTexasRules]


def _vectors(name: str) -> list[Vector]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _each(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("vector", [pytest.param(vector, id=vector["id"]) for vector in _vectors(name)])


def _facts(violations: tuple[Violation, ...]) -> list[Vector]:
    empty = asdict(Violation(code=""))
    return [{key: fact for key, fact in asdict(violation).items() if fact != empty[key]} for violation in violations]


def _event(told: Vector, time: int = 0) -> Event:
    return Event(Seat(told["seat"]), Decision(told["decision"]), told.get("time", time))


def _stakes(told: list[Vector]) -> list[Stake]:
    return [Stake(ante=Amount(stake["ante"]), trips=Amount(stake["trips"])) for stake in told]


def _state_before(vector: Vector, rules_of: RulesOf) -> State:
    rules = rules_of(vector["ruleset"], vector.get("order"))
    stakes = [Stake(ante=Amount(2), trips=Amount(0))] * vector["seats"]
    state = start(rules, stakes, bet_unit=BET_UNIT, dealt_time=vector["dealt_time"])
    for told in vector["events"]:
        state = apply(state, _event(told))
    return state


@_each("decisions")
def test_decision_is_judged_as_the_vector_says(vector: Vector, rules_of: RulesOf):
    state, event = _state_before(vector, rules_of), _event(vector["event"])
    assert vector["violations"] == _facts(check_decision(state, event))
    if not vector["violations"]:
        assert tuple(vector["opens"]) == opened_sections(state, event)
        assert bool(vector["opens"]) == closes_street(state, event)
        assert vector["street"] == apply(state, event).street


@_each("decisions")
def test_legal_decisions_are_those_without_a_fault(vector: Vector, rules_of: RulesOf):
    state = _state_before(vector, rules_of)
    for index in range(-1, vector["seats"] + 1):
        seat = Seat(index)
        lawful = {what for what in Decision if not check_decision(state, Event(seat, what, state.last_time))}
        assert lawful == set(legal_decisions(state, seat))


@_each("stakes")
def test_stakes_are_judged_as_the_vector_says(vector: Vector, rules_of: RulesOf):
    found = check_stakes(rules_of(vector["ruleset"]), _stakes(vector["stakes"]), bet_unit=BET_UNIT)
    assert vector["violations"] == _facts(found)


@_each("settlements")
def test_settlement_is_what_the_vector_says(vector: Vector, rules_of: RulesOf):
    events = [_event(told, time) for time, told in enumerate(vector["events"], 1)]
    stakes = _stakes(vector["stakes"])
    played = replay(rules_of(vector["ruleset"]), stakes, events, bet_unit=BET_UNIT, dealt_time=0)
    assert played.violations == ()
    cards = TableCards(
        hands=tuple(parse_cards(hand) for hand in vector["hands"]),
        house=parse_cards(vector["house"]),
        board=parse_cards(vector["board"]),
    )
    outcome = settle(played.state, cards)
    assert (vector["house_category"], vector["house_qualifies"]) == (
        outcome.house_value.category,
        outcome.house_qualifies,
    )
    assert vector["seats"] == [{"result": seat.result, "category": seat.value.category} for seat in outcome.seats]
    assert vector["transfers"] == [msgspec.structs.asdict(transfer) for transfer in outcome.transfers]
    assert vector["net"] == list(net_amounts(outcome.transfers, len(stakes)))


def test_every_code_is_broken_by_some_vector(rules_of: RulesOf):
    """The two codes of settling too early are shown here, as no vector of a finished round can."""
    told = {fault["code"] for name in ("decisions", "stakes") for one in _vectors(name) for fault in one["violations"]}
    state = start(rules_of("ultimate_texas.casino"), _stakes([{"ante": 2, "trips": 0}]), bet_unit=2, dealt_time=9)
    early = check_settlement(state, closed_time=8)
    assert _facts(early) == [
        {"code": "ROUND_NOT_OVER", "seat": 0},
        {"code": "CLOSED_TOO_EARLY", "expected": 9, "received_time": 8},
    ]
    assert set(Code) == told | {violation.code for violation in early}


def test_ids_are_unique_and_every_vector_says_why():
    vectors = [vector for name in ("decisions", "stakes", "settlements") for vector in _vectors(name)]
    assert all(vector["why"] and vector["source"] for vector in vectors)
    for name in ("decisions", "stakes", "settlements"):
        ids = [vector["id"] for vector in _vectors(name)]
        assert sorted(set(ids)) == sorted(ids)
