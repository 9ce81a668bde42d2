"""Limits of the bets: every Ante and Trips around each limit, against the sheet's words."""

import itertools

import msgspec
import pytest

from referee.games.ultimate_texas import UltimateTexasRules
from referee.games.ultimate_texas.rules import Limits, NoLimits
from referee.games.ultimate_texas.stakes import check_stakes
from referee.rulesets import load_examples
from tests.builtin import rules_as

LIMITS = Limits(smallest_ante=10, largest_ante=40, smallest_trips=5, largest_trips=15, reason="test")


@pytest.fixture(name="rules")
def rules_fixture() -> UltimateTexasRules:
    return rules_as(UltimateTexasRules, "ultimate_texas.casino")


def faults_of(rules: UltimateTexasRules, ante: int, trips: int) -> list[tuple[str, int | None, int | None, int | None]]:
    found = check_stakes(rules, seat_count=2, stake=2, seat_stakes=((20, 0), (ante, trips)), bet_unit=2)
    return [(fault.code, fault.seat, fault.expected, fault.found) for fault in found]


def by_the_sheet(ante: int, trips: int) -> list[tuple[str, int, int, int]]:
    """Return the faults of a seat's bets at a table for Antes of 10 to 40 and, if any, Trips of 5 to 15."""
    words = [
        ("ANTE_TOO_LOW", ante < 10, 10, ante),
        ("ANTE_TOO_HIGH", ante > 40, 40, ante),
        ("ANTE_NOT_A_MULTIPLE", ante % 2 == 1, 2, ante),
        ("TRIPS_TOO_LOW", trips < 0 or 0 < trips < 5, 5, trips),
        ("TRIPS_TOO_HIGH", trips > 15, 15, trips),
    ]
    return [(code, 1, expected, found) for code, is_broken, expected, found in words if is_broken]


def test_every_bet_around_the_limits_is_judged_as_the_sheet_says(rules: UltimateTexasRules) -> None:
    bounded = msgspec.structs.replace(rules, limits=LIMITS)
    bets = list(itertools.product(range(-2, 44), range(-2, 19)))
    assert [faults_of(bounded, *bet) for bet in bets] == [by_the_sheet(*bet) for bet in bets]


def test_without_limits_any_bet_of_the_bet_unit_is_lawful(rules: UltimateTexasRules) -> None:
    assert isinstance(rules.limits, NoLimits)
    assert [faults_of(rules, *bet) for bet in ((2, 0), (10**9, 1), (2, 10**9))] == [[], [], []]


def test_no_limit_is_a_multiple_of_the_bet_unit_where_there_are_none(rules: UltimateTexasRules) -> None:
    assert rules.unit_bets == {}


@pytest.mark.parametrize("members", [{"kind": "NONE"}, msgspec.to_builtins(LIMITS)])
def test_limits_have_no_other_members(members: dict[str, object]) -> None:
    assert isinstance(msgspec.convert(members, Limits | NoLimits), Limits | NoLimits)
    with pytest.raises(msgspec.ValidationError, match="unknown field `other`"):
        msgspec.convert(members | {"other": 1}, Limits | NoLimits)


def test_smallest_bet_may_be_the_largest(rules: UltimateTexasRules) -> None:
    only = Limits(smallest_ante=10, largest_ante=10, smallest_trips=5, largest_trips=5, reason="test")
    bounded = msgspec.structs.replace(rules, limits=only)
    assert [fault for fault in faults_of(bounded, 10, 5) if fault[1] == 1] == []
    assert [fault[0] for fault in faults_of(bounded, 8, 6) if fault[1] == 1] == ["ANTE_TOO_LOW", "TRIPS_TOO_HIGH"]


def test_example_uses_every_knob_of_the_game() -> None:
    rules = rules_as(UltimateTexasRules, load_examples().get("ultimate_texas.house_example"))
    assert isinstance(rules.limits, Limits)
    assert rules.unit_bets == {"limits.smallest_ante": 100, "limits.largest_ante": 5000}
