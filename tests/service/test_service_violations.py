"""A broken rule is an answer: every documented violation code of Mậu Binh, given by the service; nothing is written."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from referee.evidence.dsse import Envelope
from referee.games.mau_binh.code import ViolationCode
from referee.transcript.inputs import MEDIA_TYPE
from referee.v1 import mau_binh_pb2

House: TypeAlias = Any
Played: TypeAlias = Any  # both are made by fixtures, and have their classes in conftest
Violations: TypeAlias = Sequence[Any]

PROTO: Final = Path(__file__).parents[2] / "protos" / "referee" / "v1" / "mau_binh.proto"
ARRANGEMENT_CODES: Final = (
    "BACK_WRONG_SIZE",
    "MIDDLE_WRONG_SIZE",
    "FRONT_WRONG_SIZE",
    "CARD_NOT_DEALT",
    "CARD_TWICE",
    "CARD_MISSING",
)


def documented_codes() -> set[str]:
    """Read the codes that the service's own comment lists."""
    comment = PROTO.read_text(encoding="utf-8").partition("service MauBinhService")[0]
    listed = comment.partition("Violation codes")[2].partition("Transfer reasons")[0]
    return set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b", listed))


def test_documented_codes_are_those_of_the_law() -> None:
    """All but the codes of a stake, which is refused before there is a round."""
    assert documented_codes() == {code.value for code in ViolationCode if not code.startswith("STAKE_")}


PRODUCED: Final[dict[str, Callable[[House], Violations]]] = {}


def produces(code: str) -> Callable[[Callable[[House], Violations]], Callable[[House], Violations]]:
    """Register a function whose answer must have this code as its first violation."""

    def register(ask: Callable[[House], Violations]) -> Callable[[House], Violations]:
        PRODUCED[code] = ask
        return ask

    return register


def checked(house: House, arrange: Callable[[list[int], list[int]], mau_binh_pb2.Arrangement]) -> Violations:
    """Check an arrangement of seat 0, made from its own hand and the other's; return the violations."""
    played = house.play()
    answer = played.check(0, arrange(played.hands[0], played.hands[1]))
    assert not answer.acceptable
    assert not answer.values
    refused = played.accept(0, arrange(played.hands[0], played.hands[1]))
    assert (refused.event_number, refused.HasField("event")) == (0, False)
    assert [one.code for one in refused.violations] == [one.code for one in answer.violations]
    violations: Violations = answer.violations
    return violations


@produces("BACK_WRONG_SIZE")
def back_of_four(house: House) -> Violations:
    found = checked(house, lambda own, _: house.arranged(own[:4], own[4:9], own[9:12]))
    assert [one.code for one in found] == ["BACK_WRONG_SIZE", "CARD_MISSING"]
    assert (found[0].expected, found[0].found) == (5, 4)
    return found


@produces("MIDDLE_WRONG_SIZE")
def middle_of_six(house: House) -> Violations:
    found = checked(house, lambda own, _: house.arranged(own[:5], own[5:11], own[11:]))
    assert [one.code for one in found] == ["MIDDLE_WRONG_SIZE", "FRONT_WRONG_SIZE"]
    return found


@produces("FRONT_WRONG_SIZE")
def front_of_two(house: House) -> Violations:
    return checked(house, lambda own, _: house.arranged(own[:5], own[5:10], own[10:12]))


@produces("CARD_NOT_DEALT")
def card_of_the_other_seat(house: House) -> Violations:
    return checked(house, lambda own, other: house.arranged([other[0], *own[1:5]], own[5:10], own[10:]))


@produces("CARD_TWICE")
def card_in_two_chi(house: House) -> Violations:
    return checked(house, lambda own, _: house.arranged(own[:5], own[5:10], [own[0], *own[11:]]))


@produces("CARD_MISSING")
def card_held_back(house: House) -> Violations:
    found = checked(house, lambda own, _: house.arranged(own[:5], own[5:10], own[10:12]))
    return [one for one in found if one.code == "CARD_MISSING"]


def arranged_by_force(house: House, code: str) -> Violations:
    """Find an arrangement that fouls in this way; return its violations, though it is accepted."""
    played = house.play()
    own = sorted(played.hands[0])
    for turn in range(13):
        cards = own[turn:] + own[:turn]
        arrangement = house.as_dealt(cards)
        answer = played.check(0, arrangement)
        if [one.code for one in answer.violations] == [code]:
            assert answer.acceptable
            assert len(answer.values) == 3
            assert played.accept(0, arrangement).event_number == 1
            violations: Violations = answer.violations
            return violations
    pytest.fail(f"no arrangement gives {code} alone")


@produces("FOULED_MIDDLE")
def middle_above_the_back(house: House) -> Violations:
    return arranged_by_force(house, "FOULED_MIDDLE")


@produces("FOULED_FRONT")
def front_above_the_middle(house: House) -> Violations:
    return arranged_by_force(house, "FOULED_FRONT")


@produces("UNKNOWN_SEAT")
def seat_that_is_not_there(house: House) -> Violations:
    violations: Violations = house.play().accept(2).violations
    return violations


@produces("OUT_OF_ORDER")
def event_before_the_one_before_it(house: House) -> Violations:
    played = house.play().report_all()
    played.message.events[0].time += 1
    house.clock.now += 5
    violations: Violations = played.settle().violations
    return violations


@produces("ROUND_OVER")
def leaving_after_the_last_chi(house: House) -> Violations:
    played = house.play().report_all()
    house.clock.now += 15_000
    violations: Violations = played.accept(0).violations
    return violations


@produces("ALREADY_LEFT")
def leaving_twice(house: House) -> Violations:
    played = house.play(seat_count=3)
    played.accept(1)
    violations: Violations = played.accept(1).violations
    return violations


@produces("DEADLINE_PASSED")
def arranging_a_moment_too_late(house: House) -> Violations:
    played = house.play()
    house.clock.now += house.ARRANGING_MS
    found: Violations = played.accept(0, played.arrangement(0)).violations
    assert found[0].deadline_time == played.dealt.dealt_time + house.ARRANGING_MS
    assert found[0].received_time == house.clock.now
    return found


@produces("SHOWDOWN_STARTED")
def arranging_after_all_have(house: House) -> Violations:
    played = house.play().report_all()
    violations: Violations = played.accept(0, played.arrangement(0)).violations
    return violations


@produces("TOO_MANY_EVENTS")
def arranging_without_end(house: House) -> Violations:
    """Exhaust a seat's half of the 64 events; the last is kept for leaving, which stays possible."""
    played = house.play()
    accepted = 0
    while not (answer := played.accept(0, house.as_dealt(played.hands[0]))).violations or answer.event_number:
        accepted = answer.event_number
    assert accepted == 31
    assert played.accept(0).event_number == 32
    violations: Violations = answer.violations
    return violations


@produces("ROUND_NOT_OVER")
def settling_while_a_seat_arranges(house: House) -> Violations:
    played = house.play()
    played.accept(0, played.arrangement(0))
    found: Violations = played.settle().violations
    assert [one.seat for one in found] == [1]
    assert list(played.preview().violations) == list(found)
    return found


@produces("CLOSED_TOO_EARLY")
def settling_before_an_event_of_the_future(house: House) -> Violations:
    played = house.play().report_all()
    for event in played.message.events:
        event.time += 1_000
    violations: Violations = played.settle().violations
    return violations


def asked(table: Any, **choice: Any) -> Violations:  # noqa: ANN401 - a sealed table's event
    """Ask to accept a signed event of seat 0; return the violations."""
    violations: Violations = table.ask(table.event(0, **choice)).violations
    return violations


def bound(table: Any) -> list[int]:  # noqa: ANN401 - a sealed table
    """Both seats of a sealed table have committed to their cards as dealt, and the hands are open; those of seat 0."""
    hands = [list(table.open_hand(seat).hand.cards) for seat in (0, 1)]
    for seat, hand in enumerate(hands):
        table.commit(seat, hand)
    table.open_section()
    return hands[0]


@produces("NOT_SEALED")
def commitment_at_an_open_table(house: House) -> Violations:
    while True:
        table = house.table().play()
        if table.preview().violations:
            return asked(table, commit=mau_binh_pb2.Commit(commitment=bytes(32)))


@produces("STILL_SEALED")
def arrangement_before_the_other_seat_committed(house: House) -> Violations:
    table = house.sealed()
    hand = list(table.open_hand(0).hand.cards)
    table.commit(0, hand)
    return asked(table, **table.arrangement(0, hand))


@produces("STILL_OPENING")
def departure_after_the_hands_opened(house: House) -> Violations:
    table = house.sealed()
    bound(table)
    return asked(table, leave=True)


@produces("COMMITTING_OVER")
def commitment_after_the_hands_opened(house: House) -> Violations:
    table = house.sealed()
    bound(table)
    return asked(table, commit=mau_binh_pb2.Commit(commitment=bytes(32)))


@produces("NOT_COMMITTED")
def arrangement_of_a_seat_that_ran_out_of_time(house: House) -> Violations:
    table = house.sealed()
    table.commit(1, list(table.open_hand(1).hand.cards))
    house.clock.now += house.ARRANGING_MS
    table.ask(table.event(0, timeout=True))
    opened = table.open_section()
    return asked(table, **table.arrangement(0, list(opened.hands[0].cards)))


@produces("WRONG_OPENING")
def another_arrangement_than_committed_to(house: House) -> Violations:
    table = house.sealed()
    return asked(table, **table.arrangement(0, bound(table)[::-1]))


@produces("NOT_OPENED")
def arrangement_that_stays_shut(house: House) -> Violations:
    table = house.sealed()
    bound(table)
    house.clock.now += 30_000
    return asked(table, timeout=True)


@produces("ALREADY_OPENED")
def arrangement_opened_twice(house: House) -> Violations:
    table = house.sealed()
    opening = table.arrangement(0, bound(table))
    table.accept(0, **opening)
    return asked(table, **opening)


@produces("NOT_OUT_OF_TIME")
def timeout_before_the_time_is_up(house: House) -> Violations:
    return asked(house.sealed(), timeout=True)


def test_every_documented_code_is_produced() -> None:
    assert set(PRODUCED) == documented_codes()


@pytest.mark.parametrize("code", PRODUCED)
def test_violation_is_answered_in_words_and_nothing_is_written(house: House, code: str) -> None:
    """The code first, the same rule in both languages with its facts filled in; no violation reaches the log."""
    violations = PRODUCED[code](house)
    assert violations[0].code == code
    for one in violations:
        assert one.text.vi
        assert one.text.en
        assert one.text.vi != one.text.en
        assert "{" not in one.text.vi + one.text.en
        assert "?" not in one.text.vi + one.text.en
    assert MEDIA_TYPE not in [Envelope.parse(leaf).payload_type for leaf in house.leaves()]


def test_unsettled_answer_has_violations_and_nothing_else(house: House) -> None:
    """No outcome and no receipt; the log's checkpoint is the same text."""
    played = house.play()
    before = house.checkpoint()
    settled = played.settle()
    assert settled.violations
    assert not settled.HasField("outcome")
    assert not settled.HasField("log_receipt")
    preview = played.preview()
    assert not preview.HasField("outcome")
    assert not preview.HasField("showdown")
    assert house.checkpoint() == before


def test_unlawful_event_in_the_middle_stops_the_round(house: House) -> None:
    """What is wrong with the first unlawful event is what is said, whatever follows it."""
    played = house.play().report_all()
    played.message.events.insert(
        0, mau_binh_pb2.MauBinhEvent(time=house.clock.now, seat=7, arrange=house.as_dealt(played.hands[0]))
    )
    assert [one.code for one in played.settle().violations] == ["UNKNOWN_SEAT"]
    assert [one.code for one in played.accept(0).violations] == ["UNKNOWN_SEAT"]


def test_submission_a_moment_before_the_deadline_is_in_time(house: House) -> None:
    played = house.play()
    house.clock.now += house.ARRANGING_MS - 1
    assert played.accept(0, played.arrangement(0)).event_number == 1
