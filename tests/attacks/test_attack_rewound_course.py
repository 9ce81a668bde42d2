"""A course that is rewound after it opened cards: the decision that opened them is taken again, knowing them."""

import pytest

from referee.audit import Code
from referee.v1 import ultimate_texas_pb2
from tests.attacks.courses import FORKED, adopt_cards, continuation, fails, forget_openings, refused, revealed
from tests.service.house import House
from tests.service.table import Table

CHECK = ultimate_texas_pb2.DECISION_CHECK
PLAY_1X = ultimate_texas_pb2.DECISION_PLAY_1X
PLAY_4X = ultimate_texas_pb2.DECISION_PLAY_4X
FOLD = ultimate_texas_pb2.DECISION_FOLD
FLOP = 3


def checked(house: House, *, keyed: bool) -> tuple[Table, Table]:
    """Have both seats check, open the flop, and return the round and one rewound to before seat 1 checked."""
    table: Table = house.table("ultimate_texas", seats=2, keyed=keyed).play()
    table.accept(0, decision=CHECK)
    rewound = continuation(table)
    table.accept(1, decision=CHECK)
    table.open_section()
    return table, rewound


def play_on(table: Table) -> None:
    """Play the streets that are left."""
    for decision in (CHECK, PLAY_1X):
        for seat in range(2):
            table.accept(seat, decision=decision)
        table.open_section()


@pytest.mark.parametrize("keyed", [True, False])
def test_decision_is_not_taken_again_once_the_flop_is_seen(house: House, *, keyed: bool) -> None:
    table, rewound = checked(house, keyed=keyed)
    assert rewound.accept(1, decision=PLAY_4X).opens_section == FLOP
    assert refused(house, rewound.open_section) == FORKED
    play_on(table)
    assert table.settle().outcome.seats
    assert revealed(house, [table]).findings == ()


def test_refusal_names_the_course_to_go_on_with(house: House) -> None:
    """A frontend that lost its receipt makes it again from the members of the UNSEAL."""
    table, rewound = checked(house, keyed=True)
    rewound.accept(1, decision=PLAY_4X)
    refusal = house.refusal_of(rewound.open_section)
    (unseal,) = [leaf for leaf in table.leaves() if "unsealed_time" in leaf]
    names = ("number", "history", "event_hash", "opens_section", "received_time", "receipt_signature")
    assert {name: refusal.facts[name] for name in names} == {name: str(unseal[name]) for name in names}


def test_last_decision_is_not_taken_again_once_the_house_is_seen(house: House) -> None:
    """A fold that opened the house's cards does not become a bet."""
    table, _ = checked(house, keyed=True)
    for seat in range(2):
        table.accept(seat, decision=CHECK)
    table.open_section()
    table.accept(0, decision=PLAY_1X)
    rewound = continuation(table)
    table.accept(1, decision=FOLD)
    table.open_section()
    rewound.accept(1, decision=PLAY_1X)
    adopt_cards(rewound, table)
    assert refused(house, rewound.open_section) == FORKED
    assert refused(house, rewound.settle) == FORKED
    table.settle()
    assert revealed(house, [table]).findings == ()


def test_opening_again_along_the_same_course_is_answered_from_the_log(house: House) -> None:
    """Also after a later opening and after the end; the answer is the first one's leaf and time."""
    table, _ = checked(house, keyed=True)
    first = table.section_request()
    leaf = table.shuffler.OpenSection(first)
    house.clock.now += 1_000
    play_on(table)
    table.settle()
    again = table.shuffler.OpenSection(first)
    assert (again.unsealed_time, again.log_receipt.leaf) == (leaf.unsealed_time, leaf.log_receipt.leaf)
    assert [one.name for one in again.opened] == ["flop"]


def test_operator_that_settles_a_rewound_course_is_found(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table, _ = checked(house, keyed=True)
    for seat in range(2):
        table.accept(seat, decision=CHECK)
    table.open_section()
    table.accept(0, decision=PLAY_1X)
    rewound = continuation(table)
    table.accept(1, decision=FOLD)
    table.open_section()
    forget_openings(monkeypatch)
    rewound.accept(1, decision=PLAY_1X)
    adopt_cards(rewound, table)
    assert rewound.settle().outcome.seats
    report = revealed(house, [table])
    assert fails(report)[0] is Code.UNSEAL_NOT_IN_COURSE
    assert report.findings[0].number == 55
