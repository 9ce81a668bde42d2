"""An event received by our server beside a move on servers of card games: server CPU alone, at 64 tables.

Each server has the first core and its clients the others; servers are measured one after another, ours before and after
them. Our clients are the asyncio SDK, whose verification is not in the figures, as the peers' clients are not.
"""

import asyncio
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from referee_client import AsyncClient
from referee_client.gathering import GATHER_SECONDS

from tests.bench.measuring import CORES, Measured, measured_server
from tests.bench.peers.rows import Row
from tests.bench.shared_calls import counted_traffic, play_moves, prepared

TABLES: Final = 64
TURNS: Final = 2
SERVICES: Final = "rulesets,seating,shuffler,referee,log"
THEIRS: Final = "sends the new state to the client; keeps it for the next move"
OURS: Final = "judges by the whole of the rules, signs a receipt of the course; needs no state, and any worker answers"
SECONDS: Final = 120
_TURNS: Final = count()


class Costs:
    """Microseconds of server CPU an event of Tiến Lên: each in a call of its own, and as the SDK sends 64 tables."""

    def __init__(self) -> None:
        self.alone: list[float] = []
        self.together: list[float] = []
        self.events_a_call: list[float] = []

    def measure(self, server: Measured) -> None:
        """Play rounds at 64 tables in both ways."""
        turn = next(_TURNS)
        for seconds, costs in ((0.0, self.alone), (GATHER_SECONDS, self.together)):
            used, events, calls = asyncio.run(_moves(server, f"{turn}-{seconds}", seconds))
            costs.append(used / events / 1000)
            if seconds:
                self.events_a_call.append(events / calls)


async def _moves(server: Measured, name: str, seconds: float) -> tuple[int, int, int]:
    """Return the CPU nanoseconds of a round's moves at 64 tables, their number and that of their calls."""
    async with AsyncClient(server.address, gather_seconds=seconds, timeout=SECONDS) as client:
        rounds = [prepared(client, "tien_len", f"{name}-{number}") for number in range(TABLES)]
        await asyncio.gather(*(one.open() for one in rounds))
        await asyncio.gather(*(one.deal() for one in rounds))
        with counted_traffic() as traffic:
            before = server.cpu_ns()
            events = sum(await asyncio.gather(*(play_moves(one, "tien_len") for one in rounds)))
            return server.cpu_ns() - before, events, traffic.calls


@contextmanager
def our_server() -> Iterator[Measured]:
    """Start our server and warm it."""
    with tempfile.TemporaryDirectory() as name, measured_server(Path(name) / "data", SERVICES) as server:
        Costs().measure(server)
        yield server


def peer_us(folder: Path, peer: str, *arguments: str) -> float:
    """Return the server CPU of a move, in microseconds: the least of two turns after a first one."""
    serving = ["taskset", "-c", str(CORES[0]), "node", f"{peer}.cjs", "serve", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        serving, cwd=folder, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            port = process.stdout.readline().strip()
            if not port:
                raise RuntimeError(f"{peer} does not start")
            costs, before = [], 0
            for turn in range(TURNS + 1):
                driving = ["node", f"{peer}.cjs", "drive", port, str(TABLES)]
                moves = int(subprocess.check_output(driving, cwd=folder, text=True, timeout=SECONDS))
                process.stdin.write("cpu\n")
                process.stdin.flush()
                used = int(process.stdout.readline())
                if turn:
                    costs.append((used - before) / moves)
                before = used
            return min(costs)
        finally:
            process.kill()


def rows_of(costs: Costs, peers: dict[str, tuple[str, float]]) -> list[Row]:
    """Return two rows for each peer: beside an event alone, and beside those of 64 tables together."""
    most = max(costs.events_a_call)
    ways = (
        ("AcceptEvent, alone", min(costs.alone)),
        (f"AcceptEvents of 64 tables ({most:.0f} a call), an event", min(costs.together)),
    )
    return [
        Row(what=what, peer=peer, peer_us=us, our_us=our_us, theirs=f"{THEIRS}; {more}" if more else THEIRS, ours=OURS)
        for peer, (more, us) in peers.items()
        for what, our_us in ways
    ]
