"""A frontend whose process is lost goes on with its round: with a journal from anywhere, without one where it may."""

import stat
from pathlib import Path

import pytest
from referee_client import (
    AsyncClient,
    BadRequestError,
    Card,
    Client,
    Journal,
    MauBinhRound,
    RecordError,
    RefereeError,
    RoundLapsesError,
    SeatSecrets,
    Stage,
    Terms,
    TienLenRound,
    UltimateTexasRound,
)
from referee_client import clock as clock_module
from referee_client.messages import shuffler_pb2
from referee_client.record import encode_record
from referee_harness import Harness

from tests.clients_python.playing import bet, binh, dealt, keyed, lead, move


def test_a_journal_keeps_the_newest_round_of_a_table_for_its_owner(tmp_path: Path):
    path = tmp_path / "rounds.sqlite3"
    journal, other = Journal(path), Journal(path)
    journal.save("t", 2, b"second")
    other.save("t", 1, b"first, which comes late")
    other.forget("t", 1)
    assert (other.load("t"), other.tables()) == (b"second", ["t"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    journal.forget("t", 2)
    assert (other.load("t"), other.tables()) == (None, [])
    journal.close()
    other.close()


def test_a_record_that_cannot_be_read_is_said_to_be_one(harness: Harness, tmp_path: Path, table: str):
    journal = Journal(tmp_path / "rounds.sqlite3")
    journal.save(table, 1, b'{"format":2}')
    with Client(harness.grpc, journal=journal) as client, pytest.raises(RecordError, match="cannot be read"):
        client.resume(table)


def test_a_record_of_another_log_is_not_resumed(harness: Harness, tmp_path: Path, table: str):
    """The journal was kept beside another server, whose rounds this one does not have."""
    journal = Journal(tmp_path / "rounds.sqlite3")
    with Client(harness.grpc, timeout=60) as client:
        game = client.mau_binh(binh(table))
        game.prepare()
        game.state.header_message.origin = "another.example/log"
        journal.save(table, 1, encode_record(game.state))
    with (
        Client(harness.grpc, journal=journal) as client,
        pytest.raises(RecordError, match=r"of the log another\.example"),
    ):
        client.resume(table)


def test_a_table_without_a_round_has_none_to_resume(harness: Harness, tmp_path: Path, table: str):
    with Client(harness.grpc, journal=tmp_path / "rounds.sqlite3") as client:
        assert client.unfinished() == []
        assert client.resume(table) is None


def test_a_round_is_resumed_until_it_is_revealed(harness: Harness, tmp_path: Path, table: str):
    """A settled one too, whose result the frontend may not have booked yet."""
    path = tmp_path / "rounds.sqlite3"
    with Client(harness.grpc, timeout=60, journal=path) as client:
        game = dealt(client.tien_len(lead(table), secrets=keyed(2)))
        while game.plays().HasField("turn"):
            move(game)()
        paid = game.settle().result
    with Client(harness.grpc, timeout=60, journal=path) as client:
        assert client.unfinished() == [table]
        again = client.resume(table)
        assert isinstance(again, TienLenRound)
        assert again.stage in {Stage.SETTLED, Stage.REVEALED}  # the server reveals by itself
        assert again.settle().result == paid
        again.reveal()
        assert client.unfinished() == []
        assert client.resume(table) is None


def test_a_round_that_was_never_opened_is_opened_or_forgotten(harness: Harness, tmp_path: Path, table: str):
    """The recorded OPEN is sent again; where it is too late for it, there is nothing to resume."""
    path = tmp_path / "rounds.sqlite3"
    for is_late in (False, True):
        harness.reset()
        harness.fault(kind="refuse", method="OpenRound", when="before", status="INTERNAL")
        name = f"{table}-{is_late}"
        with Client(harness.grpc, timeout=60, journal=path) as client:
            with pytest.raises(RefereeError):
                client.mau_binh(binh(name)).open(sealed=True)
            if is_late:
                harness.clock.advance(600_000)
            game = client.resume(name)
            assert (game is None) is is_late
            if isinstance(game, MauBinhRound):
                assert game.is_sealed
                game.deal()
                assert [len(game.open_hand(seat)) for seat in range(2)] == [13, 13]


def test_seeds_of_players_are_given_again(harness: Harness, tmp_path: Path, table: str):
    """One was contributed by its seat, the other given to the frontend, and the call that deals was lost."""
    path, players = tmp_path / "rounds.sqlite3", [SeatSecrets.make(seat) for seat in range(2)]
    with Client(harness.grpc, timeout=60, journal=path) as client:
        game = client.mau_binh(binh(table), secrets=[])
        round_id = game.prepare()
        game.open(commitments=[one.seed_commitment(round_id) for one in players])
        mine = client.mau_binh(binh(table), secrets=players[:1])
        mine.join()
        mine.contribute(0)
        harness.reset()
        harness.fault(kind="refuse", method="DealRound", when="before", status="INTERNAL")
        with pytest.raises(RefereeError):
            game.deal(seeds=[b"", players[1].seed])
    with Client(harness.grpc, timeout=60, journal=path) as client:
        again = client.resume(table)
        assert again is not None
        assert again.stage is Stage.OPENED
        assert set(again.deal()) == {0, 1}


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_move_whose_answer_was_lost_is_made_once(harness: Harness, tmp_path: Path, table: str, when: str):
    path = tmp_path / "rounds.sqlite3"
    harness.reset()
    with Client(harness.grpc, timeout=60, journal=path) as client:
        game = dealt(client.tien_len(lead(table), secrets=keyed(2)))
        move(game)()
        made = move(game)
        harness.fault(kind="refuse", method="AcceptEvent", when=when, status="INTERNAL")
        with pytest.raises(RefereeError):
            made()
        sent = game.state.unanswered
    with Client(harness.grpc, timeout=60, journal=path) as client:
        again = client.resume(table)
        assert isinstance(again, TienLenRound)
        assert sent is not None
        assert (len(again.message.events), again.state.unanswered) == (2, None)
        assert again.message.events[1].seat == 1 - again.message.events[0].seat
        while again.plays().HasField("turn"):
            move(again)()
        assert again.settle().is_replayed


def unanswered_move(harness: Harness, client: Client, table: str, monkeypatch: pytest.MonkeyPatch) -> TienLenRound:
    """Return a round whose first move was sent, and whose answer was lost, at the server's time."""
    harness.reset()
    monkeypatch.setattr(clock_module, "now", harness.clock)
    game = dealt(client.tien_len(lead(table), secrets=keyed(2)))
    made = move(game)
    harness.fault(kind="refuse", method="AcceptEvent", when="after", status="INTERNAL")
    with pytest.raises(RefereeError):
        made()
    return game


def test_a_move_that_was_sent_in_time_is_reported_and_never_timed_out(
    harness: Harness, client: Client, table: str, monkeypatch: pytest.MonkeyPatch
):
    """Its seat's time has passed when it is sent again; it counts at the time at which it was first sent."""
    game = unanswered_move(harness, client, table, monkeypatch)
    sent_time, seat = harness.clock(), game.plays().turn
    harness.clock.advance(31_000)
    late = game.time_out(seat)
    assert [one.code for one in late.violations] == ["OUT_OF_TURN"]
    (event,) = game.message.events
    assert (event.seat, event.received, event.time) == (seat, False, sent_time)
    with pytest.raises(BadRequestError, match="the referee's clock must give the time"):
        game.time_out(1 - seat)  # whose clock began at a time that was only reported


def test_a_move_that_cannot_be_reported_lets_the_round_lapse(harness: Harness, tmp_path: Path, table: str):
    """It opens cards, and so needs the referee's own clock, by which it is too late."""
    harness.reset()
    with Client(harness.grpc, timeout=60, journal=tmp_path / "rounds.sqlite3") as client:
        game = dealt(client.ultimate_texas(bet(table)))
        harness.fault(kind="refuse", method="AcceptEvent", when="after", status="INTERNAL")
        with pytest.raises(RefereeError):
            game.decide(0, "CHECK")
        harness.clock.advance(31_000)
    with Client(harness.grpc, timeout=60, journal=tmp_path / "rounds.sqlite3") as client:
        again = client.resume(table)
        assert isinstance(again, UltimateTexasRound)
        assert again.lapses
        for refused in (lambda: again.decide(0, "TIMEOUT"), again.settle):
            with pytest.raises(RoundLapsesError, match="lapses at its deadline"):
                refused()
        harness.clock.advance(1_000_000)
        again.abort(reason=shuffler_pb2.ABORT_REASON_DEADLINE)
        again.reveal()
        assert client.unfinished() == []


def test_cards_whose_opening_was_lost_are_opened(harness: Harness, tmp_path: Path, table: str):
    harness.reset()
    with Client(harness.grpc, timeout=60, journal=tmp_path / "rounds.sqlite3") as client:
        game = dealt(client.ultimate_texas(bet(table)))
        harness.fault(kind="refuse", method="OpenSection", when="after", status="INTERNAL")
        with pytest.raises(RefereeError):
            game.decide(0, "CHECK")
    with Client(harness.grpc, timeout=60, journal=tmp_path / "rounds.sqlite3") as client:
        again = client.resume(table)
        assert isinstance(again, UltimateTexasRound)
        assert len(again.board["flop"]) == 3
        again.decide(0, "PLAY_2X")
        assert again.settle().is_replayed


def test_a_round_that_ended_meanwhile_says_so(harness: Harness, tmp_path: Path, table: str):
    with Client(harness.grpc, timeout=60, journal=tmp_path / "rounds.sqlite3") as client:
        game = dealt(client.mau_binh(binh(table)))
        harness.clock.advance(2_000_000)
        game.abort(reason=shuffler_pb2.ABORT_REASON_DEADLINE)
    with Client(harness.grpc, timeout=60, journal=tmp_path / "rounds.sqlite3") as client:
        again = client.resume(table)
        assert again is not None
        assert again.stage in {Stage.ABORTED, Stage.REVEALED}
        assert again.deal() == game.hands


async def test_the_asyncio_client_resumes_alike(harness: Harness, tmp_path: Path, table: str):
    path = tmp_path / "rounds.sqlite3"
    async with AsyncClient(harness.grpc, timeout=60, journal=path) as client:
        game = client.tien_len(lead(table), secrets=keyed(2))
        await game.open()
        await game.deal()
        options = await game.plays()
        await game.play(options.turn, [Card(number) for number in options.plays[0].cards])
    async with AsyncClient(harness.grpc, timeout=60, journal=path) as client:
        assert client.unfinished() == [table]
        again = await client.resume(table)
        assert again is not None
        assert len(again.message.events) == 1
        assert (await again.preview()).state.turn == 1 - options.turn
        assert await client.resume("nobody") is None


@pytest.mark.parametrize(
    ("game", "ruleset", "fitting"),
    [
        ("mau_binh", "tien_len.mien_nam", "mau_binh.classic"),
        ("tien_len", "mau_binh.classic", "tien_len.mien_nam"),
        ("ultimate_texas", "tien_len", "ultimate_texas.casino"),
    ],
)
def test_the_ruleset_of_another_game_is_refused_before_anything_is_sent(game: str, ruleset: str, fitting: str):
    """Nobody listens at this address."""
    with Client("127.0.0.1:1") as client, pytest.raises(ValueError, match=f"those that fit are .*{fitting}"):
        getattr(client, game)(Terms(table="t", ruleset=ruleset, seats=2))


def test_a_round_of_a_table_that_was_not_opened_here_points_to_resume(client: Client, table: str):
    client.mau_binh(binh(table)).open()
    with pytest.raises(ValueError, match=r"client\.resume\(table\)"):
        client.mau_binh(binh(table)).abort()
