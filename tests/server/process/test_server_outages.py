"""Servers whose log cannot be written for a while, or for good: real processes, a real database, a full disk."""

import json
import sqlite3
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.chaos.fault_disk import fill, small_disk
from tests.driver.opening import open_round
from tests.storage.postgres_server import PostgresServer, running_postgres

Process: TypeAlias = Any  # made by a fixture, and has its class in conftest
Serve: TypeAlias = Callable[..., Process]

SECONDS: Final = 60
"""Longest wait for anything; most of it passes on a busy machine only."""
WRITING: Final = ("", "referee.v1.ShufflerService", "referee.v1.MauBinhService", "referee.v1.TienLenService")
READING: Final = ("referee.v1.RulesetService", "referee.v1.LogService", "referee.v1.SeatingService")
METRICS: Final = ("--metrics", "127.0.0.1:0")


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Return a database server of this file's own, which its tests stop and start."""
    yield from running_postgres()


def states(process: Process, names: tuple[str, ...]) -> set[str]:
    """Return the distinct health states of services."""
    health = health_pb2_grpc.HealthStub(process.channel)
    answers = [health.Check(health_pb2.HealthCheckRequest(service=name), timeout=20) for name in names]
    return {health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status) for answer in answers}


def wait_for(what: str, is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.2)


def wait_for_state(process: Process, state: str) -> None:
    wait_for(f"{state} of the services that write", lambda: states(process, WRITING) == {state})


def metric(process: Process, name: str) -> float:
    text = urllib.request.urlopen(f"http://{process.ready['metrics']}/metrics", timeout=20).read().decode()
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith(f"{name} "))


def events(folder: Path, event: str) -> list[dict[str, Any]]:
    """Return the log lines of an event, of all servers of the test."""
    lines = [json.loads(line) for line in (folder / "errors.log").read_text().splitlines() if line.startswith("{")]
    return [line for line in lines if line["event"] == event]


def refusal_of_opening(process: Process, table: str) -> str:
    """Try to open a round; return the status code and the message, OK where it opened."""
    try:
        open_round(process.shuffler, table, timeout=40)
    except grpc.RpcError as error:
        return f"{error.code().name}: {error.details()}"
    return "OK"


@pytest.mark.slow("starts PostgreSQL and stops it for a while")
def test_database_away_and_back_is_in_health_log_lines_and_metrics(
    serve: Serve, postgres: PostgresServer, tmp_path: Path
) -> None:
    """Nobody calls meanwhile: the server notices by itself, and that it is back."""
    process = serve("--quiet", *METRICS, "--database", postgres.make_schema("health"))
    assert refusal_of_opening(process, "before") == "OK"
    assert states(process, (*WRITING, *READING)) == {"SERVING"}
    assert metric(process, "referee_log_writable") == 1
    postgres.stop()
    try:
        wait_for_state(process, "NOT_SERVING")
        assert states(process, READING) == {"SERVING"}
        assert metric(process, "referee_log_writable") == 0
        (line, *_) = events(tmp_path, "log cannot be written")
        assert (line["level"], line["kind"]) == ("error", "AWAY")
        assert "start the database" in line["remedy"]
        assert refusal_of_opening(process, "meanwhile").startswith("UNAVAILABLE")
    finally:
        postgres.start()
    wait_for_state(process, "SERVING")
    assert metric(process, "referee_log_writable") == 1
    assert len(events(tmp_path, "log written again")) == 1
    assert refusal_of_opening(process, "after") == "OK"


@pytest.mark.slow("starts PostgreSQL and stops it for a while")
def test_worker_that_dies_while_the_database_is_away_waits_for_it(
    serve: Serve, postgres: PostgresServer, tmp_path: Path
) -> None:
    """It is neither given up nor started again and again, says why it waits, and serves as soon as it can."""
    process = serve("--quiet", "--workers", "2", "--database", postgres.make_schema("worker"))
    first, second = sorted(psutil.Process(process.pid).children(), key=lambda one: one.create_time())
    postgres.stop()
    try:
        first.kill()
        wait_for("three tries", lambda: len(events(tmp_path, "the log cannot be used; this worker waits")) >= 3)
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
    wait_for("a socket that listens", lambda: any(one.status == "LISTEN" for one in waiting[0].net_connections()))
    wait_for("an answer", lambda: refusal_of_opening(process, "after") == "OK")
    assert not events(tmp_path, "worker given up")
    assert process.stop() == 0


@pytest.mark.slow("starts PostgreSQL and stops it for a while")
def test_server_whose_worker_waits_still_stops_at_once(serve: Serve, postgres: PostgresServer, tmp_path: Path) -> None:
    process = serve("--quiet", "--workers", "2", "--database", postgres.make_schema("stopping"))
    first, _ = sorted(psutil.Process(process.pid).children(), key=lambda one: one.create_time())
    postgres.stop()
    try:
        first.kill()
        wait_for("a try", lambda: bool(events(tmp_path, "the log cannot be used; this worker waits")))
        assert process.stop() == 0
    finally:
        postgres.start()


@pytest.mark.slow("fills a disk of its own")
def test_full_disk_is_in_health_log_lines_and_metrics(serve: Serve, tmp_path: Path) -> None:
    """Nobody calls meanwhile; when there is room again, the server serves without a restart."""
    try:
        disk = small_disk(tmp_path / "disk", megabytes=48)
        place = disk.__enter__()
    except OSError as error:
        pytest.skip(f"no disk can be mounted here: {error}")
    try:
        process = serve("--quiet", *METRICS, data=place / "data")
        assert refusal_of_opening(process, "before") == "OK"
        ballast = fill(place)
        wait_for_state(process, "NOT_SERVING")
        assert states(process, READING) == {"SERVING"}
        assert metric(process, "referee_log_writable") == 0
        (line, *_) = events(tmp_path, "log cannot be written")
        assert (line["level"], line["kind"]) == ("error", "FULL")
        assert "free space" in line["remedy"]
        ballast.unlink()
        wait_for_state(process, "SERVING")
        assert refusal_of_opening(process, "after") == "OK"
        assert process.stop() == 0
    finally:
        disk.__exit__(None, None, None)


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
    wait_for_state(process, "NOT_SERVING")
    assert states(process, READING) == {"SERVING"}
    assert metric(process, "referee_log_writable") == 0
    (line, *_) = events(tmp_path, "log cannot be written")
    assert (line["level"], line["kind"]) == ("error", "DAMAGED")
    assert "referee restore" in line["remedy"]
    assert refusal_of_opening(process, "again").startswith("DATA_LOSS")
    assert states(process, WRITING) == {"NOT_SERVING"}
