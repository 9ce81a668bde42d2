"""Where a seat lost: its own choices beside the best, at the values that the referee's advice gives them."""

import asyncio
from typing import Any, Final

import pytest

from tests.table.scripted_player import Player, View, once, play_anything
from tests.table.table_scene import Scene, ready
from tests.table.test_table_restart import again
from tests.table.test_table_rounds import finish

POLLS: Final = 6000


async def reviewed(player: Player, last: View) -> View:
    """Ask for the review of a round until it is there."""
    for _ in range(POLLS):
        found = await player.ask("review", table=last["table"], number=last["number"])
        if found["is_ready"]:
            return found
        await asyncio.sleep(0.02)
    raise AssertionError("the review did not come")


async def fold(player: Player, view: View) -> None:
    """Check, and fold where that is not possible; note what the referee says of each choice at the time."""
    given = view["round"]
    legal = given.get("ultimate_texas", {}).get("legal")
    if legal is None or not once(player, given["round_id"], given["ultimate_texas"]["street"]):
        return
    values = (await player.ask("suggest", round_id=given["round_id"]))["suggestions"]
    own = "CHECK" if "CHECK" in legal else "FOLD"
    cost = values[0]["value_minor"] - next(one["value_minor"] for one in values if one["decision"] == own)
    player.kept.setdefault("costs", {})[given["ultimate_texas"]["street"]] = cost.to_bytes(8, "big")
    await player.ask("decide", round_id=given["round_id"], decision=own)


async def third_best(player: Player, view: View) -> None:
    """Hand in the third arrangement that is suggested, and keep what it costs."""
    given = view["round"]
    if view["phase"] != "PLAYING" or not once(player, given["round_id"], "arrange"):
        return
    suggestions = (await player.ask("suggest", round_id=given["round_id"]))["suggestions"]
    cost = suggestions[0]["expected_minor"] - suggestions[2]["expected_minor"]
    player.kept["costs"] = {"ARRANGE": cost.to_bytes(8, "big")}
    await player.ask("arrange", round_id=given["round_id"], **suggestions[2]["arrangement"])


async def played(scene: Scene, ruleset: str, script: Any, **how: Any) -> tuple[Player, View]:  # noqa: ANN401 - of create
    """Return a person who has played a round by a script beside two bots, one that was not won at the deal."""
    (an,) = await scene.table(ruleset, bots=2, **how)
    an.script = script
    for number in range(1, 10):
        await ready(an)
        last = await finish(scene, an, number=number)
        if not last.get("instant_wins") and not any(one.get("instant_win") for one in last["seats"]):
            return an, last
    raise AssertionError("every round was won at the deal")


def expect_consistent(found: View, events: list[View], seat: int) -> None:
    """Check that each choice is the seat's own, is no better than another, and costs more than the advice's error."""
    for one in found["choices"]:
        assert events[one["number"] - 1]["seat"] == seat
        assert one["cost_minor"] > one["error_minor"] > 0
        assert one["own"] != one["best"]
    assert found["cost_minor"] == sum(one["cost_minor"] for one in found["choices"])
    assert len(found["choices"]) <= found["valued"]


def test_decisions_cost_what_the_advice_said_at_the_time(scene: Scene) -> None:
    """Ultimate Texas: every decision has a value, and folding a hand that should have bet is named with its price."""

    async def play() -> None:
        async with scene.open():
            for number in range(1, 8):
                if number == 1:
                    an, last = await played(scene, "ultimate_texas.casino", fold)
                else:
                    await ready(an)
                    last = await finish(scene, an, number=number)
                found = await reviewed(an, last)
                events = (await an.ask("replay", table=last["table"], number=number))["events"]
                seat = [one["person"] for one in last["seats"]].index(an.view["you"])
                expect_consistent(found, events, seat)
                costs = {street: int.from_bytes(cost) for street, cost in an.kept["costs"].items()}
                assert found["valued"] == len(costs) == 3
                for one in found["choices"]:
                    assert one["own"]["street"] == one["best"]["street"] == events[one["number"] - 1]["street"]
                    assert one["own"]["decision"] == events[one["number"] - 1]["decision"]
                    assert one["cost_minor"] == costs.pop(one["own"]["street"])
                assert all(cost <= 6 for cost in costs.values())  # the rest is within a rounding or a bound's error
                if found["choices"]:
                    return
            raise AssertionError("no decision was wrong in seven rounds")

    asyncio.run(play())


@pytest.mark.parametrize("script", [third_best, play_anything])
def test_arrangement_costs_what_the_advice_said_at_the_time(scene: Scene, script: Any) -> None:  # noqa: ANN401 - a script
    """Mậu Binh: the third best costs its difference, the best nothing."""

    async def play() -> None:
        async with scene.open():
            an, last = await played(scene, "mau_binh.classic", script)
            found = await reviewed(an, last)
            replay = await an.ask("replay", table=last["table"], number=last["number"])
            seat = [one["person"] for one in last["seats"]].index(an.view["you"])
            expect_consistent(found, replay["events"], seat)
            assert found["valued"] == 1
            if script is play_anything:
                assert found["choices"] == []
                return
            cost = int.from_bytes(an.kept["costs"]["ARRANGE"])
            assert [one["cost_minor"] for one in found["choices"]] == ([cost] if found["choices"] else [])
            for one in found["choices"]:
                assert one["own"]["arrangement"] == last["seats"][seat]["arrangement"]
                assert one["best"]["expected_minor"] - one["own"]["expected_minor"] == cost

    asyncio.run(play())


def test_plays_of_tien_len_are_valued_over_rounds_played_out(scene: Scene) -> None:
    """Most plays have a value, and what is named costs more than three standard errors."""

    async def play() -> None:
        async with scene.open():
            an, last = await played(scene, "tien_len.mien_nam", play_anything)
            found = await reviewed(an, last)
            events = (await an.ask("replay", table=last["table"], number=last["number"]))["events"]
            seat = [one["person"] for one in last["seats"]].index(an.view["you"])
            expect_consistent(found, events, seat)
            own = [one for one in events if one["seat"] == seat and one["action"] in {"PLAY", "PASS"}]
            assert 0 < found["valued"] <= len(own)
            for one in found["choices"]:
                assert one["own"]["action"] == events[one["number"] - 1]["action"]

    asyncio.run(play())


def test_sealed_round_is_reviewed_once_it_is_over(scene: Scene) -> None:
    async def play() -> None:
        async with scene.open():
            an, last = await played(scene, "ultimate_texas.casino", play_anything, sealed=True)
            assert (await reviewed(an, last))["valued"] == 3

    asyncio.run(play())


def test_review_is_of_ones_own_seat_and_of_the_newest_rounds(scene: Scene) -> None:
    """Who had no seat is refused; so is a round from before a restart, with the reason."""

    async def first() -> tuple[Player, View]:
        async with scene.open():
            an, last = await played(scene, "ultimate_texas.casino", play_anything)
            chi = await scene.player("Chi", room=an.view["room"], plays=False)
            refused = await chi.refused("review", table=last["table"], number=last["number"])
            assert refused["code"] == "NOT_SEATED"
            assert (await an.refused("review", table=last["table"], number=99))["code"] == "NO_ROUND"
            return an, last

    async def both() -> None:
        an, last = await first()
        async with scene.open():
            await again(scene, [an])
            refused = await an.refused("review", table=last["table"], number=last["number"])
            assert refused["code"] == "NO_ADVICE"
            assert refused["detail"] == "only the last 3 rounds since the start have advice"

    asyncio.run(both())
