"""Certificates, receipts and events that prove nothing, or that come too late: refused, and nothing written."""

import base64
import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from referee.evidence.dsse import Envelope
from referee.v1 import mau_binh_pb2, shuffler_pb2
from referee.v1.shuffler_pb2 import AbortReason
from tests.driver.courses import steps_of

House: TypeAlias = Any
Played: TypeAlias = Any  # both are made by fixtures, and have their classes in conftest
Call: TypeAlias = Callable[[], object]

BAD, EARLY, TAKEN, FORBIDDEN = "INVALID_ARGUMENT", "FAILED_PRECONDITION", "ALREADY_EXISTS", "PERMISSION_DENIED"


def assert_refused(house: House, call: Call, *expected: str) -> None:
    """Assert that a call is refused with this status, reason and field, and that the log did not grow."""
    before = house.checkpoint()
    refusal = house.refusal_of(call)
    assert (refusal.code, refusal.reason, refusal.field) == expected
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


def test_after_the_round_nothing_is_judged(house: House) -> None:
    """At its deadline a round can still be settled; a millisecond later it has expired for every call."""
    played = house.play()
    house.clock.now = played.header.round_deadline_time
    assert played.preview().outcome.seats
    house.clock.now += 1
    for ask in questions(played):
        assert_refused(house, ask, EARLY, "EXPIRED", "round.certificates")


def receipted(house: House) -> Played:
    """Play a round of three received events: seats 0 and 1 arrange, and seat 0 once more."""
    played = house.play(seat_count=3)
    for seat in (0, 1, 0):
        house.clock.now += 1_000
        assert played.accept(seat, played.arrangement(seat)).event_number
    return played


def put_first(played: Played) -> bool:
    """Move the last event before all others, at the time of the deal."""
    last = played.message.events.pop()
    last.time = played.dealt.dealt_time
    played.message.events.insert(0, last)
    return True


FOREIGN = (BAD, "FOREIGN", "round.receipt")
EDITS: dict[str, tuple[Callable[[Played], object], tuple[str, ...]]] = {
    "time moved": (lambda p: setattr(p.message.events[1], "time", p.message.events[1].time - 1), FOREIGN),
    "flag removed": (lambda p: setattr(p.message.events[0], "received", False), FOREIGN),
    "last flag removed": (lambda p: setattr(p.message.events[2], "received", False), FOREIGN),
    "cards reordered": (lambda p: p.message.events[0].arrange.back.reverse(), FOREIGN),
    "first dropped": (lambda p: p.message.events.pop(0), FOREIGN),
    "middle dropped": (lambda p: p.message.events.pop(1), FOREIGN),
    "all dropped": (lambda p: p.message.ClearField("events"), FOREIGN),
    "one put in before": (
        lambda p: (p.message.events.append(p.message.events[0]), put_first(p)),
        (BAD, "NOT_RECEIVED", "round.receipt"),
    ),
    "receipt left out": (lambda p: p.message.ClearField("receipt"), (BAD, "NOT_RECEIVED", "round.receipt")),
    "garbage": (lambda p: setattr(p.message, "receipt", b"{}"), (BAD, "MALFORMED", "round.receipt")),
    "signed by the shuffler": (
        lambda p: setattr(p.message, "receipt", p.dealt.certificate),
        (FORBIDDEN, "FORGED", "round.receipt"),
    ),
    "signature of another receipt": (
        lambda p: setattr(
            p.message,
            "receipt",
            edited(p.message.receipt, lambda payload: payload.update(received_time=payload["received_time"] - 1)),
        ),
        (FORBIDDEN, "FORGED", "round.receipt"),
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_receipt_that_is_not_the_events_own_is_refused(house: House, name: str) -> None:
    """Edited, dropped, put in or forged: neither settled, nor previewed, nor built upon."""
    played = receipted(house)
    edit, expected = EDITS[name]
    edit(played)
    for ask in (played.settle, played.preview, lambda: played.accept(2)):
        assert_refused(house, ask, *expected)


def test_receipt_of_another_round_is_refused(house: House) -> None:
    played, other = receipted(house), receipted(house)
    played.message.receipt = other.message.receipt
    assert_refused(house, played.settle, BAD, "FOREIGN", "round.receipt")


def test_early_receipt_does_not_speak_for_a_later_event(house: House) -> None:
    played = house.play(seat_count=3)
    played.accept(0, played.arrangement(0))
    early = played.message.receipt
    played.accept(1, played.arrangement(1))
    played.message.receipt = early
    assert_refused(house, played.preview, BAD, "NOT_RECEIVED", "round.receipt")
    played.message.events[1].received = False
    assert not played.preview().refused_event_number


def test_receipt_of_a_round_in_which_nothing_was_received_is_refused(house: House) -> None:
    played, other = house.play().report_all(), receipted(house)
    played.message.receipt = other.message.receipt
    assert_refused(house, played.settle, BAD, "FOREIGN", "round.receipt")


def test_signatures_are_one_a_seat(house: House) -> None:
    played = house.play().report_all()
    played.message.signatures.extend([b"", b"", b""])
    assert_refused(house, played.settle, BAD, "INVALID_FIELD", "round.signatures")
    played.message.signatures.pop()
    assert played.settle().log_receipt.leaf


def test_settlement_is_no_receipt(house: House) -> None:
    """The referee's signature on something else."""
    played = house.play().report_all()
    leaf = played.settle().log_receipt.leaf
    played.reveal()
    played.message.receipt = leaf
    assert_refused(house, played.settle, BAD, "MALFORMED", "round.receipt")


def test_event_that_says_nothing_is_refused(house: House) -> None:
    played = house.play()

    def accept(**fields: Any) -> Call:  # noqa: ANN401 - any field
        event = mau_binh_pb2.MauBinhEvent(seat=0, **fields)
        request = mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=played.message, event=event)
        return lambda: house.referee.AcceptEvent(request)

    arrange = house.as_dealt(played.hands[0])
    assert_refused(house, accept(), BAD, "MISSING_FIELD", "event")
    assert_refused(house, accept(arrange=arrange, time=house.clock.now), BAD, "INVALID_FIELD", "event.time")
    assert_refused(house, accept(arrange=arrange, received=True), BAD, "INVALID_FIELD", "event.received")
    played.message.events.add(time=house.clock.now, seat=0)
    assert_refused(house, played.settle, BAD, "MISSING_FIELD", "round.events[0]")


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
    ask = house.referee.CheckArrangements
    assert_refused(house, lambda: ask(batch), BAD, "INVALID_CARD", "requests[1].arrangement.back[4]")
    assert_refused(house, lambda: played.accept(0, wrong), BAD, "INVALID_CARD", "event.arrange.back[4]")
    played.report_all().message.events[1].arrange.front[2] = number
    assert_refused(house, played.settle, BAD, "INVALID_CARD", "round.events[1].arrange.front[2]")


def test_excess_cards_are_refused_before_they_are_read(house: House) -> None:
    played = house.play()
    many = house.arranged([1] * 65, [], [])
    assert_refused(house, lambda: played.check(0, many), BAD, "INVALID_FIELD", "arrangement.back")


def test_round_of_another_game_is_refused(house: House) -> None:
    """Dealt and true, but not this service's to judge."""
    played = house.deal(house.open(ruleset_id="tien_len.mien_nam"))
    for ask in questions(played):
        assert_refused(house, ask, BAD, "INVALID_FIELD", "round.header.ruleset_id")


ABORTS: dict[str, tuple[dict[str, Any], bool, tuple[str, ...]]] = {
    "no reason": ({}, True, (BAD, "MISSING_FIELD", "reason")),
    "a reason nobody knows": ({"reason": 77}, True, (BAD, "MISSING_FIELD", "reason")),
    "seed missing before the deadline": (
        {"reason": AbortReason.ABORT_REASON_SEED_MISSING},
        False,
        (EARLY, "DEADLINE_NOT_PASSED", "reason"),
    ),
    "given up after the deal": (
        {"reason": AbortReason.ABORT_REASON_OPERATOR},
        True,
        (EARLY, "DEADLINE_NOT_PASSED", ""),
    ),
    "deal's deadline not passed": (
        {"reason": AbortReason.ABORT_REASON_DEADLINE},
        False,
        ("FAILED_PRECONDITION", "DEADLINE_NOT_PASSED", "reason"),
    ),
    "round's deadline not passed": (
        {"reason": AbortReason.ABORT_REASON_DEADLINE},
        True,
        ("FAILED_PRECONDITION", "DEADLINE_NOT_PASSED", ""),
    ),
}


@pytest.mark.parametrize("name", ABORTS)
def test_abort_without_a_ground_is_refused(house: House, name: str) -> None:
    changes, dealt, expected = ABORTS[name]
    opened = house.open("t")
    if dealt:
        house.deal(opened)
    request = shuffler_pb2.AbortRoundRequest(table_id="t", round_number=1, **changes)
    assert_refused(house, lambda: house.shuffler.AbortRound(request), *expected)


def test_ended_round_cannot_be_ended_otherwise(house: House) -> None:
    """Settled stays settled, aborted stays aborted and undealt, and an abort's reason stays."""
    settled = house.play().report_all()
    settled.settle()
    settled.reveal()
    assert_refused(house, settled.abort, TAKEN, "ALREADY_SETTLED", "")
    opened = house.open("a")
    abort = shuffler_pb2.AbortRoundRequest(table_id="a", round_number=1, reason=AbortReason.ABORT_REASON_OPERATOR)
    house.shuffler.AbortRound(abort)
    house.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(table_id="a", round_number=1))
    abort.reason = AbortReason.ABORT_REASON_DEADLINE
    assert_refused(house, lambda: house.shuffler.AbortRound(abort), EARLY, "ABORTED", "")
    assert_refused(house, lambda: house.deal(opened), EARLY, "ABORTED", "")


def test_section_opens_against_the_referees_own_receipt_alone(house: House) -> None:
    """Not before the deal, and not for garbage, another round's receipt or another signature."""
    played = receipted(house)
    own, steps = played.message.receipt, steps_of(played.message)

    def ask(receipt: bytes, table: str = played.header.table_id) -> Call:
        request = shuffler_pb2.OpenSectionRequest(table_id=table, round_number=1, steps=steps, receipt=receipt)
        return lambda: house.shuffler.OpenSection(request)

    house.open("undealt")
    field = "receipt"
    assert_refused(house, ask(own, "undealt"), EARLY, "NOT_DEALT", "")
    assert_refused(house, ask(b""), BAD, "MALFORMED", field)
    assert_refused(house, ask(played.dealt.certificate), FORBIDDEN, "FORGED", field)
    assert_refused(house, ask(receipted(house).message.receipt), BAD, "FOREIGN", field)
    assert_refused(house, ask(own), EARLY, "SECTION_CLOSED", field)
