"""Every clock of the table, by time that is moved: what follows for who was too slow, nothing before, and ends seen."""

from collections.abc import Callable
from typing import Final

import pytest

from tests.table.scripted_player import Player, View, split
from tests.table.table_scene import PACE, Scene, dealt, person, ready, stays

READY_MS: Final = 20_000
ARRANGING_MS: Final = 60_000
OPENING_MS: Final = 30_000
SHOW_MS: Final = 19_000
"""Three chi of five seconds, then the sums."""
TURN_MS: Final = 30_000
RULESETS: Final = ["mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino"]
LUCKY: Final = {"mau_binh.maubinh_com": ("luck 40", 2), "tien_len.mien_nam": ("luck 23", 3)}
"""Entropy whose first round of one person and three bots is won at the deal with six pairs, and by which seat."""


async def last_of(player: Player) -> View:
    """Return the first round that has ended."""
    return dict((await player.until(lambda view: view["last"] is not None))["last"])


async def passes(scene: Scene, player: Player, milliseconds: int, *, phase: str) -> None:
    """Let a clock run out; assert that the phase lasts until then."""
    scene.clock.move(milliseconds - 1)
    await stays(player, phase)
    scene.clock.move(1)


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_who_is_not_ready_in_time_sits_out_and_has_a_way_back(scene: Scene, ruleset: str) -> None:
    """Twenty seconds after the first was ready, as the view says, and not a moment before; the others play."""
    an, binh, chi = await scene.table(ruleset, people=3)
    assert "sit_out_time" not in person(an.view, "Bình")
    await ready(an)
    view = await binh.until(lambda view: "sit_out_time" in person(view, "Bình"))
    assert person(view, "Bình")["sit_out_time"] == view["phase_end_time"] == scene.clock.now() + READY_MS
    assert "sit_out_time" not in person(view, "An")
    await passes(scene, binh, READY_MS - 1, phase="LOBBY")
    await ready(chi)
    scene.clock.move(1)
    await binh.until(lambda view: person(view, "Bình")["place"] == "WATCHING")
    assert binh.codes("notice") == ["SITS_OUT"]
    assert [one["name"] for one in (await scene.finish(an))["seats"]] == ["An", "Chi"]
    await binh.ask("sit_out", is_out=False)
    await binh.until(lambda view: person(view, "Bình")["place"] == "SEAT")


async def test_page_that_does_not_bind_is_not_dealt_to(scene: Scene) -> None:
    """After five seconds the room is a lobby again, and that seat not ready; the others need not wait for it."""
    an, binh = await scene.table("tien_len.mien_nam", people=2, bots=1)
    binh.is_willing = False
    await ready(an, binh)
    await an.until(lambda view: view["phase"] == "BINDING" and 0 in view["round"]["bound"])
    scene.clock.move(PACE.bind_ms)
    view = await an.phase("LOBBY")
    assert [one["name"] for one in view["persons"] if not one["is_ready"]] == ["Bình"]
    assert view["last"] is None
    scene.clock.move(READY_MS)
    assert [one["name"] for one in (await last_of(an))["seats"] if not one["name"].startswith("Máy")] == ["An"]


async def test_page_that_hides_its_seed_ends_the_round_in_the_log(scene: Scene) -> None:
    """Nobody pays, and the table goes on with its next round."""
    an, binh = await scene.table("tien_len.mien_nam", people=2)
    binh.is_willing = False
    await ready(an, binh)
    await binh.phase("BINDING")
    await binh.move("bind", seed_commitment="00" * 32)
    await an.until(lambda view: view["phase"] == "SEEDING" and view["round"]["seeded"] == [0])
    await binh.phase("SEEDING")
    refused = await binh.refused("seed", round_id=binh.view["round"]["round_id"], seed="11" * 32)
    assert refused["code"] == "REFEREE_REFUSED"
    scene.clock.move(2 * PACE.bind_ms + 1)
    last = await last_of(an)
    assert (last["end"], last["reason"]) == ("ABORTED", "SEED_MISSING")
    binh.is_willing = True
    view = (await dealt(an, binh))[0]
    assert (view["round"]["number"], view["round"]["table"]) == (2, last["table"])


async def test_arrangement_that_does_not_come_counts_as_dealt(scene: Scene) -> None:
    """An open table of Mậu Binh: the show begins at the deadline, and shows its sums for seconds."""
    an, binh = await scene.table("mau_binh.classic", people=2)
    binh.script = None
    hand = (await dealt(an, binh))[1]["round"]["hand"]
    view = await an.until(lambda view: view["round"]["mau_binh"]["submitted"][0])
    assert view["phase_end_time"] == view["round"]["dealt_time"] + ARRANGING_MS
    await passes(scene, an, ARRANGING_MS, phase="PLAYING")
    view = await an.phase("SHOWDOWN")
    assert view["phase_end_time"] == scene.clock.now() + SHOW_MS
    late = await binh.refused("arrange", round_id=view["round"]["round_id"], **split(hand))
    assert late["code"] == "TOO_LATE"
    await passes(scene, an, SHOW_MS, phase="SHOWDOWN")
    last = await last_of(an)
    assert [one["defaulted"] for one in last["seats"]] == [False, True]
    assert last["seats"][1]["arrangement"] == split(hand)


async def test_sealed_seat_that_does_not_commit_counts_as_dealt_and_one_that_does_not_open_fouls(scene: Scene) -> None:
    an, binh, chi = await scene.table("mau_binh.classic", people=3, sealed=True)
    binh.script = None
    await ready(an, binh, chi)
    await an.until(
        lambda view: view["phase"] == "PLAYING" and view["round"]["mau_binh"]["submitted"] == [True, False, True]
    )
    chi.arrangements.clear()
    assert "hands" not in an.view["round"]["mau_binh"]
    await passes(scene, an, ARRANGING_MS, phase="PLAYING")
    view = await an.until(lambda view: view["phase"] == "OPENING" and view["round"]["mau_binh"]["opened"][0])
    assert view["phase_end_time"] == scene.clock.now() + OPENING_MS
    assert [len(hand) for hand in view["round"]["mau_binh"]["hands"]] == [13, 13, 13]
    await passes(scene, an, OPENING_MS, phase="OPENING")
    await an.phase("SHOWDOWN")
    scene.clock.move(SHOW_MS)
    last = await last_of(an)
    assert [one["defaulted"] for one in last["seats"]] == [False, True, True]
    assert last["seats"][2]["fouled"]


async def test_seat_out_of_time_passes_or_leads_its_lowest_card(scene: Scene) -> None:
    """Tiến Lên: thirty seconds a turn, then the referee's own rule for who is out of time."""
    an, binh = await scene.table("tien_len.mien_nam", people=2, plays=False)
    views = await dealt(an, binh)
    leader = views[0]["round"]["tien_len"]["turn"]
    hand = views[leader]["round"]["hand"]
    assert views[0]["phase_end_time"] == scene.clock.now() + TURN_MS
    scene.clock.move(TURN_MS - 1)
    await stays(an, "PLAYING")
    assert an.view["round"]["tien_len"]["trick"] == []
    scene.clock.move(1)
    (done,) = (await an.until(lambda view: bool(view["round"]["tien_len"]["trick"])))["round"]["tien_len"]["trick"]
    assert (done["seat"], done["action"], done["cards"]) == (leader, "TIMEOUT", hand[:1])
    scene.clock.move(TURN_MS)
    view = await an.until(lambda view: bool(view["round"]["tien_len"]["last_trick"]))
    game = view["round"]["tien_len"]
    assert [one["action"] for one in game["last_trick"]] == ["TIMEOUT", "TIMEOUT"]
    assert (game["turn"], game["cards_left"][leader]) == (leader, 12)


@pytest.mark.parametrize("sealed", [False, True])
async def test_seat_that_does_not_decide_checks_and_then_folds(scene: Scene, *, sealed: bool) -> None:
    """Ultimate Texas: thirty seconds a street for everybody together; who did nothing is asked again to be ready."""
    an, binh = await scene.table("ultimate_texas.casino", people=2, sealed=sealed)
    binh.script = None
    await ready(binh, ante_minor=200)
    await binh.ask("auto_ready", is_on=True)
    await ready(an)
    for street in ("PREFLOP", "FLOP", "RIVER"):

        def is_on(view: View, street: str = street) -> bool:
            return view["phase"] == "PLAYING" and bool(view["round"]["ultimate_texas"]["street"] == street)

        await binh.until(is_on)
        await passes(scene, binh, TURN_MS, phase="PLAYING")
    last = await last_of(binh)
    assert (last["seats"][1]["result"], last["seats"][1]["net_minor"]) == ("FOLDED", -400)
    assert binh.codes("notice") == ["AUTO_READY_OFF"]
    assert not person(binh.view, "Bình")["is_auto_ready"]


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_end_of_a_round_is_shown_for_seconds_and_no_clock_runs_meanwhile(scene: Scene, ruleset: str) -> None:
    """All phases at their real lengths: the sums of a show, then the end; one who is ready at once waits for it."""
    an, binh = await scene.table(ruleset, people=2)
    last = await scene.play(an, binh)
    for view in [view for view in an.seen if view.get("phase") == "SHOWDOWN"]:
        chi = view["round"]["mau_binh"]["showdown"]["chi"] if "mau_binh" in view["round"] else []
        last_chi = max([one["start_time"] + 1000 * one["seconds"] for one in chi], default=view["time"])
        assert view["phase_end_time"] - last_chi >= PACE.sums_ms
    end = (await an.phase("ENDING"))["phase_end_time"]
    assert end == last["time"] + PACE.scene_ms
    await ready(an)
    view = await binh.until(lambda view: person(view, "An")["is_ready"])
    assert "sit_out_time" not in person(view, "Bình")
    await passes(scene, binh, end - scene.clock.now(), phase="ENDING")
    view = await binh.until(lambda view: view["phase"] == "LOBBY" and "sit_out_time" in person(view, "Bình"))
    assert person(view, "Bình")["sit_out_time"] == end + READY_MS
    await ready(binh)
    await an.until(lambda view: view["round"] is not None)


async def test_show_is_over_once_all_who_are_present_skip_it(scene: Scene) -> None:
    """Not by one of two, nor by who watches; who is absent is not waited for. The end is over once all are ready."""
    an, binh = await scene.table("mau_binh.classic", people=2)
    chi = await scene.player("Chi", room=an.view["room"], plays=False)
    await chi.ask("sit_out", is_out=True)
    await ready(an, binh)
    round_id = (await an.phase("SHOWDOWN"))["round"]["round_id"]
    assert (await chi.refused("skip", round_id=round_id))["code"] == "NOT_SEATED"
    await an.ask("skip", round_id=round_id)
    await stays(an, "SHOWDOWN")
    await binh.go()
    view = await an.until(lambda view: view["last"] is not None)
    assert (view["phase"], view["last"]["time"]) == ("ENDING", scene.clock.now())
    assert (await an.refused("skip", round_id=round_id))["code"] == "OTHER_ROUND"
    await scene.come(binh)
    await ready(an, binh)
    await an.phase("PLAYING")


@pytest.mark.parametrize("ruleset", LUCKY)
async def test_win_at_the_deal_is_seen_before_the_round_ends(make_scene: Callable[..., Scene], ruleset: str) -> None:
    """Own cards and the winner's groups for six seconds, then the result, and only then the clock for being ready."""
    luck, seat = LUCKY[ruleset]
    async with make_scene(luck=luck).open() as scene:
        (an,) = await scene.table(ruleset, bots=3, plays=False)
        await ready(an)
        view = await an.phase("SHOWDOWN")
        given = view["round"]
        (win,) = (given.get("mau_binh") or given["tien_len"])["instant_wins"]
        assert (win["seat"], win["name"]["en"]) == (seat, "six pairs")
        assert view["phase_end_time"] == given["dealt_time"] + PACE.scene_ms
        assert view["last"] is None
        await passes(scene, an, PACE.scene_ms, phase="SHOWDOWN")
        last = await last_of(an)
        assert last["instant_wins"] == [win]
        hands = (await an.ask("replay", table=last["table"], number=last["number"]))["hands"]
        assert sorted(hands[0]) == sorted(given["hand"])
        assert sorted(hands[seat]) == sorted(card for group in win["groups"] for card in group)
        assert (an.view["phase"], an.view["phase_end_time"]) == ("ENDING", scene.clock.now() + PACE.scene_ms)
