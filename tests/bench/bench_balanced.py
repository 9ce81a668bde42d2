"""Rounds by their course on two workers, with a balancer and without: ``python -m tests.bench.bench_balanced``.

64 tables of one asyncio process play on two workers of one server. *One connection* reaches one worker, as without a
balancer. *Each call* goes to the next of eight connections, which the system spreads over both, as a balancer of calls
such as Envoy does. A round that the other worker remembers is a miss: the request is sent again with the whole round,
and after two misses in a row the SDK sends whole rounds for a while. Nothing is pinned; clients share the cores.
"""

import asyncio
import itertools
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

import grpc.aio
from referee_client import AsyncClient
from referee_client.channel import open_aio_channel

from tests.bench.bench_serving import NAMES, machine
from tests.bench.bench_workers import Server, served
from tests.bench.measuring import ECHOES, Measured, plain_echoes
from tests.bench.played_rounds import GAMES
from tests.bench.shared_calls import counted_traffic, play_tables

TABLES: Final = 64
SLICES: Final = 2
CONNECTIONS: Final = 8


class Balanced:
    """Channels of which each call takes the next."""

    def __init__(self, channels: list[grpc.aio.Channel]) -> None:
        self._channels = channels
        self._next = itertools.cycle(channels)

    def unary_unary(self, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as of a channel
        """Return the call of a method on the next channel."""
        return next(self._next).unary_unary(*arguments, **named)

    async def close(self) -> None:
        """Close all channels."""
        await asyncio.gather(*(channel.close() for channel in self._channels))


@contextmanager
def balanced(connections: int) -> Iterator[None]:
    """Let clients that are made meanwhile spread their calls over so many connections."""

    def open_channels(address: str, **how: Any) -> Any:  # noqa: ANN401 - what open_aio_channel takes
        own = [("grpc.use_local_subchannel_pool", 1)]
        return Balanced([open_aio_channel(address, options=own, **how) for _ in range(connections)])

    with mock.patch("referee_client.aio.open_aio_channel", open_channels):
        yield


async def measured(plain: Measured, server: Server, game: str, connections: int) -> str:
    """Play rounds at 64 tables; return the line of their cost and misses."""
    echo: Any = [plain.echo()] * ECHOES
    with balanced(connections):
        client = AsyncClient(server.address, timeout=120)
    async with client:
        names = [f"{game}-{connections}-{number}" for number in range(TABLES)]
        await play_tables(client, game, names)
        shown = client.abridging.abridged, client.abridging.unknown
        echoes = used = 0.0
        with counted_traffic() as traffic:
            for _ in range(SLICES):
                echoes += plain.used_ns(echo) / 1000
                before = server.cpu()
                await play_tables(client, game, names)
                used += server.cpu() - before
        rounds, known = TABLES * SLICES, client.abridging.abridged - shown[0]
        missed = client.abridging.unknown - shown[1]
    us = used / rounds * 1e6
    return (
        f"{NAMES[game]:<16}{'one connection' if connections == 1 else 'each call':<16}{us:>9,.0f}"
        f"{us / (echoes / SLICES / ECHOES):>10.1f}x{traffic.sent_bytes / rounds:>10,.0f}{known / rounds:>13.1f}"
        f"{missed / rounds:>9.1f}{missed / max(1, known + missed):>11.0%}"
    )


def main() -> None:
    """Print the table."""
    sys.stdout.write(f"{machine()}\n\n")
    sys.stdout.write(
        f"{'a round':<16}{'balanced by':<16}{'CPU us':>9}{'to plain':>11}{'bytes':>10}{'by course':>13}{'misses':>9}"
        f"{'of tries':>11}\n"
    )
    with tempfile.TemporaryDirectory() as name, plain_echoes() as (plain, _), served(Path(name), 2) as server:
        for game in GAMES:
            for connections in (1, CONNECTIONS):
                sys.stdout.write(asyncio.run(measured(plain, server, game, connections)) + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
