"""A server that is up and cannot write: the error says so, and who can mend it."""

import asyncio
from pathlib import Path

import pytest
from referee_client import AsyncClient, Client, UnavailableError

from referee.server.process.app import Application
from tests.clients_python.playing import binh
from tests.driver.running import Clock
from tests.server.options import server_options
from tests.waiting import until

WORDS = "the server is up and its health says NOT_SERVING, that it cannot serve; ask its operator"


def test_a_server_that_cannot_write_is_its_operators_to_mend(tmp_path: Path):
    """Its clock is behind its log; a database or a signer that is away looks the same to a frontend."""
    clock = Clock()
    with Application(server_options(data=tmp_path, listen="127.0.0.1:0", clock=clock, sweep=False)) as application:
        address = f"127.0.0.1:{application.port}"
        with Client(address) as client:
            client.mau_binh(binh("t-1")).open()
            clock.now -= 60_000
            until(lambda: application.health.problem)
            with pytest.raises(UnavailableError) as caught:
                client.mau_binh(binh("t-2")).open()
            assert WORDS in str(caught.value)
            assert "TLS" not in str(caught.value)
            assert WORDS in asyncio.run(_failure(address))
            clock.now += 60_000
            until(lambda: not application.health.problem)
            client.mau_binh(binh("t-3")).open()


async def _failure(address: str) -> str:
    async with AsyncClient(address) as client:
        with pytest.raises(UnavailableError) as caught:
            await client.checkpoint()
    return str(caught.value)


def test_a_server_that_is_away_is_still_looked_for_at_its_address(tmp_path: Path):
    with Application(server_options(data=tmp_path, listen="127.0.0.1:0")) as application:
        address = f"127.0.0.1:{application.port}"
    with (
        Client(address) as client,
        pytest.raises(UnavailableError, match=r"did not reach the server .* check the address"),
    ):
        client.checkpoint()
