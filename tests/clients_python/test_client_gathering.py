"""Requests of several tables in one call: fewer calls, and each table is answered and refused by itself."""

import asyncio
from collections.abc import Callable

import pytest
from google.protobuf.descriptor_pb2 import MethodOptions
from referee_client import Arrangement, AsyncClient, NotReadyError, Terms
from referee_client.gathering import BATCHED

from referee.v1 import mau_binh_pb2, shuffler_pb2, tien_len_pb2, ultimate_texas_pb2
from tests.driver.running import Running

TABLES = 12


async def play(client: AsyncClient, table: str) -> int:
    """Play a round of Mậu Binh with hands as dealt; return its number of events."""
    game = client.mau_binh(Terms(table=table, ruleset="mau_binh.classic", seats=2, stake=100))
    await game.open()
    for seat, hand in (await game.deal()).items():
        if not (await game.is_over()):
            await game.arrange(seat, Arrangement(hand[:5], hand[5:10], hand[10:]))
    settled = await game.settle()
    assert settled.is_replayed
    await game.reveal()
    return len(game.course.links)


@pytest.mark.parametrize("seconds", [0.005, 0])
def test_tables_share_calls_unless_that_is_off(make_running: Callable[..., Running], seconds: float) -> None:
    running = make_running()

    async def main() -> AsyncClient:
        async with AsyncClient(f"127.0.0.1:{running.app.port}", gather_seconds=seconds) as client:
            events = await asyncio.gather(*(play(client, f"t-{number}") for number in range(TABLES)))
            assert client.gathering.requests == 4 * TABLES + sum(events)
            return client

    gathering = asyncio.run(main()).gathering
    assert gathering.calls <= gathering.requests // 2 if seconds else gathering.calls == gathering.requests
    assert {finding.code for finding in running.audit().findings} == set()


async def test_refused_table_of_a_batch_is_refused_alone(running: Running) -> None:
    """One round cannot be revealed yet; the others of its batch are."""
    async with AsyncClient(f"127.0.0.1:{running.app.port}") as client:
        games = [
            client.mau_binh(Terms(table=f"t-{number}", ruleset="mau_binh.classic", seats=2, stake=100))
            for number in range(3)
        ]
        await asyncio.gather(*(game.open() for game in games))
        await asyncio.gather(*(game.abort() for game in games[:2]))
        first, second, refused = await asyncio.gather(*(game.reveal() for game in games), return_exceptions=True)
        assert not isinstance(first, BaseException)
        assert not isinstance(second, BaseException)
        assert isinstance(refused, NotReadyError)
        assert refused.reason == "NOT_TERMINAL"
        assert client.gathering.calls < client.gathering.requests


def test_every_method_that_writes_and_has_a_batch_is_collected() -> None:
    """A question is not: its answer is wanted at once, and its tables have no commit to share."""
    writes: dict[str, bool] = {
        method.name: method.GetOptions().idempotency_level != MethodOptions.NO_SIDE_EFFECTS
        for file in (shuffler_pb2, mau_binh_pb2, tien_len_pb2, ultimate_texas_pb2)
        for service in file.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }
    assert {name for name, is_writing in writes.items() if is_writing and f"{name}s" in writes} == BATCHED
