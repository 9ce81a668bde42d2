"""A referee and a table server on loopback, both by one clock that tests move, and the people who use it."""

import asyncio
import hashlib
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import grpc
import msgspec
from referee_client import clock as sdk_clock
from referee_table.play import Pace
from referee_table.serving import Plan, serving

from referee.audit.report import Report
from referee.audit.source import MemoryLog
from referee.rulesets import Catalogue
from referee.server.process.app import Application
from referee.server.settings.advice import AdviceSettings
from referee.v1 import log_pb2, log_pb2_grpc
from tests.driver import auditing
from tests.server.options import server_options
from tests.table.scripted_player import Player, View, play_anything

START: Final = 1_700_000_000_000
ORIGIN: Final = "log.example/table"
PACE: Final = Pace(bot_ms=0)
"""How fast tables go: bots move at once."""
GAMES: Final = [
    ("mau_binh.classic", False),
    ("mau_binh.classic", True),
    ("tien_len.mien_nam", False),
    ("ultimate_texas.casino", False),
    ("ultimate_texas.casino", True),
]
"""A ruleset of each game, and whether its rounds are sealed."""


class MovedClock:
    """The time of the referee and the table; it does not run until it is moved."""

    def __init__(self) -> None:
        self._now = START
        self._waiting: list[tuple[int, asyncio.Event]] = []

    def now(self) -> int:
        """Return the time."""
        return self._now

    async def wait_until(self, moment: int) -> None:
        """Return once the time has been moved there."""
        if moment <= self._now:
            return
        event = asyncio.Event()
        self._waiting.append((moment, event))
        await event.wait()

    def move(self, milliseconds: int) -> None:
        """So much later."""
        self._now += milliseconds
        for moment, event in self._waiting:
            if moment <= self._now:
                event.set()
        self._waiting = [one for one in self._waiting if one[0] > self._now]


def counted(name: str) -> Callable[[int], bytes]:
    """Bytes that are the same in every run."""
    counter = itertools.count()
    return lambda size: hashlib.shake_128(f"{name} {next(counter)}".encode()).digest(size)


class Court:
    """A referee on a folder, that can be stopped and started again at the same address."""

    def __init__(
        self, folder: Path, clock: MovedClock, *, luck: str = "court", catalogue: Catalogue | None = None
    ) -> None:
        self.clock = clock
        options = server_options(
            data=folder,
            entropy=counted(luck),
            clock=clock.now,
            origin=ORIGIN,
            sweep=False,
            catalogue=catalogue,
            advice=AdviceSettings(seconds=300),
        )
        self.app = Application(options).start()
        serve = msgspec.structs.replace(options.configuration.serve, listen=self.address)
        configuration = msgspec.structs.replace(options.configuration, serve=serve)
        self._options = replace(options, configuration=configuration)
        self.channel = grpc.insecure_channel(self.address)

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"127.0.0.1:{self.app.port}"

    def stop(self) -> None:
        """Stop serving."""
        self.app.close()

    def start(self) -> None:
        """Serve again, from the log."""
        self.app = Application(self._options).start()

    def close(self) -> None:
        """All of it has ended."""
        self.channel.close()
        self.app.close()


class Scene:
    """A court, table servers on one folder, and the players that come."""

    def __init__(self, court: Court, folder: Path) -> None:
        self.court, self.clock, self.folder = court, court.clock, folder
        self.entropy = counted("table")
        self.address = ""
        self.house: Any = None
        self.players: list[Player] = []

    @asynccontextmanager
    async def open(self, **changes: Any) -> AsyncIterator["Scene"]:  # noqa: ANN401 - what a Plan has
        """Run a table server for the block; disconnect its players afterwards."""
        fields = {"gateway": "http://127.0.0.1:8801", "folder": self.folder, "pace": PACE, **changes}
        plan = Plan(referee=self.court.address, clock=self.clock, entropy=self.entropy, **fields)
        with patch.object(sdk_clock, "now", self.clock.now):
            async with serving(plan) as (self.address, self.house):
                try:
                    yield self
                finally:
                    for player in self.players:
                        await player.go()
                    self.players.clear()

    async def player(self, name: str, *, room: str = "", plays: bool = True, **how: Any) -> Player:  # noqa: ANN401 - of Player
        """Somebody new, or the same name again; plays whole rounds unless given otherwise."""
        player = Player(name, referee=self.court.channel, **how)
        player.script = play_anything if plays else None
        return await self.come(player, room=room)

    async def come(self, player: Player, *, room: str = "") -> Player:
        """Connect a player to the table server that runs now."""
        self.players.append(player)
        return await player.come(self.address, room=room)

    async def table(self, ruleset: str, *, people: int = 1, bots: int = 0, **how: Any) -> list[Player]:  # noqa: ANN401 - of create
        """People at a table of their own, none of them ready; ``plays`` and ``is_keyed`` are of Player."""
        of_player = {name: how.pop(name) for name in ("plays", "is_keyed") if name in how}
        first = await self.player("An", **of_player)
        room = (await first.ask("create", ruleset=ruleset, bots=bots, **{"stake_minor": 1000, **how}))["room"]
        others = [await self.player(name, room=room, **of_player) for name in ("Bình", "Chi", "Dũng")[: people - 1]]
        seats = [first, *others]
        for one in seats:
            await one.until(lambda view: len(view.get("persons", ())) == people + bots)
        return seats

    async def finish(self, player: Player, *, number: int = 1) -> View:
        """Play a round to its end in the log; return the record that pages get."""

        def ended(view: View) -> bool:
            last = view["last"]
            return bool(last and last["number"] == number and "proof" in last)

        view = await player.until(lambda view: view["phase"] == "SHOWDOWN" or ended(view))
        if view["phase"] == "SHOWDOWN":
            self.clock.move(max(0, view["phase_end_time"] - self.clock.now()))
        return dict((await player.until(ended))["last"])

    async def play(self, *players: Player, number: int = 1, **bets: Any) -> View:  # noqa: ANN401 - bets
        """Have everybody play a round; return its record."""
        await ready(*players, **bets)
        return await self.finish(players[0], number=number)

    def audited(self, catalogue: Catalogue | None = None) -> Report:
        """Return the audit of the log as it is now, with the built-in rulesets or others."""
        log = self.log()
        now, names = self.clock.now(), ("origin", "log_key", "root_key")
        terms = auditing.terms_of(**{name: log[name] for name in names}, now=now, as_of=now, catalogue=catalogue)
        return auditing.counted(MemoryLog(checkpoint=log["checkpoint"].encode(), entries=tuple(log["leaves"])), *terms)

    def log(self) -> dict[str, Any]:
        """Return the log's keys, checkpoint and leaves."""
        stub, leaves = log_pb2_grpc.LogServiceStub(self.court.channel), list[bytes]()
        keys = stub.GetKeys(log_pb2.GetKeysRequest())
        checkpoint = stub.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
        while len(leaves) < int(checkpoint.splitlines()[1]):
            leaves += stub.ListEntries(log_pb2.ListEntriesRequest(start=len(leaves))).leaves
        given = {"origin": keys.origin, "log_key": keys.log_key, "root_key": keys.root_key}
        return given | {"checkpoint": checkpoint, "leaves": leaves}


async def ready(*players: Player, **bets: Any) -> None:  # noqa: ANN401 - bets
    """All say that they are ready."""
    for player in players:
        await player.ask("ready", is_ready=True, **bets)


async def dealt(*players: Player, **bets: Any) -> list[View]:  # noqa: ANN401 - bets
    """Have everybody ready; return their views of the deal."""
    await ready(*players, **bets)
    return [await player.phase("PLAYING") for player in players]


async def stays(player: Player, phase: str) -> None:
    """Assert that a room is in a phase, and still is after it has had its turn again."""
    await player.ask("history")
    assert player.view["phase"] == phase


def person(view: View, name: str) -> View:
    """Return somebody of a view by name."""
    return next(dict(one) for one in view["persons"] if one["name"] == name)
