"""A referee and a table server on loopback, both by one clock that tests move, and the people who use it."""

import asyncio
import hashlib
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import pytest
from referee_client import AsyncClient
from referee_client import clock as sdk_clock
from referee_table.play import Pace, Plan
from referee_table.serving import bound, serving

from referee.audit import MemoryLog
from referee.rulesets import Catalogue
from referee.server.settings.advice import AdviceSettings
from referee.suspicion.report import CountedReport
from referee.v1 import log_pb2
from tests.driver.auditing import counted, terms_of
from tests.driver.log_reader import LogReader
from tests.driver.running import Running
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
MAU_BINH, _, TIEN_LEN, TEXAS, _ = [ruleset for ruleset, _ in GAMES]


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


def bytes_of(name: str) -> Callable[[int], bytes]:
    """Bytes that are the same in every run."""
    counter = itertools.count()
    return lambda size: hashlib.shake_128(f"{name} {next(counter)}".encode()).digest(size)


class Scene:
    """A referee that can be stopped and started at its address, table servers on one folder, and people who come.

    ``luck`` is what the referee's seeds are drawn from.
    """

    def __init__(self, folder: Path, *, luck: str = "court", catalogue: Catalogue | None = None) -> None:
        self.clock, self.folder, self.catalogue = MovedClock(), folder / "table", catalogue
        self._settings: dict[str, Any] = {"entropy": bytes_of(luck), "clock": self.clock.now, "origin": ORIGIN}
        self._settings |= {"catalogue": catalogue, "advice": AdviceSettings(seconds=300), "advise": None}
        self.court = Running(folder / "referee", **self._settings)
        self.referee = f"127.0.0.1:{self.court.app.port}"
        self.entropy = bytes_of("table")
        self.address = "127.0.0.1:0"
        self.house: Any = None
        self.players: list[Player] = []
        self.client: AsyncClient | None = None

    def close(self) -> None:
        """Stop the referee."""
        self.court.close()

    async def stop_referee(self) -> None:
        """Stop the referee."""
        await asyncio.to_thread(self.court.close)

    async def start_referee(self) -> None:
        """Start the referee again, from its log."""
        await asyncio.to_thread(self.court.restart, listen=self.referee)

    @asynccontextmanager
    async def open(self, **changes: Any) -> AsyncIterator["Scene"]:  # noqa: ANN401 - what a Plan has
        """Run a table server for the block; disconnect its players afterwards."""
        usual: dict[str, Any] = {
            "referee": self.referee,
            "gateway": "http://127.0.0.1:8801",
            "folder": self.folder,
            "pace": PACE,
        }
        plan = Plan(clock=self.clock, entropy=self.entropy, **usual | changes)
        listening = bound("127.0.0.1", int(self.address.rpartition(":")[2]))
        with patch.object(sdk_clock, "now", self.clock.now):
            async with (
                AsyncClient(self.referee, on_reach=lambda _: None) as self.client,
                serving(plan, listening) as (self.address, self.house),
            ):
                try:
                    yield self
                finally:
                    for player in self.players:
                        await player.go()
                    self.players.clear()

    async def player(self, name: str, *, room: str = "", plays: bool = True, **how: Any) -> Player:  # noqa: ANN401 - of Player
        """Somebody new, or the same name again; plays whole rounds unless given otherwise."""
        player = Player(name, **how)
        player.script = play_anything if plays else None
        return await self.come(player, room=room)

    async def come(self, player: Player, *, room: str = "") -> Player:
        """Connect a player to the table server that runs now."""
        self.players.append(player)
        player.client = self.client
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

    def move_to(self, moment: int) -> None:
        """Let time pass until a moment."""
        self.clock.move(max(0, moment - self.clock.now()))

    async def passes(self, player: Player, milliseconds: int) -> None:
        """Let a clock run out; assert that the player's room keeps its phase until then."""
        phase = player.view["phase"]
        self.clock.move(milliseconds - 1)
        await stays(player, phase)
        self.clock.move(1)

    async def finish(self, player: Player, *, number: int = 1) -> View:
        """Play a round to its end in the log; return the record that pages get."""

        def ended(view: View) -> bool:
            last = view["last"]
            return bool(last and last["number"] == number and "proof" in last)

        view = await player.until(lambda view: view["phase"] == "SHOWDOWN" or ended(view))
        if view["phase"] == "SHOWDOWN":
            self.move_to(view["phase_end_time"])
        return dict((await player.until(ended))["last"])

    async def play(self, *players: Player, number: int = 1, **bets: Any) -> View:  # noqa: ANN401 - bets
        """Have everybody play a round; return its record."""
        await ready(*players, **bets)
        return await self.finish(players[0], number=number)

    def room_of(self, player: Player) -> Any:  # noqa: ANN401 - a Room
        """Return the room that a player is in, as the table server has it."""
        return self.house.rooms[player.view["room"]]

    def log(self) -> dict[str, Any]:
        """Return the referee's log: its origin, its public keys, its newest checkpoint and its leaves."""
        reader = LogReader(self.court.channel)
        keys = reader.log.GetKeys(log_pb2.GetKeysRequest())
        log = {"origin": keys.origin, "log_key": keys.log_key, "root_key": keys.root_key}
        return log | {"checkpoint": reader.checkpoint(), "leaves": reader.leaves()}

    def audited(self) -> CountedReport:
        """Return the audit of the log as it is now; fail the test if it finds anything."""
        now, log = self.clock.now(), self.log()
        source = MemoryLog(checkpoint=log.pop("checkpoint").encode(), entries=tuple(log.pop("leaves")))
        report = counted(source, *terms_of(**log, now=now, as_of=now, catalogue=self.catalogue))
        assert report.findings == ()
        return report


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


@pytest.fixture
def make_scene(tmp_path: Path, quiet_calls: None) -> Iterator[Callable[..., Scene]]:  # noqa: ARG001 - it makes the log of calls quiet
    """Return a function that makes a scene with its referee running; its arguments are those of Scene."""
    with ExitStack() as stack:
        yield lambda **how: stack.enter_context(closing(Scene(tmp_path, **how)))


@pytest.fixture
def new_scene(make_scene: Callable[..., Scene]) -> Scene:
    """Return a scene with its referee running; ``open`` starts its table server."""
    return make_scene()


@pytest.fixture
async def scene(new_scene: Scene) -> AsyncIterator[Scene]:
    """Return a scene with its referee and its table server running."""
    async with new_scene.open():
        yield new_scene
