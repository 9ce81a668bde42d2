"""The installed client: it plays beside a base install of the referee, without a library that only servers need."""

import ast
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
from referee_harness import Harness

from tests.packages.wheelhouse import DISTRIBUTIONS, Environment, wheels_for

CLIENT = DISTRIBUTIONS["referee-client"]
OF_SERVERS = {"sqlalchemy", "structlog", "typer", "numpy", "rich", "fsspec", "jinja2", "prometheus_client"}
BASE_ROOMS = {"cards", "dealing", "evidence", "games", "log", "reach", "rulesets", "transcript", "v1", "wire"}

PLAYED = """
import json, sys
from referee_client import Arrangement, Bet, Client, SeatSecrets, Terms
from referee_client.messages import log_pb2, log_pb2_grpc

with Client(sys.argv[1], timeout=60) as client:
    secrets = [SeatSecrets.make(seat, keyed=True) for seat in range(2)]
    game = client.mau_binh(Terms(table="packed", ruleset="mau_binh.classic", seats=2, stake=100), secrets=secrets)
    game.open()
    for seat, hand in game.deal().items():
        game.arrange(seat, Arrangement(hand[:5], hand[5:10], hand[10:]))
    assert game.settle().is_replayed
    game.reveal()
    bets = client.ultimate_texas(
        Terms(table="packed-2", ruleset="ultimate_texas.casino", seats=1, stake=2, bets=[Bet(2)])
    )
    bets.open()
    bets.deal()
    bets.decide(0, "PLAY_4X")
    assert bets.settle().is_replayed
    leads = client.tien_len(Terms(table="packed-3", ruleset="tien_len.mien_nam", seats=2))
    leads.open()
    leads.deal()
    leads.plays()
    assert log_pb2_grpc.LogServiceStub(client.channel).GetKeys(log_pb2.GetKeysRequest()).origin
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Return an environment in which ``pip install referee-client`` was run."""
    wheels = wheels_for(tmp_path_factory, "referee-client")
    return Environment(tmp_path_factory.mktemp("client"), wheels, "referee-client")


def declared() -> list[str]:
    """Return the requirements of the client's distribution."""
    project = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["dependencies"])


def test_installed_client_brings_the_base_and_grpc_alone(environment: Environment):
    base = {"referee", "pynacl", "cffi", "pycparser", "msgspec", "orjson"}
    grpc = {"grpcio", "protobuf", "googleapis-common-protos", "typing-extensions"}
    assert environment.installed() == {"referee-client", *base, *grpc}


def test_installed_client_plays_every_game(environment: Environment, harness: Harness):
    """Each round is settled, proved in the log and replayed by the client."""
    run = environment.run("-W", "error", "-c", PLAYED, harness.grpc)
    assert run.returncode == 0, run.stdout + run.stderr
    loaded = set(json.loads(run.stdout))
    assert {"referee", "referee_client", "grpc", "nacl"} <= loaded
    assert not loaded & OF_SERVERS


def imports() -> set[str]:
    """Everything that a module of the client imports, by its full name."""
    found: set[str] = set()
    for source in (CLIENT / "src").rglob("*.py"):
        nodes = list(ast.walk(ast.parse(source.read_text(encoding="utf-8"))))
        found |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        found |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    assert found
    return found


def test_client_declares_what_it_imports():
    names = {re.split(r"[<>=,\[ ]", one)[0].lower() for one in declared()}
    modules = {"referee": "referee", "grpc": "grpcio", "google": "protobuf", "nacl": "pynacl", "msgspec": "msgspec"}
    assert {name.partition(".")[0] for name in imports()} - set(sys.stdlib_module_names) == {"referee_client", *modules}
    assert names == {*modules.values(), "googleapis-common-protos"}


def test_client_imports_only_rooms_of_the_base():
    rooms = {name.split(".")[1] for name in imports() if name.startswith("referee.")}
    assert rooms <= BASE_ROOMS


def test_built_client_is_marked_as_typed(environment: Environment):
    place = environment.run("-c", "import referee_client; print(referee_client.__path__[0])").stdout.strip()
    assert (Path(place) / "py.typed").exists()
