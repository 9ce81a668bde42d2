"""Calls that would settle a round, or open cards, by a course which an audit refuses."""

from typing import Any, Final

from referee.audit import Code
from referee.v1 import ultimate_texas_pb2
from tests.attacks.courses import adopt_cards, continuation
from tests.service.append_rounds import CASES, instead_of
from tests.service.courses import take
from tests.service.house import House, Played
from tests.service.refused_rounds import Call
from tests.service.table import Table

__all__ = ["CASES"]

CHECK: Final = ultimate_texas_pb2.DECISION_CHECK
PLAY_4X: Final = ultimate_texas_pb2.DECISION_PLAY_4X
TIMEOUT: Final = ultimate_texas_pb2.DECISION_TIMEOUT


def arranged(house: House) -> Played:
    """Deal a round whose seats have both arranged, by receipts."""
    played = house.play()
    for seat in (0, 1):
        assert played.accept(seat, played.arrangement(seat)).event_number
    return played


def texas(house: House, **how: Any) -> Table:  # noqa: ANN401 - what Table takes
    return house.table("ultimate_texas", seats=2, **how).play()


@instead_of(Code.STAKE_MISMATCH, "FOREIGN")
def settlement_for_another_stake(house: House) -> Call:
    played = house.play().report_all()
    played.message.header.stake_minor += 1000
    return played.settle


@instead_of(Code.HEADER_MISMATCH, "FOREIGN")
def settlement_with_a_later_deadline(house: House) -> Call:
    played = house.play().report_all()
    played.message.header.round_deadline_time += 1
    return played.settle


@instead_of(Code.CARD_NOT_IN_HAND, "CARD_NOT_DEALT")
def arrangement_of_another_hand(house: House) -> Call:
    played = house.play()
    time = house.clock.now
    played.message.events.add(seat=0, time=time, arrange=house.as_dealt(played.hands[1]))
    return played.settle


@instead_of(Code.ILLEGAL_EVENT, "ROUND_NOT_OVER")
def settlement_before_all_have_arranged(house: House) -> Call:
    return house.play().settle


@instead_of(Code.EVENTS_ALTERED, "FOREIGN")
def event_altered_under_its_receipt(house: House) -> Call:
    played = arranged(house)
    played.message.events[0].arrange.back.reverse()
    return played.settle


@instead_of(Code.HISTORY_ALTERED, "FOREIGN")
def time_altered_under_a_receipt(house: House) -> Call:
    played = arranged(house)
    played.message.events[0].received = False
    return played.settle


@instead_of(Code.RECEIPT_REFUSED, "FORGED")
def receipt_that_the_shuffler_signed(house: House) -> Call:
    played = arranged(house)
    played.message.receipt = played.dealt.certificate
    return played.settle


@instead_of(Code.EVENT_UNSIGNED, "SIGNATURE_MISSING")
def departure_that_its_seat_did_not_sign(house: House) -> Call:
    table = texas(house)
    event = table.event(0, decision=ultimate_texas_pb2.DECISION_LEAVE, time=house.clock.now)
    take(table.message, event)
    return table.settle


@instead_of(Code.SEEN_TOO_LOW, "NOT_SEEN")
def decision_of_a_seat_that_saw_no_flop(house: House) -> Call:
    table = texas(house)
    for seat in (0, 1):
        table.accept(seat, decision=CHECK)
    table.open_section()
    table.report(0, decision=CHECK, seen=0)
    return table.settle


@instead_of(Code.EVENT_NOT_RECEIVED, "NOT_RECEIVED")
def timeout_that_the_frontend_reports(house: House) -> Call:
    table = texas(house)
    house.clock.now += 30_000
    table.report(0, decision=TIMEOUT)
    return table.settle


@instead_of(Code.TIMEOUT_TOO_EARLY, "NOT_OUT_OF_TIME")
def timeout_before_its_clock_has_run_out(house: House) -> Call:
    table = texas(house, keyed=False)
    table.report(0, decision=TIMEOUT)
    return table.settle


@instead_of(Code.OPENED_WITHOUT_UNSEAL, "COURSE_FORKED")
def settlement_of_a_course_that_opened_otherwise(house: House) -> Call:
    """Let both seats bet at once in a continuation that ends the round, and settle it with the other's cards."""
    table = texas(house)
    rewound = continuation(table)
    for seat in (0, 1):
        rewound.accept(seat, decision=PLAY_4X)
        house.clock.now += 1
        table.accept(seat, decision=PLAY_4X)
    table.open_section()
    adopt_cards(rewound, table)
    return rewound.settle


@instead_of(Code.UNSEAL_REFUSED, "FORGED")
def opening_by_a_receipt_that_the_shuffler_signed(house: House) -> Call:
    table = texas(house)
    for seat in (0, 1):
        table.accept(seat, decision=CHECK)
    request = table.section_request()
    request.receipt = table.dealt.certificate
    return lambda: house.shuffler.OpenSection(request)


@instead_of(Code.STREET_OPENED_EARLY, "SECTION_CLOSED")
def street_before_it_is_closed(house: House) -> Call:
    table = texas(house)
    table.accept(0, decision=CHECK)
    return table.open_section
