"""Advice that people and bots ask for: the room goes on while the referee thinks, and bots play without any too."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from referee_client import RefereeError
from referee_client.line import AioLine
from referee_table.commands import Suggest
from referee_table.play import Play
from referee_table.thinking import THOUGHT_MS

from tests.table.scripted_player import Player, View
from tests.table.table_scene import GAMES, MAU_BINH, TEXAS, TIEN_LEN, Scene, dealt, ready

ADVICE = {"SuggestPlayRequest", "SuggestArrangementRequest", "SuggestDecisionRequest"}
SOON = 20
"""Seconds in which a room that does not wait for advice answers, on a busy machine too."""
MANY_THOUGHTS = 60
"""Thoughts in whose time every seat's clock runs out."""


class Held:
    """Advice of the referee that is held back until ``release`` is called; ``error`` is then raised in its place."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.error: RefereeError | None = None
        self.asked = asyncio.Semaphore(0)
        released = asyncio.Event()
        self.release: Callable[[], None] = released.set
        ask = AioLine.ask

        async def held(line: AioLine, method: str, request: Message, kind: Any, **how: Any) -> Any:  # noqa: ANN401 - of any call
            if type(request).__name__ in ADVICE:
                self.asked.release()
                await released.wait()
                if self.error is not None:
                    raise self.error
            return await ask(line, method, request, kind, **how)

        monkeypatch.setattr(AioLine, "ask", held)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    return Held(monkeypatch)


async def on_turn(scene: Scene, ruleset: str) -> tuple[Player, Player]:
    """Deal a round to two people; return the one on turn first, if only one is."""
    people = await scene.table(ruleset, people=2, plays=False)
    turn = (await dealt(*people))[0]["round"].get("tien_len", {}).get("turn", 0)
    people.sort(key=lambda player: player.view["round"]["you"] != turn)
    people[0].timeout = people[1].timeout = SOON
    return people[0], people[1]


def asking(scene: Scene, player: Player, command: str) -> Awaitable[View]:
    """Put a question to the player's room without the page's stream, which asks one at a time."""
    room = scene.room_of(player)
    person = next(person for person in room.state.people if person.name == player.name)
    question = Suggest(id=command, round_id=player.view["round"]["round_id"])
    return asyncio.create_task(room.ask(person, question))


async def test_turn_goes_on_and_late_advice_is_of_the_turn_that_it_was_asked_in(scene: Scene, held: Held) -> None:
    """The advice has the cards of the seat that asked, never of the one whose turn it is by then.

    Nobody's decision waits for it, not even one's own by the same page, whose second question is refused.
    """
    an, binh = await on_turn(scene, TIEN_LEN)
    hand, question = set(an.view["round"]["hand"]), asyncio.create_task(an.move("suggest"))
    await held.asked.acquire()
    for player, code in ((an, "TOO_MANY"), (binh, "NO_ADVICE")):
        assert (await player.refused("suggest", round_id=an.view["round"]["round_id"]))["code"] == code
    for player in (an, binh):
        await player.until(lambda view: "legal" in view["round"]["tien_len"])
        plays = player.view["round"]["tien_len"]["legal"]["plays"]
        await (player.move("play", cards=plays[0]["cards"]) if plays else player.move("pass"))
    assert not question.done()
    held.release()
    plays = [one["cards"] for one in (await question)["suggestions"] if one["action"] == "PLAY"]
    assert plays
    assert all(hand.issuperset(cards) for cards in plays)


async def test_a_person_has_one_open_question(scene: Scene, held: Held) -> None:
    """The command sent again gets the same answer and asks the referee once; another person's question is its own."""
    an, binh = await on_turn(scene, MAU_BINH)
    first, again = asking(scene, an, "first"), asking(scene, an, "first")
    await held.asked.acquire()
    async with asyncio.timeout(SOON):
        other = await asking(scene, an, "other")
    assert (other["code"], other["id"]) == ("TOO_MANY", "other")
    of_binh = asking(scene, binh, "first")
    await held.asked.acquire()
    held.release()
    answer = await first
    assert await again == answer
    assert (await of_binh)["result"] != answer["result"]
    assert held.asked.locked()
    assert (await asking(scene, an, "other"))["type"] == "done"


async def test_question_is_answered_when_the_room_closes_and_a_refusal_says_why(scene: Scene, held: Held) -> None:
    an, _ = await on_turn(scene, TEXAS)
    held.error = RefereeError("", code=grpc.StatusCode.RESOURCE_EXHAUSTED, reason="ADVICE_TOO_LONG")
    question = asking(scene, an, "why")
    await held.asked.acquire()
    scene.room_of(an).close()
    async with asyncio.timeout(SOON):
        message = await question
    assert (message["type"], message["id"], message["code"]) == ("refused", "why", "NO_ROOM")
    await an.until(lambda view: view["type"] == "lobby")
    assert an.codes("notice") == ["ROOM_CLOSED"]
    held.release()
    an, _ = await on_turn(scene, TEXAS)
    refusal = await an.refused("suggest", round_id=an.view["round"]["round_id"])
    assert (refusal["code"], refusal["reason"]) == ("NO_ADVICE", "ADVICE_TOO_LONG")


def has_moved(play: Play) -> bool:
    """Whether a bot has made an event, or has arranged in Mậu Binh, where it waits for people."""
    submitted = play.view(None).get("mau_binh", {}).get("submitted", ())
    return any(play.is_bot(event.seat) for event in play.message.events) or any(submitted)


@pytest.mark.usefixtures("held")
@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_bots_whose_advice_never_comes_play_without_and_hold_up_nobody(
    scene: Scene, ruleset: str, *, sealed: bool
) -> None:
    """While they think a person's commands are answered; once their time is up they make a lawful choice."""
    (an,) = await scene.table(ruleset, bots=2, sealed=sealed, plays=False)
    await ready(an)
    await an.phase("PLAYING")
    play, thoughts = scene.room_of(an).rounds.play, 0
    while not has_moved(play):
        await an.ask("history")
        scene.clock.move(THOUGHT_MS)
        thoughts += 1
        assert thoughts < MANY_THOUGHTS
