"""Seats with keys of their own: the page signs, the round reaches E2, and nobody else can act for the seat."""

import asyncio
import base64
import json
from typing import Any

import pytest

from referee.audit.bundle import prove_round
from referee.transcript.receipted import read_receipted_event
from tests.driver.auditing import terms_of
from tests.table.scripted_player import Player, View, play_anything, split
from tests.table.signing_player import SigningPlayer
from tests.table.table_scene import GAMES, Scene, phase_is, ready

ARRANGING_MS = 60_000


async def keyed(scene: Scene, ruleset: str, *names: str, bots: int = 0, plays: bool = True, **terms: Any) -> list[Any]:  # noqa: ANN401 - of create
    """People with keys at a table of their own."""
    seats: list[Player] = []
    for name in names:
        player = SigningPlayer(name, referee=scene.court.channel)
        if plays:
            player.script = play_anything
        await scene.seat_of(player, room=seats[0].view["room"] if seats else "", plays=plays)
        if not seats:
            fields: dict[str, Any] = {"ruleset": ruleset, "stake_minor": 1000, "bots": bots, "sealed": False} | terms
            await player.ask("create", **fields)
        seats.append(player)
        await player.until(lambda view: bool(view.get("persons")))
    await seats[0].until(lambda view: len(view["persons"]) == len(names) + bots)
    return seats


async def finished(scene: Scene, player: Player) -> View:
    """Play on until a round has ended and its seed is revealed."""
    while not ((last := player.view.get("last")) and last["proof"]["is_revealed"]):
        if player.view.get("phase") == "SHOWDOWN":
            scene.clock.move(20_000)
        await asyncio.sleep(0.01)
    return dict(player.view["last"])


async def event_level_of(scene: Scene, player: Player, last: View) -> str:
    """Prove a round of the log by its bundle; return the level of its events."""
    keys = player.welcome["log"]
    bundle = await scene.house.client.bundle(last["table"], last["number"])
    terms, trusted, _ = terms_of(**keys, now=0)
    proved = prove_round(json.dumps(bundle).encode(), terms, trusted)
    assert proved.is_proved, proved.findings
    assert proved.result is not None
    return str(proved.result.event_level)


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_round_of_seats_with_keys_reaches_e2(scene: Scene, ruleset: str, *, sealed: bool) -> None:
    """Two people sign in their pages and a bot with the table server's key; the log's proof shows it."""
    an, binh = await keyed(scene, ruleset, "An", "Bình", bots=1, sealed=sealed)
    await ready(an, binh)
    last = await finished(scene, an)
    assert await event_level_of(scene, an, last) == "E2"
    assert {one["key"] for one in last["seats"] if not one["is_bot"]} == {one.hello["seat_key"] for one in (an, binh)}


async def test_round_with_a_person_without_a_key_stays_e1(scene: Scene) -> None:
    """Bots have no keys then; the seat with a key still signs."""
    (an,) = await keyed(scene, "tien_len.mien_nam", "An")
    binh = await scene.player("Bình", room=an.view["room"])
    await an.ask("add_bot")
    await ready(an, binh)
    last = await finished(scene, an)
    assert await event_level_of(scene, an, last) == "E1"
    assert [one["name"] for one in last["seats"] if "key" in one] == ["An"]


async def test_event_without_the_seats_signature_is_refused(scene: Scene) -> None:
    """By the table server without one, by the referee with another's."""
    (an,) = await keyed(scene, "mau_binh.classic", "An", bots=1, plays=False)
    await ready(an)
    view = await an.until(phase_is("PLAYING"))
    given = view["round"]
    an.signs = False
    fields = {"round_id": given["round_id"], **split(given["hand"])}
    assert (await an.refused("arrange", **fields))["code"] == "UNSIGNED"
    wrong = await an.refused("arrange", **fields, seen=0, signature="11" * 64)
    assert (wrong["code"], wrong["reason"]) == ("REFEREE_REFUSED", "BAD_SIGNATURE")
    draft = await an.ask("arrange", **fields, is_final=False)
    assert draft == {"is_held": True}


async def test_seed_whose_signature_does_not_verify_is_refused(scene: Scene) -> None:
    """The round is not lost by it: the right one still counts."""
    (an,) = await keyed(scene, "tien_len.mien_nam", "An", bots=1, plays=False)
    an.unwilling_in = "SEEDING"
    await ready(an)
    view = await an.until(phase_is("SEEDING"))
    round_id, an.signs = view["round"]["round_id"], False
    seed = an.own("seed", round_id).hex()
    assert (await an.refused("seed", round_id=round_id, seed=seed))["code"] == "UNSIGNED"
    assert (await an.refused("seed", round_id=round_id, seed=seed, signature="22" * 64))["code"] == "BAD_COMMAND"
    an.signs = True
    await an.ask("seed", round_id=round_id, seed=seed)
    await an.until(lambda view: view["phase"] != "SEEDING")


async def test_last_seat_to_be_done_is_asked_to_sign_once_all_are(scene: Scene) -> None:
    """What would end the others' arranging is kept unsigned, can still change, and is signed when everyone is done."""
    an, binh = await keyed(scene, "mau_binh.classic", "An", "Bình", plays=False)
    await ready(an, binh)
    views = [await one.until(phase_is("PLAYING")) for one in (an, binh)]
    round_id = views[0]["round"]["round_id"]
    hands = [view["round"]["hand"] for view in views]
    await an.ask("arrange", round_id=round_id, is_final=False, **split(hands[0]))
    await binh.until(lambda view: not view["round"]["mau_binh"]["takes_signed"])
    for cards in (hands[1], list(reversed(hands[1]))):
        assert await binh.ask("arrange", round_id=round_id, **split(cards)) == {"is_held": True}
    view = await binh.until(lambda view: view["round"]["mau_binh"]["is_final"])
    assert not view["round"]["mau_binh"]["sign_now"]
    await an.until(lambda view: len(view["round"]["course"]["events"]) == 1)
    await an.ask("arrange", round_id=round_id, **split(hands[0]))
    await binh.until(lambda view: view["round"]["mau_binh"]["sign_now"])
    assert an.view["phase"] == "PLAYING"
    await binh.ask("arrange", round_id=round_id, **split(list(reversed(hands[1]))))
    last = await finished(scene, an)
    assert last["seats"][1]["arrangement"] == split(list(reversed(hands[1])))
    assert await event_level_of(scene, an, last) == "E2"


async def test_four_seats_with_keys_and_a_spectator_at_a_sealed_table(scene: Scene) -> None:
    """The round reaches E2, and who watches is shown no hand and no course."""
    seats = await keyed(scene, "mau_binh.classic", "An", "Bình", "Chi", "Dũng", sealed=True)
    em = await scene.player("Em", plays=False)
    shown: list[View] = []
    em.watch = shown.append
    await em.ask("join", room=seats[0].view["room"], watch=True)
    await ready(*seats)
    last = await finished(scene, seats[0])
    assert await event_level_of(scene, seats[0], last) == "E2"
    playing = [view["round"] for view in shown if view["phase"] == "PLAYING"]
    assert playing
    assert all("hand" not in given and "course" not in given for given in playing)


async def test_keys_outlive_the_table_server(new_scene: Scene) -> None:
    """Restarted in the middle of a round, seats sign on where they were."""
    async with new_scene.open() as scene:
        seats = await keyed(scene, "tien_len.mien_nam", "An", "Bình", plays=False)
        await ready(*seats)
        views = [await player.until(phase_is("PLAYING")) for player in seats]
        turn = views[0]["round"]["tien_len"]["turn"]
        play = views[turn]["round"]["tien_len"]["legal"]["plays"][0]["cards"]
        await seats[turn].ask("play", round_id=views[0]["round"]["round_id"], cards=play)
    async with new_scene.open() as scene:
        for player in seats:
            player.script = play_anything
            await scene.seat_of(player)
        last = await finished(scene, seats[0])
        assert await event_level_of(scene, seats[0], last) == "E2"


async def test_course_of_an_open_mau_binh_table_hides_other_seats(scene: Scene) -> None:
    """While it is arranged, a seat is shown its own events alone."""
    an, binh = await keyed(scene, "mau_binh.classic", "An", "Bình", plays=False)
    await ready(an, binh)
    view = await an.until(phase_is("PLAYING"))
    hand, round_id = view["round"]["hand"], view["round"]["round_id"]
    await an.ask("arrange", round_id=round_id, is_final=False, **split(hand))
    view = await an.until(lambda view: bool(view["round"]["course"]["events"]))
    assert len(view["round"]["course"]["events"]) == 1
    assert not view["round"]["course"]["is_whole"]
    await binh.ask("rename", person_name="Bình 2", language="vi")
    other = await binh.until(lambda view: any(one["name"] == "Bình 2" for one in view["persons"]))
    assert other["round"]["course"]["events"] == []


async def test_file_of_a_move_comes_once_the_events_before_it_are_shown(scene: Scene) -> None:
    """It holds all events up to the move, which on an open table of Mau Binh are secret while seats arrange."""
    an, binh = await keyed(scene, "mau_binh.classic", "An", "Bình", plays=False)
    await ready(an, binh)
    view = await an.until(phase_is("PLAYING"))
    hand, round_id = view["round"]["hand"], view["round"]["round_id"]
    answer = await an.ask("arrange", round_id=round_id, is_final=False, **split(hand))
    assert "kept" not in answer
    assert "kept" not in (await an.until(lambda view: bool(view["round"]["course"]["events"])))["round"]["mau_binh"]
    scene.clock.move(ARRANGING_MS)
    shown = await an.until(phase_is("SHOWDOWN"))
    kept = read_receipted_event(shown["round"]["mau_binh"]["kept"].encode())
    assert kept is not None
    assert [json.loads(event)["seat"] for event in kept.events] == [0]
    assert len(kept.signature) == 128
    assert base64.b64decode(answer["receipt"]).decode() == kept.receipt
    assert "kept" not in (await binh.until(phase_is("SHOWDOWN")))["round"]["mau_binh"]


async def test_key_that_cannot_verify_is_left_out(scene: Scene) -> None:
    """The identity point, under which anything verifies."""
    an = Player("An", referee=scene.court.channel)
    an.hello = {"seat_key": "01" + "00" * 31}
    await scene.seat_of(an, plays=True)
    await an.ask("create", ruleset="tien_len.mien_nam", stake_minor=100, bots=1)
    await an.until(lambda view: len(view.get("persons", ())) == 2)
    await ready(an)
    view = await an.until(lambda view: view["round"] is not None)
    assert all("key" not in one for one in view["round"]["seats"])
