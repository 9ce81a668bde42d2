"""Streams: who a secret is, two tabs, cuts and resumption, and messages that are none."""

import asyncio
import json
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.table.scripted_player import Player, View
from tests.table.table_scene import Scene, phase_is, ready

HELLO: Final = {
    "type": "hello",
    "protocol": 1,
    "secret": "0123456789abcdef0123456789abcdef",
    "tab": "t",
    "name": "An",
    "language": "vi",
}


async def test_newer_tab_takes_the_seat_and_the_older_is_informed(scene: Scene) -> None:
    """The same hand, the same seat; the older stream is closed with 4001 and can do nothing more."""
    an, binh = await scene.table("tien_len.mien_nam", people=2, plays=False)
    await ready(an, binh)
    before = await an.until(phase_is("PLAYING"))
    second = await scene.player("An", plays=False, secret=an.secret)
    assert await an.closed() == "TAKEN_OVER"
    assert an.closed_code == 4001
    after = await second.until(phase_is("PLAYING"))
    assert after["round"] == before["round"]
    assert after["you"] == before["you"]
    with pytest.raises(ConnectionClosed):
        await an.send({"type": "ping", "sent": 1})
    assert [one["is_away"] for one in (await binh.until(phase_is("PLAYING")))["persons"]] == [False, False]


async def test_cut_page_comes_back_to_its_seat_and_its_cards(scene: Scene) -> None:
    """Others see it away and back; it resumes with one view, newer than any it had."""
    an, binh = await scene.table("tien_len.mien_nam", people=2, plays=False)
    await ready(an, binh)
    before = await an.until(phase_is("PLAYING"))
    await an.go()
    await binh.until(lambda view: view["persons"][0]["is_away"])
    await an.come(scene.address)
    after = await an.until(lambda view: phase_is("PLAYING")(view) and not view["persons"][0]["is_away"])
    assert after["round"]["hand"] == before["round"]["hand"]
    assert after["version"] > before["version"]
    assert after["room"] == before["room"]


async def test_command_that_is_sent_again_is_done_once(scene: Scene) -> None:
    """A play whose answer was lost: the same id gets the same answer, and the cards lie once."""
    seats = await scene.table("tien_len.mien_nam", people=2, plays=False)
    await ready(*seats)
    turn = (await seats[0].until(phase_is("PLAYING")))["round"]["tien_len"]["turn"]
    lead = seats[turn]
    view = await lead.until(lambda view: phase_is("PLAYING")(view) and "legal" in view["round"]["tien_len"])
    cards = view["round"]["tien_len"]["legal"]["plays"][0]["cards"]
    fields: dict[str, Any] = {"round_id": view["round"]["round_id"], "cards": cards, "command": "the-play"}
    answer = await lead.ask("play", **fields)
    assert answer["number"] == 1
    assert await lead.ask("play", **fields) == answer
    await lead.go()
    await lead.come(scene.address)
    assert await lead.ask("play", **fields) == answer
    view = await lead.until(lambda view: phase_is("PLAYING")(view) and bool(view["round"]["tien_len"]["played"]))
    assert view["round"]["tien_len"]["played"] == cards
    other = await lead.refused("play", **{**fields, "command": "another"})
    assert other["code"] == "UNLAWFUL"
    assert {one["code"] for one in other["violations"]} >= {"OUT_OF_TURN"}


async def test_room_of_a_repeated_create_is_made_once(scene: Scene) -> None:
    """The first command of a page, sent twice, makes one room."""
    an = await scene.player("An")
    fields: dict[str, Any] = {
        "ruleset": "mau_binh.classic",
        "stake_minor": 100,
        "bots": 1,
        "command": "first",
    }
    made = await an.ask("create", **fields)
    assert await an.ask("create", **fields) == made
    assert list(scene.house.rooms) == [made["room"]]
    view = await an.until(lambda view: len(view.get("persons", ())) == 2)
    assert view["room"] == made["room"]


async def test_invitation_takes_a_page_to_the_room(scene: Scene) -> None:
    """``room`` in the hello joins at once; an unknown one leaves the page in the lobby."""
    (an,) = await scene.table("mau_binh.classic")
    binh = await scene.player("Bình", room=an.view["room"])
    await binh.until(lambda view: view.get("room") == an.view["room"])
    chi = await scene.player("Chi", room="nowhere")
    assert chi.view["type"] == "lobby"


@pytest.mark.parametrize(
    ("message", "code", "goodbye"),
    [
        ("not JSON", 4002, "BAD_MESSAGE"),
        (json.dumps({"type": "command", "id": "1", "name": "ready", "is_ready": True}), 4002, "BAD_MESSAGE"),
        (json.dumps(HELLO | {"secret": "short"}), 4002, "BAD_MESSAGE"),
        (json.dumps(HELLO | {"name": ""}), 4002, "BAD_MESSAGE"),
        (json.dumps(HELLO | {"name": "\u202e \x07"}), 4002, "BAD_MESSAGE"),
        (json.dumps(HELLO | {"name": "x" * 257}), 4002, "BAD_MESSAGE"),
        (json.dumps(HELLO | {"protocol": 2}), 4003, "OTHER_PROTOCOL"),
    ],
)
async def test_stream_that_begins_wrongly_is_refused(new_scene: Scene, message: str, code: int, goodbye: str) -> None:
    """The reason comes before the close."""
    async with new_scene.open(), connect(f"ws://{new_scene.address}/api/stream") as socket:
        await socket.send(message)
        assert json.loads(await socket.recv())["code"] == goodbye
        with pytest.raises(ConnectionClosed):
            await socket.recv()
        assert socket.close_code == code


@pytest.mark.parametrize(
    "message", ["{", '{"type":"song"}', json.dumps({"type": "ping", "sent": 1, "pad": "x" * 70_000})]
)
async def test_message_that_cannot_be_read_ends_the_stream(scene: Scene, message: str) -> None:
    """What came before it was answered; the seat stays."""
    (an,) = await scene.table("mau_binh.classic")
    await an.send(message)
    assert await an.closed() == "BAD_MESSAGE"
    await an.come(scene.address)
    assert an.view["type"] == "view"


@pytest.mark.parametrize(
    "command",
    [
        {"name": "fly"},
        {"name": "ready"},
        {"name": "ready", "is_ready": "yes"},
        {"name": "create", "ruleset": "whist", "stake_minor": 100},
        {"name": "create", "ruleset": "mau_binh.classic", "stake_minor": 7},
        {"name": "create", "ruleset": "mau_binh.classic", "stake_minor": 100, "bots": 4},
        {"name": "create", "ruleset": "tien_len.mien_nam", "stake_minor": 100, "sealed": True},
        {"name": "play", "round_id": "00" * 32, "cards": []},
        {"name": "play", "round_id": "00" * 32, "cards": ["1S"]},
        {"name": "play", "round_id": "zz", "cards": ["AS"]},
        {"name": "open", "round_id": "00" * 32, "back": ["AS"] * 14, "middle": [], "front": [], "nonce": "00" * 32},
    ],
)
async def test_command_that_cannot_be_is_refused_and_nothing_happens(scene: Scene, command: View) -> None:
    """BAD_COMMAND, with the stream alive."""
    an = await scene.player("An")
    fields = {key: value for key, value in command.items() if key != "name"}
    assert (await an.refused(command["name"], **fields))["code"] == "BAD_COMMAND"
    assert an.view["type"] == "lobby"
    assert not scene.house.rooms


async def test_page_of_another_site_gets_no_stream(scene: Scene) -> None:
    """A browser says where a page comes from; anywhere but here is refused."""
    with pytest.raises(InvalidStatus):
        await connect(f"ws://{scene.address}/api/stream", origin="http://elsewhere.example")  # type: ignore[arg-type] # text
    async with httpx.AsyncClient(base_url=f"http://{scene.address}") as client:
        for origin in ("http://elsewhere.example", "null"):
            assert (await client.post("/api/health", headers={"origin": origin})).status_code == 403
        own = {"origin": f"http://{scene.address}"}
        assert (await client.post("/api/health", headers=own)).status_code == 405
        assert (await client.get("/api/health", headers={"origin": "http://elsewhere.example"})).is_success
    async with connect(f"ws://{scene.address}/api/stream", origin=f"http://{scene.address}") as socket:  # type: ignore[arg-type] # text
        await socket.send(json.dumps(HELLO))
        assert json.loads(await socket.recv())["type"] == "welcome"


async def test_unknown_host_is_refused_before_anything_is_done(new_scene: Scene) -> None:
    """A foreign name that resolves to this machine would make its page one of this origin."""
    async with new_scene.open(hosts=("cards.example",)):
        port = new_scene.address.rpartition(":")[2]
        async with httpx.AsyncClient(base_url=f"http://{new_scene.address}") as client:
            for host in (new_scene.address, f"localhost:{port}", "LOCALHOST", f"[::1]:{port}", "cards.example"):
                assert (await client.get("/api/health", headers={"host": host})).is_success, host
            for host in (f"evil.example:{port}", "evil.example", "localhost.evil.example", "127.0.0.1.evil", ""):
                answer = await client.get("/api/health", headers={"host": host})
                assert answer.status_code == 421, host
                assert "add a name with --host" in answer.text
        evil = {"host": f"evil.example:{port}", "origin": f"http://evil.example:{port}"}
        line = "".join(f"{name}: {value}\r\n" for name, value in evil.items())
        reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
        writer.write(
            f"GET /api/stream HTTP/1.1\r\n{line}connection: Upgrade\r\nupgrade: websocket\r\n"
            "sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )
        assert (await reader.readline()).split()[1] == b"421"
        writer.close()
        assert not new_scene.house.people


async def test_name_keeps_its_visible_characters_with_notice(scene: Scene) -> None:
    """Control and bidi characters are left out, a long name is cut; neither breaks a log line or another's name."""
    an = await scene.player("An\u202e\x1b[31m\n" + "n" * 40, plays=False)
    assert an.notices == ["NAME_CHANGED"]
    await an.ask("create", ruleset="mau_binh.classic", stake_minor=100)
    await an.until(lambda view: [one["name"] for one in view.get("persons", ())] == ["An[31m " + "n" * 17])
    await an.ask("rename", person_name=" Bi\u0300nh \u2066\u200f", language="vi")
    await an.until(lambda view: [one["name"] for one in view.get("persons", ())] == ["B\u00ecnh"])
    assert (await an.refused("rename", person_name="\u200b", language="vi"))["code"] == "BAD_COMMAND"
    quiet = await scene.player("Nguyễn Thị Ánh")
    assert quiet.notices == []


async def test_page_that_asks_too_much_is_refused(scene: Scene) -> None:
    """Hundreds of commands at once: some are done, the others refused and may come again; the table is unhurt."""
    (an,) = await scene.table("mau_binh.classic")
    asked = [an.ask("rename", person_name=f"An {number}", language="vi") for number in range(200)]
    done = await asyncio.gather(*asked, return_exceptions=True)
    refused = [one for one in done if isinstance(one, Exception)]
    assert 0 < len(refused) < 200
    assert {json.loads(str(one))["code"] for one in refused} == {"TOO_MANY"}


async def test_page_and_proofs_are_served_with_care(new_scene: Scene, tmp_path: Path) -> None:
    """The page's own files and no others; a proof of nothing is not found."""
    page = tmp_path / "page"
    (page / "assets").mkdir(parents=True)
    (page / "index.html").write_text("<p>table")
    (page / "assets" / "a-12345678.js").write_text("1;" * 2000)
    (page / "assets" / "a.js").write_text("1")
    (tmp_path / "secret.txt").write_text("secret")
    gateway = "https://cards.example/referee"
    async with (
        new_scene.open(page=page, gateway=gateway),
        httpx.AsyncClient(base_url=f"http://{new_scene.address}") as client,
    ):
        index = await client.get("/")
        assert index.text == "<p>table"
        assert f"default-src 'self'; connect-src 'self' {gateway}/;" in index.headers["content-security-policy"]
        script = await client.get("/assets/a-12345678.js")
        assert "immutable" in script.headers["cache-control"]
        assert script.headers["content-encoding"] == "gzip"
        assert (await client.get("/assets/a.js")).headers["cache-control"] == "no-cache"
        assert script.headers["content-type"].startswith("text/javascript")
        for path in ("/%2e%2e/secret.txt", "/../secret.txt", "/assets", "/nothing"):
            assert (await client.get(path)).status_code == 404
        for path in ("/%00", "/a%00.js", f"/{'a' * 300}", f"/{'a/' * 3_000}"):
            assert (await client.get(path)).status_code == 404, path
        for number in ("1", "0", "-1", "%00", "\N{SUPERSCRIPT TWO}", "9" * 26, "9" * 5_000):
            answer = await client.get(f"/api/bundles/nowhere/{number}")
            assert (answer.status_code, answer.json()) == (404, {"reason": "NOT_OPENED"}), number
        health = (await client.get("/api/health")).json()
        assert (health["referee"], health["rooms"], health["pages"]) == ("REACHED", 0, 0)


async def test_clock_of_the_server_is_sent(new_scene: Scene) -> None:
    """A page whose clock is off by minutes can see by how much."""
    async with new_scene.open(), connect(f"ws://{new_scene.address}/api/stream") as socket:
        await socket.send(json.dumps(HELLO))
        welcome = json.loads(await socket.recv())
        await socket.recv()
        new_scene.clock.move(300_000)
        await socket.send(json.dumps({"type": "ping", "sent": 12.5}))
        pong = json.loads(await socket.recv())
        assert pong == {"type": "pong", "sent": 12.5, "time": welcome["time"] + 300_000}


async def test_player_of_one_secret_is_one_person(scene: Scene) -> None:
    """Another secret is somebody else, whatever the name."""
    one, other = await scene.player("An"), await scene.player("An", secret="f" * 40)
    assert one.welcome["person"] != other.welcome["person"]
    assert isinstance(one, Player)
