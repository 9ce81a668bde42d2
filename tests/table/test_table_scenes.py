"""A round as a scene: what wins at the deal is seen first, and what may be fetched of a round is fetched afterwards."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.table.scripted_player import View
from tests.table.table_scene import PACE, Court, MovedClock, Scene, phase_is, ready
from tests.table.test_table_rounds import finish

LUCKY = {"mau_binh.maubinh_com": ("luck 40", 2, "six pairs"), "tien_len.mien_nam": ("luck 23", 3, "six pairs")}
"""Entropy whose first round of one person and three bots is won at the deal: by which seat, with what."""

LAST_STATE_MS = 2_000


@pytest.fixture(params=LUCKY)
async def lucky(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[str, Scene]]:
    """Return a ruleset and a scene whose first deal wins at once."""
    court = Court(tmp_path / "referee", MovedClock(), luck=LUCKY[request.param][0])
    async with Scene(court, tmp_path / "table").open() as scene:
        yield request.param, scene
    court.close()


def game_of(view: View) -> View:
    given = view["round"]
    return dict(given.get("mau_binh") or given["tien_len"])


async def test_win_at_the_deal_is_seen_before_the_round_ends(lucky: tuple[str, Scene]) -> None:
    """Own cards and the winner's groups for six seconds, then the result, and only then the clock for being ready."""
    ruleset, scene = lucky
    (an,) = await scene.table(ruleset, people=1, bots=3, plays=False)
    await ready(an)
    view = await an.until(phase_is("SHOWDOWN"))
    _, seat, name = LUCKY[ruleset]
    assert len(view["round"]["hand"]) == 13
    (win,) = game_of(view)["instant_wins"]
    assert (win["seat"], win["name"]["en"]) == (seat, name)
    assert len([card for group in win["groups"] for card in group]) == 13
    assert view["phase_end_time"] == view["round"]["dealt_time"] + PACE.scene_ms
    assert view["last"] is None
    scene.clock.move(PACE.scene_ms - 1)
    await an.ask("rename", person_name="An", language="vi")
    assert an.view["phase"] == "SHOWDOWN"
    scene.clock.move(1)
    last = (await an.until(lambda view: view["last"] is not None))["last"]
    assert last["instant_wins"] == [win]
    assert sorted(last["seats"][0]["hand"]) == sorted(view["round"]["hand"])
    assert sorted(last["seats"][seat]["hand"]) == sorted(card for group in win["groups"] for card in group)
    assert (an.view["phase"], an.view["phase_end_time"]) == ("ENDING", scene.clock.now() + PACE.scene_ms)


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino"])
async def test_last_state_of_a_round_is_shown_for_seconds(scene: Scene, ruleset: str) -> None:
    """By the table's clock, with all phases at their real lengths: the sums of a show, then the end of the round."""
    seen: list[View] = []
    (an,) = await scene.table(ruleset, people=1, bots=1)
    an.watch = seen.append
    await ready(an)
    await finish(scene, an)
    for view in [view for view in seen if view["phase"] == "SHOWDOWN"]:
        chi = view["round"]["mau_binh"]["showdown"]["chi"] if "mau_binh" in view["round"] else []
        last_chi = max([one["start_time"] + 1000 * one["seconds"] for one in chi], default=view["time"])
        assert view["phase_end_time"] - last_chi >= LAST_STATE_MS
    view = await an.until(phase_is("ENDING"))
    assert view["phase_end_time"] - view["last"]["time"] >= LAST_STATE_MS
    scene.clock.move(view["phase_end_time"] - scene.clock.now() - 1)
    await an.ask("rename", person_name="An", language="vi")
    assert an.view["phase"] == "ENDING"
    scene.clock.move(1)
    await an.until(phase_is("LOBBY"))


async def test_chop_is_said_where_it_is_played_as_it_is_paid(tmp_path: Path, quiet_calls: None) -> None:  # noqa: ARG001
    """The table has the listed price of a play; the settlement pays what the law finds in the events."""
    court = Court(tmp_path / "referee", MovedClock(), luck="luck 7")
    scene = Scene(court, tmp_path / "table")
    async with scene.open():
        people = await scene.table("tien_len.mien_nam", people=4)
        await ready(*people)
        last = await finish(scene, people[0])
        replay = await people[0].ask("replay", table=last["table"], number=1)
        said = [(one["seat"], one["chops"]) for one in replay["events"] if "chops" in one]
        assert [
            (one["payee"], one["payer"], one["amount_minor"]) for one in last["transfers"] if one["reason"] == "CHOP"
        ] == [(seat, chop["seat"], chop["amount_minor"]) for seat, chop in said]
        assert len(said) == 1
    court.close()


async def test_bundle_is_public_once_its_round_is_over(scene: Scene) -> None:
    """By table and number, without a stream; before that the route says why there is none."""
    (an,) = await scene.table("mau_binh.classic", people=1, bots=1, plays=False)
    await ready(an)
    view = await an.until(phase_is("PLAYING"))
    given = view["round"]
    path = f"http://{scene.address}/api/bundles/{given['table']}"
    async with httpx.AsyncClient() as http:
        early = await http.get(f"{path}/1")
        assert (early.status_code, early.json()) == (404, {"reason": "ROUND_NOT_OVER"})
        hand = given["hand"]
        rows = {"back": hand[:5], "middle": hand[5:10], "front": hand[10:]}
        await an.ask("arrange", round_id=given["round_id"], **rows)
        await an.until(phase_is("SHOWDOWN"))
        assert (await http.get(f"{path}/1")).status_code == 404
        scene.clock.move(20_000)
        await an.until(lambda view: view["last"] is not None and view["last"]["proof"]["is_revealed"])
        proof = await http.get(f"{path}/1")
        assert proof.json()["round_id"] == given["round_id"]
        assert (await http.get(f"{path}/2")).status_code == 404


async def test_replay_has_what_every_step_needs(scene: Scene) -> None:
    """Plays with what they are, decisions with their street."""
    for ruleset in ("tien_len.mien_nam", "ultimate_texas.casino"):
        an, binh = await scene.table(ruleset, people=2)
        await ready(an, binh)
        last = (await an.until(lambda view: view.get("last") is not None))["last"]
        replay = await an.ask("replay", table=last["table"], number=last["number"])
        assert replay["events"]
        for event in replay["events"]:
            if event["action"] == "DECIDE":
                assert event["street"] in {"PREFLOP", "FLOP", "RIVER"}
            if event["action"] == "PLAY":
                assert event["kind"]
                assert event["name"]["vi"]
        await an.ask("leave")
        await binh.ask("leave")
        for one in (an, binh):
            await one.go()
