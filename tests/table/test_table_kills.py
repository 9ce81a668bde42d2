"""Table server and referee are killed at many moments of a round of each game, and no move is lost or made twice."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final

import psutil
import pytest
from referee_client import AsyncClient

from tests.chaos.process import STOP_SECONDS
from tests.table.scripted_player import KINDS, Player, View, play_anything
from tests.table.table_process import audit, table_process, write_slow_rulesets
from tests.table.table_scene import GAMES, MAU_BINH, TIEN_LEN, ready

SHOWN: Final = [(MAU_BINH, True), (TIEN_LEN, False)]
SLOW: Final = pytest.mark.slow("starts and kills processes some times a round, as with other games")
MOVE: Final = "a move"
MOMENTS: Final = (("sent", "bind"), ("sent", "seed"), ("sent", MOVE), ("answered", MOVE))
"""When to kill, in order: a command has just been sent and is being carried out, or was answered."""
MANY_ROUNDS: Final = 12


class Witness(Player):
    """A player who plays rounds by itself and has a process killed at each moment.

    ``moves`` were answered with a receipt: each its round, its number in the round, and its kind.
    """

    def __init__(self, name: str, kill: Callable[[], None], client: AsyncClient) -> None:
        super().__init__(name, client=client)
        self.script, self.is_steady = play_anything, True
        self.kill, self.moments = kill, list(MOMENTS)
        self.moves: list[tuple[str, int, str]] = []

    async def ask(self, name: str, **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Send a command; have the process killed where that is the next moment."""
        asking = asyncio.ensure_future(super().ask(name, **fields))
        await asyncio.sleep(0)
        self._reach("sent", name)
        result = await asking
        if "number" in result and name in KINDS:
            self.moves.append((fields["round_id"], result["number"], KINDS[name]))
        self._reach("answered", name)
        return result

    def _reach(self, when: str, name: str) -> None:
        if self.moments[:1] == [(when, MOVE if name in KINDS else name)]:
            self.moments.pop(0)
            self.kill()  # the page finds out once the process runs again


@pytest.mark.parametrize("victim", ["TABLE", "REFEREE"])
@pytest.mark.parametrize(
    ("ruleset", "sealed"), [pytest.param(*game, marks=() if game in SHOWN else SLOW) for game in GAMES]
)
async def test_no_move_is_lost_or_made_twice_whatever_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ruleset: str, victim: str, *, sealed: bool
) -> None:
    """Each move that had a receipt is in a settled, proved round at its number, and none is of the seat's clock.

    The command ends with all that it started.
    """
    write_slow_rulesets(tmp_path / "house", ruleset)
    monkeypatch.setenv("REFEREE_SERVE_RULESETS", str(tmp_path / "house"))
    with table_process(tmp_path / "data") as running:

        def kill_table() -> None:
            running.kill()
            running.start()

        kill = kill_table if victim == "TABLE" else running.kill_referee
        async with AsyncClient(running.referee, on_reach=lambda _: None) as client, AsyncExitStack() as stack:
            player = Witness("An", kill, client)
            stack.push_async_callback(player.go)
            await player.come(running.address)
            slow = ruleset.partition(".")[0] + ".slow"
            await player.ask("create", ruleset=slow, stake_minor=1000, bots=1, sealed=sealed)
            await player.until(lambda view: len(view.get("persons", ())) == 2)
            for _ in range(MANY_ROUNDS):
                if player.moments:  # a restart may take longer than seats have before the deal
                    await ready(player)
                    await player.until(lambda view: view.get("phase") != "LOBBY")
                    await player.until(lambda view: view.get("phase") == "LOBBY")
            assert player.moments == []
            assert ("RESTARTED" in player.codes("notice")) == (victim == "TABLE")
            await expect_all_moves(player)
        children = running.children
        assert running.stop() == 0
        assert not psutil.wait_procs(children, timeout=STOP_SECONDS)[1]
    audit(tmp_path / "data" / "referee")


async def expect_all_moves(player: Witness) -> None:
    """Check the finished rounds against what the player was answered."""
    kept = []
    for last in (await player.ask("history"))["rounds"]:
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
