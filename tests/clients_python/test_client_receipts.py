"""What a client keeps of each move that has a receipt, and of its seats' keys."""

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from referee_client import AsyncClient, Client, SeatSecrets, TienLenRound, load_seat_key, save_seat_key
from referee_client.record import encode_record
from referee_harness import Clock, Harness
from typer.testing import CliRunner

from referee.cli.main import app
from referee.evidence.dsse import Envelope
from referee.transcript.chain import FORM
from referee.transcript.receipted import read_receipted_event
from tests.clients_python.playing import as_dealt, binh, dealt, joined, keyed, lead, move

HOUR_MS = 3_600_000
TURN_MS = 30_000
KILLED = """
import os, signal, sys
from referee_client import Card, Client, Terms
with Client(sys.argv[1], timeout=60, journal=sys.argv[2]) as client:
    game = client.tien_len(Terms(table=sys.argv[3], ruleset="tien_len.mien_nam", seats=2, stake=10))
    game.open()
    game.deal()
    options = game.plays()
    assert game.play(options.turn, [Card(one) for one in options.plays[0].cards]).event_number == 1
    os.kill(os.getpid(), signal.SIGKILL)
"""


def audited(data: Path, *receipts: Path) -> list[str]:
    """Audit a log with files and return the codes of its failures and notes."""
    options = [word for path in receipts for word in ("--receipt", str(path))]
    result = CliRunner().invoke(app, ["audit", "--data", str(data), "--json", *options])
    return [one["code"] for one in json.loads(result.stdout)["findings"]]


@pytest.mark.parametrize("is_keyed", [False, True])
def test_a_move_that_its_frontend_drops_is_proved_by_the_file(tmp_path: Path, table: str, *, is_keyed: bool):
    """The player, or the frontend's honest part, has the file; then the round is settled by the seat's timeout."""
    secrets = keyed(2) if is_keyed else [SeatSecrets.make(seat) for seat in range(2)]
    clock = Clock(start=time.time_ns() // 1_000_000 - HOUR_MS, is_running=False)  # the audit runs after all of it
    with Harness(clock=clock, data=tmp_path / "log") as harness:
        harness.script({"leader": 0}, table_id=table)  # no hand wins at the deal
        with Client(harness.grpc, timeout=60) as client:
            game = dealt(client.tien_len(lead(table), secrets=secrets))
            before = game.message.SerializeToString()
            assert move(game)().event_number == 1
            (file,) = game.write_receipts(tmp_path / "kept")
            forgetful = joined(client.tien_len(lead(table), secrets=secrets))
            forgetful.adopt(before)
            while (options := forgetful.plays()).HasField("turn"):
                harness.clock.advance(TURN_MS)
                forgetful.time_out(options.turn)
            assert forgetful.settle().result
            forgetful.reveal()
            others = forgetful.write_receipts(tmp_path / "others")
    assert audited(tmp_path / "log", file) == ["MOVE_DROPPED"]
    assert len(others) > 1
    assert audited(tmp_path / "log", *others) == []


def test_files_are_the_owners_and_stay(client: Client, harness: Harness, table: str, tmp_path: Path):
    harness.script({"leader": 0}, table_id=table)
    game = dealt(client.tien_len(lead(table)))
    assert move(game)().event_number == 1
    (file,) = game.write_receipts(tmp_path)
    first = file.read_bytes()
    (kept,) = game.receipted_events
    assert read_receipted_event(first) == kept
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    options = game.plays()
    game.pass_turn(options.turn)
    assert game.write_receipts(tmp_path)[0] == file
    assert file.read_bytes() == first
    assert len(list(tmp_path.iterdir())) == len(game.receipted_events) == 2


def test_a_player_keeps_what_its_frontend_shows(client: Client, harness: Harness, table: str):
    harness.script({"leader": 0}, table_id=table)
    secrets = keyed(2)
    game = dealt(client.tien_len(lead(table), secrets=secrets))
    assert move(game)().event_number == 1
    with Client(harness.grpc, timeout=60) as another:
        own = joined(another.tien_len(lead(table), secrets=secrets))
        for _ in range(2):
            own.adopt(game.message.SerializeToString())
            assert own.receipted_events == game.receipted_events


def test_the_journal_has_the_receipt_when_the_answer_was_shown(harness: Harness, tmp_path: Path, table: str):
    """The frontend's process is killed as soon as its call returns."""
    harness.script({"leader": 0}, table_id=table)  # no hand wins at the deal
    journal = tmp_path / "rounds.sqlite3"
    command = [sys.executable, "-c", KILLED, harness.grpc, str(journal), table]
    killed = subprocess.run(command, env=dict(os.environ), capture_output=True, timeout=120, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    with Client(harness.grpc, timeout=60, journal=journal) as client:
        game = client.resume(table)
        assert isinstance(game, TienLenRound)
        (kept,) = game.receipted_events
        receipt = FORM.read(Envelope.parse(kept.receipt.encode()).payload)
        assert kept.events == (game.course.links[0].event.decode(),)
        assert receipt.event_hash == game.course.event_hash.hex()


def test_a_record_holds_each_event_once_however_many_receipts_it_has(harness: Harness, table: str, tmp_path: Path):
    """Each file has all events up to its own; a record that repeated them would grow with the square of a course."""
    harness.script({"leader": 0}, table_id=table)
    journal = tmp_path / "rounds.sqlite3"
    with Client(harness.grpc, timeout=60, journal=journal) as client:
        game = dealt(client.tien_len(lead(table), secrets=keyed(2)))
        assert move(game)().event_number == 1
        for _ in range(5):
            options = game.plays()
            assert options.HasField("turn")
            move(game)() if not options.may_pass else game.pass_turn(options.turn)
        expected = game.receipted_events
        saved = encode_record(game.state)
    assert [len(one.events) for one in expected] == [1, 2, 3, 4, 5, 6]
    for event in expected[-1].events:
        assert saved.count(json.dumps(event).encode()) == [one.events[-1] for one in expected].count(event)
    with Client(harness.grpc, timeout=60, journal=journal) as client:
        again = client.resume(table)
        assert isinstance(again, TienLenRound)
        assert again.receipted_events == expected


async def test_tasks_of_one_round_wait_for_one_another(harness: Harness, table: str):
    """Without that, both events would be the first."""
    harness.reset()
    async with AsyncClient(harness.grpc, timeout=60) as client:
        game = client.mau_binh(binh(table))
        await game.open()
        hands = await game.deal()
        answers = await asyncio.gather(*(game.arrange(seat, as_dealt(hand)) for seat, hand in hands.items()))
    assert sorted(answer.event_number for answer in answers) == [1, 2]


def test_threads_of_one_round_wait_for_one_another(client: Client, table: str):
    game = client.mau_binh(binh(table))
    game.open()
    hands, start = game.deal(), Barrier(2)

    def arrange(seat: int) -> int:
        start.wait(timeout=60)
        return game.arrange(seat, as_dealt(hands[seat])).event_number

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(arrange, hands)) == [1, 2]


def test_a_seats_key_outlives_its_session(tmp_path: Path):
    path = tmp_path / "seat.key.json"
    one = SeatSecrets.make(0, keyed=True)
    save_seat_key(path, one.private_key)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    other = SeatSecrets.make(3, private_key=load_seat_key(path))
    assert (other.public_key, other.seed == one.seed) == (one.public_key, False)
    with pytest.raises(FileExistsError):
        save_seat_key(path, bytes(32))
    assert load_seat_key(path) == one.private_key


def test_a_key_file_is_that_of_the_example_of_the_standard(tmp_path: Path):
    """RFC 8037, appendix A.1."""
    path = tmp_path / "seat.key.json"
    x, d = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo", "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"
    path.write_text(json.dumps({"kty": "OKP", "crv": "Ed25519", "d": d, "x": x}), "utf-8")
    key = load_seat_key(path)
    assert key.hex() == "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
    again = tmp_path / "again.key.json"
    save_seat_key(again, key)
    assert json.loads(again.read_bytes()) == json.loads(path.read_bytes())


@pytest.mark.parametrize("member", ["d", "x", "kty"])
def test_a_key_file_that_was_changed_is_refused(tmp_path: Path, member: str):
    path = tmp_path / "seat.key.json"
    save_seat_key(path, bytes(32))
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {member: "AAAA"}), "utf-8")
    with pytest.raises(ValueError, match=r"seat\.key\.json"):
        load_seat_key(path)
