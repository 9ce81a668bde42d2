"""Every clock of the table, by time that is moved: what follows for who was too slow, nothing before, and ends seen."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.table.scripted_player import UNASKED, View, split
from tests.table.table_scene import MAU_BINH, PACE, TEXAS, TIEN_LEN, Scene, dealt, person, ready, stays

READY_MS: Final = 20_000
TURN_MS: Final = 30_000
RULESETS: Final = [MAU_BINH, TIEN_LEN, TEXAS]
LUCKY: Final = {"mau_binh.maubinh_com": ("luck 40", 2), TIEN_LEN: ("luck 23", 3)}
"""Entropy whose first round of one person and three bots is won at the deal with six pairs, and by which seat."""
Step = tuple[str, int, Callable[[View], object]]
ARRANGED: Final[Step] = ("PLAYING", 60_000, lambda game: game["submitted"] == [True, False, True])
OPENED: Final[Step] = ("OPENING", 30_000, lambda game: game["opened"][0] and [*map(len, game["hands"])] == [13] * 3)
SHOWN: Final[Step] = ("SHOWDOWN", 3 * 5_000 + PACE.sums_ms, lambda _: True)


def decided(street: str) -> Step:
    """Return the step of a street in which the silent seat alone has not decided."""
    deciding = [False, True, False]
    return (
        "PLAYING",
        TURN_MS,
        lambda game: game["street"] == street and [one["is_deciding"] for one in game["seats"]] == deciding,
    )


STREETS: Final = [decided(street) for street in ("PREFLOP", "FLOP", "RIVER")]
SILENT: Final[list[Any]] = [
    (MAU_BINH, False, [ARRANGED, SHOWN], {"defaulted": True}, {"defaulted": False}),
    (MAU_BINH, True, [ARRANGED, OPENED, SHOWN], {"defaulted": True}, {"defaulted": True, "fouled": True}),
    (TEXAS, False, STREETS, {"result": "FOLDED", "net_minor": -2000}, {}),
    (TEXAS, True, STREETS, {"result": "FOLDED", "net_minor": -2000}, {}),
]
"""What is waited for while a seat does nothing, each with its phase and length; and what becomes of it.

Then what becomes of a seat that forgets what it has committed to.
"""


async def test_who_does_not_bind_is_not_dealt_to(scene: Scene) -> None:
    """After five seconds the room is a lobby again, and that seat not ready; the others need not wait for it."""
    an, binh = await scene.table(TIEN_LEN, people=2, bots=1)
    binh.refuses = UNASKED
    await ready(an, binh)
    await an.until(lambda view: view["phase"] == "BINDING" and 0 in view["round"]["bound"])
    scene.clock.move(PACE.bind_ms)
    view = await an.phase("LOBBY")
    assert [one["name"] for one in view["persons"] if not one["is_ready"]] == ["Bình"]
    assert view["last"] is None
    scene.clock.move(READY_MS)
    assert [one["name"] for one in (await an.ended())["seats"]] == ["An", "Máy An"]


async def test_page_that_hides_its_seed_ends_the_round_in_the_log(scene: Scene) -> None:
    """Nobody pays, and the table goes on with its next round."""
    an, binh = await scene.table(TIEN_LEN, people=2)
    binh.refuses = UNASKED
    await ready(an, binh)
    await binh.phase("BINDING")
    await binh.move("bind", seed_commitment="00" * 32)
    await an.until(lambda view: view["phase"] == "SEEDING" and view["round"]["seeded"] == [0])
    end = (await binh.phase("SEEDING"))["phase_end_time"]
    assert end == scene.clock.now() + 2 * PACE.bind_ms + 1  # as long as to bind, also after the last moment to bind
    refused = await binh.refused("seed", round_id=binh.view["round"]["round_id"], seed="11" * 32)
    assert refused["code"] == "REFEREE_REFUSED"
    scene.clock.move(2 * PACE.bind_ms + 1)
    last = await an.ended()
    assert (last["end"], last["reason"]) == ("ABORTED", "SEED_MISSING")
    binh.refuses = ()
    view = (await dealt(an, binh))[0]
    assert (view["round"]["number"], view["round"]["table"]) == (2, last["table"])


@pytest.mark.parametrize(("ruleset", "sealed", "steps", "silent", "forgets"), SILENT)
async def test_seat_that_does_nothing_is_waited_for_as_long_as_the_ruleset_says(  # noqa: PLR0913 - a row of the table
    scene: Scene, ruleset: str, steps: list[Step], silent: View, forgets: View, *, sealed: bool
) -> None:
    """Then it has its cards as dealt, or folds."""
    game = ruleset.partition(".")[0]
    an, binh, chi = await scene.table(ruleset, people=3, sealed=sealed)
    binh.script = None
    await ready(an, binh, chi)
    for phase, milliseconds, is_due in steps:

        def is_reached(view: View, phase: str = phase, is_due: Callable[[View], object] = is_due) -> bool:
            return view["phase"] == phase and bool(is_due(view["round"][game]))

        assert (await an.until(is_reached))["phase_end_time"] == scene.clock.now() + milliseconds
        chi.arrangements.clear()
        await scene.passes(an, milliseconds)
    last = await an.ended()
    for one, expected in zip(last["seats"][1:], (silent, forgets), strict=True):
        assert {name: one[name] for name in expected} == expected
    if game == "mau_binh":
        replay = await an.ask("replay", table=last["table"], number=1)
        assert last["seats"][1]["arrangement"] == split(replay["hands"][1])


async def test_seat_out_of_time_passes_or_leads_its_lowest_card(scene: Scene) -> None:
    """Tiến Lên: thirty seconds a turn, then the referee's own rule for who is out of time."""
    an, binh = await scene.table(TIEN_LEN, people=2, plays=False)
    views = await dealt(an, binh)
    leader = views[0]["round"]["tien_len"]["turn"]
    assert views[0]["phase_end_time"] == scene.clock.now() + TURN_MS
    scene.clock.move(TURN_MS - 1)
    await stays(an, "PLAYING")
    assert an.view["round"]["tien_len"]["trick"] == []
    scene.clock.move(1)
    (done,) = (await an.until(lambda view: bool(view["round"]["tien_len"]["trick"])))["round"]["tien_len"]["trick"]
    lowest = views[leader]["round"]["hand"][:1]
    assert (done["seat"], done["action"], done["cards"]) == (leader, "TIMEOUT", lowest)
    scene.clock.move(TURN_MS)
    view = await an.until(lambda view: bool(view["round"]["tien_len"]["last_trick"]))
    game = view["round"]["tien_len"]
    assert [one["action"] for one in game["last_trick"]] == ["TIMEOUT", "TIMEOUT"]
    assert (game["turn"], game["cards_left"][leader]) == (leader, 12)


@pytest.mark.parametrize("ruleset", RULESETS)
async def test_end_of_a_round_is_shown_and_only_then_the_clock_for_being_ready_runs(scene: Scene, ruleset: str) -> None:
    """All phases at their real lengths. Who is not ready in time sits out, not a moment before, and may come back."""
    an, binh, chi = await scene.table(ruleset, people=3)
    last = await scene.play(an, binh, chi)
    for view in [view for view in an.seen if view.get("phase") == "SHOWDOWN"]:
        chi_shown = view["round"]["mau_binh"]["showdown"]["chi"] if "mau_binh" in view["round"] else []
        last_chi = max([one["start_time"] + 1000 * one["seconds"] for one in chi_shown], default=view["time"])
        assert view["phase_end_time"] - last_chi >= PACE.sums_ms
    end = (await an.phase("ENDING"))["phase_end_time"]
    assert end == last["time"] + PACE.scene_ms
    await ready(an)
    view = await binh.until(lambda view: person(view, "An")["is_ready"])
    assert "sit_out_time" not in person(view, "Bình")
    await scene.passes(binh, end - scene.clock.now())
    view = await binh.until(lambda view: view["phase"] == "LOBBY" and "sit_out_time" in person(view, "Bình"))
    assert person(view, "Bình")["sit_out_time"] == view["phase_end_time"] == end + READY_MS
    assert "sit_out_time" not in person(view, "An")
    await scene.passes(binh, READY_MS - 1)
    await ready(chi)
    scene.clock.move(1)
    await binh.until(lambda view: person(view, "Bình")["place"] == "WATCHING")
    assert binh.codes("notice") == ["SITS_OUT"]
    assert [one["name"] for one in (await scene.finish(an, number=2))["seats"]] == ["An", "Chi"]
    await binh.ask("sit_out", is_out=False)
    await binh.until(lambda view: person(view, "Bình")["place"] == "SEAT")


async def test_show_is_over_once_all_who_are_present_skip_it(scene: Scene) -> None:
    """Not by one of two, nor by who watches; who is absent is not waited for. The end is over once all are ready."""
    an, binh = await scene.table(MAU_BINH, people=2)
    chi = await scene.player("Chi", room=an.view["room"], plays=False)
    await chi.ask("sit_out", is_out=True)
    await ready(an, binh)
    round_id = (await an.phase("SHOWDOWN"))["round"]["round_id"]
    assert (await chi.refused("skip", round_id=round_id))["code"] == "NOT_SEATED"
    await an.ask("skip", round_id=round_id)
    await stays(an, "SHOWDOWN")
    await binh.go()
    assert (await an.ended())["time"] == scene.clock.now()
    assert an.view["phase"] == "ENDING"
    assert (await an.refused("skip", round_id=round_id))["code"] == "OTHER_ROUND"
    await scene.come(binh)
    await ready(an, binh)
    await an.phase("PLAYING")


@pytest.mark.parametrize("ruleset", LUCKY)
async def test_win_at_the_deal_is_seen_before_the_round_ends(make_scene: Callable[..., Scene], ruleset: str) -> None:
    """Own cards and the winner's for six seconds, then the result, and only then the clock for being ready."""
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
        await scene.passes(an, PACE.scene_ms)
        last = await an.ended()
        assert last["instant_wins"] == [win]
        hands = (await an.ask("replay", table=last["table"], number=1))["hands"]
        assert sorted(hands[0]) == sorted(given["hand"])
        assert sorted(hands[seat]) == sorted(win["cards"])
        assert (an.view["phase"], an.view["phase_end_time"]) == ("ENDING", scene.clock.now() + PACE.scene_ms)
