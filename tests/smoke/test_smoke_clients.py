"""Clients in other languages, with other gRPC and Ed25519 libraries: they deal, settle and verify a round."""

import base64
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from referee.server.process.app import Application
from referee.v1 import log_pb2, log_pb2_grpc
from tests.node_project import install
from tests.once import alone_in
from tests.server.options import server_options

ROOT: Final = Path(__file__).parents[2]
CLIENTS: Final = ROOT / "clients" / "smoke"
VECTORS: Final = ROOT / "tests" / "vectors"
CHECKED: Final = ("log/receipt", "log/merkle_inclusion", "evidence/ed25519_signatures")


@dataclass(frozen=True)
class Language:
    """Requirements of a client outside this repository, and how to install them."""

    programs: tuple[str, ...]
    files: tuple[str, ...]
    install: str


JARS: Final = re.search(
    r"^for name in (.*?); do$", (CLIENTS / "java" / "run").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)
assert JARS is not None
INSTALL: Final = dict(
    re.findall(r"^\| (\w+) \|.*\| `(apt-get install .*)` \|$", (CLIENTS / "README.md").read_text("utf-8"), re.MULTILINE)
)
"""The command that the manual gives for each language."""
LANGUAGES: Final = {
    "node": Language(("node", "npm"), (), "make test installs it"),
    "go": Language(("go", "protoc", "protoc-gen-go"), ("/usr/share/gocode/src/google.golang.org/grpc",), INSTALL["go"]),
    "java": Language(
        ("javac", "protoc", "grpc_java_plugin"),
        tuple(f"/usr/share/java/{name}.jar" for name in JARS[1].replace("\\", "").split()),
        INSTALL["java"],
    ),
    "ruby": Language(("ruby", "grpc_tools_ruby_protoc"), (), INSTALL["ruby"]),
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a server with an empty log and return its address."""
    data = tmp_path_factory.mktemp("smoke")
    with Application(server_options(data=data)) as application:
        yield f"127.0.0.1:{application.port}"


@pytest.fixture(params=LANGUAGES)
def program(request: pytest.FixtureRequest) -> Path:
    """Return the client's command; skip if a requirement is not installed."""
    name, language = request.param, LANGUAGES[request.param]
    missing = [tool for tool in language.programs if shutil.which(tool) is None]
    missing += [file for file in language.files if not Path(file).exists()]
    if missing:
        pytest.skip(f"the {name} client is not tested: no {', '.join(missing)}; {language.install}")
    command = CLIENTS / name / "run"
    if name == "node" and (why := install(CLIENTS / name)):
        pytest.skip(f"the {name} client is not tested: {why}")
    return command


@pytest.mark.slow("builds and runs clients of other languages")
def test_it_plays_a_round_and_verifies_its_receipt_and_the_vectors(program: Path, address: str) -> None:
    """The receipt that it verified without any code of this project names the leaf that the server's log holds."""
    played = run(program, address, key_of(address))
    assert played.returncode == 0, played.stderr
    result: dict[str, Any] = json.loads(played.stdout)
    rows = {name: len((VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()) for name in CHECKED}
    assert result["vectors"] == rows
    assert sum(result["net"]) == 0
    with grpc.insecure_channel(address) as channel:
        log = log_pb2_grpc.LogServiceStub(channel)
        (leaf,) = log.ListEntries(log_pb2.ListEntriesRequest(start=result["leaf_index"], page_size=1)).leaves
        stages = log.GetTableRound(log_pb2.GetTableRoundRequest(table_id=result["table_id"])).leaves
    assert hashlib.sha256(leaf).hexdigest() == result["leaf_sha256"]
    assert result["leaf_index"] < result["tree_size"]
    if "seed" in result:
        payload = json.loads(base64.b64decode(json.loads(stages[-1].leaf)["payload"]))
        assert payload["server_seed"] == result["seed"]


@pytest.mark.slow("builds and runs clients of other languages")
def test_it_refuses_a_receipt_that_another_key_signed(program: Path, address: str) -> None:
    """It is given the log key of the vectors: it plays the round but refuses the receipt."""
    first = (VECTORS / "log" / "receipt.jsonl").read_text(encoding="utf-8").splitlines()[0]
    (foreign,) = json.loads(first)["keys"]
    played = run(program, address, foreign)
    assert played.returncode == 1
    assert "the log's key has not signed the checkpoint" in played.stderr
    assert played.stdout == ""


def test_its_dependencies_come_from_no_named_registry() -> None:
    lock = json.loads((CLIENTS / "node" / "package-lock.json").read_text(encoding="utf-8"))
    assert all("resolved" not in entry for entry in lock["packages"].values())


def run(program: Path, address: str, log_key: str) -> "subprocess.CompletedProcess[str]":
    """Run the client to its end and return its output; each builds in its own folder, one worker at a time."""
    command = [str(program), address, log_key, str(VECTORS)]
    with alone_in(program.parent):
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)


def key_of(address: str) -> str:
    """Ask the server for the verifier key of its log."""
    with grpc.insecure_channel(address) as channel:
        return str(log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest()).log_key)
