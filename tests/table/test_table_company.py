"""People beside the round: ready clocks that are seen, ways back, hosts, phrases, spectators, quick play, scores."""

import asyncio
from functools import partial
from typing import Any

import pytest
from referee_table.people import MOST_PEOPLE, NAMES

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
            scene.clock.move(max(0, players[0].view["deadline"] - scene.clock.now()))
        await asyncio.sleep(0.01)
    return dict(last)


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "tien_len.mien_nam"])
async def test_clock_for_being_ready_is_in_the_view(scene: Scene, ruleset: str) -> None:
    """Of each who is not ready, as a time; nobody has one while nobody is ready."""
    an, binh = await scene.table(ruleset, people=2)
    assert "kick_time" not in person(an.view, "Bình")
    await ready(an)
    view = await binh.until(lambda view: "kick_time" in person(view, "Bình"))
    assert person(view, "Bình")["kick_time"] == scene.clock.now() + READY_MS
    assert "kick_time" not in person(view, "An")
    await binh.ask("sit_out", is_out=True)
    view = await binh.until(lambda view: person(view, "Bình")["place"] == "WATCHING")
    assert "kick_time" not in person(view, "Bình")
    scene.clock.move(2 * READY_MS)
    await binh.ask("sit_out", is_out=False)
    await binh.until(lambda view: person(view, "Bình")["place"] == "SEAT")


async def test_who_is_sent_out_has_a_way_back(scene: Scene) -> None:
    """The notice and the lobby name the room, also after a reload, until it is taken or the room closes."""
    an, binh = await scene.table("tien_len.mien_nam", people=2)
    room = an.view["room"]
    await ready(an)
    await binh.until(lambda view: "kick_time" in person(view, "Bình"))
    scene.clock.move(READY_MS)
    view = await binh.until(lambda view: view["type"] == "lobby")
    assert (binh.notice["code"], binh.notice["room"]) == ("SENT_OUT", room)
    assert (view["back"]["room"], view["back"]["host"]) == (room, "An")
    await binh.go()
    again = await scene.player("Bình", plays=False)
    assert again.view["back"]["room"] == room
    await again.ask("join", room=room)
    await again.until(lambda view: view.get("room") == room)


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino"])
async def test_no_clock_runs_while_the_end_of_a_round_is_shown(scene: Scene, ruleset: str) -> None:
    """The winner has the whole ready time after the scene, though the other was ready at once."""
    an, binh = await scene.table(ruleset, people=2)
    await round_played(scene, an, binh)
    scene_until = an.view["scene_until"]
    assert scene_until == scene.clock.now() + PACE.scene_ms
    await ready(an)
    view = await binh.until(lambda view: person(view, "An")["is_ready"])
    assert "kick_time" not in person(view, "Bình")
    scene.clock.move(PACE.scene_ms)
    view = await binh.until(lambda view: "kick_time" in person(view, "Bình"))
    assert person(view, "Bình")["kick_time"] == scene_until + READY_MS
    await ready(binh)
    await an.until(lambda view: view["round"] is not None)


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


async def test_host_alone_kicks_pauses_and_seats_bots(scene: Scene) -> None:
    """Between rounds; the host is who has been there longest, and who was kicked cannot come back."""
    an, binh, chi = await scene.table("tien_len.mien_nam", people=3)
    assert [person(an.view, name)["is_host"] for name in ("An", "Bình", "Chi")] == [True, False, False]
    whom, room = person(an.view, "Chi")["person"], an.view["room"]
    commands: dict[str, Any] = {"kick": {"person": whom}, "pause": {"is_paused": True}, "add_bot": {}}
    for name, fields in commands.items():
        assert (await binh.refused(name, **fields))["code"] == "NOT_HOST"
    await an.ask("kick", person=whom)
    view = await chi.until(lambda view: view["type"] == "lobby")
    assert (chi.notices, view["back"]) == (["KICKED"], None)
    assert (await chi.refused("join", room=room))["code"] == "KICKED"
    await an.ask("pause", is_paused=True)
    await ready(an, binh)
    view = await an.until(lambda view: view["is_paused"] and person(view, "Bình")["is_ready"])
    assert view["phase"] == "LOBBY"
    an.is_willing = binh.is_willing = False  # else the round might have a seed of only one when An leaves
    scene.clock.move(10 * READY_MS)
    await an.ask("pause", is_paused=False)
    await an.until(phase_is("BINDING"))
    assert (await an.refused("kick", person=person(an.view, "Bình")["person"]))["code"] == "WRONG_PHASE"
    await an.ask("leave")
    await binh.until(lambda view: person(view, "Bình")["is_host"])


async def test_phrases_are_of_the_list_and_not_too_many(scene: Scene) -> None:
    """Everybody in the room sees who said what and when; a fifth one has to wait."""
    an, binh = await scene.table("tien_len.mien_nam", people=2)
    codes = [one["code"] for one in an.welcome["phrases"]]
    assert {one["kind"] for one in an.welcome["phrases"]} == {"PHRASE", "EMOTE"}
    for code in codes[:4]:
        await an.ask("say", phrase=code)
    view = await binh.until(lambda view: person(view, "An").get("said", {}).get("code") == codes[3])
    assert person(view, "An")["said"]["time"] == scene.clock.now()
    wrong = await an.refused("say", phrase=codes[4])
    assert (wrong["code"], wrong["is_retryable"]) == ("TOO_MANY", True)
    assert (await an.refused("say", phrase="buy my cards"))["code"] == "BAD_COMMAND"
    scene.clock.move(10_000)
    await an.ask("say", phrase=codes[4])


async def test_fifth_person_waits_and_a_spectator_watches(scene: Scene) -> None:
    """Both are marked as what they are, in the answer, in the view and in the lobby."""
    an, binh, chi, dung = await scene.table("tien_len.mien_nam", people=4)
    room = an.view["room"]
    em, giang = await scene.player("Em", plays=False), await scene.player("Giang", plays=False)
    listed = await em.ask("preview", room=room)
    assert (listed["open_seats"], listed["max_seats"], listed["host"]) == (0, 4, "An")
    assert (await em.ask("join", room=room))["place"] == "WAITING"
    assert (await giang.ask("join", room=room, watch=True))["place"] == "WATCHING"
    view = await giang.until(lambda view: len(view.get("persons", ())) == 6)
    assert [one["place"] for one in view["persons"]] == ["SEAT"] * 4 + ["WAITING", "WATCHING"]
    await binh.ask("leave")
    await em.until(lambda view: person(view, "Em")["place"] == "SEAT")
    assert person(em.view, "Giang")["place"] == "WATCHING"
    await ready(an, chi, dung)
    await em.ask("ready", is_ready=True)
    view = await giang.until(lambda view: view["phase"] != "LOBBY")
    assert view["round"]["you"] is None
    assert "hand" not in view["round"]


async def test_room_takes_so_many_people_and_no_more(scene: Scene) -> None:
    (an,) = await scene.table("tien_len.mien_nam", people=1)
    for number in range(MOST_PEOPLE - 1):
        await scene.player(f"{number}", room=an.view["room"], plays=False)
    await an.until(lambda view: len(view["persons"]) == MOST_PEOPLE)
    last = await scene.player("Yến", plays=False)
    assert (await last.refused("join", room=an.view["room"]))["code"] == "ROOM_FULL"


async def test_invitation_says_what_it_leads_to_or_that_it_is_over(scene: Scene) -> None:
    (an,) = await scene.table("mau_binh.classic", people=1, bots=2, listed=False)
    room = an.view["room"]
    binh = await scene.player("Bình", plays=False)
    found = await binh.ask("preview", room=room)
    assert {name: found[name] for name in ("host", "ruleset", "stake_minor", "bots", "open_seats")} == {
        "host": "An",
        "ruleset": "mau_binh.classic",
        "stake_minor": 1000,
        "bots": 2,
        "open_seats": 3,
    }
    await an.ask("leave")
    assert (await binh.refused("preview", room=room))["code"] == "NO_ROOM"
    chi = await scene.player("Chi", room=room, plays=False)
    await chi.until(lambda view: view["type"] == "lobby")
    assert (await chi.refused("join", room=room))["code"] == "NO_ROOM"
    assert chi.notices == ["DEAD_INVITE"]


@pytest.mark.parametrize("ruleset", ["mau_binh.chi_2020", "tien_len.mien_nam", "ultimate_texas.casino"])
async def test_quick_play_is_one_command(scene: Scene, ruleset: str) -> None:
    """A seat at an open table between rounds, or a new table with bots, dealt without another word."""
    an = await scene.player("An")
    first = await an.ask("create", ruleset=ruleset, stake_minor=100)
    binh = await scene.player("Bình")
    second = await binh.ask("quick", ruleset=ruleset)
    assert (second["is_new"], second["room"]) == (False, first["room"])
    other = await scene.player("Chi")
    assert (await other.ask("quick", ruleset=ruleset, stake_minor=500))["is_new"]
    await other.until(lambda view: view.get("phase") not in {None, "LOBBY"} or view.get("last") is not None)
    assert len(other.view["persons"]) == 4
    assert (await other.refused("quick", ruleset="nothing"))["code"] == "BAD_COMMAND"


async def test_quick_play_never_leads_to_watch_a_round_of_others(scene: Scene) -> None:
    """An's round waits for her decision; Bình plays at once, at a table of his own."""
    an = await scene.player("An")
    first = await an.ask("quick", ruleset="ultimate_texas.casino")
    await an.until(phase_is("PLAYING"))
    binh = await scene.player("Bình")
    second = await binh.ask("quick", ruleset="ultimate_texas.casino")
    assert second["is_new"]
    assert second["room"] != first["room"]
    await binh.until(phase_is("PLAYING"))
    assert binh.view["round"]["you"] is not None


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino"])
async def test_scores_pairs_and_statistics_are_those_of_the_rounds(scene: Scene, ruleset: str) -> None:
    """Summed here from the transfers, apart from how the table server sums them."""
    an, binh = await scene.table(ruleset, people=2, bots=1)
    rounds = [await round_played(scene, an, binh) for _ in range(2)]
    for last in rounds:
        for seat, one in enumerate(last["seats"]):
            won = sum(pair["amount_minor"] for pair in last["pairs"] if pair["payee"] == seat)
            lost = sum(pair["amount_minor"] for pair in last["pairs"] if pair["payer"] == seat)
            assert won - lost == one["net_minor"]
        ends = [frozenset((pair["payer"], pair["payee"])) for pair in last["pairs"]]
        assert len(ends) == len(set(ends))
    nets = [next(one["net_minor"] for one in last["seats"] if one["name"] == "An") for last in rounds]
    assert person(an.view, "An")["score_minor"] == sum(nets)
    assert person(an.view, "An")["stats"] == {
        "rounds": 2,
        "won": sum(net > 0 for net in nets),
        "net_minor": sum(nets),
        "best_minor": max(nets),
        "worst_minor": min(nets),
    }


async def test_names_and_avatars_change_in_the_lobby_and_at_the_table(scene: Scene) -> None:
    an = await scene.player("An", plays=False)
    codes = [one["code"] for one in an.welcome["avatars"]]
    await an.ask("rename", person_name="Ấn 👩‍👧", language="en", avatar=codes[1])
    await an.ask("create", ruleset="tien_len.mien_nam", stake_minor=100)
    view = await an.until(lambda view: bool(view.get("persons")))
    assert (view["persons"][0]["name"], view["persons"][0]["avatar"]) == ("Ấn 👩‍👧", codes[1])
    wrong = await an.refused("rename", person_name="An", language="en", avatar="SPHINX")
    assert wrong["code"] == "BAD_COMMAND"


def test_no_bot_has_the_name_of_a_row() -> None:
    assert not [name for name in NAMES if "chi" in name.lower().split()]
