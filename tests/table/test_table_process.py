"""The one command: a referee, its gateway and the table together."""

import asyncio
import base64
import subprocess
import sys
from pathlib import Path
from typing import Final

import grpc
import httpx
import psutil
import pytest

from tests.command import referee
from tests.table.scripted_player import Player, View, play_anything
from tests.table.table_process import STOPPING_SECONDS, Running, table_process

TIMEOUT: Final = 60.0


def audit(data: Path) -> None:
    """Audit the log of the referee's folder."""
    done = referee("audit", "--data", data / "referee")
    assert done.returncode == 0, done.stdout + done.stderr


async def test_sealed_hand_comes_over_the_gateway_and_not_over_the_table(tmp_path: Path) -> None:
    """What PROTOCOL.md asks of a page, done as a browser would; the command ends with all it started."""
    with table_process(tmp_path, "--bot-ms", "0") as running, grpc.insecure_channel(running.referee) as channel:
        player = await Player("An", referee=channel).come(running.address)
        await player.ask("create", ruleset="ultimate_texas.casino", stake_minor=1000, bots=3, sealed=True)
        await player.until(lambda view: [one["place"] for one in view.get("persons", ())] == ["SEAT"] * 4)
        await player.ask("ready", is_ready=True)
        view = await player.until(lambda view: "legal" in ((view["round"] or {}).get("ultimate_texas") or {}))
        played = view["round"]
        assert player.welcome["gateway"] == running.gateway
        ref = {"tableId": played["table"], "roundNumber": str(played["number"])}
        token = base64.b64encode(player.secrets(played).token).decode()
        question = {"round": ref, "seat": played["you"], "token": token}
        opened = await post(running, "ShufflerService/OpenHand", question)
        _, hand = await asyncio.to_thread(player.open_hand, view)
        assert len(opened["hand"]["cards"]) == len(hand) == 2
        assert opened["hand"].get("seat", 0) == played["you"]
        certificates = [opened["certificate"], *played["certificates"]]
        message = {"header": played["header"], "certificates": certificates, "events": played["events"]}
        advice = await post(running, "AdviceService/SuggestDecision", {"round": message, "seat": played["you"]})
        assert advice["best"].removeprefix("DECISION_") in played["ultimate_texas"]["legal"]
        player.script = play_anything
        player.prod()
        last = (await player.until(lambda view: view["last"] is not None))["last"]
        assert last["end"] == "SETTLED"
        assert last["seats"][played["you"]]["hole"] == hand
        await player.go()
        children = running.children
        running.process.terminate()
        assert running.process.wait(STOPPING_SECONDS) == 0
        assert not psutil.wait_procs(children, timeout=STOPPING_SECONDS)[1]
    audit(tmp_path)


async def post(running: Running, method: str, message: View) -> View:
    """Send a request to the gateway from the page of this table."""
    origin = f"http://{running.address}"
    headers = {"origin": origin, "connect-protocol-version": "1"}
    async with httpx.AsyncClient(timeout=TIMEOUT) as client, asyncio.timeout(TIMEOUT):
        while True:
            answer = await client.post(f"{running.gateway}/referee.v1.{method}", json=message, headers=headers)
            if answer.status_code != 429:  # bots ask for advice too
                break
    assert answer.status_code == 200, answer.text
    assert answer.headers["access-control-allow-origin"] in {origin, "*"}
    given: View = answer.json()
    return given


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
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    assert (ended.returncode, ended.stderr.count("\n"), reason in ended.stderr) == (2, 1, True), ended.stderr
