"""Every clock of the table, by time that is moved: what follows for who was too slow, and nothing before."""

from functools import partial
from typing import Any, Final

import pytest

from tests.table.scripted_player import Player, View, split
from tests.table.table_scene import PACE, Scene, phase_is, ready

READY_MS: Final = 20_000
ARRANGING_MS: Final = 60_000
OPENING_MS: Final = 30_000
SHOW_MS: Final = 19_000
"""Three chi of five seconds, then the sums."""
TURN_MS: Final = 30_000


async def stays(player: Player, holds: Any) -> None:  # noqa: ANN401 - a question about a view
    """Assert that a condition holds, and still does after the room has had its turn again."""
    await player.ask("rename", person_name=player.name, language="vi")
    assert holds(player.view)


@pytest.mark.parametrize("ruleset", ["mau_binh.maubinh_com", "tien_len.mien_nam", "ultimate_texas.casino"])
async def test_who_is_not_ready_in_time_sits_out(scene: Scene, ruleset: str) -> None:
    """Twenty seconds after the first was ready, and not a moment before."""
    an, binh, chi = await scene.table(ruleset, people=3)
    await ready(an)
    view = await binh.until(lambda view: view["phase_end_time"] is not None)
    assert view["phase_end_time"] == scene.clock.now() + READY_MS
    scene.clock.move(READY_MS - 1)
    await stays(binh, phase_is("LOBBY"))
    await ready(chi)
    scene.clock.move(1)
    await binh.until(lambda view: view["persons"][1]["place"] == "WATCHING")
    assert binh.notices == ["SITS_OUT"]
    view = await an.until(lambda view: view["round"] is not None)
    assert [one["name"] for one in view["round"]["seats"]] == ["An", "Chi"]


async def test_page_that_does_not_bind_is_not_dealt_to(scene: Scene) -> None:
    """After five seconds the room is a lobby again, and that seat not ready; the others need not wait for it."""
    an, binh = await scene.table("tien_len.mien_nam", people=2, bots=1)
    binh.is_willing = False
    await ready(an, binh)
    await an.until(lambda view: view["phase"] == "BINDING" and 0 in view["round"]["bound"])
    scene.clock.move(PACE.bind_ms)
    view = await an.until(phase_is("LOBBY"))
    assert [one["name"] for one in view["persons"] if not one["is_ready"]] == ["Bình"]
    assert view["last"] is None
    scene.clock.move(READY_MS)
    last = (await an.until(lambda view: view["last"] is not None))["last"]
    assert [one["name"] for one in last["seats"] if not one["is_bot"]] == ["An"]


async def test_page_that_hides_its_seed_ends_the_round_in_the_log(scene: Scene) -> None:
    """Nobody pays, the log says whose fault it was, and the table goes on with its next round."""
    an, binh = await scene.table("tien_len.mien_nam", people=2)
    await ready(an)
    binh.is_willing = False
    await binh.ask("ready", is_ready=True)
    view = await binh.until(phase_is("BINDING"))
    round_id = view["round"]["round_id"]
    await binh.ask("bind", round_id=round_id, seed_commitment="00" * 32)
    await an.until(lambda view: view["phase"] == "SEEDING" and view["round"]["seeded"] == [0])
    wrong = await binh.refused("seed", round_id=round_id, seed="11" * 32)
    assert wrong["code"] == "BAD_COMMAND"
    scene.clock.move(2 * PACE.bind_ms + 1)
    last = (await an.until(lambda view: view["last"] is not None))["last"]
    assert (last["end"], last["reason"]) == ("ABORTED", "SEED_MISSING")
    binh.is_willing = True
    await ready(an, binh)
    view = await an.until(phase_is("PLAYING"))
    assert view["round"]["number"] == 2
    assert view["round"]["table"] == last["table"]


async def test_arrangement_that_does_not_come_counts_as_dealt(scene: Scene) -> None:
    """An open table of Mau Binh: the show begins at the deadline, and shows its sums for seconds."""
    an, binh = await scene.table("mau_binh.classic", people=2)
    binh.script = None
    await ready(an, binh)
    view = await an.until(lambda view: view["phase"] == "PLAYING" and view["round"]["mau_binh"]["submitted"][0])
    assert view["phase_end_time"] == view["round"]["dealt_time"] + ARRANGING_MS
    hand = (await binh.until(phase_is("PLAYING")))["round"]["hand"]
    scene.clock.move(ARRANGING_MS - 1)
    await stays(an, phase_is("PLAYING"))
    scene.clock.move(1)
    view = await an.until(phase_is("SHOWDOWN"))
    assert view["phase_end_time"] == scene.clock.now() + SHOW_MS
    late = await binh.refused("arrange", round_id=view["round"]["round_id"], **split(hand))
    assert late["code"] == "TOO_LATE"
    scene.clock.move(SHOW_MS - 1)
    await stays(an, phase_is("SHOWDOWN"))
    scene.clock.move(1)
    last = (await an.until(lambda view: view["last"] is not None))["last"]
    assert [one["defaulted"] for one in last["seats"]] == [False, True]
    assert last["seats"][1]["cards"] == hand


async def test_sealed_seat_that_does_not_commit_counts_as_dealt_and_one_that_does_not_open_fouls(scene: Scene) -> None:
    """One page commits to nothing, another does not open what it committed to; the table reports both."""
    an, binh, chi = await scene.table("mau_binh.classic", people=3, sealed=True)
    binh.script = None
    await ready(an, binh, chi)
    chi_view = await chi.until(lambda view: view["phase"] == "PLAYING" and view["round"]["mau_binh"]["submitted"][2])
    chi.arrangements.clear()
    await an.until(lambda view: view["round"]["mau_binh"]["submitted"] == [True, False, True])
    scene.clock.move(ARRANGING_MS - 1)
    await stays(an, phase_is("PLAYING"))
    scene.clock.move(1)
    view = await an.until(lambda view: view["phase"] == "OPENING" and view["round"]["mau_binh"]["opened"][0])
    assert view["phase_end_time"] == scene.clock.now() + OPENING_MS
    assert [len(hand) for hand in view["round"]["mau_binh"]["hands"]] == [13, 13, 13]
    assert chi_view["round"]["mau_binh"].get("hands") is None
    scene.clock.move(OPENING_MS - 1)
    await stays(an, phase_is("OPENING"))
    scene.clock.move(1)
    await an.until(phase_is("SHOWDOWN"))
    scene.clock.move(SHOW_MS)
    last = (await an.until(lambda view: view["last"] is not None))["last"]
    assert [one["defaulted"] for one in last["seats"]] == [False, True, True]
    assert last["seats"][2]["fouled"]


async def test_seat_out_of_time_passes_or_leads_its_lowest_card(scene: Scene) -> None:
    """Tien Len: thirty seconds a turn, then the referee's own rule for who is out of time."""
    an, binh = await scene.table("tien_len.mien_nam", people=2, plays=False)
    await ready(an, binh)
    view = await an.until(phase_is("PLAYING"))
    leader = view["round"]["tien_len"]["turn"]
    hand = (await (an, binh)[leader].until(phase_is("PLAYING")))["round"]["hand"]
    assert view["phase_end_time"] == scene.clock.now() + TURN_MS
    scene.clock.move(TURN_MS - 1)
    await stays(an, lambda view: view["round"]["tien_len"]["trick"] == [])
    scene.clock.move(1)
    view = await an.until(lambda view: bool(view["round"]["tien_len"]["trick"]))
    (done,) = view["round"]["tien_len"]["trick"]
    assert (done["seat"], done["action"], done["cards"]) == (leader, "TIMEOUT", hand[:1])
    scene.clock.move(TURN_MS)
    view = await an.until(lambda view: bool(view["round"]["tien_len"]["last_trick"]))
    assert [one["action"] for one in view["round"]["tien_len"]["last_trick"]] == ["TIMEOUT", "TIMEOUT"]
    assert view["round"]["tien_len"]["turn"] == leader
    assert view["round"]["tien_len"]["cards_left"][leader] == 12


def is_on(view: View, street: str) -> bool:
    return bool(view["round"]["ultimate_texas"]["street"] == street)


def is_playing_on(view: View, street: str) -> bool:
    return view["phase"] == "PLAYING" and is_on(view, street)


@pytest.mark.parametrize("sealed", [False, True])
async def test_seat_that_does_not_decide_checks_and_then_folds(scene: Scene, *, sealed: bool) -> None:
    """Ultimate Texas: thirty seconds a street for everybody together."""
    an, binh = await scene.table("ultimate_texas.casino", people=2, sealed=sealed)
    binh.script = None
    await ready(an, binh, ante_minor=200)
    for street in ("PREFLOP", "FLOP", "RIVER"):
        view = await binh.until(partial(is_playing_on, street=street))
        scene.clock.move(TURN_MS - 1)
        await stays(binh, partial(is_on, street=street))
        assert view["round"]["ultimate_texas"]["seats"][1]["is_deciding"]
        scene.clock.move(1)
    last = (await binh.until(lambda view: view["last"] is not None))["last"]
    assert (last["seats"][1]["result"], last["seats"][1]["net_minor"]) == ("FOLDED", -400)
