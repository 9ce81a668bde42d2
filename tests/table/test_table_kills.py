"""Table server and referee end at every step of a round of each game: no move is lost or made twice."""

import asyncio
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from referee_client import AsyncClient
from referee_client.journal import Journal
from referee_client.repeating import RepeatingLine
from referee_table.files import RoomFiles
from referee_table.house import House
from referee_table.room import Room
from referee_table.stream import PageStream

from tests.chaos.process import STOP_SECONDS
from tests.table.scripted_player import KINDS, Player, RefusedCommandError, View, play_anything
from tests.table.table_process import audit, table_process, write_slow_rulesets
from tests.table.table_scene import GAMES, MAU_BINH, TIEN_LEN, Scene

SLOW: Final = pytest.mark.slow("repeats with other games what two show")
PARAMETERS: Final = [
    pytest.param(*game, marks=() if game in {(MAU_BINH, True), (TIEN_LEN, False)} else SLOW) for game in GAMES
]
MOVE: Final = "a move"
MOMENTS: Final = (("sent", "bind"), ("sent", "seed"), ("sent", MOVE), ("answered", MOVE))
"""When to kill, in order: a command has just been sent and is being carried out, or was answered."""
MANY_ROUNDS: Final = 12
READS: Final = re.compile(r".*/(Get|List|Preview|Suggest|Decide|Check)")
"""Calls that change nothing."""


class Witness(Player):
    """A player who plays rounds and skips their shows. ``reach`` is called when a command was sent and was answered.

    ``moves`` were answered with a receipt: each its round, its number in the round, and its kind; ``refused_moves``
    were refused.
    """

    def __init__(self, client: AsyncClient, **how: Any) -> None:  # noqa: ANN401 - of Player
        super().__init__("An", client=client, **how)
        self.is_steady, self.script, self.timeout = True, play_and_skip, 600.0
        self.reach: Callable[[str, str], None] = lambda _when, _name: None
        self.moves: list[tuple[str, int, str]] = []
        self.refused_moves: list[View] = []

    async def ask(self, name: str, **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Send a command and note its answer."""
        asking = asyncio.ensure_future(super().ask(name, **fields))
        await asyncio.sleep(0)
        self.reach("sent", name)
        try:
            result = await asking
        except RefusedCommandError as error:
            if name in KINDS and name != "open":  # which the page sends by itself, with each stream again
                self.refused_moves += error.args
            raise
        if "number" in result and name in KINDS:
            self.moves.append((fields["round_id"], result["number"], KINDS[name]))
        self.reach("answered", name)
        return result

    async def sit_down(self, address: str, **how: Any) -> None:  # noqa: ANN401 - of create
        """Open a room with a bot."""
        await self.come(address)
        await self.ask("create", stake_minor=1000, bots=1, **how)
        await self.until(lambda view: len(view.get("persons", ())) == 2)

    async def played(self) -> list[View]:
        """Return the rounds, newest first, once each move that was answered is found in them, and none of a clock."""
        rounds, kept = (await self.ask("history"))["rounds"], []
        for last in rounds:
            if last["end"] == "SETTLED":  # else a restart took longer than seats have for their seeds
                replay = await self.ask("replay", table=last["table"], number=last["number"])
                seat = [person["person"] for person in replay["seats"]].index(self.welcome["person"])
                own = [(number, one["action"]) for number, one in enumerate(replay["events"], 1) if one["seat"] == seat]
                kept += [(last["round_id"], number, action) for number, action in own]
        assert not {action for *_, action in kept} & {"TIMEOUT", "LEAVE"}
        assert self.moves
        assert set(self.moves) <= set(kept)
        assert len(self.moves) == len(set(self.moves))
        return list(rounds)


async def play_and_skip(player: Player, view: View) -> None:
    """Play a round, and skip its show."""
    await play_anything(player, view)
    if view["phase"] == "SHOWDOWN" and player.once(view["round"]["round_id"], "skip"):
        await player.move("skip")


class Mortal:
    """A table's process that ends once at each step of a round, those of going on after an end included.

    A step is a write, or a call that makes the referee write, in a phase of the room. The process ends before it, or
    when it is done and nobody has learned of that: from then on the process neither says, asks nor writes anything.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_mortal = self.is_over = False
        self.loop, self.ended = asyncio.get_running_loop(), asyncio.Event()
        self.steps: set[tuple[str, ...]] = set()
        self.house: House | None = None
        self.room: Room | None = None
        for owner in (RoomFiles, Journal):
            for name in {"save", "save_rounds", "forget"} & vars(owner).keys():
                monkeypatch.setattr(owner, name, self._writing(f"{owner.__name__}.{name}", getattr(owner, name)))
        for name in ("say", "refresh", "end"):
            monkeypatch.setattr(PageStream, name, self._speaking(getattr(PageStream, name)))
        monkeypatch.setattr(RepeatingLine, "ask", self._asking(RepeatingLine.ask))
        monkeypatch.setattr(House, "_open", self._opening(House._open))  # noqa: SLF001 - where a process begins to play

    def start(self) -> None:
        """Start the process again."""
        self.house, self.room, self.is_over = None, None, False
        self.ended.clear()

    def _opening(self, open_room: Callable[..., Room]) -> Callable[..., Room]:
        def opening(house: House, *given: Any) -> Room:  # noqa: ANN401 - of a room
            self.house, self.room = house, open_room(house, *given)
            return self.room

        return opening

    def _asking(self, ask: Callable[..., Any]) -> Callable[..., Any]:
        async def asking(line: RepeatingLine, method: str, *given: Any, **how: Any) -> Any:  # noqa: ANN401 - of any call
            is_step = self.house is not None and line is self.house.client._session.line and not READS.match(method)  # noqa: SLF001 - not the page's own
            if is_step:
                self._reach(method, "before")
            answer = await ask(line, method, *given, **how)
            if is_step:
                self._reach(method, "after")
            return answer

        return asking

    def _writing(self, name: str, write: Callable[..., None]) -> Callable[..., None]:
        def writing(*given: Any) -> None:  # noqa: ANN401 - of any write
            self._reach(name, "before")
            write(*given)
            self._reach(name, "after")

        return writing

    def _speaking(self, speak: Callable[..., None]) -> Callable[..., None]:
        return lambda *given: None if self.is_over else speak(*given)

    def _reach(self, name: str, when: str) -> None:
        if self.room is None or not self.is_mortal:
            return
        step = (self.room.state.phase, "" if self.room.views else "again", name, when)
        if not self.is_over and step not in self.steps:
            self.steps.add(step)
            self.is_over = True
            self.loop.call_soon_threadsafe(self.ended.set)  # the journal is written in another thread
        if self.is_over:
            raise asyncio.CancelledError


@pytest.mark.filterwarnings(
    "ignore:coroutine .*advice:RuntimeWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)  # a bot that was about to ask when its process ended
@pytest.mark.parametrize(("ruleset", "sealed"), PARAMETERS)
async def test_nothing_is_lost_wherever_the_table_ends(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch, ruleset: str, *, sealed: bool
) -> None:
    """Each round is settled once and proved, with each move that was answered; time does not pass meanwhile.

    The process goes on and ends at the next step, of going on too, so that it also ends twice and more in a row.
    """
    mortal, numbers = Mortal(monkeypatch), list[int]()

    async def play(player: Witness) -> list[View]:
        await player.sit_down(new_scene.address, ruleset=ruleset, sealed=sealed)
        mortal.is_mortal, steps = True, -1
        while steps < len(mortal.steps):
            steps = len(mortal.steps)
            numbers.append(len(numbers) + 1)
            await player.ask("ready", is_ready=True)
            await player.until(lambda view: (view.get("last") or {}).get("number") == numbers[-1])
        return await player.played()

    async with AsyncClient(new_scene.referee, on_reach=lambda _: None) as client, AsyncExitStack() as stack:
        player = Witness(client, is_keyed=True)
        stack.push_async_callback(player.go)
        playing: asyncio.Task[list[View]] | None = None
        while playing is None or not playing.done():
            mortal.start()
            async with new_scene.open():
                playing = playing or asyncio.create_task(play(player))
                await asyncio.wait(
                    {playing, ending := asyncio.create_task(mortal.ended.wait())}, return_when="FIRST_COMPLETED"
                )
                ending.cancel()
        rounds = await playing
    assert [(one["number"], one["end"]) for one in reversed(rounds)] == [(number, "SETTLED") for number in numbers]
    assert player.refused_moves == []
    nets = [one["net_minor"] for last in rounds for one in last["seats"] if one["name"] == "An"]
    assert [one["score_minor"] for one in player.view["persons"] if one["name"] == "An"] == [sum(nets)]
    assert "RESTARTED" in player.codes("notice")
    hands: dict[str, set[str]] = {}
    for made in [one["round"] for one in player.seen if (one.get("round") or {}).get("hand")]:
        assert set(made["hand"]) <= hands.setdefault(made["round_id"], set(made["hand"]))
    assert len(hands) == len(numbers) * (not sealed)
    assert len(mortal.steps) > 40
    assert new_scene.audited().dealing_levels


@pytest.mark.parametrize("victim", ["TABLE", "REFEREE"])
@pytest.mark.parametrize(("ruleset", "sealed"), PARAMETERS)
async def test_no_move_is_lost_or_made_twice_whatever_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ruleset: str, victim: str, *, sealed: bool
) -> None:
    """Without warning, as processes. The command ends with all that it started."""
    write_slow_rulesets(tmp_path / "house", ruleset)
    monkeypatch.setenv("REFEREE_SERVE_RULESETS", str(tmp_path / "house"))
    with table_process(tmp_path / "data") as running:
        moments = list(MOMENTS)

        def reach(when: str, name: str) -> None:
            if moments[:1] != [(when, MOVE if name in KINDS else name)]:
                return
            moments.pop(0)
            if victim == "REFEREE":
                running.kill_referee()
            else:
                running.kill()
                running.start()

        async with AsyncClient(running.referee, on_reach=lambda _: None) as client, AsyncExitStack() as stack:
            player = Witness(client)
            stack.push_async_callback(player.go)
            await player.sit_down(running.address, ruleset=ruleset.partition(".")[0] + ".slow", sealed=sealed)
            player.reach = reach
            for _ in range(MANY_ROUNDS):  # a restart may take longer than seats have before the deal
                if not moments:
                    break
                await player.ask("ready", is_ready=True)
                await player.until(lambda view: view.get("phase") != "LOBBY")
                await player.until(lambda view: view.get("phase") == "LOBBY")
            assert moments == []
            assert ("RESTARTED" in player.codes("notice")) == (victim == "TABLE")
            await player.played()
        children = running.children
        assert running.stop() == 0
        assert not psutil.wait_procs(children, timeout=STOP_SECONDS)[1]
    audit(tmp_path / "data" / "referee")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--listen", "nowhere"], "--listen nowhere has no port"),
        (["--listen", "127.0.0.1:99999"], "--listen 127.0.0.1:99999 has no port"),
        (["--referee", "127.0.0.1:1", "--referee-certificate", "own.pem"], "need each other"),
        (["--referee", "127.0.0.1:1", "--referee-token", "absent.txt"], "absent.txt"),
    ],
)
def test_options_that_cannot_be_are_refused_in_one_line(tmp_path: Path, options: list[str], reason: str) -> None:
    command = [sys.executable, "-m", "referee_table", "--data", str(tmp_path), *options]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=STOP_SECONDS, check=False)
    assert (ended.returncode, ended.stderr.count("\n"), reason in ended.stderr) == (2, 1, True), ended.stderr
