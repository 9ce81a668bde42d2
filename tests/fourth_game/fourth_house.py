"""Rounds of the fourth game, played on a real server."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import httpx
from bai_cao.v1 import bai_cao_pb2, bai_cao_pb2_grpc
from google.protobuf.json_format import MessageToJson

from referee.v1 import shuffler_pb2, shuffler_pb2_grpc
from tests.driver.messages import terms_of
from tests.service.opening import deal_round, open_round

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SECONDS = 120
STAKE = 1_000
SEATS = (2, 3, 6)
ROUNDS_OF_A_TABLE = 4

COMMANDS = """
import json, sys
from typer.testing import CliRunner
from referee.cli.main import app
answers = [CliRunner().invoke(app, command) for command in json.loads(sys.argv[1])]
print(json.dumps([[answer.exit_code, answer.stdout, answer.stderr] for answer in answers]))
"""
DEMO = """
import sys
from referee_client import Client
from rich.console import Console
from referee.cli.demo import DEMOS
from referee.cli.demo_table import DemoTable
from referee.rulesets import get
client = Client(sys.argv[1])
table = DemoTable(client=client, ruleset=get("bai_cao.classic"), seat_count=4, console=Console())
DEMOS["bai_cao"].play(table, stronger=True)
DEMOS["bai_cao"].play(table, stronger=False)
"""


class Answer(NamedTuple):
    """Exit code and output of a command."""

    code: int
    output: str
    errors: str


class Settled(NamedTuple):
    """A settled round: its messages, and what the other methods answered about it."""

    played: bai_cao_pb2.BaiCaoRound
    previewed: bai_cao_pb2.PreviewRoundResponse
    settled: bai_cao_pb2.SettleRoundResponse


class House(NamedTuple):
    """The data of a server that has stopped, its keys as options, and the rounds that it settled.

    ``over_http`` is what its gateway answered about the first one, ``demo`` what the demo printed of two more.
    """

    data: Path
    keys: list[str]
    rounds: list[Settled]
    over_http: dict[str, Any]
    demo: str


def run(*commands: list[str], environment: dict[str, str]) -> list[Answer]:
    """Run commands of ``referee`` one after the other in one process."""
    printed = run_script(COMMANDS, json.dumps(commands), environment=environment)
    return [Answer(*answer) for answer in json.loads(printed)]


def run_script(script: str, argument: str, *, environment: dict[str, str]) -> str:
    """Run a script in the tree as it is and return what it printed."""
    command = [sys.executable, "-c", script, argument]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True
    )
    return done.stdout


@contextmanager
def serving(data: Path, environment: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Start ``referee serve`` with its gateway; stop it at the end."""
    command = [sys.executable, "-m", "referee", "serve", "--data", str(data), "--quiet"]
    with subprocess.Popen(
        [*command, "--listen", "127.0.0.1:0", "--web", "0"], cwd=ROOT, env=environment, stdout=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()
            assert process.wait(SECONDS) == 0


def play_round(channel: grpc.Channel, *, table_id: str, seat_count: int, with_receipts: bool) -> Settled:
    """Deal a round, let each seat show its cards, settle and reveal."""
    shuffler, referee = shuffler_pb2_grpc.ShufflerServiceStub(channel), bai_cao_pb2_grpc.BaiCaoServiceStub(channel)
    opened = open_round(
        shuffler, terms_of(table_id, ruleset_id="bai_cao.classic", seat_count=seat_count, stake_minor=STAKE)
    )
    number = opened.header.round.round_number
    dealt = deal_round(shuffler, opened)
    played = bai_cao_pb2.BaiCaoRound(header=opened.header, certificates=[dealt.certificate])
    early = referee.SettleRound(bai_cao_pb2.SettleRoundRequest(round=played))
    assert [violation.code for violation in early.violations] == ["ROUND_NOT_OVER"] * seat_count
    for seat in range(seat_count):
        event = bai_cao_pb2.BaiCaoEvent(seat=seat, act=bai_cao_pb2.ACT_LEAVE if seat == 1 else bai_cao_pb2.ACT_SHOW)
        if with_receipts:
            request = bai_cao_pb2.AcceptEventRequest(round=played, event=event)
            accepted, silent = referee.AcceptEvents(
                bai_cao_pb2.AcceptEventsRequest(requests=[request, bai_cao_pb2.AcceptEventRequest(event=event)])
            ).responses
            assert (accepted.event_number, silent.HasField("refused")) == (seat + 1, True)
            event, played.receipt = accepted.event, accepted.receipt
        else:
            event.time = early.violations[0].received_time
        played.events.append(event)
    previewed = referee.PreviewRound(bai_cao_pb2.PreviewRoundRequest(round=played))
    requests = [bai_cao_pb2.SettleRoundRequest(round=played)]
    batch = referee.SettleRounds(bai_cao_pb2.SettleRoundsRequest(requests=requests))
    settled = referee.SettleRound(requests[0])
    assert batch.responses[0].log_receipt.leaf == settled.log_receipt.leaf
    shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(round={"table_id": table_id, "round_number": number}))
    return Settled(played, previewed, settled)


def preview_over_http(address: str, played: bai_cao_pb2.BaiCaoRound) -> dict[str, Any]:
    """Ask for a round's state as a browser does, in JSON."""
    answer = httpx.post(
        f"http://{address}/bai_cao.v1.BaiCaoService/PreviewRound",
        content=MessageToJson(bai_cao_pb2.PreviewRoundRequest(round=played)),
        headers={"content-type": "application/json"},
        timeout=SECONDS,
    )
    found: dict[str, Any] = answer.raise_for_status().json()
    return found
