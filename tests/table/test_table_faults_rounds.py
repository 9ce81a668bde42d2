"""Outages and kills at the worst moments of a round: its answers, its proof and who was at fault are all there."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final
from unittest.mock import AsyncMock

import pytest
from referee_client import AsyncClient, AsyncRound, RoundLapsesError
from referee_table.play import Play
from referee_table.rounds import Rounds
from referee_table.thinking import THOUGHT_MS

from referee.v1 import log_pb2
from tests.table.scripted_player import Player, play_anything
from tests.table.table_scene import MAU_BINH, PACE, TIEN_LEN, Scene, dealt, ready, stays

QUARTER_MS: Final = 15 * 60_000
TURN_MS: Final = 30_000
ENDED: Final = {log_pb2.ROUND_STAGE_ABORTED, log_pb2.ROUND_STAGE_REVEALED}


def dying_after(do: Callable[..., Awaitable[Any]], has_died: asyncio.Event) -> Callable[..., Awaitable[Any]]:
    """Return a step of a room after which the room's task ends, as at a kill: nothing is written afterwards."""

    async def do_and_die(*given: Any, **named: Any) -> None:  # noqa: ANN401 - of any step
        await do(*given, **named)
        has_died.set()
        raise asyncio.CancelledError

    return do_and_die


async def on_turn(scene: Scene) -> Player:
    """Return a player of Tiến Lên whose turn it is, against one bot."""
    (an,) = await scene.table(TIEN_LEN, bots=1, plays=False)
    await dealt(an)
    await an.until(lambda view: "legal" in view["round"]["tien_len"])
    return an


async def test_move_is_answered_after_two_kills_in_a_row(new_scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """First before its answer was stored, then after the next event, a bot's turn that ran out, before the file was."""
    is_done, is_done_again = asyncio.Event(), asyncio.Event()
    async with new_scene.open() as scene:
        an = await on_turn(scene)
        given = an.view["round"]
        cards = given["tien_len"]["legal"]["plays"][0]["cards"]
        monkeypatch.setattr(AsyncRound, "accept_event", dying_after(AsyncRound.accept_event, is_done))
        asking = asyncio.ensure_future(an.ask("play", command="once", round_id=given["round_id"], cards=cards))
        await is_done.wait()
        asking.cancel()
    monkeypatch.undo()
    scene.clock.move(TURN_MS)
    with monkeypatch.context() as patched:
        patched.setattr(Rounds, "advance", dying_after(Rounds.advance, is_done_again))
        async with new_scene.open():
            await is_done_again.wait()
    async with new_scene.open() as scene:
        await scene.come(an)
        answer = await an.ask("play", command="once", round_id=given["round_id"], cards=cards)
        an.script = play_anything
        an.prod()
        last = await scene.finish(an)
        events = (await an.ask("replay", table=last["table"], number=1))["events"]
    number = answer["number"]
    assert (events[number - 1]["action"], events[number - 1]["cards"]) == ("PLAY", cards)
    assert events[number]["action"] == "TIMEOUT"
    new_scene.audited()


@pytest.mark.parametrize("is_dealt", [False, True], ids=["a seed is missing", "dealt"])
async def test_round_that_the_referee_aborts_during_an_outage_names_who_was_at_fault_and_is_proved(
    new_scene: Scene, *, is_dealt: bool
) -> None:
    """The table server is away while a deadline passes, and finds the round aborted and revealed."""
    async with new_scene.open() as scene:
        an, binh = await scene.table(MAU_BINH, people=2, plays=False)
        binh.refuses = () if is_dealt else ("SEEDING",)
        await ready(an, binh)
        view = await an.phase("PLAYING" if is_dealt else "SEEDING")
        if not is_dealt:
            await an.until(lambda view: view["round"]["seeded"] == [0])
    given = view["round"]
    await scene.stop_referee()
    scene.clock.move(QUARTER_MS + 2 * PACE.bind_ms + 1)
    await asyncio.to_thread(scene.court.restart, listen=scene.referee, sweep=True)
    async with AsyncClient(scene.referee) as client, asyncio.timeout(an.timeout):
        while await client.stage(given["table"], given["number"]) not in ENDED:  # noqa: ASYNC110 - it says so nowhere
            await asyncio.sleep(0.02)
    async with new_scene.open() as scene:
        assert scene.client is not None
        await scene.come(an)
        last = await an.ended()
        bundle = await scene.client.bundle(last["table"], last["number"])
    assert (last["end"], last["round_id"]) == ("ABORTED", given["round_id"])
    assert (last["reason"], last.get("fault")) == (("DEADLINE", None) if is_dealt else ("SEED_MISSING", [1]))
    assert bundle["round_id"] == given["round_id"]
    new_scene.audited()


async def test_abort_that_the_referee_finds_too_early_is_asked_for_again(new_scene: Scene) -> None:
    """By its own clock, which is a second behind the table's; the round is then aborted, not given up."""
    new_scene.court.restart(listen=new_scene.referee, clock=lambda: new_scene.clock.now() - 1_000)
    async with new_scene.open() as scene:
        an, binh = await scene.table(TIEN_LEN, people=2, plays=False)
        binh.refuses = ("SEEDING",)
        await ready(an, binh)
        view = await an.until(lambda view: view.get("phase") == "SEEDING" and view["round"]["seeded"] == [0])
        deadline = int(view["round"]["header"]["dealDeadlineTime"])
        scene.move_to(deadline + 500)
        await stays(an, "SEEDING")
        scene.move_to(deadline + 1_001)
        last = await an.ended()
    assert (last["end"], last["reason"], last["fault"]) == ("ABORTED", "SEED_MISSING", [1])
    new_scene.audited()


@pytest.mark.parametrize(("waited_ms", "action"), [(0, "TIMEOUT"), (THOUGHT_MS, "PLAY")], ids=["thinks", "has played"])
async def test_bot_whose_turn_passes_during_an_outage_plays_what_it_had_sent_or_is_out_of_time(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch, waited_ms: int, action: str
) -> None:
    """The round goes on with the player's turn once the referee is back."""
    is_sent, accept_event = asyncio.Event(), AsyncRound.accept_event

    async def accept(*given: Any, **named: Any) -> Any:  # noqa: ANN401 - of the SDK's round
        is_sent.set()
        return await accept_event(*given, **named)

    async with new_scene.open(pace=replace(PACE, bot_ms=1_000)) as scene:
        (an,) = await scene.table(TIEN_LEN, bots=1, plays=False)
        (view,) = await dealt(an)
        bot = 1 - view["round"]["you"]
        if view["round"]["tien_len"]["turn"] == bot:
            scene.clock.move(1_000)
        view = await an.until(lambda view: "legal" in view["round"]["tien_len"])
        await an.move("play", cards=view["round"]["tien_len"]["legal"]["plays"][0]["cards"])
        turn_end = (await an.until(lambda view: view["round"]["tien_len"]["turn"] == bot))["phase_end_time"]
        monkeypatch.setattr(AsyncRound, "accept_event", accept)
        await scene.stop_referee()
        scene.clock.move(1_000)
        await an.until(lambda view: view["referee"] == "AWAY")  # the bot has asked for advice
        scene.clock.move(waited_ms)
        if waited_ms:
            await is_sent.wait()
        scene.move_to(turn_end)
        await is_sent.wait()
        await scene.start_referee()
        view = await an.until(lambda view: view["round"] is None or "legal" in view["round"]["tien_len"])
    assert view["round"] is not None, view["last"]
    game = view["round"]["tien_len"]
    assert [one["action"] for one in (*game["last_trick"], *game["trick"]) if one["seat"] == bot] == [action]


async def test_proof_of_a_round_that_a_kill_left_without_is_completed_at_the_start(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table server is killed between the settlement and the seed that completes the proof."""
    is_dead = asyncio.Event()

    async def die(_game: object) -> None:
        is_dead.set()
        raise asyncio.CancelledError

    with monkeypatch.context() as patched:
        patched.setattr(AsyncRound, "reveal", die)
        async with new_scene.open() as scene:
            (an,) = await scene.table(TIEN_LEN, bots=1)
            await ready(an)
            await is_dead.wait()
    async with new_scene.open() as scene:
        await scene.come(an)
        last = an.view["last"]
        assert (last["end"], scene.house.client.unfinished()) == ("SETTLED", [])
        assert scene.client is not None
        assert await scene.client.stage(last["table"], last["number"]) == log_pb2.ROUND_STAGE_REVEALED
    new_scene.audited()


async def test_round_that_cannot_go_on_before_its_deadline_is_given_up_and_another_table_opens(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The referee aborts it later, and no seat pays."""
    an, binh = await scene.table(TIEN_LEN, people=2)
    an.script = binh.script = None
    await dealt(an, binh)
    with monkeypatch.context() as patched:
        patched.setattr(Play, "advance", AsyncMock(side_effect=RoundLapsesError("a move is lost")))
        await an.ask("history")
        last = await an.ended()
    assert (last["end"], "ROUND_GIVEN_UP" in binh.codes("notice")) == ("GIVEN_UP", True)
    an.script = binh.script = play_anything
    given = await scene.play(an, binh)
    assert given["end"] == "SETTLED"
    assert given["table"] != last["table"]
