"""Advice that people ask for: the room goes on while the referee thinks."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from referee_client import RefereeError
from referee_client.line import AioLine
from referee_table.commands import Leave, Suggest
from referee_table.room import Room
from referee_table.state import Person

from tests.table.scripted_player import Player
from tests.table.table_scene import Scene, ready

GAMES = {
    "mau_binh.classic": "SuggestArrangementRequest",
    "tien_len.mien_nam": "SuggestPlayRequest",
    "ultimate_texas.casino": "SuggestDecisionRequest",
}
TEXAS = "ultimate_texas.casino"
SOON = 20
"""Seconds in which a room that does not wait for advice answers, on a busy machine too."""


class Held:
    """Advice of the referee that is held back until ``release`` is called; ``error`` is then raised in its place."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.error: RefereeError | None = None
        self.asked = asyncio.Semaphore(0)
        self._released = asyncio.Event()
        self.release: Callable[[], None] = self._released.set
        ask = AioLine.ask

        async def held(line: AioLine, method: str, request: Message, kind: Any, **how: Any) -> Any:  # noqa: ANN401 - of any call
            if type(request).__name__ in GAMES.values():
                self.asked.release()
                await self._released.wait()
                if self.error is not None:
                    raise self.error
            return await ask(line, method, request, kind, **how)

        monkeypatch.setattr(AioLine, "ask", held)


async def dealt(scene: Scene, ruleset: str) -> tuple[Player, Player]:
    """Deal a round to two people that is not won at the deal; return the one on turn first, if only one is."""
    while True:
        people = await scene.table(ruleset, people=2, plays=False)
        await ready(*people)
        for player in people:
            await player.until(lambda view: view["phase"] in {"PLAYING", "SHOWDOWN"} or view.get("last") is not None)
        if all(player.view["phase"] == "PLAYING" for player in people):
            turn = people[0].view["round"].get("tien_len", {}).get("turn", 0)
            people.sort(key=lambda player: player.view["round"]["you"] != turn)
            return people[0], people[1]


def room_of(scene: Scene, player: Player) -> Room:
    """Return the room that a player is in."""
    return scene.house.rooms[player.view["room"]]


def person_of(room: Room, player: Player) -> Person:
    """Return what a room has of a player."""
    return next(person for person in room.state.people if person.name == player.name)


def question_of(player: Player) -> asyncio.Task[dict[str, Any]]:
    """Ask for advice by the player's page."""
    return asyncio.create_task(player.ask("suggest", round_id=player.view["round"]["round_id"]))


async def test_others_decide_while_advice_is_held_back(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    an, binh = await dealt(scene, TEXAS)
    question = question_of(an)
    await held.asked.acquire()
    binh.timeout = SOON
    await binh.ask("decide", round_id=binh.view["round"]["round_id"], decision="CHECK")
    seat = binh.view["round"]["you"]
    await an.until(lambda view: view["round"]["ultimate_texas"]["seats"][seat]["checked"])
    assert not question.done()
    held.release()
    assert {one["decision"] for one in (await question)["suggestions"]} == {"CHECK", "PLAY_3X", "PLAY_4X"}


async def test_own_decision_does_not_wait_for_advice(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same page, which asked first; another question of it is refused meanwhile."""
    held = Held(monkeypatch)
    an, _ = await dealt(scene, TEXAS)
    question = question_of(an)
    await held.asked.acquire()
    an.timeout = SOON
    round_id, seat = an.view["round"]["round_id"], an.view["round"]["you"]
    assert (await an.refused("suggest", round_id=round_id))["code"] == "TOO_MANY"
    await an.ask("decide", round_id=round_id, decision="CHECK")
    await an.until(lambda view: view["round"]["ultimate_texas"]["seats"][seat]["checked"])
    assert not question.done()
    held.release()
    assert (await question)["suggestions"]


async def test_turn_goes_on_and_late_advice_is_of_the_turn_that_it_was_asked_in(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The advice has the cards of the seat that asked, never of the one whose turn it is by then."""
    held = Held(monkeypatch)
    an, binh = await dealt(scene, "tien_len.mien_nam")
    hand = set(an.view["round"]["hand"])
    question = question_of(an)
    await held.asked.acquire()
    binh.timeout = SOON
    scene.clock.move(an.view["phase_end_time"] - scene.clock.now())
    await binh.until(lambda view: view["round"]["tien_len"].get("turn") == view["round"]["you"])
    legal = binh.view["round"]["tien_len"]["legal"]
    await binh.ask("play", round_id=binh.view["round"]["round_id"], cards=legal["plays"][0]["cards"])
    assert not question.done()
    held.release()
    plays = [one["cards"] for one in (await question)["suggestions"] if one["action"] == "PLAY"]
    assert plays
    assert all(hand.issuperset(cards) for cards in plays)


async def test_a_person_has_one_open_question(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command sent again gets the same answer and asks the referee once; another person's question is its own."""
    held = Held(monkeypatch)
    an, binh = await dealt(scene, "mau_binh.classic")
    room = room_of(scene, an)
    person, round_id = person_of(room, an), an.view["round"]["round_id"]
    first, again = (asyncio.create_task(room.ask(person, Suggest(id="first", round_id=round_id))) for _ in range(2))
    await held.asked.acquire()
    async with asyncio.timeout(SOON):
        other = await room.ask(person, Suggest(id="other", round_id=round_id))
    assert (other["code"], other["id"]) == ("TOO_MANY", "other")
    of_binh = question_of(binh)
    async with asyncio.timeout(SOON):
        await held.asked.acquire()
    held.release()
    assert (await first)["type"] == "done"
    assert await again == await first
    assert (await of_binh)["suggestions"] != (await first)["result"]["suggestions"]
    assert held.asked.locked()
    assert (await room.ask(person, Suggest(id="other", round_id=round_id)))["type"] == "done"
    assert not any(done.id in {"first", "other"} for done in person.done)


async def test_question_is_answered_when_the_room_closes(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    an, binh = await dealt(scene, TEXAS)
    room = room_of(scene, an)
    round_id = an.view["round"]["round_id"]
    question = asyncio.create_task(room.ask(person_of(room, an), Suggest(id="why", round_id=round_id)))
    await held.asked.acquire()
    async with asyncio.timeout(SOON):
        for player in (an, binh):
            person = person_of(room, player)
            assert (await room.ask(person, Leave(id="leave")))["type"] == "done"
        room.close()
        message = await question
    assert room.is_closed
    assert (message["type"], message["id"], message["code"]) == ("refused", "why", "NO_ROOM")


async def test_refusals_are_worded_as_those_of_other_commands(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    held = Held(monkeypatch)
    an, binh = await dealt(scene, "tien_len.mien_nam")
    round_id = an.view["round"]["round_id"]
    assert (await an.refused("suggest", round_id="00" * 32))["code"] == "OTHER_ROUND"
    assert (await binh.refused("suggest", round_id=round_id))["code"] == "NO_ADVICE"
    held.error = RefereeError("", code=grpc.StatusCode.RESOURCE_EXHAUSTED, reason="ADVICE_TOO_LONG")
    held.release()
    refusal = await an.refused("suggest", round_id=round_id)
    assert (refusal["code"], refusal["reason"]) == ("REFEREE_REFUSED", "ADVICE_TOO_LONG")
