"""Table server and referee are killed at many moments of a round of each game, and no move is lost or made twice."""

import asyncio
import contextlib
import time
from pathlib import Path
from typing import Any, Final, Literal

import grpc
import psutil
import pytest

from tests.table import table_scene
from tests.table.scripted_player import KINDS, Player, RefusedCommandError, View, play_anything
from tests.table.slow_rulesets import write_slow_rulesets
from tests.table.table_process import Running, table_process
from tests.table.test_table_process import audit

Victim = Literal["TABLE", "REFEREE"]

GAMES: Final = [(ruleset.partition(".")[0] + ".slow", sealed) for ruleset, sealed in table_scene.GAMES]
SHOWN: Final = [("mau_binh.slow", True), ("tien_len.slow", False)]
SLOW: Final = pytest.mark.slow("starts and kills processes some times a round, as with other games")
MOVE: Final = "a move"
MOMENTS: Final = (("sent", "bind"), ("sent", "seed"), ("sent", MOVE), ("answered", MOVE))
"""When to kill, in order: a command has just been sent and is being carried out, or was answered."""
MANY_ROUNDS: Final = 12


async def play_as_a_page(player: Player, view: View) -> None:
    """Play, and take a refusal of what was done before a kill, or came too late, as a page does."""
    with contextlib.suppress(RefusedCommandError):
        await play_anything(player, view)


class Witness(Player):
    """A player who plays rounds by itself and has a process killed at each moment.

    ``moves`` were answered with a receipt: each its round, its number in the round, and its kind.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.script = play_as_a_page
        self.moments = list(MOMENTS)
        self.moves: list[tuple[str, int, str]] = []
        self.is_due = asyncio.Event()
        self.is_killed = asyncio.Event()

    async def ask(self, name: str, *, command: str = "", **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Send a command; have the process killed where that is the next moment."""
        asking = asyncio.ensure_future(super().ask(name, command=command, **fields))
        try:
            await asyncio.sleep(0)
            await self._reach("sent", name)
            result = await asking
        finally:
            asking.cancel()  # nobody answers it once the table server has been killed
        if "number" in result and name in KINDS:
            self.moves.append((fields["round_id"], result["number"], KINDS[name]))
        await self._reach("answered", name)
        return result

    async def _answer_phase(self, view: View) -> None:
        with contextlib.suppress(RefusedCommandError):  # done before the kill
            await super()._answer_phase(view)

    async def _reach(self, when: str, name: str) -> None:
        if self.moments and self.moments[0] == (when, MOVE if name in KINDS else name):
            self.moments.pop(0)
            self.is_killed.clear()
            self.is_due.set()
            await self.is_killed.wait()


async def until_next_kill(player: Witness, before: View | None) -> bool:
    """Wait for the next moment, or until the round is over, or given up before its deal; return whether it is one."""
    due = asyncio.ensure_future(player.is_due.wait())
    ended = asyncio.ensure_future(
        player.until(lambda view: view.get("phase") == "LOBBY" or round_of(view) != round_of({"last": before}))
    )
    await asyncio.wait({due, ended}, return_when=asyncio.FIRST_COMPLETED)
    due.cancel()
    is_due = player.is_due.is_set()
    player.is_due.clear()
    if is_due:
        ended.cancel()
    else:
        await ended
    return is_due


def round_of(view: View) -> str | None:
    """Return the round that ended last."""
    last = view.get("last")
    return None if last is None else str(last["round_id"])


def kill_referee(running: Running) -> None:
    """Kill the referee, which the table server starts again; it may be starting after the last kill."""
    while True:
        for child in running.children:
            with contextlib.suppress(psutil.NoSuchProcess):
                if child.status() != psutil.STATUS_ZOMBIE:
                    child.kill()
                    return
        time.sleep(0.02)


async def play_until_the_table_is_to_be_killed(running: Running, player: Witness, victim: Victim) -> bool:
    """Play rounds; return whether the table server is to be killed, false once all moments are over."""
    for _ in range(MANY_ROUNDS):
        before = player.view.get("last")
        if player.view["phase"] == "LOBBY":
            if not player.moments:
                return False
            await Player.ask(player, "ready", is_ready=True)
            await player.until(lambda view: view.get("phase") != "LOBBY")
        while await until_next_kill(player, before):
            if victim == "TABLE":
                return True
            await asyncio.to_thread(kill_referee, running)
            player.is_killed.set()
    raise AssertionError(f"still to come after {MANY_ROUNDS} rounds: {player.moments}")


@pytest.mark.parametrize("victim", ["TABLE", "REFEREE"])
@pytest.mark.parametrize(
    ("ruleset", "sealed"), [pytest.param(*game, marks=() if game in SHOWN else SLOW) for game in GAMES]
)
async def test_no_move_is_lost_or_made_twice_whatever_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ruleset: str, victim: Victim, *, sealed: bool
) -> None:
    """Each move that had a receipt is in a settled, proved round at its number, and none is of the seat's clock."""
    write_slow_rulesets(tmp_path / "house")
    monkeypatch.setenv("REFEREE_SERVE_RULESETS", str(tmp_path / "house"))
    player, kills = Witness("An"), -1
    is_to_be_killed = True
    while is_to_be_killed:
        kills += 1
        with (
            table_process(tmp_path / "data", "--bot-ms", "40", "--brisk") as running,
            grpc.insecure_channel(running.referee) as channel,
        ):
            player.referee = channel
            await player.come(running.address)
            if not kills:
                await player.ask("create", ruleset=ruleset, stake_minor=1000, bots=1, sealed=sealed)
                await player.until(lambda view: len(view.get("persons", ())) == 2)
            is_to_be_killed = await play_until_the_table_is_to_be_killed(running, player, victim)
            assert kills == 0 or player.codes("notice")[:1] == ["RESTARTED"]
            if is_to_be_killed:
                running.process.kill()
            else:
                await expect_all_moves(player)
            await player.go()
    assert kills == (len(MOMENTS) if victim == "TABLE" else 0)
    audit(tmp_path / "data")


async def expect_all_moves(player: Witness) -> None:
    """Check the finished rounds against what the player was answered."""
    rounds = (await player.ask("history"))["rounds"]
    kept = []
    for last in rounds:
        if last["end"] != "SETTLED":  # a restart took longer than seats have for their seeds: nothing was played
            continue
        replay = await player.ask("replay", table=last["table"], number=last["number"])
        seat = [person["person"] for person in replay["seats"]].index(player.welcome["person"])
        own = [(number, event) for number, event in enumerate(replay["events"], 1) if event["seat"] == seat]
        assert [event for _, event in own if event["action"] in {"TIMEOUT", "LEAVE"}] == []
        kept += [(last["round_id"], number, event["action"]) for number, event in own]
    assert player.moves
    assert set(player.moves) <= set(kept)
    assert len(player.moves) == len(set(player.moves))
