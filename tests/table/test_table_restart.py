"""The table server or the referee ends in the middle of a round: pages are given, nothing is lost or done twice."""

import asyncio
import os
import stat
from dataclasses import replace
from typing import Any, Final

import pytest
from referee_table.mau_binh.handing_in import HandingIn
from referee_table.mau_binh.state import Draft
from referee_table.play import Pace, Play
from referee_table.room import Room

from tests.table.scripted_player import Player, play_anything
from tests.table.table_scene import GAMES, PACE, Scene, phase_is, ready
from tests.table.test_table_kills import play_as_a_page
from tests.table.test_table_rounds import audited, finish

OTHERS: Final = pytest.mark.slow("repeats with other games what one shows")
QUARTER_MS: Final = 15 * 60_000


async def again(scene: Scene, seats: list[Player]) -> None:
    """Connect every player to the table server that runs now."""
    for one in seats:
        scene.players.append(one)
        await one.come(scene.address)


@pytest.mark.parametrize(
    ("ruleset", "sealed", "phase"),
    [
        pytest.param(*game, phase, marks=() if phase == "PLAYING" or game in shown else OTHERS)
        for phase, shown in (("BINDING", GAMES[1:2]), ("SEEDING", GAMES[2:3]), ("PLAYING", GAMES))
        for game in GAMES
    ],
)
async def test_round_goes_on_after_the_table_server_was_started_again(
    new_scene: Scene, ruleset: str, phase: str, *, sealed: bool
) -> None:
    """In any phase: each page has its seat, its cards and the round, is given why, and plays to a proved end."""
    async with new_scene.open() as scene:
        an, binh = await scene.table(ruleset, people=2, bots=1, sealed=sealed)
        binh.script = None
        binh.is_willing = phase != "BINDING"
        binh.unwilling_in = "SEEDING" if phase == "SEEDING" else ""
        await ready(an, binh)
        before = await binh.until(phase_is(phase))
    async with new_scene.open() as scene:
        await again(scene, [an, binh])
        assert binh.notices == ["RESTARTED"]
        after = await binh.until(phase_is(phase))
        assert after["version"] >= before["version"]
        if phase != "BINDING":  # of which nothing was written yet: it is prepared again
            assert after["round"]["round_id"] == before["round"]["round_id"]
        assert after["round"].get("hand") == before["round"].get("hand")
        binh.is_willing, binh.unwilling_in, binh.script = True, "", play_anything
        binh.prod()
        last = await finish(scene, an)
        assert last["end"] == "SETTLED"
        assert last["round_id"] == after["round"]["round_id"]
        assert await finish(scene, binh) == last
    assert audited(new_scene).findings == ()


@pytest.mark.parametrize("phase", ["OPENING", "SHOWDOWN"])
async def test_sealed_arrangements_and_the_show_outlive_a_restart(new_scene: Scene, phase: str) -> None:
    """A page opens what it committed to before; a show that was under way is shown to its end, and paid once."""
    async with new_scene.open() as scene:
        an, binh = await scene.table("mau_binh.classic", people=2, sealed=True)
        binh.unwilling_in = "OPENING" if phase == "OPENING" else ""
        await ready(an, binh)
        await binh.until(phase_is(phase))
    async with new_scene.open() as scene:
        await again(scene, [an, binh])
        assert (await binh.until(lambda view: view["type"] == "view"))["phase"] == phase
        binh.unwilling_in = ""
        binh.prod()
        last = await finish(scene, an)
        assert [seat["defaulted"] for seat in last["seats"]] == [False, False]
        assert {person["person"]: person["score_minor"] for person in an.view["persons"]} == {
            seat["person"]: seat["net_minor"] for seat in last["seats"]
        }
    assert audited(new_scene).findings == ()


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_round_that_was_settled_just_before_a_kill_is_settled_alike_again(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch, ruleset: str, *, sealed: bool
) -> None:
    """The log has the settlement and the room's file does not; last moves and settlement were one step of the room."""
    is_settled = asyncio.Event()

    async def settle_and_die(room: Room, play: Play) -> None:
        del room
        if await play.settle() is not None:
            is_settled.set()
            raise asyncio.CancelledError

    pace = replace(PACE, is_brisk=True)
    with monkeypatch.context() as patched:
        patched.setattr(Room, "_settle", settle_and_die)
        async with new_scene.open(pace=pace) as scene:
            (an,) = await scene.table(ruleset, bots=1, sealed=sealed)
            await ready(an)
            await is_settled.wait()
    new_scene.clock.move(5)
    async with new_scene.open(pace=pace) as scene:
        await again(scene, [an])
        assert (await finish(scene, an))["end"] == "SETTLED"
    assert audited(new_scene).findings == ()


@pytest.mark.parametrize("sealed", [False, True])
async def test_bot_arranges_once_though_the_table_ends_before_that_is_in_its_file(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch, *, sealed: bool
) -> None:
    """The journal has a bot's event, and the room's file has still its draft or nothing."""
    is_made = asyncio.Event()
    give = HandingIn._give  # noqa: SLF001 - after which the table ends

    async def give_and_die(play: HandingIn, seat: int, draft: Draft) -> dict[str, Any]:
        given = await give(play, seat, draft)
        if play.is_bot(seat):
            is_made.set()
            raise asyncio.CancelledError
        return given

    with monkeypatch.context() as patched:
        patched.setattr(HandingIn, "_give", give_and_die)
        async with new_scene.open() as scene:
            (an,) = await scene.table("mau_binh.classic", bots=2, sealed=sealed)
            await ready(an)
            await is_made.wait()
    an.script = play_as_a_page
    async with new_scene.open() as scene:
        await again(scene, [an])
        last = await finish(scene, an)
        replay = await an.ask("replay", table=last["table"], number=1)
    action = "COMMIT" if sealed else "ARRANGE"
    seats = [event["seat"] for event in replay["events"] if event["action"] == action]
    bots = [seat for seat, one in enumerate(last["seats"]) if one["is_bot"]]
    assert [seats.count(seat) for seat in bots] == [1, 1]
    assert audited(new_scene).findings == ()


async def test_history_and_answers_outlive_a_restart(new_scene: Scene) -> None:
    """Finished rounds can be replayed, and a command that was answered is not done again."""
    async with new_scene.open() as scene:
        (an,) = await scene.table("tien_len.mien_nam", bots=2)
        await ready(an)
        last = await finish(scene, an)
        await an.ask("add_bot", command="once")
        await an.until(lambda view: len(view["persons"]) == 4)
        before = await an.ask("replay", table=last["table"], number=1)
    async with new_scene.open() as scene:
        await again(scene, [an])
        assert await an.ask("replay", table=before["table"], number=1) == before
        assert await an.ask("add_bot", command="once") == {}
        assert (await an.refused("add_bot", command="twice"))["code"] == "NO_SEAT_FREE"
        (only,) = (await an.ask("history"))["rounds"]
        assert "events" not in only
        await ready(an)
        await finish(scene, an, number=2)
    assert audited(new_scene).findings == ()


async def test_room_whose_file_is_damaged_is_left_alone(new_scene: Scene) -> None:
    """The other rooms go on; its people stand in the lobby."""
    async with new_scene.open() as scene:
        (an,) = await scene.table("tien_len.mien_nam", bots=2)
        await scene.player("Bình")
        room: str = an.view["room"]
    path = new_scene.folder / f"{room}.room.json"
    path.write_bytes(path.read_bytes()[:100])
    async with new_scene.open() as scene:
        an = await scene.player("An")
        assert an.view == {"type": "lobby", "time": scene.clock.now()}
        assert (await an.refused("join", room=room))["code"] == "NO_ROOM"
    assert path.exists()


@pytest.mark.parametrize(
    ("ruleset", "sealed"), [pytest.param(*game, marks=() if game in GAMES[1:3] else OTHERS) for game in GAMES]
)
async def test_referee_that_goes_away_is_waited_for(new_scene: Scene, ruleset: str, *, sealed: bool) -> None:
    """Pages are given it is away and back; what was asked meanwhile is done once it is."""
    async with new_scene.open():
        an, binh = await new_scene.table(ruleset, people=2, sealed=sealed)
        binh.script = None
        await ready(an, binh)
        before = await binh.until(phase_is("PLAYING"))
        await asyncio.to_thread(new_scene.court.stop)
        leaving = asyncio.ensure_future(binh.ask("leave"))
        await an.until(lambda view: view["referee"] == "AWAY")
        assert an.notices[-1] == "REFEREE_AWAY"
        assert not leaving.done()
        await asyncio.to_thread(new_scene.court.start)
        await leaving
        given = await finish(new_scene, an)
        assert an.notices[-1] == "REFEREE_BACK"
        assert given["round_id"] == before["round"]["round_id"]
        replay = await an.ask("replay", table=given["table"], number=1)
        assert len([one for one in replay["events"] if one["seat"] == 1]) == 1
    assert audited(new_scene).findings == ()


async def test_round_that_outlived_its_deadline_is_given_up_and_the_table_goes_on(scene: Scene) -> None:
    """The referee was away for longer than the round may last: no seat pays, pages see it, another table opens."""
    an, binh = await scene.table("mau_binh.classic", people=2)
    binh.script = None
    await ready(an, binh)
    view = await an.until(lambda view: view["phase"] == "PLAYING" and view["round"]["mau_binh"]["submitted"][0])
    await asyncio.to_thread(scene.court.stop)
    scene.clock.move(QUARTER_MS + 2 * Pace().bind_ms + 1)
    await an.until(lambda view: view["referee"] == "AWAY")
    await asyncio.to_thread(scene.court.start)
    last = (await an.until(lambda view: view["last"] is not None))["last"]
    assert last["end"] == "GIVEN_UP"
    assert scene.clock.now() > int(view["round"]["header"]["roundDeadlineTime"])
    assert "ROUND_GIVEN_UP" in an.notices
    assert [one["score_minor"] for one in an.view["persons"]] == [0, 0]
    binh.script = play_anything
    await ready(an, binh)
    await an.until(phase_is("SHOWDOWN"))
    assert an.view["round"]["table"] != last["table"]
    given = await finish(scene, an)
    assert given["end"] == "SETTLED"


async def test_files_of_rooms_are_closed_to_others(new_scene: Scene) -> None:
    """They hold hands and seeds; the umask of the process does not decide."""
    before = os.umask(0)
    try:
        async with new_scene.open() as scene:
            (an,) = await scene.table("mau_binh.classic", bots=1)
            await ready(an)
            await finish(scene, an)
    finally:
        os.umask(before)
    within = list(new_scene.folder.rglob("*"))
    files = [path for path in within if path.is_file()]
    folders = [new_scene.folder, *[path for path in within if path.is_dir()]]
    assert {path.suffix for path in files} == {".json", ".jsonl", ".sqlite3"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}
