"""Rounds by their course on two workers, with a balancer and without: ``python -m tests.bench.bench_balanced``.

64 tables of one asyncio process play on two workers of one server. *One connection* reaches one worker, as without a
balancer. *Each call* goes to the next of eight connections, which the system spreads over both, as a balancer of calls
such as Envoy does. A round that the other worker remembers is a miss: the request is sent again with the whole round,
and after two misses in a row the SDK sends whole rounds for a while. Nothing is pinned; clients share the cores.
"""

import argparse
import asyncio
import itertools
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

import grpc.aio
from referee_client import AsyncClient
from referee_client.channel import open_aio_channel

from tests.bench.bench_serving import NAMES, machine
from tests.bench.bench_workers import Server, served
from tests.bench.measuring import ECHOES, Measured, keep, plain_echoes
from tests.bench.shared_calls import counted_traffic, play_tables
from tests.driver.messages import GAMES

TABLES: Final = 64
SLICES: Final = 2
WAYS: Final = {"one connection": 1, "each call": 8}
"""Connections over which calls are spread."""
FILE: Final = Path(__file__).parent / "balanced.json"


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


async def measured(plain: Measured, server: Server, game: str, connections: int) -> dict[str, float]:
    """Play rounds at 64 tables; return the figures of one round, and its requests by course and misses."""
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
    return {
        "us": round(us),
        "ratio": round(us / (echoes / SLICES / ECHOES), 1),
        "bytes": round(traffic.sent_bytes / rounds),
        "by_course": round(known / rounds, 1),
        "misses": round(missed / rounds, 1),
    }


def line_of(game: str, label: str, row: Mapping[str, float]) -> str:
    """Return the line of a game and a way to balance."""
    tries = row["by_course"] + row["misses"]
    return (
        f"{NAMES[game]:<16}{label:<16}{row['us']:>9,}{row['ratio']:>10}x{row['bytes']:>10,}{row['by_course']:>11}"
        f"{row['misses']:>9}{row['misses'] / (tries or 1):>11.0%}\n"
    )


def main() -> None:
    """Print the table; with ``--keep`` write it to the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="keep the table beside this file")
    given = parser.parse_args()
    sys.stdout.write(f"{machine()}\n\n")
    sys.stdout.write(
        f"{'a round':<16}{'balanced by':<16}{'CPU us':>9}{'to plain':>11}{'bytes':>10}{'by course':>11}{'misses':>9}"
        f"{'of tries':>11}\n"
    )
    rows: dict[str, dict[str, Mapping[str, float]]] = {game: {} for game in GAMES}
    with tempfile.TemporaryDirectory() as name, plain_echoes() as (plain, _), served(Path(name), 2) as server:
        for game in GAMES:
            for label, connections in WAYS.items():
                row = rows[game][label] = asyncio.run(measured(plain, server, game, connections))
                sys.stdout.write(line_of(game, label, row))
                sys.stdout.flush()
    if given.keep:
        keep(FILE, {"machine": machine(), "games": rows})


if __name__ == "__main__":
    main()
