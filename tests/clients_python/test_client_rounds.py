"""Rounds of every game through the client: open and sealed, keyed or not, blocking and asyncio, settled and aborted."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from referee_client import (
    Arrangement,
    AsyncClient,
    Bet,
    Card,
    Client,
    DeniedError,
    MauBinhRound,
    NotReadyError,
    SeatSecrets,
    Terms,
    Trust,
    VerificationError,
    WrongSecretsError,
    spell,
)
from referee_client.messages import shuffler_pb2
from referee_client.trust import Believed
from referee_harness import Clock, Harness

from referee.server.process.app import Application
from tests.clients_python.playing import as_dealt, bet, binh, dealt, keyed, lead, play_binh, play_out

by_every_door = pytest.mark.parametrize("client", ["open", "token", "mtls"], indirect=True)
"""Marks a test that runs without access control, with a frontend's token, and by mutual TLS."""

Lay = Callable[[tuple[Card, ...]], Arrangement]


@by_every_door
def test_what_a_round_of_mau_binh_says_is_checked_at_every_step(client: Client, table: str):
    game = client.mau_binh(binh(table))
    opened = game.open()
    hands = game.deal()
    assert {seat: len(hand) for seat, hand in hands.items()} == {0: 13, 1: 13}
    assert game.deal_receipt is not None
    assert game.deal_receipt.index == opened.index + 1
    for seat, hand in hands.items():
        checked = game.check(seat, as_dealt(hand))
        assert checked.acceptable
        best = game.suggest(seat).suggestions[0].arrangement
        laid = Arrangement(*([Card(number) for number in chi] for chi in (best.back, best.middle, best.front)))
        assert not game.check(seat, laid).violations
        game.arrange(seat, laid)
    assert game.preview().outcome.transfers == game.settle().result.transfers
    settled = game.settle()
    assert settled.is_replayed
    assert settled.receipt is not None
    assert sum(seat.net_minor for seat in settled.result.seats) == 0
    revealed = game.reveal()
    assert revealed.sections[:2] == (hands[0], hands[1])
    assert len({card for section in revealed.sections for card in section}) == 52


@by_every_door
def test_every_step_may_be_repeated(client: Client, table: str):
    game = client.mau_binh(binh(table))
    assert game.open().leaf == game.open().leaf
    assert game.deal() == game.deal()
    for seat, hand in game.hands.items():
        game.arrange(seat, as_dealt(hand))
    first, second = game.settle(), game.settle()
    assert first.receipt is not None
    assert second.receipt is not None
    assert first.receipt.leaf == second.receipt.leaf
    assert game.reveal().server_seed == game.reveal().server_seed


@by_every_door
def test_a_settlement_too_early_is_an_answer(client: Client, table: str):
    game = dealt(client.mau_binh(binh(table)))
    settled = game.settle()
    assert [violation.code for violation in settled.violations] == ["ROUND_NOT_OVER", "ROUND_NOT_OVER"]
    with pytest.raises(ValueError, match="ROUND_NOT_OVER"):
        _ = settled.result


def test_a_sealed_round_shows_the_frontend_no_hand_before_all_are_in(client: Client, table: str):
    game = client.mau_binh(binh(table), secrets=keyed(2))
    game.open(sealed=True)
    assert game.deal() == {}
    laid = {seat: as_dealt(game.open_hand(seat)) for seat in range(2)}
    assert game.hands == {}
    for seat, arrangement in laid.items():
        assert game.check(seat, arrangement).acceptable
        assert game.suggest(seat).suggestions
        assert not game.commit(seat, arrangement).violations
    assert {seat: as_dealt(hand) for seat, hand in game.hands.items()} == laid
    for seat, arrangement in laid.items():
        assert game.arrange(seat, arrangement).event_number
    settled = game.settle()
    assert settled.is_replayed
    game.reveal()


def test_a_seat_that_commits_too_late_is_refused(harness: Harness, client: Client, table: str):
    game = dealt(client.mau_binh(binh(table), secrets=keyed(2)), sealed=True)
    game.commit(0, as_dealt(game.open_hand(0)))
    harness.clock.advance(61_000)
    assert game.time_out(1).event_number == 2
    assert set(game.hands) == {0, 1}
    late = game.commit(1, as_dealt(game.hands[1]))
    assert [violation.code for violation in late.violations] == ["COMMITTING_OVER"]
    assert len(game.message.events) == 2


@by_every_door
def test_a_seat_that_leaves_pays(client: Client, table: str):
    game = dealt(client.mau_binh(binh(table)))
    best = game.suggest(0, count=1).suggestions[0].arrangement  # which never fouls
    game.leave(1)
    game.arrange(0, Arrangement(*(tuple(map(Card, row)) for row in (best.back, best.middle, best.front))))
    assert game.settle().result.seats[1].net_minor < 0


def test_a_hand_that_wins_at_the_deal_is_settled_at_once(harness: Harness, client: Client, table: str):
    harness.script({"wins": {"0": "sanh rong"}}, table_id=table)
    game = dealt(client.mau_binh(binh(table)))
    settled = game.settle()
    assert [(one.payer, one.payee, one.amount_minor) for one in settled.result.transfers] == [(1, 0, 2600)]


@by_every_door
def test_the_winner_of_the_last_settled_round_leads(client: Client, table: str):
    """With an aborted round between, and once by its key, at another seat than it won from."""
    terms = lead(table)
    secrets = keyed(2)
    first = dealt(client.tien_len(terms, secrets=secrets))
    assert first.leader_by == "DRAW"
    play_out(first)
    winner = next(seat.seat for seat in first.settle().result.seats if seat.winner)
    given_up = client.tien_len(terms, secrets=secrets)
    given_up.open()
    given_up.abort()
    swapped = [SeatSecrets.make(seat, private_key=secrets[1 - seat].private_key) for seat in range(2)]
    third = dealt(client.tien_len(terms, secrets=swapped))
    assert third.number == 3
    assert (third.leader, third.leader_by) == (1 - winner, "WINNER")
    assert third.preview().state.turn == 1 - winner
    play_out(third)
    assert third.settle().is_replayed


@by_every_door
def test_a_round_for_another_stake_makes_no_leader(client: Client, table: str):
    terms = Terms(table=table, ruleset="tien_len.mien_nam", seats=3, stake=10)
    for stake, by in ((10, "DRAW"), (10, "WINNER"), (20, "DRAW")):
        game = dealt(client.tien_len(replace(terms, stake=stake)))
        assert game.leader_by == by
        play_out(game)
        assert game.settle().is_replayed
        game.reveal()


@by_every_door
def test_streets_open_as_they_close(client: Client, table: str):
    game = client.ultimate_texas(bet(table, Bet(20, 4), Bet(40)), secrets=keyed(2))
    game.open()
    assert {seat: len(hand) for seat, hand in game.deal().items()} == {0: 2, 1: 2}
    assert [violation.code for violation in game.check(0, "PLAY_2X").violations]
    assert game.board == {}
    game.decide(0, "CHECK")
    assert game.board == {}
    game.decide(1, "PLAY_4X")
    assert {name: len(cards) for name, cards in game.board.items()} == {"flop": 3}
    game.decide(0, "PLAY_2X")
    assert {name: len(cards) for name, cards in game.board.items()} == {"flop": 3, "turn_river": 2, "house": 2}
    settled = game.settle()
    assert spell(map(Card, settled.result.house_hole)) == spell(game.board["house"])
    assert game.reveal().sections[:5] == (
        *game.hands.values(),
        *(game.board[n] for n in ("house", "flop", "turn_river")),
    )


def test_a_sealed_table_of_texas_hides_the_hole_cards(client: Client, table: str):
    game = dealt(client.ultimate_texas(bet(table, Bet(20), Bet(20)), secrets=keyed(2)), sealed=True)
    own = {seat: game.open_hand(seat) for seat in range(2)}
    for seat in range(2):
        game.decide(seat, "PLAY_4X")
    assert game.hands == own
    assert game.settle().is_replayed


def test_players_may_keep_their_secrets_elsewhere(client: Client, harness: Harness, table: str):
    """The frontend's client has no secret; each player contributes with a client of its own."""
    players = keyed(2)
    game = client.mau_binh(binh(table, seat_keys=[one.public_key for one in players]), secrets=[])
    round_id = game.prepare()
    game.open(commitments=[one.seed_commitment(round_id) for one in players])
    for seat, one in enumerate(players):
        with Client(harness.grpc) as own:
            mine = own.mau_binh(game.state.terms, secrets=[one])
            mine.join()
            assert mine.contribute(seat) == list(range(seat + 1, 2))
    assert set(game.deal()) == {0, 1}


def test_a_player_sees_its_hand_through_somebody_elses_frontend(client: Client, harness: Harness, table: str):
    players = keyed(2)
    game = dealt(client.mau_binh(binh(table), secrets=players), sealed=True)
    with Client(harness.grpc) as own:
        mine = own.mau_binh(binh(table, seat_keys=[one.public_key for one in players]), secrets=players[1:])
        mine.join(game.number)
        assert mine.open_hand(1) == game.open_hand(1)
        stranger = own.mau_binh(binh(table, seat_keys=mine.state.seat_keys), secrets=[SeatSecrets.make(0)])
        with pytest.raises(WrongSecretsError, match="another seed of seat 0"):
            stranger.join()


@by_every_door
def test_another_tenants_table_is_refused(client: Client, table: str, request: pytest.FixtureRequest):
    """Before anything is written; without access control every table is everyone's."""
    game = client.mau_binh(binh(table.replace("acme.", "bcme.")))
    if request.node.callspec.params["client"] == "open":
        game.open()
        return
    for refused in (game.open, game.join, lambda: client.resume(game.table)):
        with pytest.raises(DeniedError) as caught:
            refused()
        assert caught.value.reason == "TABLE_FORBIDDEN"


@by_every_door
def test_an_aborted_round_is_revealed_all_the_same(client: Client, table: str):
    game = client.mau_binh(binh(table))
    game.open()
    game.abort(reason=shuffler_pb2.ABORT_REASON_OPERATOR)
    assert game.reveal().sections == ()
    with pytest.raises(NotReadyError) as caught:
        game.deal()
    assert caught.value.reason == "ABORTED"


async def test_the_asyncio_client_does_the_same(harness: Harness, table: str):
    async def play(client: AsyncClient, name: str) -> bool:
        game = client.mau_binh(binh(name), secrets=keyed(2))
        await game.open()
        for seat, hand in (await game.deal()).items():
            await game.arrange(seat, as_dealt(hand))
        settled = await game.settle()
        await game.reveal()
        return settled.is_replayed

    async with AsyncClient(harness.grpc, timeout=60) as client:
        lead = client.tien_len(Terms(table=f"{table}-lead", ruleset="tien_len.mien_nam", seats=2))
        await lead.open()
        await lead.deal()
        assert lead.leader_by == "DRAW"
        options = await lead.plays()
        assert (await lead.play(options.turn, [Card(n) for n in options.plays[0].cards])).event_number == 1
        texas = client.ultimate_texas(bet(f"{table}-bet", Bet(2)))
        await texas.open()
        await texas.deal()
        assert (await texas.decide(0, "PLAY_4X")).event_number == 1
        assert (await texas.settle()).is_replayed
        assert {ruleset.ruleset_id for ruleset in await client.rulesets()} >= {"mau_binh.classic"}
        played = await asyncio.gather(*(play(client, f"{table}-{number}") for number in range(4)))
        assert (await client.checkpoint()).size > 0
    assert played == [True] * 4


@by_every_door
def test_the_head_is_proved_to_grow(client: Client, table: str):
    before = client.checkpoint()
    play_binh(client.mau_binh(binh(table)))
    after = client.checkpoint()
    assert after.size > before.size
    assert client.checkpoint().size >= after.size


def test_keys_that_are_known_from_elsewhere_are_held_to(harness: Harness, table: str):
    trust = Trust(log_key=harness.keys["log"], root_key=harness.keys["root"])
    with Client(harness.grpc, trust=trust) as client:
        client.mau_binh(binh(table)).open()
    with Harness() as other:
        stranger = Trust(log_key=other.keys["log"], root_key=other.keys["root"])
        with Client(harness.grpc, trust=stranger) as client, pytest.raises(VerificationError):
            client.mau_binh(binh(f"{table}-2")).open()


def test_a_trust_that_is_no_key_is_refused():
    with pytest.raises(VerificationError):
        Believed(Trust(log_key="nothing", root_key="nothing"))


def test_rounds_of_the_client_are_dealt_on_level_two(tmp_path: Path):
    """Scripted decks stay at L0, so the server deals at random, and its log audited."""
    from tests.server.options import server_options  # noqa: PLC0415 - the one test that needs it

    with Application(server_options(data=tmp_path)) as application, Client(f"127.0.0.1:{application.port}") as client:
        for number in range(3):
            game = client.mau_binh(binh(f"t-{number}"), secrets=keyed(2))
            play_binh_unless_won(game)
    audited = subprocess.run(
        [sys.executable, "-m", "referee", "audit", "--data", str(tmp_path), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert audited.returncode == 0, audited.stdout + audited.stderr
    report = json.loads(audited.stdout)
    assert report["dealing_levels"] == {"L0": 0, "L1": 0, "L2": 3, "L3": 0}
    assert report["event_levels"]["E0"] == report["event_levels"]["E1"] == 0


def play_binh_unless_won(game: MauBinhRound) -> None:
    for seat, hand in dealt(game).hands.items():
        game.arrange(seat, as_dealt(hand))
    assert game.settle().is_replayed
    game.reveal()


def test_the_clock_of_a_round_is_the_referees(client: Client, harness: Harness, table: str):
    game = dealt(client.mau_binh(binh(table)))
    hands = game.hands
    harness.clock.advance(1234)
    assert game.arrange(0, as_dealt(hands[0])).event.time == game.dealt_time + 1234
    assert isinstance(harness.clock, Clock)
