"""Tokens that expire in a living client: its function is asked again once, and the round goes on."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path

import pytest
from referee_client import AsyncClient, Client, DeniedError

from referee.server.process.app import Application
from tests.clients_python.playing import as_dealt, binh, dealt
from tests.server.access.expiring import KINDS, Expiring
from tests.server.access.identity_provider import running_provider
from tests.server.options import server_options


@pytest.fixture
def expiring() -> Iterator[Expiring]:
    with running_provider() as provider:
        yield Expiring(provider)


@pytest.fixture
def address(expiring: Expiring, tmp_path: Path) -> Iterator[str]:
    """Run the server; return its address once it has the provider's keys."""
    options = server_options(data=tmp_path, listen="127.0.0.1:0", **expiring.settings)
    with Application(options) as application:
        place = f"127.0.0.1:{application.port}"
        expiring.wait_for_provider(place)
        yield place


@pytest.mark.parametrize("kind", KINDS)
def test_a_function_is_asked_again_when_its_token_expires(address: str, expiring: Expiring, kind: str):
    with Client(address, token=lambda: expiring.token(kind)) as client:
        game = dealt(client.mau_binh(binh("acme.t")))
        expiring.expire()
        for seat, hand in game.hands.items():
            game.arrange(seat, as_dealt(hand))  # a hand that wins at the deal is answered too
        game.settle()
        expiring.expire()
        game.reveal()
    assert expiring.handed_out[kind] == 3, "one at the start, and one after each expiry"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_coroutine", [False, True])
def test_many_tasks_ask_for_one_token_together(address: str, expiring: Expiring, kind: str, *, is_coroutine: bool):
    async def fetched() -> str:
        return await asyncio.to_thread(expiring.token, kind)  # the other tasks go on in the meantime

    async def play(client: AsyncClient, table: str) -> None:
        game = client.mau_binh(binh(table))
        await game.open()
        hands = await game.deal()
        await ready.wait()
        if expiring.handed_out[kind] == 1:
            expiring.expire()
        for seat, hand in hands.items():
            await game.arrange(seat, as_dealt(hand))
        await game.settle()

    async def play_all() -> None:
        async with AsyncClient(address, token=fetched if is_coroutine else lambda: expiring.token(kind)) as client:
            await asyncio.gather(*(play(client, f"acme.{number}") for number in range(8)))

    ready = asyncio.Barrier(8)
    asyncio.run(play_all())
    assert expiring.handed_out[kind] == 2


def test_threads_of_a_client_share_the_new_token(address: str, expiring: Expiring):
    with Client(address, token=lambda: expiring.token("own")) as client, ThreadPoolExecutor(8) as pool:
        client.rounds(table="acme.t")
        expiring.expire()
        together = threading.Barrier(8)

        def read() -> None:
            together.wait(60)
            client.rounds(table="acme.t")

        for reading in [pool.submit(read) for _ in range(8)]:
            reading.result()
    assert expiring.handed_out["own"] == 2


def test_an_expired_token_without_another_is_refused_at_once(address: str, expiring: Expiring):
    """A string stays what it is, and a function that returns the expired token is asked no third time."""
    old, asked = expiring.token("own"), count(1)
    expiring.expire()
    for token in (old, lambda: f"{old}{next(asked) and ''}"):
        with Client(address, token=token) as client, pytest.raises(DeniedError) as caught:
            client.rounds(table="acme.t")
        assert caught.value.reason == "CREDENTIALS_EXPIRED"
    assert next(asked) == 3
