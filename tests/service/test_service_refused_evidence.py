"""Certificates, receipts and events that prove nothing, or that come too late: refused, and nothing written."""

import base64
import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from referee.evidence.dsse import Envelope
from referee.v1 import mau_binh_pb2, shuffler_pb2
from referee.v1.shuffler_pb2 import AbortReason
from tests.service.courses import steps_of
from tests.service.house import House, Played
from tests.status_details import reason_and_field

Call: TypeAlias = Callable[[], object]

BAD, EARLY, TAKEN, FORBIDDEN = "INVALID_ARGUMENT", "FAILED_PRECONDITION", "ALREADY_EXISTS", "PERMISSION_DENIED"


def assert_refused(house: House, call: Call, *expected: str) -> None:
    """Assert that a call is refused with this status, reason and field, and that the log did not grow."""
    before = house.checkpoint()
    assert house.refusal_of(call).seen == expected
    assert house.checkpoint() == before


def questions(played: Played) -> list[Call]:
    """Every call that reads the round's certificates."""
    return [
        played.settle,
        played.preview,
        lambda: played.check(0, played.house.as_dealt(played.hands[0])),
        lambda: played.accept(0),
    ]


def edited(envelope: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """Return the envelope with another payload under the old signature."""
    outer = json.loads(envelope)
    payload = json.loads(base64.b64decode(outer["payload"]))
    change(payload)
    outer["payload"] = base64.b64encode(json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()).decode()
    return json.dumps(outer, separators=(",", ":")).encode()


def swap_two_cards(payload: dict[str, Any]) -> None:
    """Exchange the first cards of both hands."""
    first, other = payload["sections"][:2]
    first["cards"][0], other["cards"][0] = other["cards"][0], first["cards"][0]


CERTIFICATES: dict[str, tuple[Callable[[bytes, Played], list[bytes]], tuple[str, ...]]] = {
    "none": (lambda _true, _played: [], (BAD, "MISSING_FIELD", "round.certificates")),
    "empty": (lambda _true, _played: [b""], (BAD, "MALFORMED", "round.certificates[0]")),
    "cut off": (lambda true, _played: [true[:-1]], (BAD, "MALFORMED", "round.certificates[0]")),
    "spaced": (lambda true, _played: [true.replace(b":", b": ", 1)], (BAD, "MALFORMED", "round.certificates[0]")),
    "too long": (lambda true, _played: [true + b" " * 70_000], (BAD, "MALFORMED", "round.certificates[0]")),
    "second one empty": (lambda true, _played: [true, b""], (BAD, "MALFORMED", "round.certificates[1]")),
    "cards swapped": (
        lambda true, _played: [edited(true, swap_two_cards)],
        (FORBIDDEN, "FORGED", "round.certificates[0]"),
    ),
    "unsigned": (
        lambda true, _played: [Envelope(Envelope.parse(true).payload_type, Envelope.parse(true).payload).to_bytes()],
        (FORBIDDEN, "FORGED", "round.certificates[0]"),
    ),
    "an OPEN leaf": (
        lambda _true, played: [played.opened.log_receipt.leaf],
        (BAD, "MALFORMED", "round.certificates[0]"),
    ),
    "signed by the referee": (
        lambda _true, played: [
            played.house.certify(
                played.header, played.house.derive(played.header), signer=played.house.app.keys.signer("referee")
            )
        ],
        (FORBIDDEN, "FORGED", "round.certificates[0]"),
    ),
    "two that disagree": (
        lambda true, played: [true, played.house.certify(played.header, played.house.derive(played.header))],
        (BAD, "FOREIGN", "round.certificates[1]"),
    ),
    "only the stock": (
        lambda _true, played: [played.house.certify(played.header, played.house.derive(played.header), sections=[2])],
        (BAD, "SECTION_MISSING", "round.certificates"),
    ),
}


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificate_that_proves_nothing_is_refused(house: House, name: str) -> None:
    """By every call that reads one, with its place in the request."""
    played = house.play().report_all()
    make, expected = CERTIFICATES[name]
    certificates = make(played.dealt.certificate, played)
    del played.message.certificates[:]
    played.message.certificates.extend(certificates)
    for ask in questions(played):
        assert_refused(house, ask, *expected)


def receipted(house: House) -> Played:
    """Play a round of three received events: seats 0 and 1 arrange, and seat 0 once more."""
    played = house.play(seat_count=3)
    for seat in (0, 1, 0):
        house.clock.now += 1_000
        assert played.accept(seat, played.arrangement(seat)).event_number
    return played


def test_signatures_are_one_a_seat(house: House) -> None:
    played = house.play().report_all()
    played.message.signatures.extend([b"", b"", b""])
    assert_refused(house, played.settle, BAD, "INVALID_FIELD", "round.signatures")
    played.message.signatures.pop()
    assert played.settle().log_receipt.leaf


@pytest.mark.parametrize("number", [0, 53, 99, -1, 2**31 - 1])
def test_number_that_names_no_card_is_refused_with_its_place(house: House, number: int) -> None:
    """In a check, in a batch, in an event to accept, and in an event of the round."""
    played = house.play()
    hand = played.hands[0]
    wrong = house.arranged([*hand[:4], number], hand[5:10], hand[10:])
    assert_refused(house, lambda: played.check(0, wrong), BAD, "INVALID_CARD", "arrangement.back[4]")
    good = mau_binh_pb2.CheckArrangementRequest(round=played.message, arrangement=house.as_dealt(hand))
    bad = mau_binh_pb2.CheckArrangementRequest(round=played.message, arrangement=wrong)
    batch = mau_binh_pb2.CheckArrangementsRequest(requests=[good, bad])
    checked, refused = house.referee.CheckArrangements(batch).responses
    assert checked == house.referee.CheckArrangement(good)
    assert reason_and_field(refused.refused) == ("INVALID_CARD", "arrangement.back[4]")
    assert_refused(house, lambda: played.accept(0, wrong), BAD, "INVALID_CARD", "event.arrange.back[4]")
    played.report_all().message.events[1].arrange.front[2] = number  # type: ignore[call-overload] # a number that names no card
    assert_refused(house, played.settle, BAD, "INVALID_CARD", "round.events[1].arrange.front[2]")


def test_excess_cards_are_refused_before_they_are_read(house: House) -> None:
    played = house.play()
    many = house.arranged([1] * 65, [], [])
    assert_refused(house, lambda: played.check(0, many), BAD, "INVALID_FIELD", "arrangement.back")


ABORTS: dict[str, tuple[dict[str, Any], bool, tuple[str, ...]]] = {
    "no reason": ({}, True, (BAD, "MISSING_FIELD", "reason")),
    "a reason nobody knows": ({"reason": 77}, True, (BAD, "MISSING_FIELD", "reason")),
    "seed missing before the deadline": (
        {"reason": AbortReason.ABORT_REASON_SEED_MISSING},
        False,
        (EARLY, "DEADLINE_NOT_PASSED", "reason"),
    ),
    "deal's deadline not passed": (
        {"reason": AbortReason.ABORT_REASON_DEADLINE},
        False,
        ("FAILED_PRECONDITION", "DEADLINE_NOT_PASSED", "reason"),
    ),
}


@pytest.mark.parametrize("name", ABORTS)
def test_abort_without_a_ground_is_refused(house: House, name: str) -> None:
    changes, dealt, expected = ABORTS[name]
    opened = house.open("t")
    if dealt:
        house.deal(opened)
    request = shuffler_pb2.AbortRoundRequest(round={"table_id": "t", "round_number": 1}, **changes)
    assert_refused(house, lambda: house.shuffler.AbortRound(request), *expected)


def test_aborted_round_cannot_be_ended_otherwise(house: House) -> None:
    """Aborted stays aborted and undealt, and an abort's reason stays."""
    opened = house.open("a")
    abort = shuffler_pb2.AbortRoundRequest(
        round={"table_id": "a", "round_number": 1}, reason=AbortReason.ABORT_REASON_OPERATOR
    )
    house.shuffler.AbortRound(abort)
    house.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(round={"table_id": "a", "round_number": 1}))
    abort.reason = AbortReason.ABORT_REASON_DEADLINE
    assert_refused(house, lambda: house.shuffler.AbortRound(abort), EARLY, "ABORTED", "")
    assert_refused(house, lambda: house.deal(opened), EARLY, "ABORTED", "")


def test_section_opens_against_the_referees_own_receipt_alone(house: House) -> None:
    """Not before the deal, and not for garbage, another round's receipt or another signature."""
    played = receipted(house)
    own, steps = played.message.receipt, steps_of(played.message)

    def ask(receipt: bytes, table: str = played.header.round.table_id) -> Call:
        request = shuffler_pb2.OpenSectionRequest(
            round={"table_id": table, "round_number": 1}, steps=steps, receipt=receipt
        )
        return lambda: house.shuffler.OpenSection(request)

    house.open("undealt")
    field = "receipt"
    assert_refused(house, ask(own, "undealt"), EARLY, "NOT_DEALT", "")
    assert_refused(house, ask(b""), BAD, "MALFORMED", field)
    assert_refused(house, ask(played.dealt.certificate), FORBIDDEN, "FORGED", field)
    assert_refused(house, ask(receipted(house).message.receipt), BAD, "FOREIGN", field)
    assert_refused(house, ask(own), EARLY, "SECTION_CLOSED", field)
