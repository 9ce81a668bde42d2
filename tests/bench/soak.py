"""Whether a server's memory stays flat: ``python -m tests.bench.soak`` (``make soak``), an hour at half load.

Sixteen tables of each game play whole rounds by the SDK, as fast as the server answers, then as long as that took
nobody plays. What the server remembers of rounds is bounded by a setting, ``limits.memo_bytes``, which is the least
here, so that anything else that grows shows. The memory of the server's processes that nobody shares is read every ten
seconds; a line is printed a minute. Memory is flat if the median of the last minute is at most 2 % above that of the
minute after the first sixth of the time: then the exit code is 0, else 1.
"""

import argparse
import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from referee_client import AsyncClient

from tests.bench.bench_serving import log_size
from tests.bench.measuring import Measured, leave_first_core, measured_server
from tests.bench.shared_calls import play_tables
from tests.driver.messages import GAMES

SERVICES: Final = "rulesets,seating,shuffler,referee,log"
TABLES: Final = 16
MEMO_BYTES: Final = 1 << 20
EVERY_SECONDS: Final = 10
ALLOWED: Final = 1.02
"""How many times as much memory a server may use at the end."""
MB: Final = 1_000_000

Sample = tuple[float, int]
"""Seconds since the begin, and bytes that only the server uses."""


def main() -> None:
    """Play and print; end with 1 if the memory grew."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.soak")
    parser.add_argument("--seconds", type=int, default=3600, help="how long to play, from 120 on")
    seconds = parser.parse_args().seconds
    leave_first_core()
    with (
        tempfile.TemporaryDirectory() as name,
        measured_server(Path(name) / "data", SERVICES, memo_bytes=MEMO_BYTES) as server,
    ):
        samples = asyncio.run(_soak(server, seconds))
        leaves = log_size(server)
    settled, last = level(samples, seconds / 6), level(samples, seconds - 60)
    sys.stdout.write(
        f"{leaves:,} leaves; {settled / MB:.1f} MB after {seconds / 360:.0f} minutes, {last / MB:.1f} MB at the end: "
        f"{last / settled - 1:+.1%}, {ALLOWED - 1:.0%} are allowed\n"
    )
    sys.exit(0 if last <= ALLOWED * settled else 1)


def level(samples: Sequence[Sample], start: float) -> float:
    """Return the median of the memory in the minute from ``start`` on.

    >>> level([(0, 5), (10, 90), (20, 20), (30, 30), (80, 1)], 10)
    30
    """
    return statistics.median(memory for at, memory in samples if start <= at < start + 60)


async def _soak(server: Measured, seconds: int) -> list[Sample]:
    """Play at half load for some time; return the memory, every ten seconds."""
    samples: list[Sample] = []
    begun = time.monotonic()
    sampling = asyncio.create_task(_sample(server, samples, begun))
    async with AsyncClient(server.address, timeout=120) as client:
        for turn in itertools.count():
            started = time.monotonic()
            if started > begun + seconds:
                break
            for game in GAMES:
                await play_tables(client, game, [f"{game}-{turn}-{number}" for number in range(TABLES)])
            await asyncio.sleep(time.monotonic() - started)
    sampling.cancel()
    return samples


async def _sample(server: Measured, samples: list[Sample], begun: float) -> None:
    for number in itertools.count():
        processes = (server.process, *server.process.children(recursive=True))
        samples.append((time.monotonic() - begun, sum(one.memory_full_info().uss for one in processes)))
        if number % 6 == 0:
            sys.stdout.write(f"{samples[-1][0] / 60:>6.0f} min {samples[-1][1] / MB:>8.1f} MB\n")
            sys.stdout.flush()
        await asyncio.sleep(EVERY_SECONDS)


if __name__ == "__main__":
    main()
