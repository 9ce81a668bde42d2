"""Whole rounds of many tables in one asyncio process: ``python -m tests.bench.bench_shared_calls``.

Server CPU of a round beside plain echoes, from its opening to its reveal, every event received, as the SDK sends it:
requests of several tables in one call and rounds by their course. The bytes are of requests alone. The last two
columns are the median time of an ``AcceptEvent`` in the client, with gathering and without it; client and server are
busy then, so the difference is what gathering adds under this load, and at one table what it adds to a player's wait.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from referee_client import AsyncClient
from referee_client.gathering import GATHER_SECONDS

from tests.bench.bench_serving import NAMES, machine, served
from tests.bench.measuring import BusyMachineError, Measured, Turns, keep, kept, leave_first_core, plain_echoes
from tests.bench.shared_calls import Traffic, counted_traffic, play_tables
from tests.driver.messages import GAMES

FILE: Final = Path(__file__).parent / "shared_calls.json"
SERVICES: Final = "rulesets,seating,shuffler,referee,log"
ROUNDS: Final = {64: 1, 16: 3, 1: 12}
"""Rounds a table in one turn, by the number of tables."""
TURNS: Final = {"mau_binh": 8, "tien_len": 3, "ultimate_texas": 5}
AIMS: Final = {"mau_binh": 15, "tien_len": 75, "ultimate_texas": 45}
AIMS_BYTES: Final = {"tien_len": 45_000, "ultimate_texas": 25_000}
TABLES_OF_AIMS: Final = 64


@dataclass(slots=True)
class Cost:
    """Server CPU of the rounds of each turn, in microseconds a round and in echoes; and the rounds' requests."""

    traffic: Traffic
    us: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    rounds: int = 0
    events: int = 0

    @property
    def row(self) -> dict[str, float]:
        """The figures of one round."""
        return {
            "us": round(statistics.median(self.us)),
            "ratio": round(statistics.median(self.ratios), 1),
            "least": round(min(self.ratios), 1),
            "greatest": round(max(self.ratios), 1),
            "events": round(self.events / self.rounds, 1),
            "calls": round(self.traffic.calls / self.rounds, 1),
            "bytes": round(self.traffic.sent_bytes / self.rounds),
            "median_ms": round(self.traffic.median_ms, 1),
        }


def main() -> None:
    """Print the table; with ``--keep`` write it to the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=1.0, help="measure so many times the usual number of turns")
    parser.add_argument("--keep", action="store_true", help="keep the table beside this file")
    given = parser.parse_args()
    earlier = kept(FILE)
    sys.stdout.write(f"{machine()}\nkept: {earlier['machine']}\n\n{HEADING}\n")
    rows = {}
    try:
        for label, row in measured(given.scale):
            rows[label] = row
            sys.stdout.write(line_of(label, row, earlier["rows"].get(label)) + "\n")
            sys.stdout.flush()
    except BusyMachineError as error:
        sys.exit(str(error))
    if given.keep:
        keep(FILE, {"machine": machine(), "rows": rows})


HEADING: Final = (
    f"{'server CPU a round':<28}{'us':>8}{'to plain, range':>22}{'aim':>9}{'kept':>8}{'events':>8}{'calls':>7}"
    f"{'bytes':>8}{'aim':>11}{'ms':>7}{'ms, off':>9}"
)


def line_of(label: str, row: dict[str, float], earlier: dict[str, float] | None) -> str:
    """Return the line of a game and a number of tables."""
    name, tables = label.split(", ")
    game = next(game for game, called in NAMES.items() if called == name)
    is_aim = tables.startswith(f"{TABLES_OF_AIMS} ")
    aim = f"<= {AIMS[game]}x" if is_aim else ""
    aim_bytes = f"<= {AIMS_BYTES[game]:,}" if is_aim and game in AIMS_BYTES else ""
    before = f"{earlier['ratio']:.1f}x" if earlier else "-"
    spread = f"{row['ratio']:.1f}x {row['least']:.1f}-{row['greatest']:.1f}"
    return (
        f"{label:<28}{row['us']:>8,}{spread:>22}{aim:>9}{before:>8}{row['events']:>8}{row['calls']:>7}"
        f"{row['bytes']:>8,}{aim_bytes:>11}{row['median_ms']:>7}{row['alone_ms']:>9}"
    )


def measured(scale: float) -> Iterator[tuple[str, dict[str, float]]]:
    """Measure each game at 64 tables, 16 and 1; yield the rows as they come."""
    leave_first_core()
    with tempfile.TemporaryDirectory() as name, plain_echoes() as (plain, _), served(Path(name), SERVICES) as server:
        turns = Turns(plain)
        for game in GAMES:
            count = max(1, round(TURNS[game] * scale))
            for tables in ROUNDS:
                label = f"{NAMES[game]}, {tables} table{'s' if tables > 1 else ''}"
                row = asyncio.run(_cost(turns, server, game, tables, count, GATHER_SECONDS)).row
                alone = asyncio.run(_cost(turns, server, game, tables, 1, 0)).row
                yield label, row | {"alone_ms": alone["median_ms"], "alone_ratio": alone["ratio"]}


async def _cost(  # noqa: PLR0913, PLR0917 - what is varied
    turns: Turns, server: Measured, game: str, tables: int, count: int, gather_seconds: float
) -> Cost:
    """Measure turns of rounds until so many count; the client has its keys and is warm."""
    async with AsyncClient(server.address, gather_seconds=gather_seconds, timeout=120) as client:
        names = [f"{game}-{tables}-{gather_seconds}-{number}" for number in range(tables)]
        await play_tables(client, game, names[:16])
        loop = asyncio.get_running_loop()
        with counted_traffic() as traffic:
            cost = Cost(traffic)

            def work() -> None:
                playing = play_tables(client, game, names, rounds=ROUNDS[tables])
                cost.events += asyncio.run_coroutine_threadsafe(playing, loop).result()
                cost.rounds += tables * ROUNDS[tables]

            while len(cost.us) < count:
                turn = await asyncio.to_thread(turns.take, server, work)
                if turn is not None:
                    us = turn.used_ns / (tables * ROUNDS[tables]) / 1000
                    cost.us.append(us)
                    cost.ratios.append(us * 1000 / turn.echo_ns)
        return cost


if __name__ == "__main__":
    main()
