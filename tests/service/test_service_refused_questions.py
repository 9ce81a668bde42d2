"""Bad questions, each refused with status, reason and the path of the field at fault, and nothing written."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from referee.rulesets import get, load_folder
from referee.v1 import log_pb2, ruleset_pb2, seating_pb2, shuffler_pb2
from referee.v1.money_pb2 import SeatStake
from referee.v1.round_pb2 import RoundHeader, RoundRef
from tests.driver.messages import request_type
from tests.service.house import House
from tests.service.opening import open_round, opening

Call: TypeAlias = Callable[[], object]

HOUSE_RULES = "mau_binh.by_hundreds"
BET_UNIT = 100
NO_KEY = bytes(32)
SMALL_ORDER = bytes([1, *[0] * 31])
"""The identity point: as a key it would verify one signature for every message."""


@pytest.fixture
def stakes_house(make_house: Callable[..., House], tmp_path: Path) -> House:
    """Start a server with an operator's own ruleset, whose bet unit is a hundred."""
    folder = tmp_path / "rulesets"
    folder.mkdir()
    source = get("mau_binh.classic").source.decode()
    source = source.replace('id = "mau_binh.classic"', f'id = "{HOUSE_RULES}"').replace(
        "bet_unit = 1\n", f"bet_unit = {BET_UNIT}\n"
    )
    (folder / "own.toml").write_text(source, encoding="utf-8")
    server: House = make_house("stakes", catalogue=load_folder(folder))
    return server


def assert_refused(house: House, call: Call, *expected: str) -> dict[str, str]:
    """Assert a refusal with this status, reason and field, and that the log did not grow; return its facts."""
    before = house.checkpoint()
    refusal = house.refusal_of(call)
    assert refusal.seen == expected
    assert house.checkpoint() == before
    facts: dict[str, str] = refusal.facts
    return facts


BAD, EARLY, TAKEN = "INVALID_ARGUMENT", "FAILED_PRECONDITION", "ALREADY_EXISTS"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"ruleset_id": ""}, ("NOT_FOUND", "UNKNOWN_RULESET", "terms.ruleset_id")),
        ({"ruleset_version": "9.9.9"}, ("NOT_FOUND", "UNKNOWN_RULESET", "terms.ruleset_version")),
        ({"seat_count": 0}, (BAD, "INVALID_FIELD", "terms.seat_count")),
        ({"seat_count": 1}, (BAD, "INVALID_FIELD", "terms.seat_count")),
        ({"seat_count": 5}, (BAD, "INVALID_FIELD", "terms.seat_count")),
        ({"seat_keys": [NO_KEY]}, (BAD, "INVALID_FIELD", "terms.seat_keys")),
        ({"seat_keys": [NO_KEY] * 4}, (BAD, "INVALID_FIELD", "terms.seat_keys")),
        ({"seat_keys": [NO_KEY, b"k"]}, (BAD, "INVALID_HEADER", "terms.seat_keys[1]")),
        ({"seat_keys": [NO_KEY, SMALL_ORDER]}, (BAD, "INVALID_HEADER", "terms.seat_keys[1]")),
        ({"seat_stakes": [SeatStake(bet_minor=1)] * 2}, (BAD, "INVALID_STAKE", "terms.seat_stakes")),
        ({"currency": ""}, (BAD, "INVALID_HEADER", "terms.currency")),
        ({"currency": "đồng"}, (BAD, "INVALID_HEADER", "terms.currency")),
        ({"table_id": "a table"}, (BAD, "INVALID_FIELD", "terms.table_id")),
        ({"table_id": "bàn"}, (BAD, "INVALID_FIELD", "terms.table_id")),
        ({"table_id": "t" * 65}, (BAD, "INVALID_FIELD", "terms.table_id")),
        ({"round": {"table_id": "t", "round_number": 2}}, (EARLY, "NOT_OPENED", "terms.round.round_number")),
        ({"round": {"table_id": "t", "round_number": 2**53}}, (BAD, "INVALID_FIELD", "terms.round.round_number")),
        ({"round": {"table_id": "t"}}, (BAD, "INVALID_FIELD", "terms.round.round_number")),
        ({"round": {"round_number": 1}}, (BAD, "MISSING_FIELD", "terms.round.table_id")),
        ({"table_id": ""}, (BAD, "MISSING_FIELD", "terms.table_id")),
        ({"deal_deadline_time": 1}, (BAD, "INVALID_FIELD", "terms.deal_deadline_time")),
        ({"round_deadline_time": 1}, (BAD, "INVALID_FIELD", "terms.round_deadline_time")),
        ({"deal_deadline_time": 10**12}, (EARLY, "DEADLINE_PASSED", "terms.deal_deadline_time")),
        ({"round_deadline_time": 10**12}, (BAD, "INVALID_HEADER", "terms.round_deadline_time")),
        ({"deal_deadline_time": 2**53}, (BAD, "INVALID_HEADER", "terms.deal_deadline_time")),
        ({"stake_minor": 2**53}, (BAD, "INVALID_STAKE", "terms.stake_minor")),
        ({"stake_minor": 2**64 - 1}, (BAD, "INVALID_STAKE", "terms.stake_minor")),
    ],
    ids=str,
)
def test_terms_that_cannot_be_are_refused_when_prepared_and_when_opened(
    house: House, changes: dict[str, Any], expected: tuple[str, ...]
) -> None:
    terms = house.terms("t")
    terms.MergeFrom(shuffler_pb2.RoundTerms(**changes))
    if "round" in changes:
        terms.ClearField("table_id")
    for name, value in changes.items():
        if not value:
            terms.ClearField(name)
    assert_refused(house, lambda: house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms)), *expected)
    assert_refused(house, lambda: open_round(house.shuffler, terms), *expected)


def test_terms_that_name_a_round_and_a_table_are_refused(house: House) -> None:
    """Also where both name the same table."""
    terms = house.terms(round={"table_id": "t", "round_number": 1})
    terms.table_id = "t"
    assert_refused(house, lambda: open_round(house.shuffler, terms), BAD, "INVALID_FIELD", "terms.table_id")


@pytest.mark.parametrize(
    ("stake", "code", "expected"),
    [(BET_UNIT // 2, "STAKE_TOO_LOW", BET_UNIT), (BET_UNIT + 1, "STAKE_NOT_A_MULTIPLE", BET_UNIT)],
)
def test_stake_off_the_bet_unit_is_refused(stakes_house: House, stake: int, code: str, expected: int) -> None:
    """The operator's own ruleset is played in hundreds; the facts say what would do."""
    field = (BAD, "INVALID_STAKE", "terms.stake_minor")
    facts = assert_refused(stakes_house, lambda: stakes_house.open(ruleset_id=HOUSE_RULES, stake_minor=stake), *field)
    assert facts == {"code": code, "expected": str(expected), "found": str(stake)}


def test_stake_is_refused_from_where_a_payout_could_pass_the_largest_amount(stakes_house: House) -> None:
    """The refusal names the largest lawful stake: it opens, and one bet unit more does not."""
    wanted: dict[str, Any] = {"ruleset_id": HOUSE_RULES, "seat_count": 4}
    huge = (2**53 - 1) // BET_UNIT * BET_UNIT
    field = (BAD, "INVALID_STAKE", "terms.stake_minor")
    facts = assert_refused(stakes_house, lambda: stakes_house.open(stake_minor=huge, **wanted), *field)
    most = int(facts["expected"])
    assert (most % BET_UNIT, most * 3 * 26 <= 2**53 - 1) == (0, True)  # three opponents, 26 stakes each
    assert (most + BET_UNIT) * 3 * 26 > 2**53 - 1
    assert_refused(stakes_house, lambda: stakes_house.open(stake_minor=most + BET_UNIT, **wanted), *field)
    assert stakes_house.open(stake_minor=most, **wanted).header.stake_minor == most


HEADER_EDITS: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    ({"protocol": 2}, (BAD, "INVALID_HEADER", "round.header.protocol")),
    ({"protocol": 0}, (BAD, "INVALID_HEADER", "round.header.protocol")),
    ({"origin": "log.example/2"}, (BAD, "INVALID_HEADER", "round.header.origin")),
    ({"randomness_suite": 0}, (BAD, "INVALID_HEADER", "round.header.randomness_suite")),
    ({"randomness_suite": 250}, (BAD, "INVALID_HEADER", "round.header.randomness_suite")),
    ({"round": {"table_id": "another"}}, (BAD, "FOREIGN", "round.header")),
    ({"round": {"round_number": 2}, "previous_leaf_hash": b"p" * 32}, (BAD, "FOREIGN", "round.header")),
    ({"round": {"round_number": 2}}, (BAD, "INVALID_HEADER", "round.header.previous_leaf_hash")),
    ({"ruleset_id": "mau_binh.chi_2020"}, (BAD, "INVALID_HEADER", "round.header.ruleset_digest")),
    ({"ruleset_id": "mau_binh.nobody"}, ("NOT_FOUND", "UNKNOWN_RULESET", "round.header.ruleset_id")),
    ({"ruleset_version": "1.0.1"}, ("NOT_FOUND", "UNKNOWN_RULESET", "round.header.ruleset_version")),
    ({"ruleset_digest": b"d" * 32}, (BAD, "INVALID_HEADER", "round.header.ruleset_digest")),
    ({"layout": [13, 26, 13]}, (BAD, "INVALID_HEADER", "round.header.layout")),
    ({"layout": [13, 13]}, (BAD, "INVALID_HEADER", "round.header.layout")),
    ({"currency": "USD"}, (BAD, "FOREIGN", "round.header")),
    ({"stake_minor": 999}, (BAD, "FOREIGN", "round.header")),
    ({"seat_keys": [NO_KEY] * 3}, (BAD, "INVALID_HEADER", "round.header.layout")),
    ({"seat_keys": []}, (BAD, "INVALID_HEADER", "round.header.seat_keys")),
    ({"previous_leaf_hash": b"p" * 32}, (BAD, "INVALID_HEADER", "round.header.previous_leaf_hash")),
    ({"deal_deadline_time": 1_800_000_119_999}, (BAD, "FOREIGN", "round.header")),
    ({"round_deadline_time": 1_800_000_900_001}, (BAD, "FOREIGN", "round.header")),
]


@pytest.mark.parametrize(("changes", "expected"), HEADER_EDITS, ids=str)
def test_true_certificate_under_an_edited_header_is_refused(
    house: House, changes: dict[str, Any], expected: tuple[str, ...]
) -> None:
    """No term of a round can be changed once its cards are seen, whatever the request."""
    played = house.play("t").report_all()
    for name, value in changes.items():
        played.message.header.ClearField(name)
        if isinstance(value, list):
            getattr(played.message.header, name).extend(value)
        elif isinstance(value, dict):
            played.message.header.round.CopyFrom(RoundRef(table_id="t", round_number=1))
            played.message.header.round.MergeFrom(RoundRef(**value))
        else:
            setattr(played.message.header, name, value)
    assert_refused(house, played.settle, *expected)
    assert_refused(house, played.preview, *expected)
    assert_refused(house, lambda: played.check(0, house.as_dealt(played.hands[0])), *expected)
    assert_refused(house, lambda: played.accept(0), *expected)


@dataclass(frozen=True, slots=True)
class Opening:
    """How a prepared header is spoilt before it is opened, and why that is refused."""

    spoil: Callable[[shuffler_pb2.OpenRoundRequest], object]
    expected: tuple[str, ...]


@pytest.mark.parametrize(
    "case",
    [
        Opening(lambda r: r.ClearField("header"), (BAD, "MISSING_FIELD", "terms")),
        Opening(lambda r: r.header.round.ClearField("table_id"), (BAD, "MISSING_FIELD", "header.round.table_id")),
        Opening(lambda r: setattr(r.header, "origin", "log.example/2"), (BAD, "INVALID_HEADER", "header.origin")),
        Opening(lambda r: setattr(r.header, "stake_minor", 0), (BAD, "INVALID_STAKE", "header.stake_minor")),
        Opening(lambda r: r.header.seat_stakes.add(bet_minor=1), (BAD, "INVALID_HEADER", "header.seat_stakes")),
        Opening(
            lambda r: r.header.seat_stakes.extend([SeatStake(bet_minor=1)] * 2),
            (BAD, "INVALID_STAKE", "header.seat_stakes"),
        ),
        Opening(
            lambda r: setattr(r.header, "deal_deadline_time", 1_800_000_000_000),
            (EARLY, "DEADLINE_PASSED", "header.deal_deadline_time"),
        ),
        Opening(
            lambda r: r.header.MergeFrom(RoundHeader(round={"round_number": 3}, previous_leaf_hash=b"p" * 32)),
            (EARLY, "WRONG_PREVIOUS", ""),
        ),
        Opening(lambda r: r.client_commitments.append(b"c" * 32), (BAD, "INVALID_FIELD", "client_commitments")),
        Opening(
            lambda r: r.client_commitments.extend([b"c" * 32, b"c" * 31]),
            (BAD, "INVALID_FIELD", "client_commitments[1]"),
        ),
    ],
    ids=lambda case: "-".join(case.expected),
)
def test_header_that_cannot_be_opened_is_refused(house: House, case: Opening) -> None:
    header = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=house.terms("t"))).header
    request = opening(header)
    case.spoil(request)
    assert_refused(house, lambda: open_round(house.shuffler, request), *case.expected)


def test_commitments_without_the_header_they_bind_are_refused(house: House) -> None:
    request = opening(house.terms(), commitments=[b"c" * 32] * 2)
    expected = (BAD, "INVALID_FIELD", "client_commitments")
    assert_refused(house, lambda: open_round(house.shuffler, request), *expected)


def test_round_number_of_the_past_is_refused(house: House) -> None:
    """The table's next round is the second."""
    house.play("t").report_all().settle()
    latest = house.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id="t")).round.round_number
    house.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(round={"table_id": "t", "round_number": latest}))
    field = "terms.round.round_number"
    assert_refused(
        house, lambda: house.open(round={"table_id": "t", "round_number": latest}), TAKEN, "ALREADY_OPENED", field
    )
    assert_refused(
        house, lambda: house.open(round={"table_id": "t", "round_number": latest + 2}), EARLY, "NOT_OPENED", field
    )
    assert house.open(round={"table_id": "t", "round_number": latest + 1}).header.round.round_number == latest + 1


@pytest.mark.parametrize(
    ("seeds", "field"),
    [([b"s" * 32], "client_seeds"), ([b"s" * 32] * 3, "client_seeds"), ([b"s" * 32, b"s"], "client_seeds[1]")],
    ids=["one", "three", "short"],
)
def test_seeds_that_are_not_one_a_seat_are_refused(house: House, seeds: list[bytes], field: str) -> None:
    house.open("t")
    request = shuffler_pb2.DealRoundRequest(round={"table_id": "t", "round_number": 1}, client_seeds=seeds)
    assert_refused(house, lambda: house.shuffler.DealRound(request), BAD, "INVALID_FIELD", field)


@pytest.mark.parametrize("method", ["DealRound", "AbortRound", "RevealRound", "OpenSection"])
def test_round_that_is_not_there_is_refused_by_every_call(house: House, method: str) -> None:
    """No name, no number, a number too far, and a round never opened."""
    ask = getattr(house.shuffler, method)
    make = request_type(f"/referee.v1.ShufflerService/{method}")
    assert_refused(house, lambda: ask(make()), BAD, "MISSING_FIELD", "round.table_id")
    assert_refused(house, lambda: ask(make(round={"round_number": 1})), BAD, "MISSING_FIELD", "round.table_id")
    assert_refused(house, lambda: ask(make(round={"table_id": "t"})), BAD, "INVALID_FIELD", "round.round_number")
    assert_refused(
        house,
        lambda: ask(make(round={"table_id": "t", "round_number": 2**60})),
        BAD,
        "INVALID_FIELD",
        "round.round_number",
    )
    assert_refused(house, lambda: ask(make(round={"table_id": "t", "round_number": 1})), EARLY, "NOT_OPENED", "")


def test_seating_and_rulesets_refuse_what_they_do_not_know(house: House) -> None:
    def decide(**fields: Any) -> Call:  # noqa: ANN401 - any field
        return lambda: house.seating.DecideSeating(seating_pb2.DecideSeatingRequest(**fields))

    here = seating_pb2.Person(person_id="an", came_time=1)
    law = "mau_binh.classic"
    unknown = ("NOT_FOUND", "UNKNOWN_RULESET", "ruleset_id")
    assert_refused(house, decide(ruleset_id="x.y"), *unknown)
    assert_refused(house, decide(ruleset_id="tien_len.mien_nam"), BAD, "INVALID_FIELD", "ruleset_id")
    assert_refused(house, decide(ruleset_id=law, persons=[here, here]), BAD, "INVALID_FIELD", "persons")
    assert_refused(house, decide(ruleset_id=law, persons=[here] * 257), BAD, "INVALID_FIELD", "persons")
    nobody = seating_pb2.Person(came_time=1)
    assert_refused(house, decide(ruleset_id=law, persons=[here, nobody]), BAD, "MISSING_FIELD", "persons[1].person_id")
    ask = house.rulesets.GetRuleset
    assert_refused(house, lambda: ask(ruleset_pb2.GetRulesetRequest(ruleset_id="x.y")), *unknown)
    assert_refused(
        house, lambda: ask(ruleset_pb2.GetRulesetRequest(ruleset_id=law, version="0.0.1")), *unknown[:2], "version"
    )
    assert_refused(house, decide(ruleset_id=law, ruleset_version="0.0.1"), *unknown[:2], "ruleset_version")


@pytest.mark.parametrize(
    "method",
    [
        "ShufflerService/OpenRound",
        "ShufflerService/DealRound",
        "MauBinhService/SettleRound",
        "MauBinhService/SettleRounds",
        "MauBinhService/CheckArrangement",
        "SeatingService/DecideSeating",
        "LogService/ListEntries",
        "RulesetService/GetRuleset",
    ],
)
def test_bytes_that_are_no_message_are_refused(house: House, method: str) -> None:
    """A field that ends beyond the message, a group never opened, and text that is not UTF-8."""
    for garbage in (b"\x0a\xff", b"\x0c", b"\xff\xff\xff"):
        assert_refused(house, lambda data=garbage: house.raw(method, data), BAD, "MALFORMED", "")  # type: ignore[misc] # the loop's own
    if "Ruleset" in method:
        assert_refused(house, lambda: house.raw(method, b"\x0a\x02\xff\xfe"), BAD, "MALFORMED", "")
