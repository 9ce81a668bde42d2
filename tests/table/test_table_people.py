"""People beside the round: ready clocks that are seen, who sits out and comes back, spectators, links, scores."""

import asyncio
from functools import partial

import pytest
from referee_table.people import MOST_PEOPLE, NAMES
from referee_table.room import KEPT_MS

from tests.table.scripted_player import Player, View
from tests.table.table_scene import PACE, Scene, phase_is, ready

READY_MS = 20_000


def person(view: View, name: str) -> View:
    """Return somebody of a view by name."""
    return next(dict(one) for one in view["persons"] if one["name"] == name)


def is_playing_on(view: View, *, street: str) -> bool:
    """Whether a round of Ultimate Texas is on a street."""
    return view["phase"] == "PLAYING" and bool(view["round"]["ultimate_texas"]["street"] == street)


async def round_played(scene: Scene, *players: Player) -> View:
    """Have everybody play a round, and return its record."""
    number = (players[0].view.get("last") or {}).get("number", 0)
    await ready(*players)
    while (last := players[0].view.get("last") or {"number": 0})["number"] == number:
        if players[0].view.get("phase") == "SHOWDOWN":
            scene.clock.move(max(0, players[0].view["phase_end_time"] - scene.clock.now()))
        await asyncio.sleep(0.01)
    return dict(last)


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "tien_len.mien_nam"])
async def test_clock_for_being_ready_is_in_the_view(scene: Scene, ruleset: str) -> None:
    """Of each who is not ready, as a time; nobody has one while nobody is ready."""
    an, binh = await scene.table(ruleset, people=2)
    assert "sit_out_time" not in person(an.view, "Bình")
    await ready(an)
    view = await binh.until(lambda view: "sit_out_time" in person(view, "Bình"))
    assert person(view, "Bình")["sit_out_time"] == view["phase_end_time"] == scene.clock.now() + READY_MS
    assert "sit_out_time" not in person(view, "An")
    await binh.ask("sit_out", is_out=True)
    view = await binh.until(lambda view: person(view, "Bình")["place"] == "WATCHING")
    assert "sit_out_time" not in person(view, "Bình")
    scene.clock.move(2 * READY_MS)
    await binh.ask("sit_out", is_out=False)
    await binh.until(lambda view: person(view, "Bình")["place"] == "SEAT")


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "tien_len.mien_nam"])
async def test_who_was_not_ready_in_time_has_a_way_back(scene: Scene, ruleset: str) -> None:
    """The person stays in the room, gets one notice, and takes a seat again."""
    an, binh = await scene.table(ruleset, people=2)
    await ready(an)
    await binh.until(lambda view: "sit_out_time" in person(view, "Bình"))
    scene.clock.move(READY_MS)
    await binh.until(lambda view: person(view, "Bình")["place"] == "WATCHING")
    assert binh.notices == ["SITS_OUT"]
    await binh.ask("sit_out", is_out=False)
    await binh.until(lambda view: person(view, "Bình")["place"] == "SEAT")
    assert (await round_played(scene, an, binh))["end"] == "SETTLED"


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino"])
async def test_no_clock_runs_while_the_end_of_a_round_is_shown(scene: Scene, ruleset: str) -> None:
    """The winner has the whole ready time after the scene, though the other was ready at once."""
    an, binh = await scene.table(ruleset, people=2)
    last = await round_played(scene, an, binh)
    view = await an.until(phase_is("ENDING"))
    end = view["phase_end_time"]
    assert end == last["time"] + PACE.scene_ms
    await ready(an)
    view = await binh.until(lambda view: person(view, "An")["is_ready"])
    assert "sit_out_time" not in person(view, "Bình")
    scene.clock.move(PACE.scene_ms)
    view = await binh.until(lambda view: "sit_out_time" in person(view, "Bình"))
    assert (view["phase"], person(view, "Bình")["sit_out_time"]) == ("LOBBY", end + READY_MS)
    await ready(binh)
    await an.until(lambda view: view["round"] is not None)


async def test_end_of_a_round_is_over_once_all_are_ready(scene: Scene) -> None:
    an, binh = await scene.table("ultimate_texas.casino", people=2)
    await round_played(scene, an, binh)
    an.script = binh.script = None
    await binh.until(phase_is("ENDING"))
    await ready(an)
    assert (await binh.until(lambda view: person(view, "An")["is_ready"]))["phase"] == "ENDING"
    await ready(binh)
    await an.until(phase_is("PLAYING"))


async def test_show_is_over_once_all_who_are_present_skip_it(scene: Scene) -> None:
    """Not by one of two, nor by who watches; who is absent is not waited for."""
    an, binh = await scene.table("mau_binh.classic", people=2)
    chi = await scene.player("Chi", room=an.view["room"], plays=False)
    await chi.ask("sit_out", is_out=True)
    await ready(an, binh)
    view = await an.until(phase_is("SHOWDOWN"))
    round_id = view["round"]["round_id"]
    assert (await chi.refused("skip", round_id=round_id))["code"] == "NOT_SEATED"
    await an.ask("skip", round_id=round_id)
    await an.ask("rename", person_name="An", language="vi")
    assert an.view["phase"] == "SHOWDOWN"
    await binh.go()
    view = await an.until(lambda view: view["last"] is not None)
    assert (view["phase"], view["last"]["time"]) == ("ENDING", scene.clock.now())
    assert (await an.refused("skip", round_id=round_id))["code"] == "OTHER_ROUND"


async def test_ready_by_itself_until_a_round_is_not_played(scene: Scene) -> None:
    """After each scene; a person who did nothing in a round is asked again."""
    (an,) = await scene.table("ultimate_texas.casino", people=1)
    await an.ask("auto_ready", is_on=True)
    await an.until(lambda view: view["last"] is not None)
    an.script = None
    scene.clock.move(PACE.scene_ms)
    for street in ("PREFLOP", "FLOP", "RIVER"):
        await an.until(partial(is_playing_on, street=street))
        scene.clock.move(30_000)
    await an.until(lambda view: view["last"]["number"] == 2)
    assert "AUTO_READY_OFF" in an.notices
    assert not person(an.view, "An")["is_auto_ready"]


async def test_anyone_who_plays_seats_bots(scene: Scene) -> None:
    """Between rounds; who watches does not."""
    an, binh = await scene.table("tien_len.mien_nam", people=2)
    chi = await scene.player("Chi", plays=False)
    await chi.ask("join", room=an.view["room"], watch=True)
    assert (await chi.refused("add_bot"))["code"] == "NOT_SEATED"
    await binh.ask("add_bot")
    await an.until(lambda view: len(view["persons"]) == 4)
    await an.ask("remove_bot")
    await an.until(lambda view: len(view["persons"]) == 3)
    assert (await an.refused("remove_bot"))["code"] == "WRONG_PHASE"


async def test_who_finds_all_seats_taken_watches_until_asking_for_one(scene: Scene) -> None:
    """Nothing is said to a spectator when a seat comes free, and nobody is seated unasked."""
    an, binh, chi, dung = await scene.table("tien_len.mien_nam", people=4)
    room = an.view["room"]
    em = await scene.player("Em", plays=False)
    assert (await em.ask("preview", room=room))["open_seats"] == 0
    assert (await em.ask("join", room=room))["place"] == "WATCHING"
    assert (await em.refused("sit_out", is_out=False))["code"] == "NO_SEAT_FREE"
    assert (await em.refused("ready", is_ready=True))["code"] == "NOT_SEATED"
    await binh.ask("leave")
    await em.until(lambda view: len(view["persons"]) == 4)
    await ready(an, chi, dung)
    view = await em.until(lambda view: view["phase"] not in {"LOBBY", "ENDING"})
    assert view["round"]["you"] is None
    assert "hand" not in view["round"]
    await em.ask("sit_out", is_out=False)
    await em.until(lambda view: person(view, "Em")["place"] == "WAITING")
    await an.until(lambda view: view["last"] is not None)
    await em.until(lambda view: person(view, "Em")["place"] == "SEAT")
    assert em.notices == []


async def test_room_takes_so_many_people_and_the_longest_absent_gives_way(scene: Scene) -> None:
    (an,) = await scene.table("tien_len.mien_nam", people=1)
    guests = [await scene.player(f"{number}", room=an.view["room"], plays=False) for number in range(MOST_PEOPLE - 1)]
    await an.until(lambda view: len(view["persons"]) == MOST_PEOPLE)
    last = await scene.player("Yến", plays=False)
    assert (await last.refused("join", room=an.view["room"]))["code"] == "ROOM_FULL"
    await guests[-1].go()
    await an.until(lambda view: person(view, guests[-1].name)["is_away"])
    await last.ask("join", room=an.view["room"])
    view = await an.until(lambda view: any(one["name"] == "Yến" for one in view["persons"]))
    assert len(view["persons"]) == MOST_PEOPLE
    assert not any(one["name"] == guests[-1].name for one in view["persons"])


async def test_link_says_what_it_leads_to_or_that_it_is_over(scene: Scene) -> None:
    (an,) = await scene.table("mau_binh.classic", people=1, bots=2)
    room = an.view["room"]
    binh = await scene.player("Bình", plays=False)
    assert await binh.ask("preview", room=room) == {
        "room": room,
        "ruleset": "mau_binh.classic",
        "stake_minor": 1000,
        "sealed": False,
        "persons": ["An", "Máy An", "Máy Bình"],
        "open_seats": 3,
    }
    chi = await scene.player("Chi", room="nowhere", plays=False)
    await chi.until(lambda view: view["type"] == "lobby")
    assert (await chi.refused("preview", room="nowhere"))["code"] == "NO_ROOM"
    assert chi.notices == ["DEAD_INVITE"]


async def test_link_works_next_week_with_people_scores_and_rounds(new_scene: Scene) -> None:
    """After everybody has left and over a restart; the room's files go once nobody came for long."""
    async with new_scene.open() as scene:
        an, binh = await scene.table("tien_len.mien_nam", people=2)
        last = await round_played(scene, an, binh)
        room, score = an.view["room"], person(an.view, "Bình")["score_minor"]
        await an.ask("leave")
        await binh.go()
    new_scene.clock.move(7 * 24 * 3600 * 1000)
    async with new_scene.open() as scene:
        await scene.player("An", room=room, plays=False)
        again = await scene.player("Bình", plays=False)
        view = await again.until(lambda view: len(view.get("persons", ())) == 2)
        assert (view["room"], person(view, "Bình")["score_minor"]) == (room, score)
        (kept,) = (await again.ask("history"))["rounds"]
        assert kept["round_id"] == last["round_id"]
        for one in scene.players:
            await one.ask("leave")
        scene.clock.move(KEPT_MS)
        await again.until(lambda view: view["type"] == "lobby")
        await asyncio.gather(*scene.house.tasks.values())
    assert not list(new_scene.folder.rglob("*.json*"))


async def test_who_is_away_for_a_minute_sits_out_and_keeps_the_score(scene: Scene) -> None:
    an, binh = await scene.table("tien_len.mien_nam", people=2, bots=1)
    last = await round_played(scene, an, binh)
    await binh.go()
    await an.until(lambda view: person(view, "Bình")["is_away"])
    scene.clock.move(PACE.away_ms)
    view = await an.until(lambda view: person(view, "Bình")["place"] == "WATCHING")
    assert person(view, "Bình")["score_minor"] == next(
        seat["net_minor"] for seat in last["seats"] if seat["name"] == "Bình"
    )
    await binh.come(scene.address)
    assert binh.notices == []
    await binh.ask("sit_out", is_out=False)
    await an.until(lambda view: person(view, "Bình")["place"] == "SEAT")


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino"])
async def test_scores_are_those_of_the_rounds(scene: Scene, ruleset: str) -> None:
    """Summed here from the transfers, apart from how the table server sums them."""
    an, binh = await scene.table(ruleset, people=2, bots=1)
    rounds = [await round_played(scene, an, binh) for _ in range(2)]
    total = 0
    for last in rounds:
        seat = [one["name"] for one in last["seats"]].index("An")
        total += sum(one["amount_minor"] for one in last["transfers"] if one["payee"] == seat)
        total -= sum(one["amount_minor"] for one in last["transfers"] if one["payer"] == seat)
    assert person(an.view, "An")["score_minor"] == total


async def test_names_change_in_the_lobby_and_at_the_table(scene: Scene) -> None:
    an = await scene.player("An", plays=False)
    await an.ask("rename", person_name="Ấn 👩‍👧", language="en")
    await an.ask("create", ruleset="tien_len.mien_nam", stake_minor=100)
    view = await an.until(lambda view: bool(view.get("persons")))
    assert view["persons"][0]["name"] == "Ấn 👩‍👧"
    await an.ask("rename", person_name="An", language="vi")
    await an.until(lambda view: view["persons"][0]["name"] == "An")


def test_no_bot_has_the_name_of_a_row() -> None:
    assert not [name for name in NAMES if "chi" in name.lower().split()]
