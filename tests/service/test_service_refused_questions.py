"""Bad questions, each refused with status, reason and the path of the field at fault, and nothing written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from referee.rulesets import get, load_folder
from tests.service.house import House

Call: TypeAlias = Callable[[], object]

HOUSE_RULES = "mau_binh.by_hundreds"
BET_UNIT = 100


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
