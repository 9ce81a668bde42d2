"""Calls on a machine whose environment names a proxy: to the machine itself without it; errors name the variable."""

import asyncio
import json
import socket
from pathlib import Path

import grpc
import pytest
from referee_client import AsyncClient, Client, UnavailableError

from referee.reach import PROXY_VARIABLES
from referee.server.process.app import Application
from referee.v1 import log_pb2, log_pb2_grpc
from tests.cli.printing import printed
from tests.command import referee, refused
from tests.server.options import server_options

ELSEWHERE = "play.invalid:443"
"""An address that only a proxy could reach: its name exists nowhere."""


@pytest.fixture(params=PROXY_VARIABLES)
def variable(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Name a proxy at a closed port of this machine, which refuses every call, in one of gRPC's variables."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        proxy = f"http://127.0.0.1:{closed.getsockname()[1]}"
    for name in (*PROXY_VARIABLES, "no_proxy", "no_grpc_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(request.param, proxy)
    return str(request.param)


def test_proxy_refuses_a_channel_that_does_not_leave_it_out(variable: str, tmp_path: Path) -> None:
    """What the option is for: gRPC itself asks the proxy for this very machine."""
    assert variable
    with (
        Application(server_options(data=tmp_path)) as server,
        grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel,
        pytest.raises(grpc.RpcError) as raised,
    ):
        log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest(), timeout=60)
    assert raised.value.code() is grpc.StatusCode.UNAVAILABLE


def test_calls_to_this_machine_take_no_proxy(variable: str, tmp_path: Path) -> None:
    assert variable
    with Application(server_options(data=tmp_path)) as server:
        for host in ("127.0.0.1", "localhost"):
            address = f"{host}:{server.port}"
            with Client(address) as client:
                assert client.checkpoint().size > 0
            assert asyncio.run(size_at(address)) > 0
            assert referee("audit", address).returncode == 0


@pytest.mark.parametrize("variable", ["http_proxy"], indirect=True)
def test_demo_plays_where_a_proxy_is_set(variable: str, tmp_path: Path) -> None:
    """Its server, its clients and its audit are on this machine."""
    assert variable
    answer = json.loads(printed("demo", "--rounds", "1", "--data", tmp_path / "data", "--json"))
    assert answer["rounds"]
    assert answer["audit"]["findings"] == []


async def size_at(address: str) -> int:
    """Return the size of a server's log, asked for by asyncio."""
    async with AsyncClient(address) as client:
        return (await client.checkpoint()).size


def test_error_names_the_variable_of_the_proxy(variable: str) -> None:
    words = f"the proxy of the variable {variable}; to go without it, name play.invalid in no_proxy"
    with Client(ELSEWHERE, timeout=5) as client, pytest.raises(UnavailableError) as raised:
        client.checkpoint()
    assert words in str(raised.value)
    assert "TLS" not in str(raised.value)
    assert words in refused("audit", ELSEWHERE)


def test_error_without_a_proxy_names_none(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    with Client("127.0.0.1:1", timeout=5) as client, pytest.raises(UnavailableError) as raised:
        client.checkpoint()
    assert "proxy" not in str(raised.value)
