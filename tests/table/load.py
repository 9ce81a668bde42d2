"""A hundred tables of four scripted pages each on one table server: ``python -m tests.table.load``.

Prints how long commands and rounds took and what the processes used; asserts that every round was settled.
"""

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import grpc
import psutil

from tests.table.scripted_player import Player, View, play_anything
from tests.table.table_process import Running, table_process

GAMES: Final = (
    ("mau_binh.classic", False),
    ("tien_len.mien_nam", False),
    ("ultimate_texas.casino", True),
    ("mau_binh.classic", True),
    ("ultimate_texas.casino", False),
)
"""Tables take these in turn."""
PEOPLE: Final = 4
FEW: Final = 16
"""Tables whose people arrive at once."""
TIMEOUT: Final = 900.0
"""Seconds for the last of many tables to get its turn, on a machine that does other things as well."""


@dataclass(slots=True)
class Measured:
    """What was seen: seconds of each command, bytes and number of views, rounds settled by game."""

    commands: list[float] = field(default_factory=list)
    views: int = 0
    rounds: dict[str, int] = field(default_factory=dict)

    def quantile(self, part: float) -> float:
        """Milliseconds that this part of the commands took at most."""
        return sorted(self.commands)[int(part * (len(self.commands) - 1))] * 1000


class TimedPlayer(Player):
    """A player whose commands are timed."""

    measured: Measured

    async def ask(self, name: str, *, command: str = "", **fields: Any) -> View:  # noqa: ANN401 - of a command
        """Return the result and note its time."""
        start = time.perf_counter()
        try:
            return await super().ask(name, command=command, **fields)
        finally:
            self.measured.commands.append(time.perf_counter() - start)


async def play_table(  # noqa: PLR0913 - what all tables share
    number: int, running: Running, channel: grpc.Channel, measured: Measured, *, rounds: int, gate: asyncio.Semaphore
) -> None:
    """One table of four, from the lobby to the last settlement."""
    ruleset, sealed = GAMES[number % len(GAMES)]
    players = [TimedPlayer(f"{number} {seat}", referee=channel) for seat in range(PEOPLE)]
    for player in players:
        player.measured, player.script, player.timeout = measured, play_anything, TIMEOUT
        player.watch = lambda _view: setattr(measured, "views", measured.views + 1)
    try:
        async with gate:
            first = await players[0].come(running.address)
            made = await first.ask("create", ruleset=ruleset, stake_minor=1000, sealed=sealed)
            for player in players[1:]:
                await player.come(running.address, room=made["room"])
            for player in players:
                await player.until(
                    lambda view: sum(one["place"] == "SEAT" for one in view.get("persons", ())) == PEOPLE
                )
        for done in range(1, rounds + 1):
            for player in players:
                await player.ask("ready", is_ready=True)
            for player in players:
                view = await player.until(partial(_has_ended, done))
                assert view["last"]["end"] == "SETTLED", view["last"]
            measured.rounds[ruleset] = measured.rounds.get(ruleset, 0) + 1
    finally:
        for player in players:
            await player.go()


async def play_all(running: Running, *, tables: int, rounds: int) -> Measured:
    """All tables at once."""
    measured, gate = Measured(), asyncio.Semaphore(FEW)
    with grpc.insecure_channel(running.referee) as channel:
        async with asyncio.TaskGroup() as playing:
            for number in range(tables):
                playing.create_task(play_table(number, running, channel, measured, rounds=rounds, gate=gate))
    return measured


def _has_ended(number: int, view: View) -> bool:
    return bool(view["last"]) and view["last"]["number"] == number


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU seconds of a process so far."""
    used = process.cpu_times()
    return float(used.user + used.system)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, table_process(Path(folder), "--brisk") as running:
        server, (referee,) = psutil.Process(running.process.pid), running.children
        before, start = (cpu_seconds(server), cpu_seconds(referee)), time.perf_counter()
        measured = asyncio.run(play_all(running, tables=given.tables, rounds=given.rounds))
        took = time.perf_counter() - start
        used = cpu_seconds(server) - before[0], cpu_seconds(referee) - before[1]
        kilobytes = server.memory_info().rss / 1024
    settled = sum(measured.rounds.values())
    lines = [
        f"{given.tables} tables of {PEOPLE} pages, {settled} rounds settled in {took:.1f} s: {measured.rounds}",
        f"{len(measured.commands)} commands and {measured.views} views",
        f"a command took {measured.quantile(0.5):.0f} ms, 95 of 100 at most {measured.quantile(0.95):.0f} ms",
        f"CPU of the table server {used[0]:.1f} s, {used[0] / len(measured.commands) * 1000:.2f} ms a command",
        f"CPU of the referee {used[1]:.1f} s; memory of the table server {kilobytes / 1024:.0f} MB",
    ]
    sys.stdout.write("\n".join(itertools.chain(lines, [""])))


if __name__ == "__main__":
    main()
