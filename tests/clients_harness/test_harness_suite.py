"""Scripted decks are never called fair: the audit says L0, and real servers and harnesses keep apart."""

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import grpc
import pytest
from referee_harness import Harness

from referee.server.process.app import Application
from referee.server.process.log_check import SuiteError
from referee.v1 import mau_binh_pb2, mau_binh_pb2_grpc, round_pb2, shuffler_pb2, shuffler_pb2_grpc
from tests.driver.opening import deal_round, open_round, terms_of
from tests.driver.refusal import refusal_of
from tests.server.options import server_options

DRAGONS = {"wins": ["sanh rong", "sanh rong"]}


@pytest.fixture
def drawing(tmp_path: Path) -> Iterator[str]:
    """Return the address of a server that deals at random, with the harness's origin."""
    with Application(server_options(data=tmp_path / "drawn", origin="harness.invalid/scripted")) as application:
        yield f"127.0.0.1:{application.port}"


def terms(table: str) -> shuffler_pb2.RoundTerms:
    return terms_of(table, currency="C", stake_minor=1)


def play(address: str, table: str = "t", rounds: int = 1) -> round_pb2.RoundHeader:
    """Settle rounds at a table; return the header of the last."""
    with grpc.insecure_channel(address) as channel:
        shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        referee = mau_binh_pb2_grpc.MauBinhServiceStub(channel)
        for _ in range(rounds):
            opened = open_round(shuffler, terms(table))
            number = opened.header.round.round_number
            seeds = [hashlib.sha256(b"%d %d" % (number, seat)).digest() for seat in range(2)]
            dealt = deal_round(shuffler, opened, seeds)
            given = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
            settled = referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=given))
            assert not settled.violations
            shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(round={"table_id": table, "round_number": number}))
    return opened.header


def test_the_audit_calls_scripted_decks_l0_and_counts_them_in_no_statistics(tmp_path: Path):
    """Forty rounds in which both seats are dealt a dragon: drawn, they would fail every test of chance."""
    with Harness(data=tmp_path) as harness:
        for _ in range(40):
            harness.script(DRAGONS)
        header = play(harness.grpc, rounds=40)
    assert header.randomness_suite == round_pb2.RANDOMNESS_SUITE_FIXTURE
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
    with Harness(data=tmp_path) as harness, grpc.insecure_channel(harness.grpc) as channel:
        open_round(shuffler_pb2_grpc.ShufflerServiceStub(channel), terms("t"))
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
        grpc.insecure_channel(f"127.0.0.1:{application.port}") as channel,
    ):
        open_round(shuffler_pb2_grpc.ShufflerServiceStub(channel), terms("t"))
    harness = Harness(data=tmp_path)
    with pytest.raises(SuiteError, match="drawn"):
        harness.start()
    harness.close()


def test_a_server_that_draws_opens_no_round_of_the_other_suite(drawing: str):
    """Its own origin, ruleset and layout, so that nothing but the suite is wrong."""
    with grpc.insecure_channel(drawing) as channel:
        shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        header = shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms("t"))).header
        header.randomness_suite = round_pb2.RANDOMNESS_SUITE_FIXTURE
        refusal = refusal_of(open_round, shuffler, header)
        assert refusal.reason_and_field == ("INVALID_HEADER", "header.randomness_suite")


def test_a_server_that_draws_judges_no_round_of_the_other_suite(drawing: str):
    with Harness() as harness:
        harness.script(DRAGONS)
        header = play(harness.grpc)
    with grpc.insecure_channel(drawing) as channel:
        referee = mau_binh_pb2_grpc.MauBinhServiceStub(channel)
        given = mau_binh_pb2.MauBinhRound(header=header, certificates=[b"{}"])
        refusal = refusal_of(referee.SettleRound, mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=given))
        assert refusal.reason_and_field == ("INVALID_HEADER", "round.header.randomness_suite")
