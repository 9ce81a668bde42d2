"""Messages and the domain: what is written is read back, and what may not be said is refused with its path."""

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import DECK, HOUSE, Card, Seat
from referee.dealing.certificate import CertificateError, CertificateFault
from referee.dealing.header import NO_KEY, NO_LEAF, Header
from referee.games import GAMES
from referee.log import SlotError, SlotKey, SlotReason
from referee.money import Amount, Transfer
from referee.rulesets import get, load_texts
from referee.v1.card_pb2 import Card as CardMessage
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.round_pb2 import RoundHeader, RoundRef
from referee.v1.seating_pb2 import Person
from referee.verdict import Violation
from referee.wire.refusal import RefusedError
from referee.wire.round import certificate_refusal, read_header, read_slot, slot_refusal, write_header
from referee.wire.seating import read_people
from referee.wire.values import numbers_of, read_cards, write_transfers, write_violations
from tests.driver.headers import changed_header, made_header

TIMES = st.integers(min_value=1, max_value=2**53 - 1)
HASHES = st.binary(min_size=32, max_size=32)
KEY = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
"""The public key of RFC 8032's first test."""


GOOD: Final = made_header(
    protocol=1,
    origin="log.example/1",
    randomness_suite=1,
    table_id="t",
    round_number=1,
    ruleset_id="mau_binh.classic",
    ruleset_version="1.0.0",
    ruleset_digest=bytes(32),
    layout=(13, 13, 26),
    currency="VND",
    stake=1,
    seat_stakes=(),
    seat_keys=(NO_KEY, NO_KEY),
    previous_leaf=NO_LEAF,
    deal_deadline=10,
    round_deadline=20,
)


@st.composite
def headers(draw: st.DrawFn) -> Header:
    """Headers that keep the protocol, of all three games."""
    game = draw(st.sampled_from(["mau_binh", "tien_len", "ultimate_texas"]))
    seats = draw(st.integers(min_value=2, max_value=4))
    number = draw(TIMES)
    deadlines = sorted([draw(TIMES), draw(TIMES)])
    amounts = st.integers(min_value=1, max_value=2**53 - 1)
    stakes = [(draw(amounts), draw(amounts)) for _ in range(seats)] if game == "ultimate_texas" else []
    return made_header(
        protocol=1,
        origin=draw(st.from_regex(r"[a-z]{1,20}/[a-z]{1,20}", fullmatch=True)),
        randomness_suite=draw(st.sampled_from([1, 250])),
        table_id=draw(st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True)),
        round_number=number,
        ruleset_id=f"{game}.any",
        ruleset_version="1.2.3",
        ruleset_digest=draw(HASHES),
        layout=GAMES[game].layout(seats).sizes,
        currency=draw(st.from_regex(r"[A-Z]{1,16}", fullmatch=True)),
        stake=draw(amounts),
        seat_stakes=tuple(stakes),
        seat_keys=tuple(draw(st.sampled_from([NO_KEY, KEY])) for _ in range(seats)),
        previous_leaf=NO_LEAF if number == 1 else draw(HASHES.filter(any)),
        deal_deadline=deadlines[0],
        round_deadline=deadlines[1],
    )


@given(headers())
def test_header_written_is_read_back(header: Header) -> None:
    """Through bytes, as on the wire: every field, so the round id is the same."""
    message = RoundHeader.FromString(write_header(header).SerializeToString())
    assert read_header(message, field="header") == header
    assert read_header(message, field="header").round_id == header.round_id


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"protocol": 2}, "protocol"),
        ({"origin": ""}, "origin"),
        ({"table_id": ""}, "round.table_id"),
        ({"round_number": 0}, "round.round_number"),
        ({"ruleset_id": "x"}, "ruleset_id"),
        ({"ruleset_version": "1"}, "ruleset_version"),
        ({"ruleset_digest": b""}, "ruleset_digest"),
        ({"layout": (52, 0)}, "layout"),
        ({"currency": ""}, "currency"),
        ({"stake": 0}, "stake_minor"),
        ({"seat_keys": (NO_KEY, b"k")}, "seat_keys[1]"),
        ({"seat_stakes": ((1, 2),)}, "seat_stakes"),
        ({"previous_leaf": b"p" * 32}, "previous_leaf_hash"),
        ({"deal_deadline": 0}, "deal_deadline_time"),
        ({"round_deadline": 1}, "round_deadline_time"),
    ],
)
def test_header_at_fault_is_named_as_the_wire_has_it(changes: dict[str, object], path: str) -> None:
    """Each path is a field of RoundHeader."""
    message = write_header(changed_header(GOOD, **changes))
    with pytest.raises(RefusedError) as caught:
        read_header(message, field="round.header")
    assert caught.value.field == f"round.header.{path}"
    descriptor: Any = RoundHeader.DESCRIPTOR
    for name in path.partition("[")[0].split("."):
        assert name in descriptor.fields_by_name
        descriptor = descriptor.fields_by_name[name].message_type


def test_cards_have_one_number_and_one_name_on_both_sides() -> None:
    """The enum of the wire is the deck, card by card, and zero is none."""
    assert {f"CARD_{card.name}": card.number for card in DECK} | {"CARD_UNSPECIFIED": 0} == dict(CardMessage.items())
    assert read_cards(numbers_of(DECK), field="cards") == DECK


@given(st.lists(st.integers(min_value=-(2**31), max_value=2**31 - 1), max_size=20))
def test_number_that_names_no_card_is_refused_at_its_place(numbers: list[int]) -> None:
    wrong = [place for place, number in enumerate(numbers) if not 1 <= number <= 52]
    if not wrong:
        assert [card.number for card in read_cards(numbers, field="c")] == numbers
        return
    with pytest.raises(RefusedError) as caught:
        read_cards(numbers, field="c")
    assert (caught.value.reason_name, caught.value.field) == ("INVALID_CARD", f"c[{wrong[0]}]")
    assert caught.value.facts == {"found": str(numbers[wrong[0]])}


@pytest.mark.parametrize("fault", CertificateFault)
def test_every_fault_of_a_certificate_has_a_reason(fault: CertificateFault) -> None:
    """Return the reason of a fault; a card in two places has its own."""
    refusal = certificate_refusal(CertificateError(fault, "what is wrong"), field="round.certificates[0]")
    expected = "DUPLICATE_CARD" if fault is CertificateFault.DUPLICATE_CARD else fault.reason.value
    assert (refusal.reason_name, refusal.field) == (expected, "round.certificates[0]")
    assert refusal.message.startswith("what is wrong")


@pytest.mark.parametrize("reason", SlotReason)
def test_every_refused_step_has_a_reason(reason: SlotReason) -> None:
    """Its own name where the API has it; a deal that does not match is one reason."""
    refusal = slot_refusal(SlotError(reason, SlotKey("t", 7), "is otherwise"))
    own = ErrorReason.DESCRIPTOR.values_by_name.keys()
    expected = {
        SlotReason.ROUND_MISMATCH: "DEAL_MISMATCH",
        SlotReason.DECK_ROOT_MISMATCH: "DEAL_MISMATCH",
        SlotReason.ALREADY_REVEALED: "ALREADY_SETTLED",
    }.get(reason, reason.value)
    assert f"ERROR_REASON_{expected}" in own
    assert refusal.reason_name == expected
    assert refusal.facts == {"table_id": "t", "round_number": "7"}


@pytest.mark.parametrize(
    ("table", "number", "reason", "path"),
    [
        ("", 1, "MISSING_FIELD", "table_id"),
        ("é", 1, "INVALID_FIELD", "table_id"),
        ("t", 0, "INVALID_FIELD", "round_number"),
    ],
)
def test_slot_that_cannot_be_is_refused_below_its_message(table: str, number: int, reason: str, path: str) -> None:
    for field in ("round", "terms.round"):
        with pytest.raises(RefusedError) as caught:
            read_slot(RoundRef(table_id=table, round_number=number), field=field)
        assert (caught.value.reason_name, caught.value.field) == (reason, f"{field}.{path}")


def test_header_of_a_round_without_keys_and_predecessor_says_so_by_absence() -> None:
    """No zeros on the wire, and the header is the same where a client sends zeros all the same."""
    message = write_header(GOOD)
    assert list(message.seat_keys) == [b"", b""]
    assert not message.HasField("previous_leaf_hash")
    message.seat_keys[:] = [NO_KEY, NO_KEY]
    message.previous_leaf_hash = NO_LEAF
    assert read_header(message, field="header") == GOOD


def test_violation_carries_its_facts_and_no_others() -> None:
    """Seat 0 and a count of zero are said; what is not known is absent."""
    texts = load_texts("mau_binh")
    full = Violation(
        code="BACK_WRONG_SIZE",
        seat=Seat(0),
        cards=(Card(1),),
        against=(Card(52),),
        expected=5,
        found=0,
        deadline_time=1_000,
        received_time=2_500,
    )
    first, bare = write_violations([full, Violation(code="ALREADY_LEFT")], texts, get("mau_binh.classic"))
    assert (first.HasField("seat"), first.seat, first.HasField("found"), first.found) == (True, 0, True, 0)
    assert (list(first.cards), list(first.against)) == ([1], [52])
    assert (first.expected, first.deadline_time, first.received_time) == (5, 1_000, 2_500)
    assert "0" in first.text.en
    assert [field.name for field, _ in bare.ListFields()] == ["code", "text"]


def test_transfers_keep_their_order_and_the_house_is_a_seat() -> None:
    transfers = [
        Transfer(payer=Seat(1), payee=HOUSE, amount=Amount(2**53 - 1), reason="ANTE", subject=""),
        Transfer(payer=HOUSE, payee=Seat(0), amount=Amount(1), reason="BLIND", subject="FLUSH"),
    ]
    written = write_transfers(transfers)
    assert [(one.payer, one.payee, one.amount_minor, one.reason, one.subject) for one in written] == [
        (1, 255, 2**53 - 1, "ANTE", ""),
        (255, 0, 1, "BLIND", "FLUSH"),
    ]


def test_person_seated_at_time_zero_is_seated() -> None:
    """Absent is not zero."""
    seated, showing = read_people([Person(person_id="an", seated_time=0), Person(person_id="binh")], field="persons")
    assert (seated.seated_time, showing.seated_time) == (0, None)
    assert (seated.ready_time, showing.came_time) == (None, 0)
