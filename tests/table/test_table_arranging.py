"""What is on a page's screen is handed in as it changes: the last arrangement counts, whatever became of the page."""

from typing import Any

import pytest
from referee_table.mau_binh.play import MauBinhPlay

from referee.games.mau_binh.event import MAX_EVENTS
from tests.table.scripted_player import Player, View, play_anything, split
from tests.table.table_scene import MAU_BINH, TIEN_LEN, Scene, dealt, ready, stays

ARRANGING_MS = 60_000
HAND_IN_MS = 1_000
HELD = {"is_held": True}


def game(view: View) -> View:
    return dict(view["round"]["mau_binh"])


async def arrange(player: Player, cards: list[str], *, final: bool = True) -> View:
    return await player.move("arrange", is_final=final, **split(cards))


async def shown(scene: Scene, player: Player, *, hand_in: bool = False) -> list[View]:
    """Return the seats of the last round after its show; ``hand_in`` lets the time to arrange run out first."""
    if hand_in:
        await stays(player, "PLAYING")
        scene.clock.move(ARRANGING_MS - HAND_IN_MS)
    await player.phase("SHOWDOWN")
    return list((await scene.finish(player))["seats"])


@pytest.mark.parametrize(("people", "bots", "final"), [(2, 0, False), (1, 3, False), (1, 3, True)])
async def test_last_draft_counts_at_the_deadline(scene: Scene, people: int, bots: int, *, final: bool) -> None:
    """However often the screen changes: no final word is needed, and one is taken; among people alone and with bots."""
    seats = await scene.table(MAU_BINH, people=people, bots=bots, plays=False)
    views = await dealt(*seats)
    hand = views[0]["round"]["hand"]
    turns = [turn % 13 for turn in range(MAX_EVENTS // (people + bots) + 1)]
    answers = [await arrange(seats[0], hand[turn:] + hand[:turn], final=False) for turn in turns]
    assert answers[0].get("number")
    assert answers[-1] == HELD  # some of the seat's events are left for its last arrangement
    await arrange(seats[0], hand[::-1], final=final)
    if people == 2:  # the other's draft would be the last: it is held back
        assert await arrange(seats[1], views[1]["round"]["hand"], final=False) == HELD
    lines = await shown(scene, seats[0], hand_in=not final)
    assert [one["defaulted"] for one in lines] == [False] * (people + bots)
    assert lines[0]["arrangement"] == split(hand[::-1])


async def test_show_begins_at_once_when_every_person_is_done(scene: Scene) -> None:
    """Drafts end nothing, and take a final word back; the last final word ends arranging, and bots wait for it."""
    an, binh = await scene.table(MAU_BINH, people=2, bots=2, plays=False)
    hands = [view["round"]["hand"] for view in await dealt(an, binh)]
    await an.until(lambda view: sum(game(view)["submitted"]) == 2)
    await arrange(binh, hands[1], final=False)
    await arrange(an, hands[0])
    await binh.until(lambda view: game(view)["submitted"][0])
    await arrange(an, hands[0][::-1], final=False)
    await binh.until(lambda view: not game(view)["submitted"][0])
    await arrange(binh, hands[1])
    await stays(an, "PLAYING")
    await arrange(an, hands[0])
    round_id = (await an.phase("SHOWDOWN"))["round"]["round_id"]
    assert (await an.refused("arrange", round_id=round_id, **split(hands[0])))["code"] == "TOO_LATE"


async def test_draft_is_kept_for_other_tabs_and_restarts_and_refused_if_not_dealt(new_scene: Scene) -> None:
    """Held back or handed in, the view of any tab of the person has it, and the room's file."""
    async with new_scene.open() as scene:
        an, binh = await scene.table(MAU_BINH, people=2, plays=False)
        hands = [view["round"]["hand"] for view in await dealt(an, binh)]
        await arrange(an, hands[0][::-1], final=False)
        foreign = {"round_id": binh.view["round"]["round_id"], "is_final": False, **split(hands[0])}
        assert (await binh.refused("arrange", **foreign))["code"] == "UNLAWFUL"
        assert "arrangement" not in game(binh.view)
        assert await arrange(binh, hands[1][::-1], final=False) == HELD
        for one, hand in ((an, hands[0]), (binh, hands[1])):
            tab = await scene.player(one.name, plays=False)
            assert (game(tab.view)["arrangement"], game(tab.view)["is_final"]) == (split(hand[::-1]), False)
    async with new_scene.open() as scene:
        binh = await scene.player("Bình", plays=False)
        assert game(binh.view)["arrangement"] == split(hands[1][::-1])
        assert (await shown(scene, binh, hand_in=True))[1]["arrangement"] == split(hands[1][::-1])


async def test_draft_whose_time_comes_while_a_bot_moves_is_handed_in(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first bot's is held back; the second is still advised when the time of both comes."""
    suggest = MauBinhPlay._suggest  # noqa: SLF001 - what takes long

    async def suggest_for_long(play: MauBinhPlay, seat: int, *, count: int) -> Any:  # noqa: ANN401 - as it is
        suggested = await suggest(play, seat, count=count)
        if seat == 2:
            scene.clock.move(ARRANGING_MS - HAND_IN_MS)
        return suggested

    monkeypatch.setattr(MauBinhPlay, "_suggest", suggest_for_long)
    (an,) = await scene.table(MAU_BINH, bots=2, plays=False)
    await dealt(an)
    events = scene.room_of(an).rounds.play.message.events
    await an.until(lambda _: {event.seat for event in events} == {1, 2})


async def test_sealed_commitments_are_drafts_too(scene: Scene) -> None:
    """The newest commitment is the one that the seat opens, though nobody said that they were done."""
    an, binh = await scene.table(MAU_BINH, people=2, plays=False, sealed=True)
    for one, view in zip((an, binh), await dealt(an, binh), strict=True):
        _, hand = await one.joined(view)
        for cards in (hand, hand[::-1]):
            one.arrangements[view["round"]["round_id"]] = cards
            wanted = one.commitment(view, cards)
            await one.move("commit", commitment=wanted, is_final=False)
            await one.until(lambda view, wanted=wanted: game(view).get("commitment") == wanted)  # type: ignore[misc] # a default
    lines = await shown(scene, an, hand_in=True)
    assert [one["defaulted"] for one in lines] == [False, False]
    assert split(an.arrangements.popitem()[1]) == lines[0]["arrangement"]


async def test_last_seat_to_be_done_is_asked_to_sign_once_all_are(scene: Scene) -> None:
    """What would end the others' arranging is kept unsigned, can still change, and is signed when everyone is done.

    While it is arranged, a seat is shown its own events alone, and files of moves, which hold all events, only after.
    """
    an, binh = await scene.table(MAU_BINH, people=2, plays=False, is_keyed=True)
    hands = [view["round"]["hand"] for view in await dealt(an, binh)]
    draft = await arrange(an, hands[0], final=False)
    await binh.until(lambda view: not game(view)["takes_signed"])
    for cards in (hands[1], hands[1][::-1]):
        assert await arrange(binh, cards) == HELD
    assert not game(await binh.until(lambda view: game(view)["is_final"]))["sign_now"]
    view = await an.until(lambda view: len(view["round"]["course"]["events"]) == 1)
    assert (view["round"]["course"]["is_whole"], binh.view["round"]["course"]["events"]) == (False, [])
    assert "kept" not in draft | game(view)
    await arrange(an, hands[0])
    await binh.until(lambda view: game(view)["sign_now"])
    await stays(an, "PLAYING")
    await arrange(binh, hands[1][::-1])
    assert game(await an.phase("SHOWDOWN"))["kept"]
    assert (await shown(scene, an))[1]["arrangement"] == split(hands[1][::-1])


async def test_seed_or_event_without_the_seats_signature_is_refused(scene: Scene) -> None:
    """The round goes on; a draft that is held back needs none."""
    (an,) = await scene.table(MAU_BINH, bots=1, plays=False, is_keyed=True)
    an.refuses = ("SEEDING",)
    await ready(an)
    await an.phase("SEEDING")
    an.signs = False
    assert (await an.refused("seed", round_id=an.view["round"]["round_id"], seed="00" * 32))["code"] == "UNSIGNED"
    an.signs, an.refuses = True, ()
    an.prod()
    given = (await an.phase("PLAYING"))["round"]
    fields = {"round_id": given["round_id"], **split(given["hand"])}
    an.signs = False
    assert (await an.refused("arrange", **fields))["code"] == "UNSIGNED"
    assert await an.ask("arrange", **fields, is_final=False) == HELD
    an.signs = True
    assert (await an.ask("arrange", **fields))["receipt"]


async def test_seat_that_does_not_sign_is_left_to_the_clock_and_a_key_that_verifies_anything_is_none(
    scene: Scene,
) -> None:
    """A person without a key plays beside one with a key, who leaves unsigned; the identity point is no key."""
    (an,) = await scene.table(TIEN_LEN, is_keyed=True)
    binh = Player("Bình")
    binh.hello, binh.script, an.script = {"seat_key": "01" + "00" * 31}, play_anything, None
    await scene.come(binh, room=an.view["room"])
    view = (await dealt(an, binh))[1]
    assert ["key" in one for one in view["round"]["seats"]] == [True, False]
    an.signs = False
    await an.ask("leave")

    def is_due(view: View) -> bool:
        return view["last"] is not None or view["round"]["tien_len"].get("turn") == 0

    while (view := await binh.until(is_due))["last"] is None:
        version = view["version"]
        scene.move_to(view["phase_end_time"])
        await binh.until(lambda view, version=version: view["version"] > version)  # type: ignore[misc] # a default
    replay = await binh.ask("replay", table=view["last"]["table"], number=1)
    assert {one["action"] for one in replay["events"] if one["seat"] == 0} == {"TIMEOUT"}
