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
from referee_table.house import House
from referee_table.play import Pace
from referee_table.serving import Plan, serving

from referee.rulesets import Catalogue
from referee.server.process.app import Application
from referee.server.settings.advice import AdviceSettings
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
        self._house: House | None = None
        self.players: list[Player] = []

    @property
    def house(self) -> House:
        """The house of the table server that runs, or ran last."""
        assert self._house is not None
        return self._house

    def plan(self, **changes: Any) -> Plan:  # noqa: ANN401 - what a Plan has
        """How this scene's table servers run."""
        fields: dict[str, Any] = {
            "referee": self.court.address,
            "gateway": "http://127.0.0.1:8801",
            "folder": self.folder,
            "pace": PACE,
            "clock": self.clock,
            "entropy": self.entropy,
        }
        return Plan(**fields | changes)

    @asynccontextmanager
    async def open(self, **changes: Any) -> AsyncIterator["Scene"]:  # noqa: ANN401 - what a Plan has
        """Run a table server for the block; disconnect its players afterwards."""
        with patch.object(sdk_clock, "now", self.clock.now):
            async with serving(self.plan(**changes)) as (address, house):
                self.address, self._house = address, house
                try:
                    yield self
                finally:
                    for player in self.players:
                        await player.go()
                    self.players.clear()

    async def player(self, name: str, *, room: str = "", plays: bool = True, **how: Any) -> Player:  # noqa: ANN401 - of Player
        """Somebody new, or the same name again; plays whole rounds unless given otherwise."""
        return await self.seat_of(Player(name, referee=self.court.channel, **how), room=room, plays=plays)

    async def seat_of(self, player: Player, *, room: str = "", plays: bool = True) -> Player:
        """Connect a player of any kind."""
        if plays:
            player.script = play_anything
        self.players.append(player)
        return await player.come(self.address, room=room)

    async def table(self, ruleset: str, *, people: int = 1, bots: int = 0, **how: Any) -> list[Player]:  # noqa: ANN401 - of create
        """People at a table of their own, none of them ready."""
        plays = how.pop("plays", True)
        first = await self.player("An", plays=plays)
        fields = {"stake_minor": 1000, "sealed": False} | how
        room = (await first.ask("create", ruleset=ruleset, bots=bots, **fields))["room"]
        others = [await self.player(name, room=room, plays=plays) for name in ("Bình", "Chi", "Dũng")[: people - 1]]
        seats = [first, *others]
        for one in seats:
            await one.until(lambda view: len(view.get("persons", ())) == people + bots)
        return seats


def phase_is(name: str) -> Callable[[View], bool]:
    """Whether a view is of a phase."""
    return lambda view: view.get("phase") == name


async def ready(*players: Player, **bets: Any) -> None:  # noqa: ANN401 - bets
    """All say that they are ready."""
    for player in players:
        await player.ask("ready", is_ready=True, **bets)
