"""Seats sign what they do: a whole round of each game with every event signed is proved by nobody's word but theirs."""

from typing import Any

import pytest

from referee.audit.report import DealingLevel
from referee.transcript.proof import EventLevel
from referee.v1 import mau_binh_pb2, tien_len_pb2
from tests.service.courses import move_of, take
from tests.service.house import House
from tests.service.playing import GAMES, dealt, first_choice, leaving, play_on, turn_of
from tests.service.table import Table


def transcript_of(table: Table) -> dict[str, Any]:
    """Return the inputs of a settled round."""
    inputs: dict[str, Any] = next(leaf["inputs"] for leaf in table.leaves() if "inputs" in leaf)
    return inputs


@pytest.mark.parametrize("game", GAMES)
def test_round_in_which_every_seat_signs_is_of_level_two(house: House, game: str) -> None:
    """One signature a seat and one receipt speak for all events; the audit verifies them."""
    table = dealt(house, game)
    play_on(table, table.accept)
    assert table.settle().log_receipt.leaf
    inputs = transcript_of(table)
    assert len(inputs["events"]) >= 3
    assert all(event["received"] == 1 and "seen" in event["event"] for event in inputs["events"])
    assert [len(signature) for signature in inputs["signatures"]] == [128] * 3
    assert inputs["receipt"]["number"] == len(inputs["events"])
    table.reveal()
    report = house.audit()
    assert report.findings == ()
    assert report.event_levels[EventLevel.E2] == 1
    assert {level for level, count in report.dealing_levels.items() if count} == {DealingLevel.L2}


@pytest.mark.parametrize("game", GAMES)
def test_signed_events_need_no_receipts_and_prove_no_time(house: House, game: str) -> None:
    """What a frontend reports is proved by its seat but for the time; what opens cards must be received."""
    table = dealt(house, game)
    play_on(table, table.report)
    assert table.settle().log_receipt.leaf
    inputs = transcript_of(table)
    assert all("seen" in event["event"] for event in inputs["events"])
    assert sum(event["received"] for event in inputs["events"]) == (3 if game == "ultimate_texas" else 0)
    assert house.audit().event_levels[EventLevel.E0] == 1


@pytest.mark.parametrize("game", GAMES)
def test_event_of_a_seat_with_a_key_is_refused_unsigned(house: House, game: str) -> None:
    """A LEAVE too, and on an open table: nobody but the seat can say that it left."""
    table = dealt(house, game)
    seat, choice = turn_of(table), first_choice(table)
    assert choice is not None
    for fields in (choice, leaving(game)):
        event = table.event(seat, **fields)
        assert house.refusal_of(table.ask, event, b"").reason_and_field == ("SIGNATURE_MISSING", "signature")
        event.ClearField("seen")
        assert house.refusal_of(table.ask, event, b"").reason_and_field == ("NOT_SEEN", "event")
        event = table.event(seat, time=house.clock.now, **fields)
        table.message.events.append(event)
        for call in (table.preview, table.settle):
            assert house.refusal_of(call).reason_and_field == ("SIGNATURE_MISSING", f"round.signatures[{seat}]")
        table.message.events[-1].ClearField("seen")
        assert {house.refusal_of(call).reason for call in (table.preview, table.settle)} == {"NOT_SEEN"}
        table.message.events.pop()


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("why", ["another seat's", "of a longer chain", "of another event", "bytes", "short"])
def test_signature_that_does_not_hold_is_refused_with_its_place(house: House, game: str, why: str) -> None:
    """The field is ``signature`` in AcceptEvent, and the seat's index in every request that contains the round."""
    table = dealt(house, game)
    seat, choice = turn_of(table), first_choice(table)
    assert choice is not None
    event = table.event(seat, **choice)
    good = table.sign(event)
    match why:
        case "another seat's":
            bad = table.players[(seat + 1) % 3].key.sign(move_of(table.message, event))
        case "of a longer chain":
            table.message.events.append(event)
            bad = table.sign(table.event(seat, **choice))
            table.message.events.pop()
        case "of another event":
            bad = table.sign(table.event(seat, **leaving(game)))
        case "bytes":
            bad = b"s" * 64
        case _:
            bad = good[:-1]
    assert house.refusal_of(table.ask, event, bad).seen == ("INVALID_ARGUMENT", "BAD_SIGNATURE", "signature")
    event.time = house.clock.now
    take(table.message, event, signature=bad)
    for call in (table.preview, table.settle, lambda: table.ask(table.event(0, **leaving(game)))):
        assert house.refusal_of(call).reason_and_field == ("BAD_SIGNATURE", f"round.signatures[{seat}]")
    table.message.signatures[seat] = good
    table.preview()


@pytest.mark.parametrize("game", GAMES)
def test_seat_without_a_key_signs_nothing(house: House, game: str) -> None:
    """A signature that nobody can check is none, and so is what the seat had seen."""
    table = house.table(game, seats=2, keyed=False).play()
    event = table.event(0, **leaving(game))
    assert house.refusal_of(table.ask, event, bytes(64)).reason_and_field == ("BAD_SIGNATURE", "signature")
    event.seen = 0
    assert house.refusal_of(table.ask, event, bytes(64)).reason_and_field == ("NOT_SEEN", "event")


def test_seats_that_act_at_once_do_not_race(house: House) -> None:
    """Each signs before it sees the other's event, whichever arrives first."""
    table = dealt(house, "mau_binh")
    events = [
        table.event(seat, arrange=house.as_dealt(list(hand.cards))) for seat, hand in enumerate(table.dealt.hands)
    ]
    signed = [(event, table.sign(event)) for event in events]
    for event, signature in reversed(signed):
        assert event.seen == 0
        assert table.ask(event, signature).event_number
    assert table.settle().log_receipt.leaf


def test_play_in_a_turn_that_its_seat_had_not_seen_is_refused(house: House) -> None:
    table = dealt(house, "tien_len")
    choice = first_choice(table)
    assert choice is not None
    table.accept(turn_of(table), **choice)
    refusal = house.refusal_of(table.ask, table.event(turn_of(table), pass_turn=True, seen=0))
    assert (refusal.reason, refusal.facts["expected"], refusal.facts["found"]) == ("NOT_SEEN", "1", "0")
    assert table.accept(turn_of(table), pass_turn=True).event_number == 2


def test_question_about_a_play_needs_no_signature(house: House) -> None:
    table = dealt(house, "tien_len")
    choice = first_choice(table)
    assert choice is not None
    asked = tien_len_pb2.CheckPlayRequest(round=table.message, event=table.event(turn_of(table), **choice))
    assert not table.referee.CheckPlay(asked).violations


def test_running_out_of_time_is_no_event_before_the_time_is_up(house: House) -> None:
    """A frontend cannot play on in the place of a seat that still has time."""
    table = dealt(house, "tien_len")
    late = table.event(turn_of(table), timeout=True)
    assert [one.code for one in table.ask(late).violations] == ["NOT_OUT_OF_TIME"]
    table.report(turn_of(table), timeout=True)
    assert [one.code for one in table.preview().violations] == ["NOT_OUT_OF_TIME"]
    house.clock.now += 30_000
    table.message.events[0].time = house.clock.now
    assert house.refusal_of(table.preview).reason == "NOT_RECEIVED"
    table.message.events.pop()
    assert table.ask(late).event_number == 1


def test_nonce_and_commitment_have_their_size_and_place(house: House) -> None:
    """Refused as a bad question with the field, before any rule is looked at."""
    table = dealt(house, "mau_binh")
    arrange = first_choice(table)
    assert arrange is not None
    for event, field in (
        (table.event(0, nonce=b"n" * 31, **arrange), "event.nonce"),
        (table.event(0, nonce=b"n" * 32, leave=True), "event.nonce"),
        (table.event(0, commit=mau_binh_pb2.Commit(commitment=b"c" * 31)), "event.commit.commitment"),
        (table.event(0), "event"),
    ):
        assert house.refusal_of(table.ask, event, b"").field == field


def test_how_its_events_are_proved_names_a_round(house: House) -> None:
    """So a settled one is not settled again with less said for it."""
    table = dealt(house, "mau_binh")
    play_on(table, table.accept)
    settled = table.settle()
    assert table.settle().log_receipt.leaf == settled.log_receipt.leaf
    house.clock.now += 5
    assert table.settle().log_receipt.leaf == settled.log_receipt.leaf
    table.message.receipt = b""
    for event in table.message.events:
        event.received = False
    assert house.refusal_of(table.settle).reason == "ALREADY_SETTLED"
