"""Who sits, watches, waits, is sent out, and when to deal."""

from typing import Any

import pytest

from referee.games.mau_binh import MauBinhRules
from referee.games.seating import Person, Seating, SeatingError, decide_seating
from tests.builtin import rules_as
from tests.vectors.reading import each

COM = rules_as(MauBinhRules, "mau_binh.maubinh_com")


def seat_people(rules: MauBinhRules, people: list[Person], *, now: int) -> Seating:
    return decide_seating(people, now=now, seats=rules.seats, ready_limit=rules.clocks.ready_limit)


@each("mau_binh/seating", argument="vector")
def test_room_is_as_the_rule_says(vector: dict[str, Any]) -> None:
    people = [Person(**{"seated_time": None, "ready_time": None} | person) for person in vector["people"]]
    found = seat_people(rules_as(MauBinhRules, vector["ruleset"]), people, now=vector["now"])
    expected = vector["seating"]
    lists = ("seated", "newly_seated", "watching", "sent_out", "waiting")
    assert {key: expected[key] for key in lists} == {key: list(getattr(found, key)) for key in lists}
    assert expected["is_deal_due"] is found.is_deal_due
    assert expected.get("next_time") == found.next_time


def test_next_time_is_when_the_first_is_sent_out() -> None:
    """Nothing changes before ``next_time``; at that time somebody is sent out."""
    people = [
        Person(name="an", came_time=0, seated_time=0, ready_time=7),
        Person(name="ba", came_time=0, seated_time=100, ready_time=None),
        Person(name="cu", came_time=0, seated_time=50, ready_time=None),
    ]
    first = seat_people(COM, people, now=100)
    assert first.next_time == 20_050
    assert seat_people(COM, people, now=20_049).sent_out == ()
    assert seat_people(COM, people, now=20_050).sent_out == ("cu",)


@pytest.mark.parametrize(("ready", "seated", "expected"), [(0, 0, 20_000), (0, 1, 20_001), (1, 0, 20_001)])
def test_ready_clock_runs_from_the_later_of_being_seated_and_another_being_ready(
    ready: int, seated: int, expected: int
) -> None:
    """Zero is a time like any other."""
    people = [
        Person(name="an", came_time=0, seated_time=0, ready_time=ready),
        Person(name="ba", came_time=0, seated_time=seated, ready_time=None),
    ]
    found = seat_people(COM, people, now=1)
    assert (found.next_time, found.seated) == (expected, ("an", "ba"))
    assert seat_people(COM, people[::-1], now=1).seated == (("an", "ba") if seated else ("ba", "an"))
    assert seat_people(COM, people, now=expected - 1).seated == ("an", "ba")
    assert seat_people(COM, people, now=expected).sent_out == ("ba",)


@pytest.mark.parametrize(
    ("people", "words"),
    [
        ([("an", 0, None, None), ("an", 1, None, None)], "more than once"),
        ([("an", 11, None, None)], "not in this order"),
        ([("an", 5, 4, None)], "not in this order"),
        ([("an", 1, 3, 2)], "not in this order"),
        ([("an", 1, None, 2)], "without a seat"),
        ([(name, 1, 2, None) for name in "abcde"], "5 people are seated"),
    ],
)
def test_people_who_cannot_be_in_one_room_are_an_error(people: list[Any], words: str) -> None:
    people = [
        Person(name=name, came_time=came, seated_time=seated, ready_time=ready) for name, came, seated, ready in people
    ]
    with pytest.raises(SeatingError, match=words):
        seat_people(COM, people, now=10)
