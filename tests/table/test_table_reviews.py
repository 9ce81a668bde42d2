"""Where a seat lost: its own choices beside the best, at the values that the referee's advice gives them."""

import asyncio
from typing import Any, Final

import pytest
from referee_table.judge import Judge, RefereeRefusedError

from referee.v1 import advice_pb2
from tests.table.scripted_player import Player, View, once, play_anything
from tests.table.table_scene import Scene, ready
from tests.table.test_table_restart import again
from tests.table.test_table_rounds import finish

POLLS: Final = 480
PAUSE_S: Final = 0.25
"""Two minutes in all, within what one connection may ask a second."""


async def reviewed(player: Player, last: View) -> View:
    """Ask for the review of a round until it is there."""
    for _ in range(POLLS):
        found = await player.ask("review", table=last["table"], number=last["number"])
        if found["is_ready"]:
            return found
        await asyncio.sleep(PAUSE_S)
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


def seat_in(record: View, player: Player) -> int:
    """Return the player's seat in the record of a round."""
    return [seat["person"] for seat in record["seats"]].index(player.view["you"])


def expect_consistent(review: View, events: list[View], seat: int) -> None:
    """Check that each choice is the seat's own, is no better than another, and costs more than the advice's error."""
    for choice in review["choices"]:
        assert events[choice["number"] - 1]["seat"] == seat
        assert choice["cost_minor"] > choice["error_minor"] > 0
        assert choice["own"] != choice["best"]
    assert review["cost_minor"] == sum(choice["cost_minor"] for choice in review["choices"])
    assert len(review["choices"]) <= review["valued"]


async def test_decisions_cost_what_the_advice_said_at_the_time(scene: Scene) -> None:
    """Ultimate Texas: every decision has a value, and folding a hand that should have bet is named with its price."""
    an, last = await played(scene, "ultimate_texas.casino", fold)
    for number in range(1, 8):
        if number > 1:
            await ready(an)
            last = await finish(scene, an, number=number)
        review = await reviewed(an, last)
        events = (await an.ask("replay", table=last["table"], number=number))["events"]
        expect_consistent(review, events, seat_in(last, an))
        costs = {street: int.from_bytes(cost) for street, cost in an.kept["costs"].items()}
        assert review["valued"] == len(costs) == 3
        for choice in review["choices"]:
            assert choice["own"]["street"] == choice["best"]["street"] == events[choice["number"] - 1]["street"]
            assert choice["own"]["decision"] == events[choice["number"] - 1]["decision"]
            assert choice["cost_minor"] == costs.pop(choice["own"]["street"])
        assert all(cost <= 6 for cost in costs.values())  # the rest is within a rounding or a bound's error
        if review["choices"]:
            return
    raise AssertionError("no decision was wrong in seven rounds")


@pytest.mark.parametrize("script", [third_best, play_anything])
async def test_arrangement_costs_what_the_advice_said_at_the_time(scene: Scene, script: Any) -> None:  # noqa: ANN401 - a script
    """Mậu Binh: the third best costs its difference, the best nothing."""
    an, last = await played(scene, "mau_binh.classic", script)
    review = await reviewed(an, last)
    replay = await an.ask("replay", table=last["table"], number=last["number"])
    seat = seat_in(last, an)
    expect_consistent(review, replay["events"], seat)
    assert review["valued"] == 1
    if script is play_anything:
        assert review["choices"] == []
        return
    cost = int.from_bytes(an.kept["costs"]["ARRANGE"])
    assert [choice["cost_minor"] for choice in review["choices"]] == ([cost] if review["choices"] else [])
    for choice in review["choices"]:
        assert choice["own"]["arrangement"] == last["seats"][seat]["arrangement"]
        assert choice["best"]["expected_minor"] - choice["own"]["expected_minor"] == cost


async def test_plays_of_tien_len_are_valued_over_rounds_played_out(scene: Scene) -> None:
    """Most plays have a value, and what is named costs more than three standard errors."""
    an, last = await played(scene, "tien_len.mien_nam", play_anything)
    found = await reviewed(an, last)
    events = (await an.ask("replay", table=last["table"], number=last["number"]))["events"]
    seat = [one["person"] for one in last["seats"]].index(an.view["you"])
    expect_consistent(found, events, seat)
    own = [one for one in events if one["seat"] == seat and one["action"] in {"PLAY", "PASS"}]
    assert 0 < found["valued"] <= len(own)
    for one in found["choices"]:
        assert one["own"]["action"] == events[one["number"] - 1]["action"]


async def test_play_that_takes_the_referee_too_long_is_valued_with_fewer_samples_or_not(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of samples falls until the referee can answer; a round whose plays it never can has none valued."""
    asked, most, ask = list[int](), 4, Judge.ask

    async def slow(judge: Judge, call: Any, request: Any) -> Any:  # noqa: ANN401 - as the judge's own
        if isinstance(request, advice_pb2.SuggestPlayRequest) and request.samples:
            asked.append(request.samples)
            if request.samples > most:
                raise RefereeRefusedError("ADVICE_TOO_LONG", "ask for less")
        return await ask(judge, call, request)

    an, last = await played(scene, "tien_len.mien_nam", play_anything)
    monkeypatch.setattr(Judge, "ask", slow)
    assert (await reviewed(an, last))["valued"] > 0
    assert asked == [60, 15, 4] * (len(asked) // 3)
    await ready(an)
    most, asked = 0, []
    last = await finish(scene, an, number=last["number"] + 1)
    if not last.get("instant_wins"):
        assert (await reviewed(an, last))["valued"] == 0
        assert asked == [60, 15, 4] * (len(asked) // 3)


async def test_sealed_round_is_reviewed_once_it_is_over(scene: Scene) -> None:
    an, last = await played(scene, "ultimate_texas.casino", play_anything, sealed=True)
    assert (await reviewed(an, last))["valued"] == 3


async def test_review_is_of_ones_own_seat_and_of_the_newest_rounds(new_scene: Scene) -> None:
    """Who had no seat is refused; so is a round from before a restart, with the reason."""
    async with new_scene.open() as scene:
        an, last = await played(scene, "ultimate_texas.casino", play_anything)
        chi = await scene.player("Chi", room=an.view["room"], plays=False)
        refused = await chi.refused("review", table=last["table"], number=last["number"])
        assert refused["code"] == "NOT_SEATED"
        assert (await an.refused("review", table=last["table"], number=99))["code"] == "NO_ROUND"
    async with new_scene.open() as scene:
        await again(scene, [an])
        refused = await an.refused("review", table=last["table"], number=last["number"])
        assert refused["code"] == "NO_ADVICE"
        assert refused["detail"] == "only the last 3 rounds since the start have advice"
