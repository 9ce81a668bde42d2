"""Witnesses, a server and an auditor as an operator and a player would run them: all by command, on loopback."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from referee_client import Client, Terms, Trust

from referee.evidence import merkle
from referee.evidence.note import Note
from referee.evidence.vkey import Algorithm
from referee.log import Checkpoint
from referee.server.keys.folder import read_public_keys
from referee.server.keys.private_key import KeySigner
from referee.v1 import log_pb2, log_pb2_grpc
from tests.cli.printing import printed
from tests.command import referee, refused
from tests.driver.driver import Driver, secrets_of

STOP_SECONDS = 60
STRANGER = KeySigner("witness.example/stranger", b"s" * 32, Algorithm.COSIGNATURE_V1).verifier_key
AT = "urls=http://127.0.0.1:1"
KNOWN = f"keys={STRANGER}"


class Command:
    """A command that goes on until it is stopped; ``ready`` is the first line that it prints."""

    def __init__(self, arguments: tuple[str, ...], errors: Path) -> None:
        with errors.open("ab") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "referee", *arguments], stdout=subprocess.PIPE, stderr=file, text=True
            )
        assert self._process.stdout is not None
        self._output = self._process.stdout
        line = self._output.readline()
        if not line:
            self.stop()
        assert line, errors.read_text(encoding="utf-8")
        self.ready: dict[str, Any] = json.loads(line)

    def stop(self) -> int:
        """Its exit code, after SIGTERM where it still runs."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(STOP_SECONDS)
        self._output.close()
        return code


Start = Callable[..., Command]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Return a function that starts commands; stop them when the test ends."""
    started: list[Command] = []

    def run(*arguments: str) -> Command:
        started.append(Command(arguments, tmp_path / "errors.log"))
        return started[-1]

    yield run
    assert [command.stop() for command in reversed(started)] == [0] * len(started)


def log_key_of(data: Path) -> str:
    """Return the log's verifier key in a data folder, made if there is none."""
    text = printed("keys", "--make", "--data", data, "--origin", "log.example/1", "--json")
    return str(json.loads(text)["log"])


def audited(*options: str) -> dict[str, Any]:
    """Return the report of ``referee audit``."""
    done = referee("audit", "--json", *options)
    assert done.returncode in {0, 1}, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == bool(report["findings"])
    return report


def codes(report: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in report["findings"]}


class Witnessed:
    """A server with two witnesses and two rounds: one whose seats wait for the cosigned OPEN, one that has no seeds."""

    def __init__(self, folder: Path, start: Start) -> None:
        self.data = folder / "data"
        self.log_key = log_key_of(self.data)
        listen = ("--listen", "127.0.0.1:0", "--log", self.log_key)
        names = ("first.example/w", "second.example/w")
        witnesses = [start("witness", "--data", str(folder / name), *listen, "--name", name).ready for name in names]
        self.keys = [str(one["key"]) for one in witnesses]
        self.believed = [option for key in self.keys for option in ("--witness", key)]
        urls = ",".join(f"http://{one['address']}" for one in witnesses)
        options = ("--set", f"witnesses.urls={urls}", "--set", f"witnesses.keys={','.join(self.keys)}")
        serve = ("serve", "--data", str(self.data), "--listen", "127.0.0.1:0", "--quiet")
        self.address = str(start(*serve, "--set", "witnesses.required=true", *options).ready["address"])
        with grpc.insecure_channel(self.address) as channel:
            log = log_pb2_grpc.LogServiceStub(channel)
            play(self.address, self.keys)
            newest = log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
            size = Checkpoint.parse(Note.parse(newest.encode()).text).size
            log.GetCheckpoint(log_pb2.GetCheckpointRequest(cosigned_size=size), timeout=20)


@pytest.mark.slow("starts many processes")
def test_seats_that_wait_for_witnesses_bring_their_round_to_level_three(tmp_path: Path, start: Start) -> None:
    log = Witnessed(tmp_path, start)
    for place in ([str(log.data)], [log.address]):
        report = audited(*place, *log.believed, "--max-age", "3600")
        assert report["findings"] == []
        assert {level: count for level, count in report["dealing_levels"].items() if count} == {"L1": 1, "L3": 1}
        assert audited(*place)["dealing_levels"]["L3"] == 0
    strict = audited("--data", str(log.data), *log.believed, "--witness", STRANGER)
    assert codes(strict) == {"QUORUM_UNMET"}
    assert strict["dealing_levels"]["L3"] == 0
    assert audited("--data", str(log.data), *log.believed, "--witness", STRANGER, "--quorum", "2")["findings"] == []
    seen = tmp_path / "seen"
    with grpc.insecure_channel(log.address) as channel:
        newest = log_pb2_grpc.LogServiceStub(channel).GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=10)
    seen.write_text(newest.checkpoint, "utf-8")
    assert codes(audited("--data", str(log.data), "--outgrown", str(seen))) == {"HEAD_FROZEN"}


@pytest.mark.slow("builds a Node project")
def test_round_of_level_three_is_that_to_every_verifier(tmp_path: Path, start: Start, typescript) -> None:
    """The audit counts one L3; its bundle proves it in Python and TypeScript, and not without its cosignatures."""
    log = Witnessed(tmp_path, start)
    assert audited(str(log.data), *log.believed)["dealing_levels"]["L3"] == 1
    public = read_public_keys(log.data / "keys")
    keys = ["--log-key", public["log"], "--root-key", public["root"]]
    file, other, bare = tmp_path / "round.json", tmp_path / "other.json", tmp_path / "bare.json"
    printed("export", "waiting", "1", "--data", log.data, "--out", file)
    printed("export", "hasty", "1", "--data", log.data, "--out", other)
    bundle = json.loads(file.read_text("utf-8"))
    new = Checkpoint.parse(Note.parse(bundle["checkpoint"].encode()).text)
    assert len(bundle["consistency"]) == 2, "what the deal carries, and the newest that witnesses cosigned"
    for shown in bundle["consistency"]:
        old = Checkpoint.parse(Note.parse(shown["checkpoint"].encode()).text)
        proof = [bytes.fromhex(node) for node in shown["proof"]]
        assert 0 < old.size <= new.size
        merkle.verify_consistency(
            old_size=old.size, new_size=new.size, old_root=old.root, new_root=new.root, proof=proof
        )
    bare.write_text(json.dumps({**bundle, "consistency": []}), "utf-8")

    def proved(place: Path, *options: str) -> tuple[tuple[str, set[str]], ...]:
        """Return level and codes as Python and as TypeScript find them."""
        python = json.loads(referee("verify", place, *keys, "--json", *options).stdout)
        script = json.loads(typescript(str(place), *keys, "--json", *options).stdout)
        return tuple([(one["dealing_level"], codes(one)) for one in (python, script)])

    assert proved(file, *log.believed) == (("L3", set()),) * 2
    assert proved(file) == (("L2", set()),) * 2
    assert proved(file, *log.believed, "--witness", STRANGER) == (("L2", {"QUORUM_UNMET"}),) * 2
    assert proved(file, *log.believed, "--witness", STRANGER, "--quorum", "2") == (("L3", set()),) * 2
    assert proved(bare, *log.believed) == (("L2", {"QUORUM_UNMET"}),) * 2
    assert proved(other, *log.believed) == (("L1", set()),) * 2
    cosigned = tmp_path / "kept.tlog-proof"
    printed("export", "hasty", "1", "--proof", "--data", log.data, "--out", cosigned)
    assert all(key.partition("+")[0] in cosigned.read_text("utf-8") for key in log.keys)
    origin = ["--origin", "log.example/1", "--log-key", public["log"]]
    vouched = typescript("--proof", str(cosigned), *origin, "--json", *log.believed)
    assert json.loads(vouched.stdout)["cosigned_time"] > 0


def play(address: str, witnesses: list[str]) -> None:
    """Deal a round whose seats give their seeds once OPEN is cosigned, and one whose seats commit to none."""
    with Client(address, timeout=20) as client:
        keys = client.keys()
    trust = Trust(log_key=keys.log_key, root_key=keys.root_key, witnesses=witnesses)
    with Client(address, trust=trust, timeout=20) as client:
        Driver(client).deal("waiting")
    with Client(address, timeout=20) as client:
        hasty = client.mau_binh(Terms(table="hasty", ruleset="mau_binh.classic", seats=2), secrets=[])
        hasty.open()
        hasty.deal(seeds=[secrets_of("hasty", seat).seed for seat in range(2)])


def test_server_does_not_start_behind_its_witness(tmp_path: Path, start: Start) -> None:
    """The log is deleted and its keys kept: the command says why, with the witness's note, and changes nothing."""
    data = tmp_path / "data"
    log_key = log_key_of(data)
    witness = start("witness", "--data", str(tmp_path / "w"), "--listen", "127.0.0.1:0", "--log", log_key).ready
    options = ["--set", f"witnesses.urls=http://{witness['address']}", "--set", f"witnesses.keys={witness['key']}"]
    serve = ["serve", "--data", str(data), "--listen", "127.0.0.1:0", "--quiet", *options]
    first = start(*serve)
    with grpc.insecure_channel(first.ready["address"]) as channel:
        stub = log_pb2_grpc.LogServiceStub(channel)
        stub.GetCheckpoint(log_pb2.GetCheckpointRequest(cosigned_size=4), timeout=20)
    assert first.stop() == 0
    for path in (*data.glob("log.sqlite3*"), data / "keys" / "log.head"):  # without its own record of it either
        path.unlink()
    message = refused(*serve)
    assert "has cosigned 4 leaves" in message
    assert log_key.split("+")[0] in message


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([AT], "has 0 keys for 1 addresses"),
        ([KNOWN], "has 1 keys for 0 addresses"),
        (["urls=127.0.0.1:1", KNOWN], "not a witness's address"),
        ([AT, "keys=no key"], "no verifier key"),
        ([AT, KNOWN, "quorum=2"], "no quorum"),
        (["urls=http://a,http://b", f"keys={STRANGER},{STRANGER}"], "is given for two witnesses"),
        ([AT, KNOWN, "required=true"], "cannot be reached"),
    ],
)
def test_witnesses_that_cannot_be_meant_stop_the_server(tmp_path: Path, options: list[str], words: str) -> None:
    witnesses = [part for one in options for part in ("--set", f"witnesses.{one}")]
    assert words in refused("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0", *witnesses)


@pytest.mark.parametrize("options", [["--quorum", "1"], ["--max-age", "5"], ["--witness", "no key"]])
def test_questions_about_witnesses_that_cannot_be_meant_are_refused(tmp_path: Path, options: list[str]) -> None:
    log_key_of(tmp_path / "data")
    refused("audit", "--data", tmp_path / "data", *options)
