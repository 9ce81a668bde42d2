"""The hand-computed vectors in ``tests/vectors/mau_binh``: every line of the value tables, every violation code."""

from typing import Any

import pytest

from referee.cards import Card, Seat, parse_cards, spell
from referee.evidence.canonical import Hex
from referee.games import StakeFault, refusals
from referee.games.mau_binh import (
    GAME,
    Arrange,
    Arrangement,
    Commit,
    Event,
    Leave,
    MauBinhRules,
    Reason,
    ViolationCode,
    apply,
    begin,
    instant_win_of,
)
from referee.games.mau_binh.arrangement import check_arrangement
from referee.games.mau_binh.code import Pattern
from referee.games.mau_binh.event import Timeout
from referee.games.mau_binh.instant_win import patterns_of
from referee.rulesets import load_examples
from referee.verdict import Violation
from tests.builtin import rules_as
from tests.games.rounds import Settled, hands_deal
from tests.games.rounds import settled as settled_round
from tests.vectors.reading import read


def vectors(name: str) -> list[Any]:
    return [pytest.param(vector, id=vector["id"]) for vector in read(f"mau_binh/{name}")]


def rules_of(vector: dict[str, Any]) -> MauBinhRules:
    return rules_as(MauBinhRules, load_examples().get(vector["ruleset"]))


def event_of(fields: dict[str, Any]) -> Event:
    if fields["kind"] == "LEAVE":
        return Leave(Seat(fields["seat"]), fields["time"])
    if fields["kind"] == "TIMEOUT":
        return Timeout(Seat(fields["seat"]), fields["time"])
    if fields["kind"] == "COMMIT":
        return Commit(Seat(fields["seat"]), Hex(bytes.fromhex(fields["commitment"])), fields["time"])
    back, middle, front = (parse_cards(fields[chi]) for chi in ("back", "middle", "front"))
    nonce, opens = (bytes.fromhex(fields.get(name, "")) for name in ("nonce", "opens"))
    return Arrange(Seat(fields["seat"]), back, middle, front, fields["time"], Hex(nonce) if nonce else None, opens)


def settled(vector: dict[str, Any]) -> Settled:
    hands = [parse_cards(hand) for hand in vector["hands"]]
    is_sealed = vector.get("sealed", False)
    deal = hands_deal(hands, stake=vector["stake"], dealt_time=vector["dealt_time"], is_sealed=is_sealed)
    events = [event_of(fields) for fields in vector["events"]]
    return settled_round(GAME, rules_of(vector), deal, events, closed_time=vector["closed_time"])


def fields_of(violation: Violation) -> dict[str, Any]:
    """Return a violation with the facts it has."""
    facts = {
        "seat": violation.seat,
        "expected": violation.expected,
        "found": violation.found,
        "deadline_time": violation.deadline_time,
        "received_time": violation.received_time,
    }
    cards = {"cards": spell(violation.cards)} if violation.cards or violation.code.endswith("_WRONG_SIZE") else {}
    against = {"against": spell(violation.against)} if violation.against else {}
    return {"code": violation.code} | cards | against | {key: fact for key, fact in facts.items() if fact is not None}


@pytest.mark.parametrize("vector", vectors("settlement"))
def test_settlement_is_as_computed_by_hand(vector: dict[str, Any]) -> None:
    played = settled(vector)
    assert played.violations == ()
    outcome = played.outcome
    assert vector["transfers"] == [
        {
            "payer": transfer.payer,
            "payee": transfer.payee,
            "amount": transfer.amount,
            "reason": transfer.reason,
            "subject": transfer.subject,
        }
        for transfer in outcome.transfers
    ]
    assert vector["net"] == list(outcome.net)
    assert vector["winners"] == list(outcome.winners)
    assert vector["fouls"] == [[foul.seat, foul.code] for foul in outcome.fouls]


@pytest.mark.parametrize("vector", vectors("refusal"))
def test_unlawful_round_is_refused_with_the_facts(vector: dict[str, Any]) -> None:
    played = settled(vector)
    assert vector["violations"] == [fields_of(violation) for violation in played.violations]
    assert (played.outcome, played.refused_event) == (None, vector["refused_event"])


@pytest.mark.parametrize("vector", vectors("sealed"))
def test_sealed_round_has_the_outcome_of_its_vector(vector: dict[str, Any]) -> None:
    played = settled(vector)
    outcome = played.outcome
    if "violations" in vector:
        assert vector["violations"] == [fields_of(violation) for violation in played.violations]
        assert vector["refused_event"] == played.refused_event
        return
    assert played.violations == ()
    assert vector["net"] == list(outcome.net)
    assert vector["showdown_time"] == outcome.showdown_time
    assert vector["fouls"] == [[foul.seat, foul.code] for foul in outcome.fouls]


@pytest.mark.parametrize("vector", [one for one in vectors("sealed") if "opened_by" in one.values[0]])
def test_hands_of_a_sealed_round_open_with_one_event(vector: dict[str, Any]) -> None:
    """With none before it, whether or not the judge knows the hands."""
    for hands in (tuple(parse_cards(hand) for hand in vector["hands"]), ((), ())):
        state = begin(rules_of(vector), hands_deal(hands, dealt_time=vector["dealt_time"], is_sealed=True))
        for event in [event_of(one) for one in vector["events"][: vector["opened_by"]]]:
            assert state.sealing is not None
            assert state.sealing.opened_time is None
            state = apply(state, event)
        assert state.sealing is not None
        assert state.sealing.opened_time == vector["events"][vector["opened_by"] - 1]["time"]


@pytest.mark.parametrize("vector", vectors("arrangement"))
def test_arrangement_is_checked_for_everything_at_once(vector: dict[str, Any]) -> None:
    chi: list[tuple[Card, ...]] = [parse_cards(vector[name]) for name in ("back", "middle", "front")]
    violations = check_arrangement(rules_of(vector), parse_cards(vector["dealt"]), Arrangement(*chi))
    assert vector["violations"] == [fields_of(violation) for violation in violations]
    assert (not refusals(GAME, violations)) is all(one["code"].startswith("FOULED_") for one in vector["violations"])


@pytest.mark.parametrize("vector", vectors("instant_win"))
def test_instant_win_is_seen_in_the_cards(vector: dict[str, Any]) -> None:
    dealt = parse_cards(vector["dealt"])
    assert vector["patterns"] == list(patterns_of(dealt))
    for name in ("mau_binh.maubinh_com", "mau_binh.classic", "mau_binh.chi_2020"):
        win = instant_win_of(rules_of({"ruleset": name}), dealt)
        assert vector["wins"].get(name) == (None if win is None else {"pattern": win.pattern, "units": win.units})


@pytest.mark.parametrize("vector", vectors("stake"))
def test_stake_is_checked_before_the_deal(vector: dict[str, Any]) -> None:
    violations = GAME.check_stakes(
        rules_of(vector),
        seat_count=vector["seat_count"],
        stake=vector["stake"],
        seat_stakes=(),
        bet_unit=vector["bet_unit"],
    )
    assert vector["violations"] == [fields_of(violation) for violation in violations]


def test_every_violation_code_has_a_vector() -> None:
    files = ("arrangement", "refusal", "sealed", "stake")
    rows = [param.values[0] for file in files for param in vectors(file)]
    produced = {violation["code"] for row in rows for violation in row.get("violations", ())}
    produced |= {code for row in rows for _, code in row.get("fouls", ())}
    stakes = {StakeFault.STAKE_TOO_LOW, StakeFault.STAKE_NOT_A_MULTIPLE, StakeFault.STAKE_TOO_HIGH}
    assert produced == {str(code) for code in (*ViolationCode, *stakes)}


def test_every_reason_and_pattern_has_a_vector() -> None:
    paid = [transfer for param in vectors("settlement") for transfer in param.values[0]["transfers"]]
    assert {transfer["reason"] for transfer in paid} == {str(reason) for reason in Reason}
    seen = {pattern for param in vectors("instant_win") for pattern in param.values[0]["patterns"]}
    assert seen == {str(pattern) for pattern in Pattern}


def test_every_value_that_differs_from_the_ordinary_has_a_vector() -> None:
    """Each special value of each ruleset is paid by a vector; four aces in the middle always foul and have none."""
    paid = {
        (param.values[0]["ruleset"], transfer["reason"], transfer["subject"], transfer["amount"])
        for param in vectors("settlement")
        for transfer in param.values[0]["transfers"]
    }
    for name in ("mau_binh.maubinh_com", "mau_binh.classic", "mau_binh.chi_2020"):
        for value in rules_of({"ruleset": name}).values.special:
            assert (name, value.chi, value.category, value.units * 100) in paid
