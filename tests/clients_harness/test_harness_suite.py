"""Scripted decks are never called fair: the audit says L0, and real servers and harnesses keep apart."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from referee_client import Client
from referee_harness import Harness

from referee.server.process.app import Application
from referee.server.process.log_check import SuiteError
from referee.v1 import round_pb2
from tests.driver.client_over import client_over
from tests.driver.driver import AnyRound, Driver, settle
from tests.driver.refusal import refusal_of
from tests.server.options import server_options

DRAGONS = {"wins": ["sanh rong", "sanh rong"]}


@pytest.fixture
def drawing(tmp_path: Path) -> Iterator[str]:
    """Return the address of a server that deals at random, with the harness's origin."""
    with Application(server_options(data=tmp_path / "drawn", origin="harness.invalid/scripted")) as application:
        yield f"127.0.0.1:{application.port}"


def play(address: str, rounds: int = 1) -> AnyRound:
    """Settle rounds at a table; return the last."""
    with Client(address) as client:
        driver = Driver(client)
        for _ in range(rounds):
            played = driver.play()
            settle(played)
            played.reveal()
    return played


def test_the_audit_calls_scripted_decks_l0_and_counts_them_in_no_statistics(tmp_path: Path):
    """Forty rounds in which both seats are dealt a dragon: drawn, they would fail every test of chance."""
    with Harness(data=tmp_path) as harness:
        for _ in range(40):
            harness.script(DRAGONS)
        played = play(harness.grpc, rounds=40)
    assert played.header.randomness_suite == round_pb2.RANDOMNESS_SUITE_FIXTURE
    audited = subprocess.run(
        [sys.executable, "-m", "referee", "audit", "--data", str(tmp_path), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert audited.returncode == 0, audited.stdout + audited.stderr
    report = json.loads(audited.stdout)
    assert report["dealing_levels"] == {"L0": 40, "L1": 0, "L2": 0, "L3": 0}
    assert report["checked"]["redealt"] == report["checked"]["replayed"] == 40
    assert report["statistics"].get("decks", 0) == 0


def test_a_server_that_draws_does_not_start_on_scripted_decks(tmp_path: Path):
    with Harness(data=tmp_path) as harness, Client(harness.grpc) as client:
        Driver(client).open()
    with pytest.raises(SuiteError, match="from a fixed seed for tests, which is never fair"):
        Application(server_options(data=tmp_path))
    served = subprocess.run(
        [sys.executable, "-m", "referee", "serve", "--data", str(tmp_path), "--listen", "127.0.0.1:0"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert served.returncode == 2
    assert "from a fixed seed for tests, which is never fair" in " ".join(served.stderr.split())


def test_a_harness_does_not_start_on_drawn_decks(tmp_path: Path):
    with (
        Application(server_options(data=tmp_path)) as application,
        Client(f"127.0.0.1:{application.port}") as client,
    ):
        Driver(client).open()
    harness = Harness(data=tmp_path)
    with pytest.raises(SuiteError, match="drawn"):
        harness.start()
    harness.close()


def test_a_server_that_draws_opens_no_round_of_the_other_suite(drawing: str):
    """Its own origin, ruleset and layout, so that nothing but the suite is wrong."""
    with grpc.insecure_channel(drawing) as channel:
        opened = Driver(client_over(channel)).prepare()
        opened.prepare()
        opened.state.header_message.randomness_suite = round_pb2.RANDOMNESS_SUITE_FIXTURE
        refusal = refusal_of(opened.open)
        assert refusal.reason_and_field == ("INVALID_HEADER", "header.randomness_suite")


def test_a_server_that_draws_judges_no_round_of_the_other_suite(drawing: str):
    with Harness() as harness:
        harness.script(DRAGONS)
        played = play(harness.grpc)
    with grpc.insecure_channel(drawing) as channel:
        refusal = refusal_of(Driver(client_over(channel)).take(played).settle)
        assert refusal.reason_and_field == ("INVALID_HEADER", "round.header.randomness_suite")
