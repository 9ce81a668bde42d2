"""The course of a round: signed by seats elsewhere, taken over by another frontend, and never signed twice."""

import json
from collections.abc import Callable

import pytest
from referee_client import AlreadySignedError, Card, Client, NotReadyError, RefereeError, Terms, VerificationError
from referee_client.messages import tien_len_pb2
from referee_harness import Harness

from tests.clients_python.playing import as_dealt, bet, binh, dealt, joined, keyed, lead, move


def test_a_frontend_that_lost_its_memory_goes_on(client: Client, harness: Harness, table: str):
    secrets = keyed(2)
    game = dealt(client.mau_binh(binh(table), secrets=secrets))
    hands = game.hands
    game.arrange(0, as_dealt(hands[0]))
    kept = game.message.SerializeToString()
    with Client(harness.grpc) as another:
        again = another.mau_binh(binh(table), secrets=secrets)
        again.join()
        assert again.deal() == hands
        again.adopt(kept)
        again.arrange(1, as_dealt(hands[1]))
        assert again.settle().is_replayed


def test_a_frontend_that_died_before_the_cards_opened_goes_on(client: Client, harness: Harness, table: str):
    """It kept the receipt; without it the event would be received again, at another time, and nothing opened by it."""
    secrets = keyed(1)
    terms = bet(table)
    game = dealt(client.ultimate_texas(terms, secrets=secrets))
    harness.fault(kind="refuse", method="OpenSection", when="after", status="INTERNAL")
    with pytest.raises(RefereeError):
        game.decide(0, "CHECK")
    kept = game.message.SerializeToString()
    harness.clock.advance(1)
    with Client(harness.grpc, timeout=60) as another:
        again = joined(another.ultimate_texas(terms, secrets=secrets))
        forgetful = another.ultimate_texas(terms, secrets=secrets)
        forgetful.join()
        forgetful.deal()
        with pytest.raises(NotReadyError) as caught:
            forgetful.decide(0, "CHECK")
        assert (caught.value.reason, caught.value.facts["number"]) == ("COURSE_FORKED", "1")
        again.adopt(kept)
        again.open_section()
        assert len(again.board["flop"]) == 3
        again.decide(0, "PLAY_2X")
        assert again.settle().is_replayed


def test_a_seat_signs_on_its_own_machine_what_somebody_elses_frontend_submits(
    client: Client, harness: Harness, table: str
):
    players = keyed(2)
    terms = Terms(
        table=table, ruleset="tien_len.mien_nam", seats=2, stake=10, seat_keys=[one.public_key for one in players]
    )
    game = client.tien_len(terms, secrets=[])
    round_id = game.prepare()
    game.open(commitments=[one.seed_commitment(round_id) for one in players])
    signed = [
        one.sign_seed(round_id, server_commitment=game.state.opened.server_commitment)  # type: ignore[union-attr] # it was opened
        for one in players
    ]
    game.deal(seeds=[one.seed for one in players], signatures=signed)
    with Client(harness.grpc, timeout=60) as first, Client(harness.grpc, timeout=60) as second:
        owns = [one.tien_len(terms, secrets=[player]) for one, player in zip((first, second), players, strict=True)]
        for own in owns:
            own.join()
        while (options := game.plays()).HasField("turn"):
            own = owns[options.turn]
            own.adopt(game.message.SerializeToString())
            event = tien_len_pb2.TienLenEvent(seat=options.turn)
            if options.plays:
                event.play.cards.extend(options.plays[0].cards)
            else:
                event.pass_turn.SetInParent()
            assert game.accept_event(event, signature=own.sign(event)).event_number
        settled = game.settle()
    assert settled.is_replayed
    leaf = json.loads(settled.receipt.payload)["inputs"]  # type: ignore[union-attr] # it was settled
    assert [len(one) for one in leaf["signatures"]] == [128, 128]
    assert {event["received"] for event in leaf["events"]} == {1}


def swap_signatures(message: tien_len_pb2.TienLenRound) -> None:
    message.signatures[0], message.signatures[1] = message.signatures[1], message.signatures[0]


CHANGES: dict[str, Callable[[tien_len_pb2.TienLenRound], object]] = {
    "an event is dropped": lambda message: message.events.pop(),
    "a time is changed": lambda message: setattr(message.events[0], "time", message.events[0].time + 1),
    "a flag is changed": lambda message: setattr(message.events[0], "received", False),
    "what was seen is changed": lambda message: setattr(message.events[-1], "seen", message.events[-1].seen - 1),
    "a signature is swapped": swap_signatures,
    "a signature is missing": lambda message: message.signatures.__setitem__(0, b""),
    "the receipt is missing": lambda message: message.ClearField("receipt"),
}
"""Changes of a course as a frontend might make them before it shows it to a player."""


@pytest.mark.parametrize("how", CHANGES)
def test_a_course_that_was_changed_is_not_adopted(client: Client, table: str, how: str):
    game = dealt(client.tien_len(lead(table), secrets=keyed(2)))
    for _ in range(3):
        move(game)()
    saved = tien_len_pb2.TienLenRound.FromString(game.message.SerializeToString())
    game.adopt(saved.SerializeToString())
    CHANGES[how](saved)
    with pytest.raises(VerificationError):
        game.adopt(saved.SerializeToString())


def test_a_seat_signs_no_second_event_until_the_rules_refuse_the_first(client: Client, harness: Harness, table: str):
    """The first one's answer was lost, so it may still be accepted; one that no rule allows frees its place at once."""
    game = dealt(client.tien_len(lead(table), secrets=keyed(2)))
    options = game.plays()
    seat, plays = options.turn, [[Card(number) for number in one.cards] for one in options.plays]
    stranger = next(card for card in game.hands[1 - seat])
    assert [one.code for one in game.play(seat, [stranger]).violations]
    harness.fault(kind="refuse", method="AcceptEvent", when="after", status="INTERNAL")
    with pytest.raises(RefereeError):
        game.play(seat, plays[0])
    with pytest.raises(AlreadySignedError):
        game.play(seat, plays[1])
    saved = game.chains[seat].save()
    game.restore_chain(seat, saved)
    with pytest.raises(AlreadySignedError):
        game.play(seat, plays[1])
    assert game.play(seat, plays[0]).event_number == 1


def test_a_seat_that_ran_out_of_time_plays_on(client: Client, harness: Harness, table: str):
    """It had signed a play that its frontend never received; its next one is of another turn."""
    game = dealt(client.tien_len(lead(table), secrets=keyed(2)))
    options = game.plays()
    seat = options.turn
    game.sign(tien_len_pb2.TienLenEvent(seat=seat, play=tien_len_pb2.Play(cards=options.plays[-1].cards)))
    harness.clock.advance(30_000)
    assert game.time_out(seat).event_number == 1
    assert game.pass_turn(1 - seat).event_number == 2
    again = game.plays()
    assert again.turn == seat
    assert game.play(seat, [Card(number) for number in again.plays[0].cards]).event_number == 3


def test_a_pass_out_of_turn_does_not_lock_the_next_turn(client: Client, harness: Harness, table: str):
    """The referee refused it, so the seat signs another event in its place: a pass again, or a play."""
    harness.script({"leader": 0})  # no hand wins at the deal
    game = dealt(client.tien_len(lead(table), secrets=keyed(2)))
    leader = game.plays().turn
    other = 1 - leader
    assert [one.code for one in game.pass_turn(other).violations] == ["OUT_OF_TURN"]
    game.play(leader, [Card(number) for number in game.plays().plays[0].cards])
    assert game.pass_turn(other).event_number == 2
    assert [one.code for one in game.pass_turn(other).violations] == ["OUT_OF_TURN"]
    game.play(leader, [Card(number) for number in game.plays().plays[0].cards])
    plays = game.plays()
    answer = game.play(other, [Card(number) for number in plays.plays[0].cards]) if plays.plays else None
    assert answer is None or answer.event_number == 4
