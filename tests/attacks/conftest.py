"""What attacks share: a quarrel about the rounds that each leaves, and servers as an operator starts them."""

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.attacks.named_parties import ELSEWHERE, NAMED
from tests.dispute.recorded_audits import Recorder

STOP_SECONDS = 60


class Server:
    """A server process, and a channel to it."""

    def __init__(self, data: Path, *options: str) -> None:
        command = [sys.executable, "-m", "referee", "serve", "--data", str(data), "--listen", "127.0.0.1:0"]
        with (data.parent / "errors.log").open("ab") as errors:
            self._process = subprocess.Popen(
                [*command, "--metrics", "127.0.0.1:0", *options], stdout=subprocess.PIPE, stderr=errors
            )
        assert self._process.stdout is not None
        printed = self._process.stdout.readline()
        if not printed:
            self._process.stdout.close()
            raise RuntimeError(f"the server did not start and ended with {self._process.wait(STOP_SECONDS)}")
        self.ready: dict[str, Any] = json.loads(printed)
        self.pid = self._process.pid
        self.channel = grpc.insecure_channel(self.ready["address"])

    def figure(self, name: str) -> float:
        """Return the sum of a metric's samples."""
        with urllib.request.urlopen(f"http://{self.ready['metrics']}/metrics", timeout=STOP_SECONDS) as answer:
            lines = answer.read().decode().splitlines()
        found = [line for line in lines if line.startswith((f"{name} ", f"{name}{{"))]
        assert found, name
        return sum(float(line.rpartition(" ")[2]) for line in found)

    def kill(self) -> None:
        """Kill the process, as the system does when memory runs out."""
        self._process.kill()
        self._process.wait(STOP_SECONDS)

    def close(self) -> None:
        """Stop the process, if it runs, as an operator does."""
        self.channel.close()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            assert self._process.wait(STOP_SECONDS) == 0
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start servers on this test's data folder and stop them at its end."""
    started: list[Server] = []

    def start(*options: str) -> Server:
        started.append(Server(tmp_path / "data", *options))
        return started[-1]

    yield start
    for server in started:
        server.close()


@pytest.fixture(autouse=True)
def quarrel(request: pytest.FixtureRequest) -> Iterator[None]:
    """Settle a quarrel about the rounds of each attack that holds: the answer names the attacker, and no honest party.

    It is about the logs that the attack audits, or else about the one that its server is left with.
    """
    module = request.module.__name__.rpartition(".")[2]
    if module in ELSEWHERE:
        yield
        return
    recorder, failed = Recorder(), request.session.testsfailed
    servers = [request.getfixturevalue(name) for name in ("house", "table") if name in request.fixturenames]
    with pytest.MonkeyPatch.context() as patch:
        recorder.watch(patch)
        yield
        if request.session.testsfailed > failed:
            return
        if not recorder.audits:
            servers[0].audit()
    answers = [answer for audit in recorder.audits for answer in audit.disputes()]
    assert answers or recorder.audits[-1].report.rounds.opened == 0, "an attack that was refused may leave no round"
    named = {(one.party.value, one.certainty.value) for answer in answers for one in answer.suspects}
    expected = NAMED.get(f"{module}.{request.function.__name__}", set())
    assert named == expected, [one for answer in answers for one in answer.failures]
