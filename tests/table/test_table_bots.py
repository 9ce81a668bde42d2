"""Bots of a room: they play to the end of rounds, with the referee's advice and without."""

import asyncio
from typing import Any

import pytest
from google.protobuf.message import Message
from referee_client.line import AioLine
from referee_table.bots import THOUGHT_MS
from referee_table.play import Pace, Play

from tests.table.table_scene import GAMES, Scene, phase_is, ready
from tests.table.test_table_rounds import finish

ADVICE = {"SuggestPlayRequest", "SuggestArrangementRequest", "SuggestDecisionRequest"}
MANY_THOUGHTS = 60
"""Thoughts in whose time every seat's clock runs out."""
RULESETS = ["mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino"]


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_bots_play_rounds_to_their_end(scene: Scene, ruleset: str) -> None:
    (an,) = await scene.table(ruleset, bots=2)
    for number in (1, 2):
        await ready(an)
        assert (await finish(scene, an, number=number))["end"] == "SETTLED"


async def test_a_bot_thinks_for_a_while(new_scene: Scene) -> None:
    """Ultimate Texas: a bot's first decision is due that long after the deal, by the table's clock."""
    async with new_scene.open(pace=Pace(bot_ms=1000)) as scene:
        (an,) = await scene.table("ultimate_texas.casino", bots=1, plays=False)
        await ready(an)
        await an.until(phase_is("PLAYING"))
        played = scene.house.rooms[an.view["room"]].play
        assert played is not None
        assert played.wake - scene.clock.now() == 1000


def has_moved(play: Play) -> bool:
    """Whether a bot has made an event, or has arranged in Mậu Binh, where it waits for people."""
    return any(play.is_bot(event.seat) for event in play.message.events) or any(
        play.view(None).get("mau_binh", {}).get("submitted", ())
    )


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_bots_whose_advice_never_comes_play_without_and_hold_up_nobody(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, ruleset: str, *, sealed: bool
) -> None:
    """While they think a person's commands are answered; once their time is up they make a lawful choice."""
    ask = AioLine.ask

    async def silent(line: AioLine, method: str, request: Message, kind: Any, **how: Any) -> Any:  # noqa: ANN401 - of any call
        if type(request).__name__ in ADVICE:
            await asyncio.Event().wait()
        return await ask(line, method, request, kind, **how)

    monkeypatch.setattr(AioLine, "ask", silent)
    (an,) = await scene.table(ruleset, bots=2, sealed=sealed, plays=False)
    await ready(an)
    await an.until(phase_is("PLAYING"))
    play = scene.house.rooms[an.view["room"]].play
    assert play is not None
    thoughts = 0
    while not has_moved(play):
        await an.ask("history")
        scene.clock.move(THOUGHT_MS)
        thoughts += 1
        assert thoughts < MANY_THOUGHTS
