"""The table server or the referee ends in the middle of a round: pages are given, nothing is lost or done twice."""

import asyncio
import os
import stat
from dataclasses import replace
from typing import Any, Final

import pytest
from referee_table.mau_binh.drafts import Draft
from referee_table.mau_binh.play import MauBinhPlay
from referee_table.play import Pace, Play

from tests.table.scripted_player import View, play_anything
from tests.table.table_scene import GAMES, PACE, Scene, dealt, person, ready
from tests.table.test_table_kills import play_as_a_page

OTHERS: Final = pytest.mark.slow("repeats with other games what one shows")
QUARTER_MS: Final = 15 * 60_000
MAU_BINH: Final = "mau_binh.classic"
RESTARTS: Final = [
    *[pytest.param(*game, "PLAYING") for game in GAMES],
    *[pytest.param(*game, "BINDING", marks=() if game == GAMES[1] else OTHERS) for game in GAMES],
    *[pytest.param(*game, "SEEDING", marks=() if game == GAMES[2] else OTHERS) for game in GAMES],
    *[pytest.param(MAU_BINH, True, phase) for phase in ("OPENING", "SHOWDOWN")],
]


@pytest.mark.parametrize(("ruleset", "sealed", "phase"), RESTARTS)
async def test_round_goes_on_after_the_table_server_was_started_again(
    new_scene: Scene, ruleset: str, phase: str, *, sealed: bool
) -> None:
    """In any phase: each page has its seat, its cards and the round, gets the reason, and plays to a proved end."""
    async with new_scene.open() as scene:
        an, binh = await scene.table(ruleset, people=2, bots=1, sealed=sealed, is_keyed=phase == "PLAYING")
        binh.script = None if phase == "PLAYING" else play_anything
        binh.is_willing, binh.unwilling_in = phase != "BINDING", phase
        await ready(an, binh)
        before = await binh.phase(phase)
    async with new_scene.open() as scene:
        for one in (an, binh):
            await scene.come(one)
        assert binh.codes("notice") == ["RESTARTED"]
        after = await binh.phase(phase)
        assert after["version"] >= before["version"]
        if phase != "BINDING":  # of which nothing was written yet: it is prepared again
            assert after["round"]["round_id"] == before["round"]["round_id"]
        assert after["round"].get("hand") == before["round"].get("hand")
        binh.is_willing, binh.unwilling_in, binh.script = True, "", play_anything
        binh.prod()
        last = await scene.finish(an)
        assert (last["end"], last["round_id"]) == ("SETTLED", after["round"]["round_id"])
        assert await scene.finish(binh) == last
        assert not any(seat.get("defaulted") for seat in last["seats"])
        scores = {one["person"]: one["score_minor"] for one in an.view["persons"]}
        assert scores == {seat["person"]: seat["net_minor"] for seat in last["seats"]}
    assert new_scene.audited().findings == ()


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_round_that_was_settled_just_before_a_kill_is_settled_alike_again(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch, ruleset: str, *, sealed: bool
) -> None:
    """The log has the settlement and the room's file does not; last moves and settlement were one step of the room."""
    is_settled, settle = asyncio.Event(), Play.settle

    async def settle_and_die(play: Play) -> Any:  # noqa: ANN401 - as it is
        if await settle(play) is not None:
            is_settled.set()
            raise asyncio.CancelledError

    pace = replace(PACE, is_brisk=True)
    with monkeypatch.context() as patched:
        patched.setattr(Play, "settle", settle_and_die)
        async with new_scene.open(pace=pace) as scene:
            (an,) = await scene.table(ruleset, bots=1, sealed=sealed)
            await ready(an)
            await is_settled.wait()
    new_scene.clock.move(5)
    async with new_scene.open(pace=pace) as scene:
        await scene.come(an)
        assert (await scene.finish(an))["end"] == "SETTLED"
    assert new_scene.audited().findings == ()


@pytest.mark.parametrize("sealed", [False, True])
async def test_bot_arranges_once_though_the_table_ends_before_that_is_in_its_file(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch, *, sealed: bool
) -> None:
    """The journal has a bot's event, and the room's file has still its draft or nothing."""
    is_made, give = asyncio.Event(), MauBinhPlay._give  # noqa: SLF001 - after which the table ends

    async def give_and_die(play: MauBinhPlay, seat: int, draft: Draft) -> View:
        given = await give(play, seat, draft)
        if play.is_bot(seat):
            is_made.set()
            raise asyncio.CancelledError
        return given

    with monkeypatch.context() as patched:
        patched.setattr(MauBinhPlay, "_give", give_and_die)
        async with new_scene.open() as scene:
            (an,) = await scene.table(MAU_BINH, bots=2, sealed=sealed)
            await ready(an)
            await is_made.wait()
    an.script = play_as_a_page
    async with new_scene.open() as scene:
        await scene.come(an)
        last = await scene.finish(an)
        replay = await an.ask("replay", table=last["table"], number=1)
    action = "COMMIT" if sealed else "ARRANGE"
    seats = [event["seat"] for event in replay["events"] if event["action"] == action]
    assert [seats.count(seat) for seat, one in enumerate(last["seats"]) if one["person"].startswith("b")] == [1, 1]
    assert new_scene.audited().findings == ()


async def test_history_and_answers_outlive_a_restart_and_a_damaged_room_is_left_alone(new_scene: Scene) -> None:
    """Finished rounds can be replayed, an answered command is not done again, and files are closed to others."""
    before_umask = os.umask(0)
    try:
        async with new_scene.open() as scene:
            (an,) = await scene.table("tien_len.mien_nam", bots=2)
            last = await scene.play(an)
            await an.ask("add_bot", command="once")
            await an.until(lambda view: len(view["persons"]) == 4)
            before = await an.ask("replay", table=last["table"], number=1)
            binh = await scene.player("Bình")
            damaged = (await binh.ask("create", ruleset=MAU_BINH, stake_minor=100))["room"]
    finally:
        os.umask(before_umask)
    within = [new_scene.folder, *new_scene.folder.rglob("*")]
    assert {path.suffix for path in within} == {"", ".json", ".sqlite3"}
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in within}
    assert modes == {(True, 0o700), (False, 0o600)}  # they hold hands and seeds; the process's umask does not decide
    path = new_scene.folder / f"{damaged}.room.json"
    path.write_bytes(path.read_bytes()[:100])
    async with new_scene.open() as scene:
        await scene.come(an)
        assert await an.ask("replay", table=before["table"], number=1) == before
        assert await an.ask("add_bot", command="once") == {}
        assert (await an.refused("add_bot", command="twice"))["code"] == "NO_SEAT_FREE"
        (only,) = (await an.ask("history"))["rounds"]
        assert "events" not in only
        await scene.play(an, number=2)
        await scene.come(binh)
        assert (binh.view["type"], (await binh.refused("join", room=damaged))["code"]) == ("lobby", "NO_ROOM")
    assert path.exists()
    assert new_scene.audited().findings == ()


@pytest.mark.parametrize(
    ("ruleset", "sealed"), [pytest.param(*game, marks=() if game in GAMES[1:3] else OTHERS) for game in GAMES]
)
async def test_referee_that_goes_away_is_waited_for(new_scene: Scene, ruleset: str, *, sealed: bool) -> None:
    """Pages see that it is away and back; what was asked meanwhile is done once it is."""
    async with new_scene.open() as scene:
        an, binh = await scene.table(ruleset, people=2, sealed=sealed)
        binh.script = None
        before = (await dealt(an, binh))[1]
        await asyncio.to_thread(scene.court.stop)
        leaving = asyncio.ensure_future(binh.ask("leave"))
        await an.until(lambda view: view["referee"] == "AWAY")
        assert an.codes("notice")[-1] == "REFEREE_AWAY"
        assert not leaving.done()
        await asyncio.to_thread(scene.court.start)
        await leaving
        last = await scene.finish(an)
        assert an.codes("notice")[-1] == "REFEREE_BACK"
        assert last["round_id"] == before["round"]["round_id"]
        replay = await an.ask("replay", table=last["table"], number=1)
        assert len([one for one in replay["events"] if one["seat"] == 1]) == 1
    assert new_scene.audited().findings == ()


async def test_round_that_outlived_its_deadline_is_given_up_and_the_table_goes_on(scene: Scene) -> None:
    """The referee was away for longer than the round may last: no seat pays, pages see it, another table opens."""
    an, binh = await scene.table(MAU_BINH, people=2)
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
    assert "ROUND_GIVEN_UP" in an.codes("notice")
    assert person(an.view, "An")["score_minor"] == 0
    binh.script = play_anything
    given = await scene.play(an, binh)
    assert given["end"] == "SETTLED"
    assert given["table"] != last["table"]
