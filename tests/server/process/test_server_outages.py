"""Servers whose log cannot be written for a while, or for good: real processes, a real database, a full disk.

Every command that opens a database file that was cut short or overwritten says so, without a traceback.
"""

import json
import shutil
import socket
import sqlite3
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError

import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from referee_client import RefereeError

from referee.storage import open_reader
from referee.storage.sqlite import open_sqlite_reader
from tests.chaos.fault_disk import fill, small_disk
from tests.command import referee, refused
from tests.demo_log import DemoLog
from tests.randomness import random_from
from tests.server.processes import Process, Serve
from tests.storage.postgres_server import PostgresServer
from tests.storage.replicating import replicating
from tests.waiting import until

SECONDS: Final = 60
"""Longest wait for anything; most of it passes on a busy machine only."""
WRITING: Final = ("", "referee.v1.ShufflerService", "referee.v1.MauBinhService", "referee.v1.TienLenService")
READING: Final = ("referee.v1.RulesetService", "referee.v1.LogService", "referee.v1.SeatingService")
METRICS: Final = ("--metrics", "127.0.0.1:0")


def states(process: Process, names: tuple[str, ...]) -> set[str]:
    """Return the distinct health states of services."""
    health = health_pb2_grpc.HealthStub(process.channel)
    answers = [health.Check(health_pb2.HealthCheckRequest(service=name), timeout=20) for name in names]
    return {health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status) for answer in answers}


def wait_for_state(process: Process, state: str) -> None:
    until(lambda: states(process, WRITING) == {state}, f"services that write are not {state}")


def metric(process: Process, name: str) -> float:
    text = urllib.request.urlopen(f"http://{process.ready['metrics']}/metrics", timeout=20).read().decode()
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} "))


def events(folder: Path, event: str) -> list[dict[str, Any]]:
    """Return the log lines of an event, of all servers of the test."""
    lines = [json.loads(line) for line in (folder / "errors.log").read_text().splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == event]


def wait_for_trouble(process: Process, folder: Path, kind: str, remedy: str) -> None:
    """Wait until the log cannot be written: health, metrics and a log line say so, and what reads goes on."""
    wait_for_state(process, "NOT_SERVING")
    assert states(process, READING) == {"SERVING"}
    assert metric(process, "referee_log_writable") == 0
    (line, *_) = events(folder, "log cannot be written")
    assert (line["level"], line["kind"], remedy in line["remedy"]) == ("error", kind, True)


def refusal_of_opening(process: Process, table: str) -> str:
    """Try to open a round; return the status code and the message, OK where it opened."""
    try:
        process.driver.open(table)
    except RefereeError as error:
        return f"{error.code.name}: {error}"
    return "OK"


@pytest.mark.slow("starts PostgreSQL and stops it for a while")
def test_database_away_and_back_is_in_health_log_lines_and_metrics(serve, postgres: PostgresServer, tmp_path) -> None:
    """Nobody calls meanwhile: the server notices by itself, and that it is back."""
    process = serve("--quiet", *METRICS, "--database", postgres.make_schema("health"))
    assert refusal_of_opening(process, "before") == "OK"
    assert states(process, (*WRITING, *READING)) == {"SERVING"}
    assert metric(process, "referee_log_writable") == 1
    postgres.stop()
    try:
        wait_for_trouble(process, tmp_path, "AWAY", "start the database")
        assert refusal_of_opening(process, "meanwhile").startswith("UNAVAILABLE")
    finally:
        postgres.start()
    wait_for_state(process, "SERVING")
    assert metric(process, "referee_log_writable") == 1
    assert len(events(tmp_path, "log written again")) == 1
    assert refusal_of_opening(process, "after") == "OK"


@pytest.mark.slow("starts PostgreSQL and stops it for a while")
def test_worker_that_dies_while_the_database_is_away_waits_for_it(serve, postgres: PostgresServer, tmp_path) -> None:
    """It is neither given up nor started again and again, says why it waits, and serves as soon as it can."""
    process = serve("--quiet", "--workers", "2", "--database", postgres.make_schema("worker"))
    first, second = process.workers()
    postgres.stop()
    try:
        first.kill()
        until(lambda: len(events(tmp_path, "the log cannot be used; this worker waits")) >= 3, "no three tries")
        waiting = [one for one in psutil.Process(process.pid).children() if one != second]
        lines = events(tmp_path, "the log cannot be used; this worker waits")
        assert len(waiting) == 1
        assert {line["worker"] for line in lines} == {0}
        assert all("start the database" in line["remedy"] and line["cause"] for line in lines)
        assert process.is_running
        assert second.is_running()
    finally:
        postgres.start()
    verified = len(process.ready["workers"])
    assert verified == 2
    until(lambda: any(one.status == "LISTEN" for one in waiting[0].net_connections()), "no a socket that listens")
    until(lambda: refusal_of_opening(process, "after") == "OK", "no an answer")
    assert not events(tmp_path, "worker given up")
    assert process.stop() == 0


@pytest.mark.slow("starts PostgreSQL and stops it for a while")
def test_server_whose_worker_waits_still_stops_at_once(serve: Serve, postgres: PostgresServer, tmp_path: Path) -> None:
    process = serve("--quiet", "--workers", "2", "--database", postgres.make_schema("stopping"))
    first, _ = process.workers()
    postgres.stop()
    try:
        first.kill()
        until(lambda: events(tmp_path, "the log cannot be used; this worker waits"), "no a try")
        assert process.stop() == 0
    finally:
        postgres.start()


@pytest.mark.slow("starts two databases and stops one for a while")
def test_commit_that_waits_for_a_standby_is_in_health_log_lines_and_metrics(serve: Serve, tmp_path: Path) -> None:
    """It has not failed, and nobody calls meanwhile; the server stops although the commit never returns."""
    with replicating() as running:
        pair = running.with_schema()
        process = serve("--quiet", *METRICS, "--database", pair.url)
        assert refusal_of_opening(process, "before") == "OK"
        pair.standby.stop()
        wait_for_state(process, "NOT_SERVING")
        until(lambda: "STANDBY" in {line["kind"] for line in events(tmp_path, "log cannot be written")}, "no such line")
        line = next(line for line in events(tmp_path, "log cannot be written") if line["kind"] == "STANDBY")
        assert ("SyncRep" in line["cause"], "pg_terminate_backend" in line["remedy"]) == (True, True)
        assert metric(process, "referee_log_writable") == 0
        assert metric(process, "referee_log_batch_seconds") > 5
        with pytest.raises(HTTPError, match="503"):
            urllib.request.urlopen(f"http://{process.ready['metrics']}/readyz", timeout=20)
        found = referee("doctor", "--data", process.data, "--database", pair.url)
        assert found.returncode != 0
        assert "SyncRep" in found.stdout + found.stderr
        pair.standby.start()
        wait_for_state(process, "SERVING")
        assert refusal_of_opening(process, "after") == "OK"
        pair.standby.stop()
        wait_for_state(process, "NOT_SERVING")
        assert process.stop() == 0


@pytest.mark.slow("fills a disk of its own")
def test_full_disk_is_in_health_log_lines_and_metrics(serve: Serve, tmp_path: Path) -> None:
    """Nobody calls meanwhile; when there is room again, the server serves without a restart."""
    with ExitStack() as mounted:
        try:
            place = mounted.enter_context(small_disk(tmp_path / "disk", megabytes=48))
        except OSError as error:
            pytest.skip(f"no disk can be mounted here: {error}")
        process = serve("--quiet", *METRICS, data=place / "data")
        assert refusal_of_opening(process, "before") == "OK"
        ballast = fill(place)
        wait_for_trouble(process, tmp_path, "FULL", "free space")
        ballast.unlink()
        wait_for_state(process, "SERVING")
        assert refusal_of_opening(process, "after") == "OK"
        assert process.stop() == 0


def test_damaged_log_is_in_health_and_log_lines(serve: Serve, tmp_path: Path) -> None:
    """A head that moved back, as after a restore under a running server, stops writing for good."""
    process = serve("--quiet", *METRICS)
    with closing(sqlite3.connect(process.data / "log.sqlite3")) as connection:
        before = connection.execute("SELECT size, root, peaks, checkpoint FROM head").fetchone()
        assert refusal_of_opening(process, "lost") == "OK"
        connection.execute("UPDATE head SET size = ?, root = ?, peaks = ?, checkpoint = ?", before)
        connection.execute("DELETE FROM leaf WHERE position >= ?", before[:1])
        connection.execute("DELETE FROM node WHERE level = 0 AND position >= ?", before[:1])
        connection.commit()
    assert refusal_of_opening(process, "next").startswith("DATA_LOSS")
    wait_for_trouble(process, tmp_path, "DAMAGED", "referee restore")
    assert refusal_of_opening(process, "again").startswith("DATA_LOSS")
    assert states(process, WRITING) == {"NOT_SERVING"}


FILE: Final = "log.sqlite3"


def noise(size: int) -> bytes:
    """Return so many bytes, the same every time."""
    return random_from(size).randbytes(size)


CUTS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "half": lambda data: data[: len(data) // 2],
    "not at a page": lambda data: data[: len(data) * 3 // 4 - 777],
    "one page": lambda data: data[:2048],
    "its header": lambda data: data[:100],
    "ten bytes": lambda data: data[:10],
    "zeros": lambda data: bytes(len(data)),
    "noise": lambda data: data[: len(data) // 8] + noise(len(data) * 3 // 4) + data[len(data) * 7 // 8 :],
}


@pytest.fixture(scope="module")
def whole(demo_log: DemoLog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder whose log is one file, with nothing beside it, and no root key to distract."""
    folder = tmp_path_factory.mktemp("whole")
    assert referee("backup", folder / "copy", "--data", demo_log.data).returncode == 0
    shutil.copytree(demo_log.data / "keys", folder / "data" / "keys")
    shutil.copy(folder / "copy", folder / "data" / FILE)
    return folder / "data"


TABLE: Final = "demo.mau_binh.classic"


def copies(data: Path, folder: Path) -> Iterator[Path]:
    """Yield a copy of a data folder for each command."""
    for number in range(len(commands(data))):
        yield shutil.copytree(data, folder / str(number))


def commands(data: Path) -> list[list[object]]:
    """List the commands that open the log of a data folder."""
    there = ["--data", data]
    return [
        ["serve", *there, "--listen", "127.0.0.1:0"],
        ["audit", *there],
        ["replay", TABLE, *there],
        ["export", TABLE, *there],
        ["backup", data / "new backup", *there],
        ["restore", data / FILE, "--data", data / "elsewhere"],
        ["publish", data / "tiles", *there],
        ["keys", "rotate", "referee", *there],
        ["doctor", *there],
    ]


@pytest.mark.parametrize("cut", CUTS)
def test_cut_file_is_refused_by_every_command_that_opens_it(whole: Path, tmp_path: Path, cut: str) -> None:
    """An error that a command does not handle would be raised here."""
    assert referee("replay", TABLE, "--data", whole).returncode == 0
    for number, data in enumerate(copies(whole, tmp_path)):
        (data / FILE).write_bytes(CUTS[cut]((whole / FILE).read_bytes()))
        done = referee(*commands(data)[number])
        said = " ".join((done.stdout + done.stderr).split())
        assert done.returncode != 0, (number, said)
        assert "Traceback" not in said
        assert "backup" in said or "damaged" in said, (number, said)


@pytest.mark.parametrize("lost", ["position = 20", "position >= 0"])
def test_log_that_lacks_leaves_is_called_damaged_by_every_command_that_reads_it(whole: Path, tmp_path, lost) -> None:
    """The database itself is sound, so that the log alone can notice."""
    for number, data in enumerate(copies(whole, tmp_path)):
        command = commands(data)[number]
        if command[0] in {"serve", "doctor", "replay", "export"}:
            continue  # they read other leaves
        with closing(sqlite3.connect(data / FILE)) as database:
            database.execute(f"DELETE FROM leaf WHERE {lost}")  # noqa: S608 - the test's own words
            database.commit()
        done = referee(*command)
        assert done.returncode != 0, command[0]
        assert "damaged" in done.stderr, (command[0], done.stderr)


def test_empty_file_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    assert f"{tmp_path / FILE} is empty: it holds no log" in refused("audit", "--data", tmp_path)


@pytest.mark.parametrize(
    ("key", "name"), [("--listen", "serve.listen"), ("--web", "web.listen"), ("--metrics", "telemetry.metrics")]
)
@pytest.mark.parametrize("workers", ["1", "2"])
def test_address_in_use_is_named_with_its_setting(tmp_path: Path, key: str, name: str, workers: str, capfd) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        others = [] if key == "--listen" else ["--listen", "127.0.0.1:0"]
        done = referee("serve", "--data", tmp_path / "data", "--workers", workers, key, address, *others)
    said = " ".join((done.stderr + "".join(capfd.readouterr())).split())
    assert done.returncode != 0
    assert f"{name} {address}: Address already in use" in said
    assert "use another one" in said


def test_witness_names_the_address_that_is_in_use_and_a_state_that_was_cut(tmp_path: Path, demo_log: DemoLog) -> None:
    key = (demo_log.data / "keys" / "log.pub").read_text().strip()
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        message = refused("witness", "--data", tmp_path / "w", "--listen", address, "--log", key)
    assert f"--listen {address}: Address already in use" in message
    (tmp_path / "cut").mkdir(mode=0o700)
    (tmp_path / "cut" / "witness.sqlite3").write_bytes(b"SQLite format 3\0" + bytes(500))
    message = refused("witness", "--data", tmp_path / "cut", "--listen", "127.0.0.1:0", "--log", key)
    assert "witness.sqlite3 cannot be opened" in message


def test_log_in_a_database_is_backed_up_by_flag_and_by_variable(whole: Path, tmp_path: Path, url: str) -> None:
    """The copy is the same log as a file; nothing is left beside it."""
    assert referee("restore", whole / FILE, "--data", tmp_path / "x", "--database", url).returncode == 0
    by_flag = referee("backup", tmp_path / "by flag", "--database", url, "--json")
    assert (by_flag.returncode, by_flag.stderr) == (0, "")
    assert referee("backup", tmp_path / "by variable", REFEREE_LOG_DATABASE=url).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"by flag", "by variable"}
    assert referee("restore", tmp_path / "by flag", "--data", tmp_path / "again").returncode == 0
    with closing(open_sqlite_reader(tmp_path / "again")) as again, closing(open_reader(whole, database=url)) as stored:
        assert again.head() == stored.head()
        assert list(again.iterate()) == list(stored.iterate())
        assert again.cosigned(0, 10, quorate=False) == stored.cosigned(0, 10, quorate=False)
    message = refused("backup", tmp_path / "away", REFEREE_LOG_DATABASE="postgresql://u@127.0.0.1:1/x")
    assert "the database cannot be used" in message
