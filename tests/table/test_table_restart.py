"""A page, the table server or the referee is cut off in the middle of a round: nothing is lost or done twice."""

import asyncio
import os
import stat
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any, Final

import pytest
from referee_table.mau_binh.play import MauBinhPlay
from referee_table.play import Play
from websockets.exceptions import ConnectionClosed

from tests.table.scripted_player import Player, play_anything
from tests.table.table_scene import GAMES, MAU_BINH, PACE, TIEN_LEN, Scene, dealt, person, ready

OTHERS: Final = pytest.mark.slow("repeats with other games what one shows")
QUARTER_MS: Final = 15 * 60_000


def rows(phase: str, cut: str, *shown: tuple[str, bool]) -> list[Any]:
    """Return what is cut in a phase of each game; a quick run has those that are shown."""
    return [pytest.param(*game, phase, cut, marks=() if game in shown else OTHERS) for game in GAMES]


CUTS: Final = [
    *rows("PLAYING", "TABLE", *GAMES),
    *rows("BINDING", "TABLE", GAMES[1]),
    *rows("SEEDING", "TABLE", GAMES[2]),
    (MAU_BINH, True, "OPENING", "TABLE"),
    (MAU_BINH, True, "SHOWDOWN", "TABLE"),
    *rows("PLAYING", "REFEREE", *GAMES[1:3]),
    (TIEN_LEN, False, "PLAYING", "PAGE"),
    (TIEN_LEN, False, "PLAYING", "TAB"),
]
"""Ruleset, whether sealed, the phase of the moment, and what is cut: another tab takes over from one."""


async def cut_off(stack: AsyncExitStack, scene: Scene, an: Player, binh: Player, cut: str) -> Player:
    """Cut something off and let it come back; return who plays for Bình from then on."""
    match cut:
        case "TABLE":
            await stack.aclose()
            await stack.enter_async_context(scene.open())
            for one in (an, binh):
                await scene.come(one)
            assert binh.codes("notice") == ["RESTARTED"]
        case "REFEREE":
            await scene.stop_referee()
            leaving = asyncio.ensure_future(binh.ask("leave"))
            await an.until(lambda view: view["referee"] == "AWAY")
            assert an.codes("notice")[-1] == "REFEREE_AWAY"
            assert not leaving.done()
            await scene.start_referee()
            await leaving
        case "PAGE":
            await binh.go()
            await an.until(lambda view: person(view, "Bình")["is_away"])
            await scene.come(binh)
        case _:
            tab = await scene.player("Bình", plays=False, is_keyed=True)
            assert (await binh.closed(), binh.closed_code) == ("TAKEN_OVER", 4001)
            with pytest.raises(ConnectionClosed):
                await binh.send({"type": "ping", "sent": 1})
            return tab
    return binh


@pytest.mark.parametrize(("ruleset", "sealed", "phase", "cut"), CUTS)
async def test_round_goes_on_after_a_cut(new_scene: Scene, ruleset: str, phase: str, cut: str, *, sealed: bool) -> None:
    """In any phase: each page has its seat, its cards and the round, gets the reason, and plays to a proved end."""
    async with AsyncExitStack() as stack:
        scene = await stack.enter_async_context(new_scene.open())
        is_keyed = phase == "PLAYING" and cut != "REFEREE"  # who leaves unsigned leaves its seat to the clock
        an, binh = await scene.table(ruleset, people=2, bots=1, sealed=sealed, is_keyed=is_keyed)
        binh.script = None if phase == "PLAYING" else play_anything
        binh.is_willing, binh.unwilling_in = phase != "BINDING", phase
        await ready(an, binh)
        before = await binh.phase(phase)
        binh = await cut_off(stack, scene, an, binh, cut)
        if cut == "REFEREE":
            last = await scene.finish(an)
            assert an.codes("notice")[-1] == "REFEREE_BACK"
            replay = await an.ask("replay", table=last["table"], number=1)
            assert [one["seat"] for one in replay["events"]].count(before["round"]["you"]) == 1
        else:
            after = await binh.phase(phase)
            await an.until(lambda view: not person(view, "Bình")["is_away"])
            assert after["version"] >= before["version"] + (cut == "PAGE")
            assert after["round"].get("hand") == before["round"].get("hand")
            binh.is_willing, binh.unwilling_in, binh.script = True, "", play_anything
            binh.prod()
            last = await scene.finish(an)
            assert await scene.finish(binh) == last
            assert not any(seat.get("defaulted") for seat in last["seats"])
            scores = {one["person"]: one["score_minor"] for one in an.view["persons"]}
            assert scores == {seat["person"]: seat["net_minor"] for seat in last["seats"]}
        assert last["end"] == "SETTLED"
        if phase != "BINDING":  # of which nothing was written yet: it is prepared again
            assert last["round_id"] == before["round"]["round_id"]
    new_scene.audited()


@pytest.mark.parametrize(
    ("ruleset", "sealed", "step"),
    [*[(*game, "settle") for game in GAMES], *[(MAU_BINH, sealed, "_give") for sealed in (False, True)]],
)
async def test_table_that_ends_before_its_file_has_what_the_log_has_does_it_once(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch, ruleset: str, step: str, *, sealed: bool
) -> None:
    """The log has a settlement, or the journal a bot's arrangement, and the room's file has neither."""
    owner: Any = Play if step == "settle" else MauBinhPlay
    is_done, do = asyncio.Event(), getattr(owner, step)

    async def do_and_die(play: Play, *given: Any) -> Any:  # noqa: ANN401 - of either step
        done = await do(play, *given)
        if play.is_bot(given[0]) if given else done is not None:
            is_done.set()
            raise asyncio.CancelledError
        return done

    pace = replace(PACE, is_brisk=True)
    with monkeypatch.context() as patched:
        patched.setattr(owner, step, do_and_die)
        async with new_scene.open(pace=pace) as scene:
            (an,) = await scene.table(ruleset, bots=2, sealed=sealed)
            await ready(an)
            await is_done.wait()
    new_scene.clock.move(5)
    async with new_scene.open(pace=pace) as scene:
        an.is_steady = True
        await scene.come(an)
        last = await scene.finish(an)
        assert last["end"] == "SETTLED"
        events = (await an.ask("replay", table=last["table"], number=1))["events"]
    made = [event["seat"] for event in events if event["action"] == ("COMMIT" if sealed else "ARRANGE")]
    assert ruleset != MAU_BINH or [made.count(seat) for seat in (1, 2)] == [1, 1]
    new_scene.audited()


async def test_history_and_answers_outlive_a_restart_and_a_damaged_room_is_left_alone(new_scene: Scene) -> None:
    """Finished rounds can be replayed, an answered command is not done again, and files are closed to others."""
    before_umask = os.umask(0)
    try:
        async with new_scene.open() as scene:
            (an,) = await scene.table(TIEN_LEN, bots=2)
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
    new_scene.audited()


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
