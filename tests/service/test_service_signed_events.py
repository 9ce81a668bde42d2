"""Seats sign what they do: a whole round of each game with every event signed is proved by nobody's word but theirs."""

from typing import Any, TypeAlias

import pytest

from referee.audit.audit import audit_log
from referee.audit.report import EventLevel, Report
from referee.audit.source import MemoryLog
from referee.rulesets import load_builtin
from referee.v1 import log_pb2, mau_binh_pb2, shuffler_pb2, tien_len_pb2, ultimate_texas_pb2

House: TypeAlias = Any
Table: TypeAlias = Any  # both are made by fixtures, and have their classes beside these tests

GAMES = ("mau_binh", "tien_len", "ultimate_texas")


def audited(house: House) -> Report:
    """Audit the server's log."""
    keys = house.log.GetKeys(log_pb2.GetKeysRequest())
    return audit_log(
        MemoryLog(checkpoint=house.checkpoint().encode(), entries=tuple(house.leaves())),
        origin=keys.origin,
        log_key=keys.log_key,
        root_key=keys.root_key,
        catalogue=load_builtin(),
        now=house.clock.now,
    )


def dealt(house: House, game: str) -> Table:
    """Deal rounds of three seats with keys until no hand wins at the deal."""
    while True:
        table = house.table(game, seats=3).play()
        if game == "ultimate_texas" or first_choice(table) is not None:
            return table


def first_choice(table: Table) -> dict[str, Any] | None:
    """Return a lawful choice of the seat whose turn it is, or None once the round is over."""
    if table.game == "mau_binh":
        return (
            {"arrange": table.house.as_dealt(list(table.dealt.hands[0].cards))} if table.preview().violations else None
        )
    if table.game == "ultimate_texas":
        return {"decision": ultimate_texas_pb2.DECISION_CHECK}
    plays = table.referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=table.message)).plays
    return {"play": tien_len_pb2.Play(cards=plays[0].cards)} if plays else None


def turn_of(table: Table) -> int:
    """Return the seat whose event comes first."""
    return int(table.preview().state.turn) if table.game == "tien_len" else 0


def play_on(table: Table, act: Any) -> None:  # noqa: ANN401 - accepts or reports an event
    """Play the round to its end, passing each event to ``act``."""
    if table.game == "mau_binh":
        for seat, hand in enumerate(table.dealt.hands):
            act(seat, arrange=table.house.as_dealt(list(hand.cards)))
    elif table.game == "ultimate_texas":
        decisions = (ultimate_texas_pb2.DECISION_CHECK, ultimate_texas_pb2.DECISION_CHECK)
        for decision in (*decisions, ultimate_texas_pb2.DECISION_PLAY_1X):
            for seat in range(2):
                act(seat, decision=decision)
            table.accept(2, decision=decision)  # its receipt opens the street
            table.open_section()
    else:
        while not table.preview().state.over:
            asked = table.referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=table.message))
            plays = [play for play in asked.plays if len(play.cards) == 1] or asked.plays
            if plays:
                act(asked.turn, play=tien_len_pb2.Play(cards=plays[0].cards))
            else:
                act(asked.turn, pass_turn=True)


@pytest.mark.parametrize("game", GAMES)
def test_round_in_which_every_seat_signs_is_of_level_two(house: House, game: str) -> None:
    """Each event has its seat's signature and the referee's receipt; the audit verifies both."""
    table = dealt(house, game)
    play_on(table, table.accept)
    assert table.settle().log_receipt.leaf
    events = table.leaves()[2]["inputs"]["events"]
    assert len(events) >= 3
    assert {event["attested"] for event in events} == {"SEAT"}
    assert all(len(event["signature"]) == len(event["receipt"]) == 128 for event in events)
    table.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(**table.slot))
    report = audited(house)
    assert report.findings == ()
    assert report.event_levels[EventLevel.E2] == 1
    assert report.checked.signatures >= 2 * len(events)


@pytest.mark.parametrize("game", GAMES)
def test_signed_events_need_no_receipts(house: House, game: str) -> None:
    """Events that the frontend reports are attested by their seats; only those that open a street have receipts."""
    table = dealt(house, game)
    play_on(table, table.report)
    assert table.settle().log_receipt.leaf
    events = table.leaves()[2]["inputs"]["events"]
    assert {event["attested"] for event in events} == {"SEAT"}
    assert sum("receipt" in event for event in events) == (3 if game == "ultimate_texas" else 0)
    assert audited(house).event_levels[EventLevel.E2] == 1


@pytest.mark.parametrize("game", GAMES)
def test_one_unsigned_event_lowers_the_round(house: House, game: str) -> None:
    """To a receipt's level; the audit finds nothing wrong."""
    table = dealt(house, game)
    choice = first_choice(table)
    assert choice is not None
    assert table.ask(table.event(turn_of(table), **choice)).event_number == 1
    table.message.events.pop()
    first = True

    def act(seat: int, **choice: Any) -> None:  # noqa: ANN401 - any event
        nonlocal first
        table.ask(table.event(seat, **choice)) if first else table.accept(seat, **choice)
        first = False

    play_on(table, act)
    assert table.settle().log_receipt.leaf
    report = audited(house)
    assert report.findings == ()
    assert report.event_levels[EventLevel.E1] == 1


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("why", ["another seat's", "of another place", "of another event", "bytes", "short"])
def test_signature_that_does_not_hold_is_refused_with_its_place(house: House, game: str, why: str) -> None:
    """The field is ``event`` in AcceptEvent, and the event's index in every request that contains the round."""
    table = dealt(house, game)
    seat, choice = turn_of(table), first_choice(table)
    assert choice is not None
    event = table.signed(table.event(seat, **choice))
    match why:
        case "another seat's":
            event.seat = (seat + 1) % 3
            table.signed(event)
            event.seat = seat
        case "of another place":
            table.message.events.append(table.event(seat, time=house.clock.now, **choice))
            table.signed(event)
            table.message.events.pop()
        case "of another event":
            other = table.signed(table.event(seat, **leaving(game)))
            event.signature = other.signature
        case "bytes":
            event.signature = b"s" * 64
        case "short":
            event.signature = event.signature[:-1]
    refusal = house.refusal_of(lambda: table.ask(event))
    assert (refusal.code, refusal.reason, refusal.field) == ("INVALID_ARGUMENT", "BAD_SIGNATURE", "event.signature")
    event.time = house.clock.now
    table.message.events.append(event)
    for call in (table.preview, table.settle, lambda: table.ask(table.event(0, **leaving(game)))):
        refusal = house.refusal_of(call)
        assert (refusal.reason, refusal.field) == ("BAD_SIGNATURE", "round.events[0].signature")


def leaving(game: str) -> dict[str, Any]:
    """Return the choice of a seat that leaves."""
    return {"decision": ultimate_texas_pb2.DECISION_LEAVE} if game == "ultimate_texas" else {"leave": True}


@pytest.mark.parametrize("game", GAMES)
def test_seat_without_a_key_signs_nothing(house: House, game: str) -> None:
    """A signature that nobody can check is none."""
    table = house.table(game, seats=2, keyed=False).play()
    refusal = house.refusal_of(lambda: table.ask(table.signed(table.event(0, **leaving(game)))))
    assert (refusal.reason, refusal.field) == ("BAD_SIGNATURE", "event.signature")


def test_play_that_is_asked_about_has_its_signature_checked(house: House) -> None:
    """So a frontend can refuse a player's forged play before anything is signed for it; none is needed."""
    table = dealt(house, "tien_len")
    choice, seat = first_choice(table), turn_of(table)
    assert choice is not None
    event = table.event(seat, **choice)

    def check() -> tien_len_pb2.CheckPlayResponse:
        answer: tien_len_pb2.CheckPlayResponse = table.referee.CheckPlay(
            tien_len_pb2.CheckPlayRequest(round=table.message, event=event)
        )
        return answer

    assert not check().violations
    table.signed(event)
    assert not check().violations
    event.signature = b"s" * 64
    assert house.refusal_of(check).field == "event.signature"


def test_whether_its_events_are_signed_names_a_round(house: House) -> None:
    """So a settled one is not settled again with less said for it."""
    table = dealt(house, "mau_binh")
    play_on(table, table.accept)
    settled = table.settle()
    assert table.settle().log_receipt.leaf == settled.log_receipt.leaf
    table.message.events[0].ClearField("signature")
    assert house.refusal_of(table.settle).reason == "ALREADY_SETTLED"


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
        assert house.refusal_of(lambda event=event: table.ask(event)).field == field
