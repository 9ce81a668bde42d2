"""What is on a page's screen is handed in as it changes: the last arrangement counts, whatever became of the page."""

import asyncio
from functools import partial
from typing import Any

import pytest
from referee_table.mau_binh.play import MauBinhPlay

from tests.table.scripted_player import Player, View, split
from tests.table.table_scene import Scene, phase_is, ready

ARRANGING_MS = 60_000
HAND_IN_MS = 1_000


async def playing(*players: Player) -> list[View]:
    return [await one.until(phase_is("PLAYING")) for one in players]


async def dealt(scene: Scene, *, people: int, bots: int = 0, **terms: Any) -> tuple[list[Player], list[View]]:  # noqa: ANN401 - of create
    """People who arrange by hand, in a round that nobody won at the deal."""
    seats = await scene.table("mau_binh.classic", people=people, bots=bots, plays=False, **terms)
    await ready(*seats)
    return seats, await playing(*seats)


def is_committed(view: View, *, commitment: str) -> bool:
    """Whether a seat's newest commitment is this one."""
    return bool(view["round"]["mau_binh"]["commitment"] == commitment)


async def shown(scene: Scene, player: Player) -> View:
    """Return the last round after its show."""
    await player.until(phase_is("SHOWDOWN"))
    scene.clock.move(20_000)
    return dict((await player.until(lambda view: view["last"] is not None))["last"])


def reversed_rows(hand: list[str]) -> dict[str, Any]:
    """Another arrangement of the same cards."""
    return split(list(reversed(hand)))


@pytest.mark.parametrize("bots", [0, 3])
async def test_last_draft_counts_at_the_deadline(scene: Scene, bots: int) -> None:
    """Two drafts and no final word: the second one is shown, with bots and among people alone."""
    people = 2 if bots == 0 else 1
    seats, views = await dealt(scene, people=people, bots=bots)
    hand, round_id = views[0]["round"]["hand"], views[0]["round"]["round_id"]
    await seats[0].ask("arrange", round_id=round_id, is_final=False, **split(hand))
    await seats[0].ask("arrange", round_id=round_id, is_final=False, **reversed_rows(hand))
    if people == 2:  # the other's draft would be the last: it is held back
        other = views[1]["round"]["hand"]
        held = await seats[1].ask("arrange", round_id=round_id, is_final=False, **reversed_rows(other))
        assert held == {"is_held": True}
    assert seats[0].view["phase"] == "PLAYING"
    scene.clock.move(ARRANGING_MS - HAND_IN_MS)
    last = await shown(scene, seats[0])
    assert [one["defaulted"] for one in last["seats"]] == [False] * (people + bots)
    assert last["seats"][0]["arrangement"] == reversed_rows(hand)


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
    seats, _ = await dealt(scene, people=1, bots=2)
    play = scene.house.rooms[seats[0].view["room"]].play
    assert play is not None
    await seats[0].until(lambda _: {event.seat for event in play.message.events} == {1, 2})


async def test_show_begins_at_once_when_every_person_is_done(scene: Scene) -> None:
    """Drafts end nothing; the last final word does, and bots wait for it."""
    (an, binh), views = await dealt(scene, people=2, bots=2)
    round_id = views[0]["round"]["round_id"]
    await an.until(lambda view: sum(view["round"]["mau_binh"]["submitted"]) == 2)
    for one, view in zip((an, binh), views, strict=True):
        await one.ask("arrange", round_id=round_id, is_final=False, **split(view["round"]["hand"]))
    await an.ask("arrange", round_id=round_id, **split(views[0]["round"]["hand"]))
    assert an.view["phase"] == "PLAYING"
    await binh.ask("arrange", round_id=round_id, **split(views[1]["round"]["hand"]))
    await an.until(phase_is("SHOWDOWN"))


async def test_final_word_can_be_taken_back_before_the_show(scene: Scene) -> None:
    """A person who goes on arranging is not done."""
    (an, binh), views = await dealt(scene, people=2)
    hand, round_id = views[0]["round"]["hand"], views[0]["round"]["round_id"]
    await an.ask("arrange", round_id=round_id, **split(hand))
    await binh.until(lambda view: view["round"]["mau_binh"]["submitted"] == [True, False])
    await an.ask("arrange", round_id=round_id, is_final=False, **reversed_rows(hand))
    await binh.until(lambda view: view["round"]["mau_binh"]["submitted"] == [False, False])
    await binh.ask("arrange", round_id=round_id, **split(views[1]["round"]["hand"]))
    view = await an.until(lambda view: view["round"]["mau_binh"]["submitted"] == [False, True])
    assert view["phase"] == "PLAYING"


async def test_second_tab_starts_from_the_newest_arrangement(scene: Scene) -> None:
    """Held back or handed in, the view of any tab of the person has it; nobody else's view does."""
    (an, binh), views = await dealt(scene, people=2)
    round_id = views[0]["round"]["round_id"]
    for one, view in zip((an, binh), views, strict=True):
        wanted = reversed_rows(view["round"]["hand"])
        await one.ask("arrange", round_id=round_id, is_final=False, **wanted)
        tab = await scene.player(one.name, secret=one.secret, plays=False)
        assert tab.view["round"]["mau_binh"]["arrangement"] == wanted
        assert tab.view["round"]["mau_binh"]["is_final"] is False


async def test_drafts_never_use_up_a_seats_events(scene: Scene) -> None:
    """However often the screen changes, the final word is still taken."""
    (an, *_), views = await dealt(scene, people=1, bots=3)
    hand, round_id = views[0]["round"]["hand"], views[0]["round"]["round_id"]
    answers = [
        await an.ask("arrange", round_id=round_id, is_final=False, **split(hand[turn:] + hand[:turn]))
        for turn in [*range(13), *range(7)]
    ]
    assert answers[0].get("number")
    assert answers[-1] == {"is_held": True}
    await an.ask("arrange", round_id=round_id, **reversed_rows(hand))
    last = await shown(scene, an)
    assert last["seats"][0]["arrangement"] == reversed_rows(hand)


async def test_draft_of_cards_that_were_not_dealt_is_refused(scene: Scene) -> None:
    """Also where it would only have been kept."""
    (an, binh), views = await dealt(scene, people=2)
    round_id = views[0]["round"]["round_id"]
    await an.ask("arrange", round_id=round_id, is_final=False, **split(views[0]["round"]["hand"]))
    wrong = await binh.refused("arrange", round_id=round_id, is_final=False, **split(views[0]["round"]["hand"]))
    assert wrong["code"] == "UNLAWFUL"
    assert "arrangement" not in binh.view["round"]["mau_binh"]


async def test_sealed_commitments_are_drafts_too(scene: Scene) -> None:
    """The newest commitment is the one that the seat opens, though nobody said that they were done."""
    (an, binh), views = await dealt(scene, people=2, sealed=True)
    round_id = views[0]["round"]["round_id"]
    for one, view in zip((an, binh), views, strict=True):
        _, hand = await asyncio.to_thread(one.open_hand, view)
        for cards in (hand, list(reversed(hand))):
            one.arrangements[round_id] = cards
            commitment = one.commitment(view, cards)
            await one.ask("commit", round_id=round_id, commitment=commitment, is_final=False)
        await one.until(partial(is_committed, commitment=commitment))
    assert an.view["phase"] == "PLAYING"
    scene.clock.move(ARRANGING_MS - HAND_IN_MS)
    last = await shown(scene, an)
    assert [one["defaulted"] for one in last["seats"]] == [False, False]
    assert last["seats"][0]["arrangement"] == split(an.arrangements[round_id])


async def test_drafts_outlive_the_table_server(new_scene: Scene) -> None:
    """What was held back is in the room's file."""
    async with new_scene.open() as scene:
        (an, binh), views = await dealt(scene, people=2)
        round_id = views[0]["round"]["round_id"]
        await an.ask("arrange", round_id=round_id, is_final=False, **split(views[0]["round"]["hand"]))
        kept = reversed_rows(views[1]["round"]["hand"])
        await binh.ask("arrange", round_id=round_id, is_final=False, **kept)
    async with new_scene.open() as scene:
        binh = await scene.player("Bình", plays=False)
        assert binh.view["round"]["mau_binh"]["arrangement"] == kept
        scene.clock.move(ARRANGING_MS - HAND_IN_MS)
        last = await shown(scene, binh)
        assert last["seats"][1]["arrangement"] == kept
