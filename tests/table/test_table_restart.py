"""A page or the referee is away in the middle of a round, and what a room's file keeps over a restart."""

import asyncio
import os
import stat
from typing import Final

import pytest
from websockets.exceptions import ConnectionClosed

from tests.table.scripted_player import play_anything
from tests.table.table_scene import GAMES, MAU_BINH, PACE, TIEN_LEN, Scene, dealt, person

QUARTER_MS: Final = 15 * 60_000


@pytest.mark.parametrize("cut", ["PAGE", "TAB"])
async def test_seat_goes_on_in_a_page_that_comes_back_and_in_the_newest_tab(scene: Scene, cut: str) -> None:
    """With its cards and the round; the tab before gets the reason, and its messages are not read any more."""
    an, binh = await scene.table(TIEN_LEN, people=2, bots=1, is_keyed=True)
    binh.script = None
    before = (await dealt(an, binh))[1]
    if cut == "PAGE":
        await binh.go()
        await an.until(lambda view: person(view, "Bình")["is_away"])
        await scene.come(binh)
    else:
        tab = await scene.player("Bình", plays=False, is_keyed=True)
        assert (await binh.closed(), binh.closed_code) == ("TAKEN_OVER", 4001)
        with pytest.raises(ConnectionClosed):
            await binh.send({"type": "ping", "sent": 1})
        binh = tab
    after = await binh.phase("PLAYING")
    await an.until(lambda view: not person(view, "Bình")["is_away"])
    assert after["version"] >= before["version"] + (cut == "PAGE")
    assert after["round"]["hand"] == before["round"]["hand"]
    binh.script = play_anything
    binh.prod()
    last = await scene.finish(an)
    assert await scene.finish(binh) == last
    assert (last["end"], last["round_id"]) == ("SETTLED", before["round"]["round_id"])
    scene.audited()


@pytest.mark.parametrize(("ruleset", "sealed"), [GAMES[1], GAMES[2]])
async def test_command_waits_for_a_referee_that_is_away(scene: Scene, ruleset: str, *, sealed: bool) -> None:
    """Every page gets to know; a seat that leaves meanwhile leaves once, when the referee is back."""
    an, binh = await scene.table(ruleset, people=2, bots=1, sealed=sealed)
    binh.script = None
    seat = (await dealt(an, binh))[1]["round"]["you"]
    await scene.stop_referee()
    leaving = asyncio.ensure_future(binh.ask("leave"))
    await an.until(lambda view: view["referee"] == "AWAY")
    assert an.codes("notice")[-1] == "REFEREE_AWAY"
    assert not leaving.done()
    await scene.start_referee()
    await leaving
    last = await scene.finish(an)
    assert (last["end"], an.codes("notice")[-1]) == ("SETTLED", "REFEREE_BACK")
    replay = await an.ask("replay", table=last["table"], number=1)
    assert [one["seat"] for one in replay["events"]].count(seat) == 1
    scene.audited()


async def test_room_files_are_closed_to_others_and_a_damaged_one_is_left_alone(new_scene: Scene) -> None:
    """They hold hands and seeds: the process's umask does not decide. Other rooms go on."""
    before_umask = os.umask(0)
    try:
        async with new_scene.open() as scene:
            (an,) = await scene.table(TIEN_LEN, bots=2)
            await scene.play(an)
            binh = await scene.player("Bình")
            damaged = (await binh.ask("create", ruleset=MAU_BINH, stake_minor=100))["room"]
    finally:
        os.umask(before_umask)
    within = [new_scene.folder, *new_scene.folder.rglob("*")]
    assert {path.suffix for path in within} == {"", ".json", ".sqlite3"}
    modes = {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in within}
    assert modes == {(True, 0o700), (False, 0o600)}
    path = new_scene.folder / f"{damaged}.room.json"
    path.write_bytes(path.read_bytes()[:100])
    async with new_scene.open() as scene:
        for one in (an, binh):
            await scene.come(one)
        await scene.play(an, number=2)
        assert (binh.view["type"], (await binh.refused("join", room=damaged))["code"]) == ("lobby", "NO_ROOM")
    assert path.exists()


async def test_round_that_outlived_its_deadline_is_aborted_and_the_table_goes_on(scene: Scene) -> None:
    """The referee was away for longer than the round may last: no seat pays, pages see it and its proof."""
    an, binh = await scene.table(MAU_BINH, people=2)
    binh.script = None
    await dealt(an, binh)
    view = await an.until(lambda view: view["round"]["mau_binh"]["submitted"][0])
    await scene.stop_referee()
    scene.clock.move(QUARTER_MS + 2 * PACE.bind_ms + 1)
    await an.until(lambda view: view["referee"] == "AWAY")
    await scene.start_referee()
    last = await an.ended()
    assert (last["end"], last["reason"], last["proof"]["leaf_index"] > 0) == ("ABORTED", "DEADLINE", True)
    assert scene.clock.now() > int(view["round"]["header"]["roundDeadlineTime"])
    assert "ROUND_GIVEN_UP" in an.codes("notice")
    assert person(an.view, "An")["score_minor"] == 0
    binh.script = play_anything
    given = await scene.play(an, binh, number=2)
    assert (given["end"], given["table"]) == ("SETTLED", last["table"])
