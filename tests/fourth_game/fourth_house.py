"""A server with the fourth game, and clients and commands in processes that have its package."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from bai_cao.v1 import bai_cao_pb2

from referee.server.keys.folder import read_public_keys
from referee.v1 import shuffler_pb2_grpc
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
HIDDEN = ("referee.server", "referee.service", "referee.storage", "sqlalchemy", "structlog", "numpy", "typer", "rich")
"""Modules that no import finds while a client plays."""
CLIENT = """
import asyncio, json, sys, tempfile
from pathlib import Path

given, answers = json.loads(sys.argv[1]), {}
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if any(name == one or name.startswith(f"{one}.") for one in given["hidden"]):
            raise ModuleNotFoundError(f"{name} is hidden", name=name)
sys.meta_path.insert(0, Hidden())

from referee_client import *

address = given["address"]
def terms(table, seats=3):
    return Terms(table=table, ruleset="bai_cao.classic", seats=seats, stake=1_000)
def result_of(settled):
    seats = settled.result.seats
    return {
        "replayed": settled.is_replayed, "leaf": settled.receipt.index, "codes": [seat.hand for seat in seats],
        "hands": [list(seat.cards) for seat in seats], "nets": [seat.net_minor for seat in seats],
    }
"""


class Answer(NamedTuple):
    """Exit code and output of a command."""

    code: int
    output: str
    errors: str


class House(NamedTuple):
    """The data of a server that has stopped, its keys as options, and the rounds that a client settled there.

    ``demo`` is what the demo printed of two more.
    """

    data: Path
    keys: list[str]
    played: dict[str, Any]
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


def played_by(script: str, environment: dict[str, str], **given: Any) -> Any:  # noqa: ANN401 - what the script prints
    """Run a script of a client where no code of a server can be imported; return what it printed."""
    return json.loads(run_script(CLIENT + script, json.dumps({**given, "hidden": HIDDEN}), environment=environment))


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


def keys_of(data: Path) -> list[str]:
    """Return the log's and the root's key as options."""
    public = read_public_keys(data / "keys")
    return ["--log-key", public["log"], "--root-key", public["root"]]


def dealt_round(channel: grpc.Channel, seat_count: int) -> bai_cao_pb2.BaiCaoRound:
    """Deal a round by bare stubs."""
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
    terms = terms_of("table", ruleset_id="bai_cao.classic", seat_count=seat_count, stake_minor=STAKE)
    opened = open_round(shuffler, terms, timeout=SECONDS)
    return bai_cao_pb2.BaiCaoRound(header=opened.header, certificates=[deal_round(shuffler, opened).certificate])
