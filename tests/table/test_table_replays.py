"""What a replay says of who led: the seat that did in Tiến Lên, and nothing in games without a leader."""

from typing import Final

import pytest

from tests.table.table_scene import Scene, ready
from tests.table.test_table_rounds import finish

ROUNDS: Final = 4
"""Rounds of a table, of which all but the first are led by the winner of the one before."""


async def test_replay_names_the_seat_that_led(scene: Scene) -> None:
    (an,) = await scene.table("tien_len.mien_nam", bots=3)
    led = 0
    for number in range(1, ROUNDS + 1):
        await ready(an)
        last = await finish(scene, an, number=number)
        replay = await an.ask("replay", table=last["table"], number=number)
        if replay["events"]:  # none in a round that is won at the deal
            assert replay["leader"] == replay["events"][0]["seat"]
            led += 1
    assert led > 0


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "ultimate_texas.casino"])
async def test_replay_of_a_game_without_a_leader_names_none(scene: Scene, ruleset: str) -> None:
    (an,) = await scene.table(ruleset, bots=1)
    await ready(an)
    last = await finish(scene, an)
    assert "leader" not in await an.ask("replay", table=last["table"], number=1)
