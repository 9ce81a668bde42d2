"""The one command: a referee, its gateway and the table together, killed and started again."""

import asyncio
import base64
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import httpx
import psutil
import pytest

from tests.command import referee
from tests.table.scripted_player import Player, View, play_anything
from tests.table.table_process import STOPPING_SECONDS, Running, table_process

TIMEOUT: Final = 60.0


@asynccontextmanager
async def seated(running: Running, ruleset: str, **terms: Any) -> AsyncIterator[Player]:  # noqa: ANN401 - of create
    """Seat somebody with three bots, ready, for the block."""
    with grpc.insecure_channel(running.referee) as channel:
        player = Player("An", referee=channel)
        await player.come(running.address)
        await player.ask("create", ruleset=ruleset, stake_minor=1000, bots=3, **terms)
        await player.until(lambda view: sum(person["place"] == "SEAT" for person in view.get("persons", ())) == 4)
        await player.ask("ready", is_ready=True)
        try:
            yield player
        finally:
            await player.go()


def audit(data: Path) -> None:
    """Audit the log of the referee's folder."""
    done = referee("audit", "--data", data / "referee")
    assert done.returncode == 0, done.stdout + done.stderr


async def test_sealed_hand_comes_over_the_gateway_and_not_over_the_table(tmp_path: Path) -> None:
    """What PROTOCOL.md asks of a page, done as a browser would; the command ends with all it started."""
    with table_process(tmp_path, "--bot-ms", "0") as running:
        async with seated(running, "ultimate_texas.casino", sealed=True) as player:
            view = await player.until(lambda view: "legal" in ((view["round"] or {}).get("ultimate_texas") or {}))
            played = view["round"]
            assert player.welcome["gateway"] == running.gateway
            opened = await gateway_call(running, view, player)
            _, hand = await asyncio.to_thread(player.open_hand, view)
            assert len(opened["hand"]["cards"]) == len(hand) == 2
            assert opened["hand"].get("seat", 0) == played["you"]
            certificates = [opened["certificate"], *played["certificates"]]
            message = {"header": played["header"], "certificates": certificates, "events": played["events"]}
            request = {"round": message, "seat": played["you"]}
            advice = await post(running, "AdviceService/SuggestDecision", request)
            assert advice["best"].removeprefix("DECISION_") in played["ultimate_texas"]["legal"]
            player.script = play_anything
            player.prod()
            last = (await player.until(lambda view: view["last"] is not None))["last"]
            assert last["end"] == "SETTLED"
            assert last["seats"][played["you"]]["hole"] == hand
        children = running.children
        running.process.terminate()
        assert running.process.wait(STOPPING_SECONDS) == 0
        assert not psutil.wait_procs(children, timeout=STOPPING_SECONDS)[1]
    audit(tmp_path)


async def gateway_call(running: Running, view: View, player: Player) -> View:
    """Return the answer to OpenHand, as a page calls it."""
    given = view["round"]
    return await post(
        running,
        "ShufflerService/OpenHand",
        {
            "round": {"tableId": given["table"], "roundNumber": str(given["number"])},
            "seat": given["you"],
            "token": base64.b64encode(player.own("token", given["round_id"])).decode(),
        },
    )


async def post(running: Running, method: str, message: View) -> View:
    """Send a request to the gateway from the page of this table."""
    origin = f"http://{running.address}"
    headers = {"origin": origin, "connect-protocol-version": "1"}
    async with httpx.AsyncClient(timeout=TIMEOUT) as client:
        answer = await client.post(f"{running.gateway}/referee.v1.{method}", json=message, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.headers["access-control-allow-origin"] in {origin, "*"}
    given: View = answer.json()
    return given


async def test_both_are_killed_in_the_middle_of_a_round_and_it_is_played_to_its_end(tmp_path: Path) -> None:
    """First the referee, which the command starts again; then the command itself. One round, settled once."""
    options = ("--bot-ms", "150")
    with table_process(tmp_path, *options) as running:
        async with seated(running, "tien_len.mien_nam") as player:
            view = await player.until(lambda view: view["phase"] == "PLAYING" or view["last"] is not None)
            if view["last"] is not None:
                pytest.skip("a hand won at the deal")
            (child,) = running.children
            await asyncio.to_thread(child.kill)
            player.script = play_anything
            player.prod()
            count = len(view["round"]["tien_len"]["played"])
            await player.until(
                lambda view: view["last"] is not None or len(view["round"]["tien_len"]["played"]) > count + 4
            )
            running.process.kill()
            await player.closed()
    with table_process(tmp_path, *options) as running:
        await player.come(running.address)
        try:
            last = (await player.until(lambda view: view.get("last") is not None))["last"]
            assert player.notices.count("RESTARTED") == 1
            assert (last["end"], last["round_id"]) == ("SETTLED", view["round"]["round_id"])
            after = await player.until(lambda view: view["last"]["proof"]["is_revealed"])
            async with httpx.AsyncClient(timeout=TIMEOUT) as client:
                bundle = await client.get(f"http://{running.address}{after['last']['proof']['bundle']}")
                assert json.loads(bundle.text)["round_id"] == last["round_id"]
        finally:
            await player.go()
    audit(tmp_path)


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
