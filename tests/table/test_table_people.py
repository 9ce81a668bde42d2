"""People beside the round: who sits out and comes back, spectators, bots, links, rooms that last, names."""

import asyncio

import pytest
from referee_table.names import MOST_CHARACTERS, clean_name
from referee_table.people import MOST_PEOPLE
from referee_table.room import KEPT_MS

from tests.table.scripted_player import View
from tests.table.table_scene import MAU_BINH, PACE, TIEN_LEN, Scene, person, ready

FAMILY = "👩‍👩‍👧‍👦"


async def test_people_come_before_bots_and_anyone_who_plays_seats_them(scene: Scene) -> None:
    """A bot goes when a person comes and no seat is free; who watches seats none, and none goes in a round."""
    (an,) = await scene.table(MAU_BINH, bots=3)
    room = an.view["room"]
    assert (await an.refused("add_bot"))["code"] == "NO_SEAT_FREE"
    await an.ask("remove_bot")
    await an.ask("add_bot")
    seats = [an, *[await scene.player(name, room=room) for name in ("Bình", "Chi", "Dũng")]]
    await an.until(lambda view: [one["is_bot"] for one in view["persons"]] == [False] * 4)
    assert (await an.refused("remove_bot"))["code"] == "WRONG_PHASE"
    em = await scene.player("Em", room=room)
    view = await em.until(lambda view: view["type"] == "view")
    assert [one["place"] for one in view["persons"]] == ["SEAT"] * 4 + ["WATCHING"]
    for command in ("add_bot", "remove_bot"):
        assert (await em.refused(command))["code"] == "NOT_SEATED"
    await scene.play(*seats)


async def test_who_finds_all_seats_taken_watches_until_asking_for_one(scene: Scene) -> None:
    """Nothing is said to a spectator when a seat comes free, and nobody is seated unasked."""
    an, binh, chi, dung = await scene.table(TIEN_LEN, people=4)
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
    await em.ask("sit_out", is_out=False)
    await em.until(lambda view: person(view, "Em")["place"] == "WAITING")
    await scene.finish(an)
    await em.until(lambda view: person(view, "Em")["place"] == "SEAT")
    assert em.codes("notice") == []


async def test_room_takes_so_many_people_and_the_longest_absent_gives_way(scene: Scene) -> None:
    (an,) = await scene.table(TIEN_LEN)
    room = an.view["room"]
    guests = [await scene.player(f"{number}", room=room, plays=False) for number in range(MOST_PEOPLE - 1)]
    late = await scene.player("Yến", plays=False)
    assert (await late.refused("join", room=room))["code"] == "ROOM_FULL"
    await guests[-1].go()
    await an.until(lambda view: person(view, guests[-1].name)["is_away"])
    await late.ask("join", room=room)
    view = await an.until(lambda view: any(one["name"] == "Yến" for one in view["persons"]))
    assert {one["name"] for one in view["persons"]} == {"An", "Yến", *[one.name for one in guests[:-1]]}


async def test_link_says_what_it_leads_to_or_that_it_is_over(scene: Scene) -> None:
    (an,) = await scene.table(MAU_BINH, bots=2)
    room = an.view["room"]
    binh = await scene.player("Bình", plays=False)
    preview = await binh.ask("preview", room=room)
    assert preview == {
        "room": room,
        "ruleset": MAU_BINH,
        "stake_minor": 1000,
        "sealed": False,
        "persons": ["An", "Máy An", "Máy Bình"],
        "open_seats": 3,
    }
    chi = await scene.player("Chi", plays=False)
    for question in ("preview", "join"):
        assert (await chi.refused(question, room="nowhere"))["code"] == "NO_ROOM"
    assert chi.view["type"] == "lobby"
    dung = await scene.player("Dũng", room=room)
    for _ in range(2):  # also after leaving, from the same tab
        await dung.until(lambda view: view.get("room") == room)
        await dung.ask("leave")
        await dung.until(lambda view: view["type"] == "lobby")
        await dung.go()
        await dung.come(scene.address, room=room)
    await dung.until(lambda view: view.get("room") == room)


async def test_link_works_next_week_with_people_scores_and_rounds(new_scene: Scene) -> None:
    """After everybody has left and over a restart; the room's files go once nobody came for long."""
    async with new_scene.open() as scene:
        an, binh = await scene.table(TIEN_LEN, people=2)
        first, last = [await scene.play(an, binh, number=number) for number in (1, 2)]
        room, score = an.view["room"], person(an.view, "Bình")["score_minor"]
        nets = [one["net_minor"] for ended in (first, last) for one in ended["seats"] if one["name"] == "Bình"]
        assert score == sum(nets)
        await an.ask("leave")
        await binh.go()
    new_scene.clock.move(7 * 24 * 3600 * 1000)
    async with new_scene.open() as scene:
        await scene.player("An", room=room, plays=False)
        again = await scene.player("Bình", plays=False)
        view = await again.until(lambda view: len(view.get("persons", ())) == 2)
        assert (view["room"], person(view, "Bình")["score_minor"]) == (room, score)
        kept = (await again.ask("history"))["rounds"]
        assert {one["round_id"] for one in kept} == {one["round_id"] for one in (first, last)}
        for one in scene.players:
            await one.ask("leave")
        scene.clock.move(KEPT_MS)
        await asyncio.gather(*(one.task for one in scene.house.rooms.values()))
    assert not list(new_scene.folder.rglob("*.json"))


async def test_who_is_away_for_a_minute_sits_out_and_keeps_the_score(scene: Scene) -> None:
    an, binh = await scene.table(TIEN_LEN, people=2, bots=1)
    await scene.play(an, binh)
    score = person(an.view, "Bình")["score_minor"]
    await binh.go()
    await an.until(lambda view: person(view, "Bình")["is_away"])
    scene.clock.move(PACE.away_ms)
    view = await an.until(lambda view: person(view, "Bình")["place"] == "WATCHING")
    assert person(view, "Bình")["score_minor"] == score
    await scene.come(binh)
    assert binh.codes("notice") == []
    await binh.ask("sit_out", is_out=False)
    await an.until(lambda view: person(view, "Bình")["place"] == "SEAT")


async def test_name_keeps_its_visible_characters(scene: Scene) -> None:
    """Control and bidi characters are left out, a long name is cut; neither breaks a log line or another's name."""
    an = await scene.player("An\u202e\x1b[31m\n" + "n" * 40, plays=False)
    await an.ask("create", ruleset=MAU_BINH, stake_minor=100)
    await an.until(lambda view: [one["name"] for one in view.get("persons", ())] == ["An[31m " + "n" * 17])
    for typed, name in ((" Bi\u0300nh \u2066\u200f", "B\u00ecnh"), ("\u200b", "?"), (f"Ấn {FAMILY}", f"Ấn {FAMILY}")):
        await an.go()
        an.name = typed
        await scene.come(an)

        def has_name(view: View, name: str = name) -> bool:
            return [one["name"] for one in view.get("persons", ())] == [name]

        await an.until(has_name)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (f"{FAMILY} Nhà", f"{FAMILY} Nhà"),
        ("🇻🇳🇻🇳", "🇻🇳🇻🇳"),
        ("👍🏽!", "👍🏽!"),
        ("Nguye\u0302\u0303n", "Nguyễn"),
        ("a\u202eb\u2066c\u200bd", "abcd"),
        ("a\u200db", "ab"),
        ("\u0301\u0302An", "An"),
        ("a" + "\u0336" * 200, "a" + "\u0336" * 4),
        (FAMILY * 30, (FAMILY * 30)[:MOST_CHARACTERS].rstrip("\u200d")),
    ],
)
def test_names_keep_emoji_and_lose_controls(typed: str, name: str) -> None:
    assert clean_name(typed) == name
