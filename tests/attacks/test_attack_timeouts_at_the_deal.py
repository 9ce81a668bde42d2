"""Attack 1: on a sealed table of Ultimate Texas, see every card by timeouts, then settle another, signed course.

It gained 0.87 Ante a round: receipts of TIMEOUT for all seats right after the deal opened every section, and an
accomplice bet knowing all cards, in a course that was settled instead.
"""

import pytest

from referee.audit import Code
from referee.v1 import ultimate_texas_pb2
from tests.attacks.courses import FORKED, adopt_cards, continuation, fails, forget_openings, refused, revealed
from tests.service.house import House
from tests.service.table import Table

SEATS = 3
TIMEOUT = ultimate_texas_pb2.DECISION_TIMEOUT
PLAY_4X = ultimate_texas_pb2.DECISION_PLAY_4X
CHECK = ultimate_texas_pb2.DECISION_CHECK
STREET_MS = 30_000


def dealt(house: House) -> Table:
    """Deal a sealed round whose seats all have keys."""
    table: Table = house.table("ultimate_texas", seats=SEATS, sealed=True).play()
    assert not table.dealt.hands
    return table


def bet(house: House, table: Table) -> Table:
    """Have every seat bet in time in a continuation of its own, receipted and signed, and keep it back."""
    house.clock.now += 1_000
    other = continuation(table)
    for seat in range(SEATS):
        other.accept(seat, decision=PLAY_4X)
    return other


def time_out(house: House, table: Table) -> None:
    """Let every street's clock run out and open what it opens, until all cards are open."""
    while not table.preview().outcome.seats:
        house.clock.now += STREET_MS
        for seat in range(SEATS):
            answer = table.ask(table.event(seat, decision=TIMEOUT))
        assert answer.opens_section
        shown = table.open_section()
    assert len(shown.hands) == SEATS
    assert len(shown.opened) == 3


def test_no_seat_is_timed_out_before_its_clock_has_run_out(house: House) -> None:
    table = dealt(house)
    for after in (0, STREET_MS - 1):
        house.clock.now += after
        for seat in range(SEATS):
            answer = table.ask(table.event(seat, decision=TIMEOUT))
            assert [one.code for one in answer.violations] == ["NOT_OUT_OF_TIME"]
            assert (answer.event_number, answer.receipt) == (0, b"")
    assert len(table.leaves()) == 2


def test_timeouts_that_the_frontend_reports_are_refused(house: House) -> None:
    """Even at a time at which they would be lawful: the referee's own clock must say so."""
    table = dealt(house)
    house.clock.now += STREET_MS
    table.report(0, decision=TIMEOUT)
    assert refused(house, table.preview) == ("INVALID_ARGUMENT", "NOT_RECEIVED")


def test_course_that_was_kept_back_is_not_settled_once_the_cards_are_seen(house: House) -> None:
    """The bets were accepted in time; the timeouts opened the cards; the round can end with the timeouts alone."""
    table = dealt(house)
    other = bet(house, table)
    time_out(house, table)
    adopt_cards(other, table)
    assert refused(house, other.settle) == FORKED
    assert refused(house, other.open_section) == FORKED
    assert table.settle().outcome.seats
    assert revealed(house, [table]).findings == ()


def test_operator_that_settles_it_all_the_same_is_found(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The UNSEALs are in the log, and no server can settle another course without contradicting them."""
    table = dealt(house)
    other = bet(house, table)
    time_out(house, table)
    forget_openings(monkeypatch)
    adopt_cards(other, table)
    assert other.settle().outcome.seats
    report = revealed(house, [table])
    assert fails(report)[0] is Code.UNSEAL_NOT_IN_COURSE
    assert report.findings[0].number == 55


def test_cards_do_not_open_without_the_log(house: House) -> None:
    """Every card that was shown during play is in a leaf that opened it, before the settlement."""
    table = dealt(house)
    time_out(house, table)
    table.settle()
    opened = [leaf["sections"] for leaf in table.leaves() if "unsealed_time" in leaf]
    assert sorted(section for sections in opened for section in sections) == list(range(SEATS + 3))
    assert fails(house.audit()) == []
