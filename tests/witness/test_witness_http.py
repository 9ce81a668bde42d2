"""A witness over HTTP: bounded, kept alive, drained; and as a process that is killed in the middle of its work."""

import http.client
import itertools
import os
import signal
import socket
import stat
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

import pytest
from typer.testing import CliRunner

from referee.cli.main import app
from referee.evidence.note import Note
from referee.evidence.vkey import Algorithm
from referee.log import Checkpoint
from referee.log.cosignature import Quorum, merged, read_cosignatures
from referee.log.submission import MAX_SUBMISSION, monitoring_path, parse_size
from referee.witness import WitnessServer
from tests.waiting import until
from tests.witness.booths import Booth, PaperLog, WitnessProcess

Start: TypeAlias = Callable[..., WitnessProcess]

KILLER = Path(__file__).parent / "witness_until_killed.py"


@pytest.fixture
def listener(booth: Booth) -> Iterator[WitnessServer]:
    with WitnessServer(booth.witness, host="127.0.0.1", port=0) as listening:
        yield listening


def witness_arguments(folder: Path, log: PaperLog) -> tuple[str, ...]:
    """Return the arguments that start a witness of a log in a folder."""
    data = str(folder / "w")
    return ("-m", "referee", "witness", "--data", data, "--listen", "127.0.0.1:0", "--log", log.vkey)


def ask(port: int, body: bytes, *, path: str = "/add-checkpoint", method: str = "POST") -> tuple[int, str, bytes]:
    """One request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        return answer.status, answer.headers.get("Content-Type", ""), answer.read()
    finally:
        connection.close()


def test_one_connection_carries_many_submissions(listener: WitnessServer, log: PaperLog):
    connection = http.client.HTTPConnection("127.0.0.1", listener.port, timeout=10)
    connection.connect()
    kept = connection.sock
    for old, size in itertools.pairwise((0, 1, 3, 4, 9)):
        connection.request("POST", "/add-checkpoint", log.submission(old, size))
        answer = connection.getresponse()
        assert (answer.status, answer.read()[:4]) == (200, "— ".encode())
    assert connection.sock is kept
    connection.close()


def test_conflict_has_the_media_type_of_the_specification(listener: WitnessServer, log: PaperLog):
    assert ask(listener.port, log.submission(0, 3))[0] == 200
    assert ask(listener.port, log.submission(0, 4)) == (409, "text/x.tlog.size", b"3\n")


def test_monitor_reads_the_checkpoint(listener: WitnessServer, log: PaperLog):
    path = monitoring_path(log.origin)
    assert ask(listener.port, b"", path=path, method="GET")[0] == 404
    ask(listener.port, log.submission(0, 3))
    status, _, body = ask(listener.port, b"", path=path, method="GET")
    assert (status, Checkpoint.parse(Note.parse(body).text).size) == (200, 3)
    for other in ("/", "/checkpoint", path + "/", "/" + "0" * 63 + "/checkpoint"):
        assert ask(listener.port, b"", path=other, method="GET")[0] == 404


@pytest.mark.parametrize("path", ["/", "/add-checkpoint/", "/x/add-checkpoint", "/sign-subtree"])
def test_other_paths_are_not_found(listener: WitnessServer, log: PaperLog, path: str):
    assert ask(listener.port, log.submission(0, 3), path=path)[0] == 404


def raw(port: int, request: bytes) -> bytes:
    """Return the first line of the answer to these bytes; empty where the connection is closed without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
        connection.sendall(request)
        with connection.makefile("rb") as file:
            return file.readline()


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (f"Content-Length: {MAX_SUBMISSION + 1}", b"413"),
        ("Content-Length: " + "9" * 400, b"413"),
        ("Content-Length: -1", b"411"),
        ("Content-Length: 1x", b"411"),
        ("Content-Length: 3\r\nTransfer-Encoding: chunked", b"411"),
        ("Transfer-Encoding: chunked", b"411"),
        ("Accept: */*", b"411"),
    ],
)
def test_body_without_a_sound_length_is_refused_unread(listener: WitnessServer, head: str, status: bytes):
    answer = raw(listener.port, f"POST /add-checkpoint HTTP/1.1\r\nHost: w\r\n{head}\r\n\r\n".encode())
    assert answer.split()[1] == status


def test_body_that_breaks_off_is_no_submission(listener: WitnessServer, booth: Booth, log: PaperLog):
    whole = log.submission(0, 3)
    with socket.create_connection(("127.0.0.1", listener.port), timeout=15) as connection:
        connection.sendall(
            f"POST /add-checkpoint HTTP/1.1\r\nContent-Length: {len(whole)}\r\n\r\n".encode() + whole[:-1]
        )
        connection.shutdown(socket.SHUT_WR)
        assert b"408" in connection.recv(100)
    assert booth.state.last(log.origin) is None


def test_garbage_does_not_stop_a_witness(listener: WitnessServer, log: PaperLog):
    for request in (b"\x00" * 100 + b"\r\n\r\n", b"POST\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"A" * 70_000):
        raw(listener.port, request)
    assert ask(listener.port, log.submission(0, 3))[0] == 200


def test_connections_beyond_the_limit_are_closed(listener: WitnessServer, log: PaperLog):
    """Sixty-four wait and say nothing; the next is turned away, and served once there is room."""
    waiting = [socket.create_connection(("127.0.0.1", listener.port), timeout=15) for _ in range(64)]

    def is_turned_away() -> bool:
        try:
            ask(listener.port, log.submission(0, 3))
        except (http.client.HTTPException, ConnectionError):
            return True
        return False

    until(is_turned_away)  # once all are taken
    for connection in waiting:
        connection.close()
    end = time.monotonic() + 10
    while True:
        try:
            assert ask(listener.port, log.submission(0, 3))[0] == 200
        except (http.client.HTTPException, ConnectionError):
            assert time.monotonic() < end
        else:
            return


def test_closing_does_not_wait_for_those_who_say_nothing(booth: Booth, log: PaperLog):
    listening = WitnessServer(booth.witness, host="127.0.0.1", port=0).start()
    idle = socket.create_connection(("127.0.0.1", listening.port), timeout=15)
    kept = http.client.HTTPConnection("127.0.0.1", listening.port, timeout=10)
    kept.request("POST", "/add-checkpoint", log.submission(0, 3))
    assert kept.getresponse().read()
    began = time.monotonic()
    listening.close()
    assert time.monotonic() - began < 5
    kept.close()
    idle.close()


def test_witness_makes_its_key_once_and_keeps_it(start_witness: Start, tmp_path: Path, log: PaperLog):
    """The first start prints the key; the next one, under another name, has the same; others cannot read it."""
    arguments = witness_arguments(tmp_path, log)
    before = os.umask(0)
    first = start_witness(*arguments, "--name", "witness.example/w1")
    os.umask(before)
    assert (first.key.name, first.key.algorithm) == ("witness.example/w1", Algorithm.COSIGNATURE_V1)
    status, _, body = ask(first.port, log.submission(0, 3))
    assert status == 200
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "w", *(tmp_path / "w").iterdir())}
    assert {"witness.key", "witness.sqlite3", "witness.sqlite3-wal"} <= set(found)
    assert found.pop("w") == 0o700
    assert set(found.values()) == {0o600}
    assert first.stop() == 0
    again = start_witness(*arguments, "--name", "other")
    assert again.key == first.key
    note = Note.parse(log.note(3))
    signed = merged(note, read_cosignatures(body, note, again.key))
    assert Quorum((again.key,), needed=1).attest(signed).is_quorate
    assert ask(again.port, log.submission(0, 4)) == (409, "text/x.tlog.size", b"3\n")
    assert again.stop() == 0


def test_witness_that_lost_what_it_saw_does_not_go_on(start_witness: Start, tmp_path: Path, log: PaperLog):
    arguments = witness_arguments(tmp_path, log)
    start_witness(*arguments).stop()
    for path in (tmp_path / "w").glob("witness.sqlite3*"):
        path.unlink()
    with pytest.raises(AssertionError, match="did not start"):
        start_witness(*arguments)
    assert "is gone" in (tmp_path / "witness-errors.log").read_text(encoding="utf-8")


def test_asked_to_stop_a_witness_answers_what_it_has_taken(start_witness: Start, tmp_path: Path, log: PaperLog):
    """Eight threads submit while SIGTERM comes: exit code 0, every answer is kept, nothing else is."""
    process = start_witness(*witness_arguments(tmp_path, log))
    answered: list[int] = []

    def submit(_number: int) -> None:
        for size in range(1, 200):
            try:
                status, _, body = ask(process.port, log.submission(size - 1, size))
            except (http.client.HTTPException, OSError):
                return
            assert status in {200, 409}
            if status == 200:
                answered.append(size)
            if len(answered) == 20:
                process.terminate()
            assert body

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(submit, range(8)))
    assert process.stop() == 0
    assert len(answered) == len(set(answered))
    again = start_witness(*witness_arguments(tmp_path, log))
    status, _, body = ask(again.port, log.submission(0, 1))
    assert (status, parse_size(body) >= max(answered)) == (409, True)


@pytest.mark.parametrize("step", ["JUDGED", "SIGNED", "KEPT"])
@pytest.mark.parametrize(
    "count", [2, *(pytest.param(count, marks=pytest.mark.slow("kills processes again and again")) for count in (1, 5))]
)
def test_killed_at_any_step_it_never_signs_two_heads_of_one_size(
    start_witness: Start, tmp_path: Path, log: PaperLog, step: str, count: int
):
    """Killed while it cosigns and before it answers; started again, it refuses a fork of what it had kept by then."""
    (tmp_path / "w").mkdir()
    arguments = (str(KILLER), str(tmp_path / "w"), log.vkey)
    process = start_witness(*arguments, step, str(count))
    signed: dict[int, set[bytes]] = {}

    def submit(port: int, message: PaperLog, old: int, size: int) -> int:
        status, _, body = ask(port, message.submission(old, size))
        if status == 200:
            note = Note.parse(message.note(size))
            assert read_cosignatures(body, note, process.key)
            signed.setdefault(size, set()).add(Checkpoint.parse(note.text).root)
        return int(status)

    for size in range(1, count):
        assert submit(process.port, log, size - 1, size) == 200
    with pytest.raises((http.client.HTTPException, OSError)):
        submit(process.port, log, count - 1, count)
    assert process.wait() == -signal.SIGKILL

    again = start_witness(*arguments, "NEVER", "1")
    was_kept = step == "KEPT"
    status, _, body = ask(again.port, log.submission(count + 1, count + 1))
    assert (status, parse_size(body)) == (409, count if was_kept else count - 1)
    fork = PaperLog(history="second")
    known = parse_size(body)
    assert submit(again.port, fork, known, count) == (409 if was_kept else 422 if known else 200)
    if was_kept:
        assert submit(again.port, log, count, count) == 200
        assert submit(again.port, fork, count, count + 1) == 422
    assert all(len(roots) == 1 for roots in signed.values())


def kill_after(process: WitnessProcess, seconds: float) -> None:
    time.sleep(seconds)
    process.kill()


@pytest.mark.slow("kills processes again and again")
def test_killed_under_load_it_never_signs_two_heads_of_one_size(start_witness: Start, tmp_path: Path, log: PaperLog):
    """Two histories race for every size, eight threads each, through four kills: of each size one root is signed."""
    arguments = witness_arguments(tmp_path, log)
    histories = [log, PaperLog(history="second")]
    signed: dict[int, set[bytes]] = {}
    newest = 0
    for kill in range(4):
        process = start_witness(*arguments)

        def race(number: int, process: WitnessProcess = process) -> None:
            message, known = histories[number % 2], 0
            try:
                for _ in range(60):
                    status, kind, body = ask(process.port, message.submission(known, known + 1 + number % 3))
                    if status == 200:
                        known += 1 + number % 3
                        root = Checkpoint.parse(Note.parse(message.note(known)).text).root
                        signed.setdefault(known, set()).add(root)
                    elif kind == "text/x.tlog.size":
                        known = parse_size(body)
            except (http.client.HTTPException, OSError):
                return

        with ThreadPoolExecutor(9) as threads:
            running = [threads.submit(race, number) for number in range(8)]
            threads.submit(kill_after, process, 0.2 + 0.15 * kill)
            for one in running:
                one.result()
        assert all(len(roots) == 1 for roots in signed.values())
        assert max(signed, default=0) >= newest
        newest = max(signed, default=0)
    assert len(signed) > 4
    roots = {
        size: {Checkpoint.parse(Note.parse(message.note(size)).text).root: message.history for message in histories}
        for size in signed
    }
    assert len({roots[size][next(iter(found))] for size, found in signed.items()}) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--log", "not a key"],
        [],
        ["--listen", "nowhere", "--log", "{key}"],
        ["--log", "{key}", "--log", "{key}"],
        ["--name", "a name with spaces", "--log", "{key}"],
    ],
)
def test_witness_that_cannot_be_meant_does_not_start(tmp_path: Path, log: PaperLog, arguments: list[str]):
    given = [one.replace("{key}", log.vkey) for one in arguments]
    result = CliRunner().invoke(app, ["witness", "--data", str(tmp_path / "w"), *given])
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit)


def test_key_that_others_can_read_is_refused(start_witness: Start, tmp_path: Path, log: PaperLog):
    arguments = witness_arguments(tmp_path, log)
    start_witness(*arguments).stop()
    (tmp_path / "w" / "witness.key").chmod(0o644)
    with pytest.raises(AssertionError, match="did not start"):
        start_witness(*arguments)
    assert "chmod 600" in (tmp_path / "witness-errors.log").read_text(encoding="utf-8")
