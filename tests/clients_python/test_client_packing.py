"""The package as it is installed runs where no server is: its rooms come with it, and nothing of it asks for others."""

import ast
import re
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest
from referee_harness import Harness

CLIENT = Path(__file__).parents[2] / "clients" / "python"
sys.path.insert(0, str(CLIENT))

from packing import ROOMS, write_package  # noqa: E402 - made known by the line above

PLAYED = """
import sys
import referee_client
from referee_client import Arrangement, Bet, Client, SeatSecrets, Terms
from referee_client.messages import log_pb2, log_pb2_grpc

assert "referee" not in sys.modules
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
    leads.look_back()
    leads.plays()
    assert log_pb2_grpc.LogServiceStub(client.channel).GetKeys(log_pb2.GetKeysRequest()).origin
assert not [name for name in sys.modules if name == "referee" or name.startswith("referee.")]
print(sorted({name.partition(".")[0] for name, module in sys.modules.items() if getattr(module, "__file__", None)}))
"""


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package as the wheel has it."""
    folder = tmp_path_factory.mktemp("packed")
    write_package(folder)
    return folder


def test_the_installed_package_plays_every_game_without_the_referee(packed: Path, harness: Harness):
    """In a process that sees the other installed packages, but not this tree."""
    run = subprocess.run(
        [sys.executable, "-S", "-W", "error", "-c", PLAYED, harness.grpc],
        cwd=packed,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": f"{packed}:{sysconfig.get_path('platlib')}"},
        timeout=240,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    loaded = set(re.findall(r"'(\w+)'", run.stdout))
    assert {"referee_client", "grpc", "nacl"} <= loaded
    assert not loaded & {"sqlalchemy", "structlog", "typer", "numpy", "rich", "fsspec", "jinja2"}


def test_nothing_in_it_imports_the_referee(packed: Path):
    sources = list(packed.rglob("*.py")) + list(packed.rglob("*.pyi"))
    assert len(sources) > 100
    for source in sources:
        assert not re.search(r"^\s*(from|import) referee(\.|\s)", source.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_rooms_ask_for_no_room_that_is_left_out(packed: Path):
    wanted = {
        found[1]
        for source in packed.rglob("*.py")
        for found in re.finditer(r"referee_client\._rooms\.(\w+)", source.read_text(encoding="utf-8"))
    }
    assert wanted == set(ROOMS)


def imports_of(source: Path) -> set[str]:
    """The top-level names of what a module imports."""
    nodes = list(ast.walk(ast.parse(source.read_text(encoding="utf-8"))))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    named = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom) and not node.level}
    return {name.partition(".")[0] for name in plain | named}


def test_what_it_imports_is_what_it_depends_on(packed: Path):
    declared = tomllib.loads((CLIENT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {re.split(r"[<>=,\[ ]", one)[0].lower() for one in declared}
    modules = {"grpc": "grpcio", "google": "protobuf", "nacl": "pynacl", "msgspec": "msgspec", "orjson": "orjson"}
    imported = {name for source in packed.rglob("*.py") for name in imports_of(source)} - set(sys.stdlib_module_names)
    assert imported == {"referee_client", *modules}
    assert names == {*modules.values(), "googleapis-common-protos"}


def test_the_rulesets_come_along(packed: Path):
    told = {file.name for file in (CLIENT.parents[1] / "referee" / "rulesets").glob("*.toml")}
    assert told == {file.name for file in (packed / "referee_client" / "_rooms" / "rulesets").glob("*.toml")}
    assert (packed / "referee_client" / "py.typed").exists()
