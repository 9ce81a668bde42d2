"""The command and its control API, asked as another language would ask them."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from unittest.mock import ANY

import grpc
import pytest

from referee.v1 import log_pb2, log_pb2_grpc
from tests.clients_harness.harness_process import TIMEOUT, Running, ask, harness_process, persist
from tests.driver.client_over import client_over
from tests.driver.driver import Driver
from tests.driver.refusal import ending_of

README = Path(__file__).parents[2] / "clients" / "harness" / "README.md"


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with harness_process("--still", "--start", "1800000000000") as started:
        yield started


@pytest.fixture(scope="module")
def channel(running: Running) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(running.ready["grpc"]) as made:
        yield made


def test_the_line_it_prints_says_where_everything_is(running: Running, channel: grpc.Channel):
    assert set(running.ready) == {"event", "pid", "grpc", "control", "origin", "keys"}
    assert running.ready["pid"] == running.process.pid
    keys = log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest())
    assert running.ready["keys"] == {"log": keys.log_key, "root": keys.root_key}
    status, here = running.ask("GET", "/")
    assert status == 200
    assert here.items() >= {name: running.ready[name] for name in ("grpc", "control", "origin", "keys")}.items()


def test_a_script_is_taken_and_a_vector_comes_back(running: Running, channel: grpc.Channel):
    assert running.ask("POST", "/script", {"table_id": "a", "hands": ["AS"]}) == (200, {})
    name = "mau_binh/settlement#value-front-three-M"
    status, answer = running.ask("POST", "/script", {"table_id": "b", "vector": name})
    assert status == 200
    assert answer["vector"] == running.ask("GET", "/vectors/mau_binh/settlement%23value-front-three-M")[1]
    assert answer["vector"]["id"] == "value-front-three-M"
    assert name in running.ask("GET", "/vectors")[1]["vectors"]
    assert running.ask("GET", "/")[1]["scripts"] == 2
    Driver(client_over(channel)).open("a")
    assert running.ask("GET", "/")[1]["scripts"] == 1
    assert running.ask("POST", "/reset", {}) == (200, {})
    assert running.ask("GET", "/")[1]["scripts"] == 0


def test_the_clock_is_moved_over_http(running: Running, channel: grpc.Channel):
    _, before = running.ask("GET", "/clock")
    assert before["is_running"] is False
    status, after = running.ask("POST", "/clock", {"advance_ms": 1234})
    assert (status, after["now"]) == (200, before["now"] + 1234)
    assert running.ask("POST", "/clock", {"now": after["now"] + 1})[1]["now"] == after["now"] + 1
    header = Driver(client_over(channel)).open("clock").header
    assert header.deal_deadline == after["now"] + 1 + 120_000
    assert running.ask("POST", "/clock", {"now": 5})[0] == 400
    assert running.ask("POST", "/clock", {"is_running": True})[1]["is_running"] is True
    assert running.ask("POST", "/clock", {"is_running": False})[1]["is_running"] is False


def test_faults_cuts_and_restarts_are_asked_for_over_http(running: Running, channel: grpc.Channel):
    opened = Driver(client_over(channel)).prepare("faults")
    leaf = opened.open().leaf
    assert running.ask("POST", "/fault", {"kind": "refuse", "method": "OpenRound"}) == (200, {})
    assert ending_of(opened.open)[0] == "UNAVAILABLE"
    for path, given in (("/cut", {"down_ms": 100}), ("/restart", {})):
        assert running.ask("POST", path, given) == (200, {})
        assert persist(opened.open).leaf == leaf


@pytest.mark.parametrize(
    ("call", "given", "status", "field"),
    [
        ("POST /script", {"hands": ["AX"]}, 400, "hands[0]"),
        ("POST /script", {"hands": [], "round_number": "one"}, 400, "round_number"),
        ("POST /script", {"hands": [], "round_number": 1}, 400, "round_number"),
        ("POST /script", {"vector": "mau_binh/settlement#none"}, 404, "vector"),
        ("POST /script", b"{", 400, ""),
        ("POST /script", [], 400, ""),
        ("POST /script", b" " * 70_000, 400, ""),
        ("POST /clock", {}, 400, ""),
        ("POST /clock", {"advance_ms": 1, "now": 1}, 400, ""),
        ("POST /clock", {"advance_ms": 1.5}, 400, "advance_ms"),
        ("POST /fault", {"kind": "delay", "delay_ms": -1}, 400, "delay_ms"),
        ("POST /fault", {}, 400, "kind"),
        ("POST /fault", {"kind": "refuse", "method": "SettelRound"}, 400, "method"),
        ("POST /cut", {"down_ms": "long"}, 400, "down_ms"),
        ("GET /vectors/nothing", None, 404, "vector"),
        ("GET /script", None, 404, ""),
        ("POST /stop", {}, 404, ""),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(running: Running, call: str, given: object, status: int, field: str):
    method, path = call.split()
    found, answer = running.ask(method, path, given)
    assert (found, answer["error"]["field"]) == (status, field)
    assert answer["error"]["message"]


@pytest.mark.parametrize(
    ("first", "headers", "status"),
    [
        ("POST /stop", {}, 404),
        ("POST /script", {"Host": "evil.example"}, 400),
        ("OPTIONS /fault", {}, 204),
        ("GET /clock", {}, 200),
    ],
)
def test_a_connection_serves_the_next_call_whatever_the_first_was(
    running: Running, first: str, headers: dict[str, str], status: int
):
    """The body of a call that is refused is read all the same, and not taken for the call behind it."""
    verb, path = first.split()
    connection = HTTPConnection(running.ready["control"].removeprefix("http://"), timeout=TIMEOUT)
    with closing(connection):
        connection.request(verb, path, b'{"unread": true}', headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status
        connection.auto_open = 0  # the second call must go over the connection of the first
        connection.request("POST", "/clock", b'{"advance_ms": 0}')
        assert connection.getresponse().status == 200


def test_a_call_without_a_length_is_refused_and_ends_the_connection(running: Running):
    connection = HTTPConnection(running.ready["control"].removeprefix("http://"), timeout=TIMEOUT)
    with closing(connection):
        connection.putrequest("POST", "/script")
        connection.putheader("Transfer-Encoding", "chunked")  # refused by its headers: no chunk has to follow
        connection.endheaders()
        answer = connection.getresponse()
        assert (answer.status, answer.headers["connection"]) == (400, "close")


def test_only_this_machine_is_answered(running: Running):
    """A page of somebody else's cannot have a browser on this machine ask, by whatever name it found the address."""
    assert running.ask("GET", "/", None, Host="evil.example")[0] == 400
    assert running.ask("GET", "/", None, Host="localhost:1")[0] == 200


def test_browsers_are_let_in_where_asked_for():
    """By Connect, in plain JSON, from a page of another origin; and a fault strikes them too."""
    with harness_process("--web") as started:
        address = started.ready["web"].removeprefix("http://")
        headers = {"Content-Type": "application/json", "Origin": "http://game.example"}
        status, answer = ask(address, "POST", "/referee.v1.LogService/GetKeys", {}, **headers)
        assert (status, answer["rootKey"]) == (200, started.ready["keys"]["root"])
        assert started.ask("POST", "/fault", {"kind": "refuse", "method": "GetKeys"})[0] == 200
        assert ask(address, "POST", "/referee.v1.LogService/GetKeys", {}, **headers) == (
            503,
            {"code": "unavailable", "message": ANY},
        )


def test_sigterm_ends_it_and_its_temporary_log(tmp_path: Path):
    with subprocess.Popen(
        [sys.executable, "-m", "referee_harness"],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        assert list(tmp_path.iterdir())
        process.send_signal(signal.SIGTERM)
        assert process.wait(TIMEOUT) == 0
    assert not list(tmp_path.iterdir())


def test_a_port_that_is_taken_is_said():
    with harness_process() as first:
        port = first.ready["grpc"].partition(":")[2]
        second = subprocess.run(
            [sys.executable, "-m", "referee_harness", "--port", port],
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT,
        )
    assert second.returncode == 1
    assert second.stderr.startswith("referee-harness: ")


def test_the_manual_names_every_route_and_every_member_of_a_script(running: Running):
    manual = README.read_text(encoding="utf-8")
    _, answer = running.ask("GET", "/nowhere")
    routes = re.findall(r"(?:GET|POST) /[a-z]*", answer["error"]["message"].partition("there are")[2])
    assert {"POST /script", "POST /clock", "POST /fault"} <= set(routes)
    for route in routes:
        assert f"`{route}`" in manual
    _, answer = running.ask("POST", "/script", {"nothing": 1})
    members = answer["error"]["message"].partition("it has ")[2].split(", ")
    assert len(members) > 3
    for member in members:
        assert f"`{member}`" in manual
