"""Bots of a room: levels, which differ in the advice that they take, and paces."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from google.protobuf.message import Message
from referee_table.bots import LEVELS, PACES, THOUGHT_MS, Level, LevelName
from referee_table.judge import Judge
from referee_table.play import Pace, Play

from referee.advice.tien_len.playout import Playout
from referee.advice.tien_len.suggestion import suggest
from referee.games.tien_len import Combination, TienLenRules
from referee.rulesets import get
from tests.advice.tien_len.tournament import Player as Kind
from tests.advice.tien_len.tournament import compete
from tests.table.scripted_player import Player
from tests.table.table_scene import GAMES, PACE, Scene, counted, phase_is, ready
from tests.table.test_table_rounds import finish

ADVICE = {"SuggestPlayRequest", "SuggestArrangementRequest", "SuggestDecisionRequest"}
MANY_THOUGHTS = 60
"""Thoughts in whose time every seat's clock runs out."""
RULESETS = ["mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino"]


def playing(name: LevelName) -> Kind:
    """Return a player of Tiến Lên who plays as a bot of a level does."""
    level, entropy = LEVELS[name], counted(name)

    def play(playout: Playout) -> Combination | None:
        suggestions = suggest(playout.view(), count=level.count, samples=level.samples)
        return level.choose(suggestions, entropy).play

    return play


def rules() -> TienLenRules:
    """Return the rules of the built-in ruleset."""
    found = get("tien_len.mien_nam").rules
    assert isinstance(found, TienLenRules)
    return found


def test_steady_bots_win_against_easy_ones() -> None:
    """One among three others; the interval of 95 % lies above nothing won."""
    score = compete(playing("STEADY"), playing("EASY"), seats=4, deals=60, seed=1, rules=rules())
    assert score.stakes - score.interval > 0


@pytest.mark.slow("plays out the rest of some hundred rounds at each turn")
def test_strong_bots_win_against_easy_ones() -> None:
    """One against another; the interval of 95 % lies above nothing won."""
    score = compete(playing("STRONG"), playing("EASY"), seats=2, deals=40, seed=2, rules=rules())
    assert score.stakes - score.interval > 0


def test_each_level_takes_its_share_of_the_suggestions() -> None:
    options: Sequence[str] = ["best", "second", "third", "fourth"]
    taken = {}
    for name, level in LEVELS.items():
        entropy = counted(name)
        taken[name] = {level.choose(options, entropy) for _ in range(100)}
    assert taken == {"EASY": {"best", "second", "third"}, "STEADY": {"best"}, "STRONG": {"best"}}
    assert Level(count=3, samples=0).choose(["only"], counted("only")) == "only"
    assert LEVELS["STRONG"].samples > LEVELS["STEADY"].samples == 0


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize(
    "level", ["EASY", "STEADY", pytest.param("STRONG", marks=pytest.mark.slow("plays out rounds for each play"))]
)
async def test_bots_of_each_level_play_rounds_to_their_end(scene: Scene, ruleset: str, level: str) -> None:
    (an,) = await scene.table(ruleset, bots=2, bot_level=level)
    assert (an.view["bot_level"], an.view["bot_pace"]) == (level, "USUAL")
    for number in (1, 2):
        await ready(an)
        assert (await finish(scene, an, number=number))["end"] == "SETTLED"


async def test_terms_are_as_before_unless_they_are_chosen(scene: Scene) -> None:
    """The host alone changes them, between rounds; a word that is none of them is refused."""
    an, binh = await scene.table("tien_len.mien_nam", people=2)
    assert (an.view["bot_level"], an.view["bot_pace"]) == ("STEADY", "USUAL")
    assert (await binh.refused("bots", bot_level="EASY"))["code"] == "NOT_HOST"
    for wrong in ({"bot_level": "WEAK"}, {"bot_pace": "NEVER"}):
        assert (await an.refused("bots", **wrong))["code"] == "BAD_COMMAND"
    await an.ask("bots", bot_level="EASY")
    await binh.until(lambda view: (view["bot_level"], view["bot_pace"]) == ("EASY", "USUAL"))
    await an.ask("bots", bot_pace="SLOW")
    await binh.until(lambda view: (view["bot_level"], view["bot_pace"]) == ("EASY", "SLOW"))
    an.is_willing = binh.is_willing = False
    await ready(an, binh)
    await an.until(phase_is("BINDING"))
    assert (await an.refused("bots", bot_level="STRONG"))["code"] == "WRONG_PHASE"


@pytest.mark.parametrize("pace", PACES)
async def test_a_bot_thinks_as_long_as_the_pace_says(new_scene: Scene, pace: str) -> None:
    """Ultimate Texas: a bot's first decision is due that long after the deal, by the table's clock."""
    usual_ms = 1000
    async with new_scene.open(pace=Pace(bot_ms=usual_ms)) as scene:
        (an,) = await scene.table("ultimate_texas.casino", bots=1, bot_pace=pace, plays=False)
        await ready(an)
        await an.until(phase_is("PLAYING"))
        played = scene.hall.rooms[an.view["room"]].play
        assert played is not None
        assert played.wake - scene.clock.now() == usual_ms * {"QUICK": 30, "USUAL": 100, "SLOW": 300}[pace] // 100
    assert PACE.bot_ms == 0


async def test_level_and_pace_are_kept_over_a_restart(new_scene: Scene) -> None:
    async with new_scene.open():
        (an,) = await new_scene.table("tien_len.mien_nam", bots=1, bot_level="EASY", bot_pace="QUICK")
        secret = an.secret
    async with new_scene.open():
        again = await new_scene.seat_of(Player("An", referee=new_scene.court.channel, secret=secret), plays=False)
        await again.until(lambda view: view.get("bot_level") == "EASY" and view["bot_pace"] == "QUICK")


def has_moved(play: Play) -> bool:
    """Whether a bot has made an event, or has arranged in Mậu Binh, where it waits for people."""
    return any(play.is_bot(event.seat) for event in play.message.events) or any(
        play.view(None).get("mau_binh", {}).get("submitted", ())
    )


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_bots_whose_advice_never_comes_play_without_and_hold_up_nobody(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, ruleset: str, *, sealed: bool
) -> None:
    """While they think a person's commands are answered; once their time is up they make a lawful choice."""
    ask = Judge.ask

    async def silent(judge: Judge, call: Any, request: Message) -> Any:  # noqa: ANN401 - of any call
        if type(request).__name__ in ADVICE:
            await asyncio.Event().wait()
        return await ask(judge, call, request)

    monkeypatch.setattr(Judge, "ask", silent)
    (an,) = await scene.table(ruleset, bots=2, sealed=sealed, plays=False)
    await ready(an)
    await an.until(phase_is("PLAYING"))
    play = scene.hall.rooms[an.view["room"]].play
    assert play is not None
    thoughts = 0
    while not has_moved(play):
        await an.ask("history")
        scene.clock.move(THOUGHT_MS)
        thoughts += 1
        assert thoughts < MANY_THOUGHTS
