"""The fourth game, installed beside the referee for these tests alone."""

import os
import subprocess
import sys

import pytest

from tests.fourth_game.fourth_house import (
    DEMO,
    HERE,
    ROUNDS_OF_A_TABLE,
    SEATS,
    SECONDS,
    House,
    keys_of,
    played_by,
    run_script,
    serving,
)

PLAYED = """
import httpx
from google.protobuf.json_format import MessageToJson

with Client(address, timeout=60) as client:
    secrets = [SeatSecrets.make(seat, keyed=True) for seat in range(3)]
    game = client.game("bai_cao", terms("blocking"), secrets=secrets)
    game.open()
    game.deal()
    answers["early"] = [violation.code for violation in game.settle().violations]
    answers["numbers"] = [
        game.accept_event(game.event(seat=seat, act="ACT_LEAVE" if seat == 1 else "ACT_SHOW")).event_number
        for seat in range(3)
    ]
    answers["late"] = [violation.code for violation in game.accept_event(game.event(seat=2, act="ACT_SHOW")).violations]
    answers["preview"] = game.ask("PreviewRound") == game.preview()
    answers["over"] = game.is_over()
    answers["signed"] = sorted(seat for seat, chain in game.chains.items() if chain.save())
    answers["receipted"] = len(game.receipted_events)
    answers["kinds"] = [json.loads(link.event)["kind"] for link in game.course.links]
    answers["abridged"] = client.abridging.abridged
    answers["blocking"] = result_of(game.settle())
    hands = game.hands
    answers["revealed"] = {seat: game.reveal().sections[seat] for seat in hands} == hands

async def over_http(http, game):
    request = f'{{"round":{MessageToJson(game.message)}}}'
    headers = {"content-type": "application/json"}
    answer = await http.post("/bai_cao.v1.BaiCaoService/PreviewRound", content=request, headers=headers)
    return [seat["hand"] for seat in answer.raise_for_status().json()["outcome"]["seats"]]

async def play(client, http, seats):
    rounds = []
    for _ in range(given["rounds"]):
        game = client.game("bai_cao", terms(f"table-{seats}", seats))
        await game.open()
        await game.deal()
        for seat in range(seats):
            await game.accept_event(game.event(seat=seat, act="ACT_LEAVE" if seat == 1 else "ACT_SHOW"))
        shown = await over_http(http, game)
        rounds.append(result_of(await game.settle()) | {"http": shown})
        await game.reveal()
    return rounds

async def main():
    async with AsyncClient(address, timeout=60) as client, httpx.AsyncClient(base_url=given["web"], timeout=60) as http:
        tables = await asyncio.gather(*(play(client, http, seats) for seats in given["seats"]))
        answers["rounds"] = [one for rounds in tables for one in rounds]
        answers["calls"] = client.gathering.calls < client.gathering.requests

asyncio.run(main())
print(json.dumps(answers | {"modules": sorted(sys.modules)}))
"""


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Install the package and return the environment of processes that find it."""
    target = tmp_path_factory.mktemp("installed")
    offline = ("--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "--quiet")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *offline, "--target", str(target), str(HERE)],
        check=True,
        timeout=SECONDS,
    )
    return os.environ | {"PYTHONPATH": str(target), "COLUMNS": "200"}


@pytest.fixture(scope="session")
def fourth_house(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> House:
    """Play and settle rounds at tables of all sizes with the SDK, then stop the server."""
    data = tmp_path_factory.mktemp("house") / "data"
    with serving(data, environment) as ready:
        given = {"web": f"http://{ready['web']}", "seats": SEATS, "rounds": ROUNDS_OF_A_TABLE}
        played = played_by(PLAYED, environment, address=ready["address"], **given)
        demo = run_script(DEMO, ready["address"], environment=environment)
    return House(data, keys_of(data), played, demo)
