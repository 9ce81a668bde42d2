"""OpenSection: what it takes, what it writes down before cards are answered, and how it answers one course again."""

import threading
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import pytest

from referee.v1 import shuffler_pb2, ultimate_texas_pb2
from tests.attacks.courses import continuation
from tests.service.house import House
from tests.service.table import Table
from tests.status_details import reason_and_field

Request: TypeAlias = shuffler_pb2.OpenSectionRequest

CHECK = ultimate_texas_pb2.DECISION_CHECK
PLAY_1X = ultimate_texas_pb2.DECISION_PLAY_1X
PLAY_3X = ultimate_texas_pb2.DECISION_PLAY_3X
PLAY_4X = ultimate_texas_pb2.DECISION_PLAY_4X
HOUSE, FLOP, TURN_RIVER = 2, 3, 4


def decided(house: House, *streets: int) -> Table:
    """Play a round of two seats that decide alike, and open what each street but the last opens."""
    table = house.table("ultimate_texas", seats=2).play()
    for place, decision in enumerate(streets, 1):
        for seat in range(2):
            house.clock.now += 10
            table.accept(seat, decision=decision)
        if place < len(streets):
            table.open_section()
    return table


def unseals(table: Table) -> list[dict[str, Any]]:
    """Return the round's UNSEALs."""
    return [leaf for leaf in table.leaves() if "unsealed_time" in leaf]


def test_opening_writes_down_the_course_and_its_receipt(house: House) -> None:
    table = decided(house, CHECK)
    house.clock.now += 500
    opened = table.open_section()
    (leaf,) = unseals(table)
    assert (leaf["number"], leaf["opens_section"], leaf["sections"]) == (2, FLOP, [FLOP])
    assert (leaf["received_time"], leaf["unsealed_time"]) == (house.clock.now - 500, house.clock.now)
    assert opened.unsealed_time == leaf["unsealed_time"]
    house.proved(opened.log_receipt)


def test_one_event_that_ends_the_round_opens_every_street(house: House) -> None:
    table = decided(house, PLAY_4X)
    opened = table.open_section()
    assert [one.name for one in opened.opened] == ["flop", "turn_river", "house"]
    (leaf,) = unseals(table)
    assert (leaf["opens_section"], leaf["sections"]) == (HOUSE, [HOUSE, FLOP, TURN_RIVER])


def test_each_opening_has_the_sections_that_were_closed(house: House) -> None:
    table = decided(house, CHECK, CHECK, PLAY_1X)
    opened = table.open_section()
    assert [leaf["sections"] for leaf in unseals(table)] == [[FLOP], [TURN_RIVER], [HOUSE]]
    assert [one.name for one in opened.opened] == ["flop", "turn_river", "house"]


def test_opening_is_not_before_its_event_where_the_clock_was_set_back(house: House) -> None:
    table = decided(house, CHECK)
    received = house.clock.now
    house.clock.now -= 1_000
    assert table.open_section().unsealed_time == received


CHANGES: Final[dict[str, Callable[[Request], object]]] = {
    "another time": lambda request: setattr(request.steps[0], "time", request.steps[0].time - 1),
    "another flag": lambda request: setattr(request.steps[0], "received", False),
    "another hash": lambda request: setattr(request.steps[0], "event_hash", bytes(32)),
    "one less": lambda request: request.steps.pop(0),
    "one more": lambda request: request.steps.append(request.steps[-1]),
    "none": lambda request: request.ClearField("steps"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_receipt_is_of_exactly_these_steps(house: House, name: str) -> None:
    table = decided(house, CHECK)
    request = table.section_request()
    CHANGES[name](request)
    assert house.refusal_of(table.shuffler.OpenSection, request).seen == ("INVALID_ARGUMENT", "FOREIGN", "receipt")
    assert unseals(table) == []


def test_step_that_is_none_and_too_many_steps_are_refused(house: House) -> None:
    table = decided(house, CHECK)
    short, long = table.section_request(), table.section_request()
    short.steps[1].event_hash = b"short"
    long.steps.extend([long.steps[0]] * 1_000)
    assert house.refusal_of(table.shuffler.OpenSection, short).reason_and_field == ("INVALID_FIELD", "steps[1]")
    assert house.refusal_of(table.shuffler.OpenSection, long).reason == "TOO_MANY_EVENTS"
    assert unseals(table) == []


def test_nothing_opens_after_the_deadline_of_the_round(house: House) -> None:
    """But what was opened before is answered again."""
    table = decided(house, CHECK)
    late = decided(house, CHECK)
    first = table.section_request()
    shown = table.open_section()
    house.clock.now = late.header.round_deadline_time + 1
    assert house.refusal_of(late.open_section).reason == "DEADLINE_PASSED"
    assert table.shuffler.OpenSection(first).cards == shown.cards


def test_same_course_is_answered_after_a_restart(house: House) -> None:
    table = decided(house, CHECK)
    request = table.section_request()
    first = table.shuffler.OpenSection(request)
    house.clock.now += 10_000
    house.restart()
    again = house.shuffler.OpenSection(request)
    assert (again.unsealed_time, again.certificate) == (first.unsealed_time, first.certificate)
    assert again.log_receipt.leaf == first.log_receipt.leaf


def test_of_two_courses_that_open_cards_at_once_one_is_shown_them(house: House) -> None:
    """Eight frontends ask at once, four along each course; four are answered alike, four are refused."""
    table = house.table("ultimate_texas", seats=2).play()
    table.accept(0, decision=CHECK)
    other = continuation(table)
    table.accept(1, decision=CHECK)
    other.accept(1, decision=PLAY_3X)
    requests = [table.section_request(), other.section_request()] * 4
    answers: list[Any] = [None] * len(requests)

    def ask(place: int) -> None:
        try:
            answers[place] = house.shuffler.OpenSection(requests[place]).log_receipt.leaf
        except Exception as error:  # noqa: BLE001 - compared below
            answers[place] = error

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(len(requests))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (leaf,) = unseals(table)
    won = [answer for answer in answers if isinstance(answer, bytes)]
    lost = [answer for answer in answers if not isinstance(answer, bytes)]
    assert (len(won), len(set(won)), len(lost)) == (4, 1, 4)
    winner = requests[0] if isinstance(answers[0], bytes) else requests[1]
    assert leaf["event_hash"] == winner.steps[-1].event_hash.hex()
    loser = requests[1] if winner is requests[0] else requests[0]
    assert house.refusal_of(house.shuffler.OpenSection, loser).reason == "COURSE_FORKED"


def test_sections_of_a_batch_are_opened_in_one_commit_and_answered_as_alone(house: House) -> None:
    """A new course, one that forks from what the log knows, one that it knows, and a round that nobody opened."""
    new, known = decided(house, CHECK), decided(house, CHECK)
    first = known.open_section()
    forked = house.table("ultimate_texas", seats=2).play()
    forked.accept(0, decision=CHECK)
    rival = continuation(forked)
    forked.accept(1, decision=CHECK)
    forked.open_section()
    rival.accept(1, decision=PLAY_3X)
    unknown = new.section_request()
    unknown.round.table_id = "nobodys"
    requests = [new.section_request(), rival.section_request(), known.section_request(), unknown]
    before = house.size
    answers = house.shuffler.OpenSections(shuffler_pb2.OpenSectionsRequest(requests=requests)).responses
    assert house.size == before + 1
    assert [reason_and_field(answer.refused) for answer in (answers[1], answers[3])] == [
        ("COURSE_FORKED", ""),
        ("NOT_OPENED", ""),
    ]
    assert answers[2].log_receipt.leaf == first.log_receipt.leaf
    assert answers[0] == house.shuffler.OpenSection(requests[0])
    house.proved(answers[0].log_receipt)


@pytest.mark.parametrize("game", ["mau_binh", "tien_len"])
def test_open_tables_of_other_games_open_nothing_more(house: House, game: str) -> None:
    """All their hands open at the deal; a receipt of theirs opens no section."""
    table = house.table(game, seats=2).play()
    table.accept(0, leave=True)
    refusal = house.refusal_of(table.open_section)
    assert (refusal.code, refusal.reason) == ("FAILED_PRECONDITION", "SECTION_CLOSED")
