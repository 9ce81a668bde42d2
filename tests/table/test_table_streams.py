"""Streams: commands that come twice or too often, messages that are none, and the page's own addresses."""

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.table.scripted_player import View
from tests.table.table_scene import MAU_BINH, TIEN_LEN, Scene, dealt

HELLO: Final = {"type": "hello", "protocol": 1, "secret": "0" * 32, "name": "An"}
NO_ROUND: Final = {"round_id": "00" * 32}


async def test_command_that_is_sent_again_is_done_once_and_views_do_not_change(scene: Scene) -> None:
    """The same id gets the same answer, and the cards lie once; a view that was given out stays as it was."""
    seats = await scene.table(TIEN_LEN, people=2, plays=False)
    lead = seats[(await dealt(*seats))[0]["round"]["tien_len"]["turn"]]
    view = await lead.until(lambda view: "legal" in view["round"]["tien_len"])
    made = scene.house.sees(next(one for one in scene.house.visitors.people.values() if one.person == view["you"]))
    before, cards = json.dumps(made), view["round"]["tien_len"]["legal"]["plays"][0]["cards"]
    fields: dict[str, Any] = {"round_id": view["round"]["round_id"], "cards": cards}
    answers = [await lead.ask("play", **fields, command="the-play") for _ in range(2)]
    assert (answers[0]["number"], answers[1]) == (1, answers[0])
    view = await lead.until(lambda view: bool(view["round"]["tien_len"]["played"]))
    assert view["round"]["tien_len"]["played"] == cards
    assert json.dumps(made) == before
    other = await lead.refused("play", **fields)
    (turn,) = [one["text"] for one in other["violations"] if one["code"] == "OUT_OF_TURN"]
    assert (other["code"], turn["vi"]) == ("UNLAWFUL", f"Chưa đến lượt {lead.name}.")  # people, not seats


async def test_room_of_a_repeated_create_is_made_once(scene: Scene) -> None:
    an = await scene.player("An")
    fields: dict[str, Any] = {"ruleset": MAU_BINH, "stake_minor": 100, "bots": 1, "command": "first"}
    made = await an.ask("create", **fields)
    assert await an.ask("create", **fields) == made
    assert list(scene.house.rooms) == [made["room"]]
    await an.until(lambda view: len(view.get("persons", ())) == 2)


@pytest.mark.parametrize(
    ("message", "code", "goodbye"),
    [
        ("not JSON", 4002, "BAD_MESSAGE"),
        ({"type": "command", "id": "1", "name": "ready", "is_ready": True}, 4002, "BAD_MESSAGE"),
        *[(HELLO | {"name": name}, 4002, "BAD_MESSAGE") for name in ("", "x" * 257)],
        (HELLO | {"secret": "short"}, 4002, "BAD_MESSAGE"),
        (HELLO | {"protocol": 2}, 4003, "OTHER_PROTOCOL"),
    ],
)
async def test_stream_that_begins_wrongly_is_refused(scene: Scene, message: object, code: int, goodbye: str) -> None:
    """The reason comes before the close."""
    async with connect(f"ws://{scene.address}/api/stream") as socket:
        await socket.send(message if isinstance(message, str) else json.dumps(message))
        assert json.loads(await socket.recv())["code"] == goodbye
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == code


async def test_message_that_cannot_be_read_ends_the_stream(scene: Scene) -> None:
    """The seat stays. A ping is answered by the server's clock."""
    (an,) = await scene.table(MAU_BINH)
    for message in ("{", '{"type":"song"}', json.dumps({"type": "ping", "sent": 1, "pad": "x" * 70_000})):
        await an.send(message)
        assert await an.closed() == "BAD_MESSAGE"
        await an.come(scene.address)
        assert an.view["type"] == "view"
    scene.clock.move(300_000)
    await an.send({"type": "ping", "sent": 12.5})
    await an.ask("history")
    pong = next(message for message in an.seen if message["type"] == "pong")
    assert pong == {"type": "pong", "sent": 12.5, "time": an.welcome["time"] + 300_000}


async def test_command_that_cannot_be_is_refused_and_nothing_happens(scene: Scene) -> None:
    """BAD_COMMAND, with the stream alive."""
    an = await scene.player("An")
    rows: dict[str, Any] = {"back": ["AS"] * 14, "middle": [], "front": []}
    create: View = {"name": "create", "ruleset": MAU_BINH, "stake_minor": 100}
    commands: list[View] = [
        {"name": "fly"},
        {"name": "ready"},
        {"name": "ready", "is_ready": "yes"},
        create | {"ruleset": "whist"},
        create | {"stake_minor": 7},
        create | {"bots": 4},
        create | {"ruleset": TIEN_LEN, "sealed": True},
        {"name": "play", **NO_ROUND, "cards": []},
        {"name": "play", **NO_ROUND, "cards": ["1S"]},
        {"name": "play", "round_id": "zz", "cards": ["AS"]},
        {"name": "open", **NO_ROUND, "nonce": "00" * 32, **rows},
    ]
    for command in commands:
        assert (await an.refused(**command))["code"] == "BAD_COMMAND", command
    assert (await an.refused("pass", **NO_ROUND))["code"] == "OTHER_ROUND"
    assert (await an.refused("history"))["code"] == "NO_ROOM"
    assert (an.view["type"], scene.house.rooms) == ("lobby", {})


async def test_page_that_asks_too_much_is_refused(scene: Scene) -> None:
    """Hundreds of commands at once: some are done, the others refused and may come again; the table is unhurt."""
    (an,) = await scene.table(MAU_BINH)
    asked = [an.ask("history") for _ in range(200)]
    refused = [one for one in await asyncio.gather(*asked, return_exceptions=True) if isinstance(one, Exception)]
    assert 0 < len(refused) < 200
    assert {one.args[0]["code"] for one in refused} == {"TOO_MANY"}


async def test_page_of_another_site_or_host_gets_nothing(new_scene: Scene) -> None:
    """A browser says where a page comes from; a foreign name that resolves here would make it one of this origin."""
    async with new_scene.open(hosts=("cards.example",)):
        address, port = new_scene.address, new_scene.address.rpartition(":")[2]
        url, evil, elsewhere = f"ws://{address}/api/stream", f"evil.example:{port}", "http://elsewhere.example"
        for host, origin, status in ((address, elsewhere, 403), (evil, f"http://{evil}", 421)):
            headers = {"Origin": origin}
            with pytest.raises(InvalidStatus) as refused:
                await connect(f"ws://{host}/api/stream", host="127.0.0.1", port=int(port), additional_headers=headers)
            assert refused.value.response.status_code == status
        async with httpx.AsyncClient(base_url=f"http://{address}") as client:
            for host in (address, f"localhost:{port}", "LOCALHOST", f"[::1]:{port}", "cards.example"):
                assert (await client.get("/api/health", headers={"host": host})).is_success, host
            for host in (evil, "evil.example", "localhost.evil.example", "127.0.0.1.evil", ""):
                answer = await client.get("/api/health", headers={"host": host})
                assert (answer.status_code, "add a name with --host" in answer.text) == (421, True), host
            for origin, status in {elsewhere: 403, "null": 403, f"http://{address}": 405}.items():
                assert (await client.post("/api/health", headers={"origin": origin})).status_code == status
            assert (await client.get("/api/health", headers={"origin": elsewhere})).is_success
        async with connect(url, additional_headers={"Origin": f"http://{address}"}) as socket:
            await socket.send(json.dumps(HELLO))
            assert json.loads(await socket.recv())["type"] == "welcome"


async def test_page_and_proofs_are_served_with_care(new_scene: Scene, tmp_path: Path) -> None:
    """The page's own files and no others; a proof is public once its round is over, before that it says why not."""
    page, gateway = tmp_path / "page", "https://cards.example/referee"
    (page / "assets").mkdir(parents=True)
    files = {
        "index.html": "<p>table",
        "assets/a-12345678.js": "1;" * 2000,
        "assets/a.js": "1",
        "../secret.txt": "secret",
    }
    for name, text in files.items():
        (page / name).write_text(text)
    async with (
        new_scene.open(page=page, gateway=gateway) as scene,
        httpx.AsyncClient(base_url=f"http://{new_scene.address}") as client,
    ):
        index = await client.get("/")
        assert index.text == "<p>table"
        assert f"default-src 'self'; connect-src 'self' {gateway}/;" in index.headers["content-security-policy"]
        script = await client.get("/assets/a-12345678.js")
        assert "immutable" in script.headers["cache-control"]
        assert script.headers["content-encoding"] == "gzip"
        assert script.headers["content-type"].startswith("text/javascript")
        assert (await client.get("/assets/a.js")).headers["cache-control"] == "no-cache"
        paths = ["/%2e%2e/secret.txt", "/../secret.txt", "/assets", "/nothing", "/%00", "/a%00.js"]
        for path in [*paths, f"/{'a' * 300}", f"/{'a/' * 3_000}"]:
            assert (await client.get(path)).status_code == 404, path
        for number in ("1", "0", "-1", "%00", "\N{SUPERSCRIPT TWO}", "9" * 26, "9" * 5_000):
            answer = await client.get(f"/api/bundles/nowhere/{number}")
            assert (answer.status_code, answer.json()) == (404, {"reason": "NOT_OPENED"}), number
        assert (await client.get("/api/rulesets/whist")).status_code == 404
        (an,) = await scene.table(MAU_BINH, bots=1, plays=False)
        for ruleset in an.welcome["rulesets"]:
            file = await client.get(f"/api/rulesets/{ruleset['id']}")
            assert hashlib.sha256(file.content).hexdigest() == ruleset["digest"]
        given = (await dealt(an))[0]["round"]
        early = await client.get(f"/api/bundles/{given['table']}/1")
        assert (early.status_code, early.json()) == (404, {"reason": "ROUND_NOT_OVER"})
        scene.clock.move(60_000)
        last = await scene.finish(an)
        assert (await client.get(last["proof"]["bundle"])).json()["round_id"] == given["round_id"]
        health = (await client.get("/api/health")).json()
        assert (health["referee"], health["rooms"], health["pages"]) == ("REACHED", 1, 1)
