"""A frontend that kept no journal goes on where no move can be left out; elsewhere its round lapses."""

import pytest
from referee_client import Client, MauBinhRound, RoundLapsesError, Stage, TienLenRound
from referee_harness import Harness

from tests.clients_python.playing import as_dealt, bet, binh, dealt, joined, keyed, lead, move


def test_without_a_journal_a_round_without_seeds_is_aborted_at_once(client: Client, harness: Harness, table: str):
    client.mau_binh(binh(table)).open()
    with Client(harness.grpc, timeout=60) as lost:
        game = lost.resume(table)
        assert game is not None
        assert game.stage is Stage.ABORTED
        assert lost.resume(table) is None
        lost.mau_binh(binh(table)).open()


def test_without_a_journal_a_round_with_a_seed_waits_for_the_others(client: Client, harness: Harness, table: str):
    first = client.mau_binh(binh(table))
    first.open()
    first.contribute(0)
    with Client(harness.grpc, timeout=60) as lost:
        game = lost.resume(table)
        assert game is not None
        assert game.stage is Stage.OPENED
        first.contribute(1)
        assert len(game.deal()) == 2


def test_without_a_journal_a_round_goes_on_from_what_players_hold(client: Client, harness: Harness, table: str):
    """From the longest course; the moves that follow end it, and no clock plays for a seat."""
    game = dealt(client.tien_len(lead(table)))
    held = []
    for _ in range(3):
        move(game)()
        held.append(game.message.SerializeToString())
    with Client(harness.grpc, timeout=60) as lost:
        again = lost.resume(table, held=[held[2], held[0]])
        assert isinstance(again, TienLenRound)
        assert again.hands == game.hands
        assert list(again.message.events) == list(game.message.events)
        with pytest.raises(RoundLapsesError, match="may have a receipt"):
            again.time_out(again.plays().turn)
        while again.plays().HasField("turn"):
            move(again)()
        assert again.settle().is_replayed


def test_without_a_journal_no_seat_is_settled_without_its_move(client: Client, harness: Harness, table: str):
    """After the time to arrange the server would settle with what is in."""
    harness.script({"vector": "mau_binh/settlement#value-front-three-M"}, table_id=table)
    game = dealt(client.mau_binh(binh(table)))
    hands = game.hands
    game.arrange(0, as_dealt(hands[0]))
    with Client(harness.grpc, timeout=60) as lost:
        again = lost.resume(table, held=[game.message.SerializeToString()])
        assert isinstance(again, MauBinhRound)
        again.arrange(1, as_dealt(hands[1]))
        assert again.settle().is_replayed
    harness.script({"vector": "mau_binh/settlement#value-front-three-M"}, table_id=f"{table}-2")
    dealt(client.mau_binh(binh(f"{table}-2")))
    harness.clock.advance(61_000)
    with Client(harness.grpc, timeout=60) as lost:
        partial = lost.resume(f"{table}-2")
        assert partial is not None
        assert partial.is_over()
        with pytest.raises(RoundLapsesError, match="do not decide it"):
            partial.settle()


def test_without_a_journal_a_round_whose_cards_were_opened_lapses(client: Client, harness: Harness, table: str):
    game = dealt(client.ultimate_texas(bet(table)))
    game.decide(0, "CHECK")
    with Client(harness.grpc, timeout=60) as lost:
        again = lost.resume(table, held=[game.message.SerializeToString()])
        assert again is not None
        assert "cards were opened" in again.lapses
        with pytest.raises(RoundLapsesError):
            again.settle()


def test_courses_that_contradict_each_other_let_the_round_lapse(client: Client, harness: Harness, table: str):
    game = dealt(client.mau_binh(binh(table)))
    hands = game.hands
    if game.is_over():
        pytest.skip("a hand won at the deal, so there is no course")
    other = joined(client.mau_binh(binh(table), secrets=[]))
    for seat, one in enumerate((game, other)):
        one.arrange(seat, as_dealt(hands[seat]))
    held = [one.message.SerializeToString() for one in (game, other)]
    with Client(harness.grpc, timeout=60) as lost:
        again = lost.resume(table, held=held)
        assert again is not None
        assert "differ" in again.lapses


def test_a_course_without_its_receipt_is_left_out_by_the_caller(client: Client, harness: Harness, table: str):
    game = dealt(client.tien_len(lead(table)))
    move(game)()
    forged = game.message
    forged.events[0].received = False
    with Client(harness.grpc, timeout=60) as lost:
        for wrong in (forged.SerializeToString(), b"\xff"):
            with pytest.raises(ValueError, match=r"held\[0\] is no course of this round"):
                lost.resume(table, held=[wrong])


def test_the_deal_of_a_sealed_table_is_resumed_without_its_hands(client: Client, harness: Harness, table: str):
    harness.script({"vector": "mau_binh/settlement#value-front-three-M"}, table_id=table)
    secrets = keyed(2)
    dealt(client.mau_binh(binh(table), secrets=secrets), sealed=True)
    with Client(harness.grpc, timeout=60) as lost:
        again = lost.resume(table)
        assert isinstance(again, MauBinhRound)
        assert (again.is_sealed, again.hands) == (True, {})
