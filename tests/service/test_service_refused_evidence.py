"""Certificates, receipts and events that prove nothing, or that come too late: refused, and nothing written."""

import base64
import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from referee.evidence.dsse import Envelope
from referee.v1 import shuffler_pb2
from tests.service.courses import steps_of
from tests.service.house import House, Played

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
    "cut off": (lambda true, _played: [true[:-1]], (BAD, "MALFORMED", "round.certificates[0]")),
    "spaced": (lambda true, _played: [true.replace(b":", b": ", 1)], (BAD, "MALFORMED", "round.certificates[0]")),
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
