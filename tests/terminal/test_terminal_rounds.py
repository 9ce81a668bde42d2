"""Whole rounds in the terminal, by its keys, at a real table server with a real referee: each game, sealed and open."""

import asyncio
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from referee_terminal.app import TerminalTable
from referee_terminal.asking import LeaveAsked
from referee_terminal.lobby import Lobby
from referee_terminal.proof import check_proof
from referee_terminal.shedding import Look
from referee_terminal.table import TableScreen
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

SECONDS = 100
OTHER_LANGUAGE = pytest.mark.slow("repeats with other games what one shows")
Play = Callable[["Sitting"], Awaitable[None]]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a table server with its own referee, whose bots are quick."""
    data = tmp_path_factory.mktemp("table")
    options = ("--listen", "127.0.0.1:0", "--data", str(data), "--bot-ms", "20", "--brisk")
    with subprocess.Popen(
        [sys.executable, "-m", "referee_table", *options], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield str(json.loads(process.stdout.readline())["url"])
        finally:
            process.terminate()
            process.wait(SECONDS)


class Sitting:
    """One person at a terminal."""

    def __init__(self, app: TerminalTable, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def view(self) -> Any:  # noqa: ANN401 - JSON
        """The newest view."""
        return self.app.room.view

    async def until(self, what: Callable[[], object]) -> None:
        """Wait until the condition holds."""
        deadline = time.monotonic() + SECONDS
        while not what():
            room = self.app.room
            assert time.monotonic() < deadline, (
                f"{self.app.notice!r}, {self.view.get('phase')} until {self.view.get('deadline')}, now "
                f"{self.app.server_time:.0f}, {len(room.cards)} cards, sent {room.is_sent}, "
                f"{room.arrangement and room.arrangement.given}"
            )
            await self.pilot.pause(0.05)

    async def choose(self, what: str) -> None:
        """Take the lobby's choice that begins with the text."""
        await self.until(lambda: self.app.rulesets and isinstance(self.app.screen, Lobby))
        choices = self.app.screen.query_one(OptionList)
        ids = [choices.get_option_at_index(place).id or "" for place in range(choices.option_count)]
        choices.highlighted = next(place for place, one in enumerate(ids) if one.startswith(what))
        await self.pilot.press("enter")
        await self.until(lambda: isinstance(self.app.screen, TableScreen))

    async def play_round(self, play: Play) -> None:
        """Ready, and played to the end."""
        await self.pilot.press("r")
        await self.until(lambda: self.view.get("phase") != "LOBBY" or self.view.get("last"))  # won at the deal
        while self.view.get("phase") not in {"LOBBY", "SHOWDOWN"}:
            if self.view["phase"] == "PLAYING":
                await play(self)
            await self.pilot.pause(0.1)
        await self.until(lambda: self.view.get("phase") == "LOBBY" and self.view.get("last"))

    async def begin_round(self, what: Callable[[], object]) -> None:
        """Play on to a round that is not won at the deal, until the condition holds."""
        while not what():
            last = (self.view.get("last") or {}).get("number", 0)
            await self.pilot.press("r")
            await self.until(partial(self._is_begun, what, last))

    def _is_begun(self, what: Callable[[], object], last: int) -> bool:
        return bool(what()) or (self.view.get("last") or {}).get("number", 0) > last

    async def proof(self) -> str:
        """Return the verdict on the last round's proof, once its seed is revealed."""
        await self.until(lambda: self.view["last"]["proof"]["is_revealed"])
        await self.pilot.press("x")
        await self.until(lambda: "✓" in self.given or "✗" in self.given)
        given = self.given
        await self.pilot.press("escape")
        return given

    @property
    def given(self) -> str:
        """What lies over the table."""
        found = self.app.screen.query("#content").results(Static)
        return next((str(one.render()) for one in found), "")


def sit(url: str, state: Path, act: Callable[[Sitting], Awaitable[None]], *, language: str = "en") -> None:
    """Somebody sits down at a terminal and does something."""

    async def sitting() -> None:
        app = TerminalTable(url, state=state, name="An", language=language)
        async with app.run_test(size=(100, 32)) as pilot:
            await act(Sitting(app, pilot))

    asyncio.run(sitting())


async def arrange(one: Sitting) -> None:
    """As suggested, and sent."""
    room = one.app.room
    if room.arrangement is None or room.is_sent:
        return
    await one.pilot.press("g")
    await one.until(lambda: room.arrangement is None or room.arrangement.given or one.view["phase"] != "PLAYING")
    await one.pilot.press("enter")
    await one.until(lambda: room.is_sent or one.view["phase"] != "PLAYING")


async def shed(one: Sitting) -> None:
    """As suggested, or passed."""
    room = one.app.room
    game = room.round.get("tien_len") or {}
    if game.get("turn") != room.you or not game.get("legal"):
        return
    version = one.view["version"]
    await one.pilot.press("g")
    if game["legal"]["plays"]:
        await one.until(lambda: room.hand.choice or one.view["version"] != version)
    one.app.notice = ""
    await one.pilot.press("enter" if room.hand.choice else "p")
    await one.until(lambda: one.app.notice or one.view["version"] != version)


async def bet(one: Sitting) -> None:
    """Return the first of the possible decisions."""
    if (one.app.room.round.get("ultimate_texas") or {}).get("legal"):
        version, one.app.notice = one.view["version"], ""
        await one.pilot.press("1")
        await one.until(lambda: one.app.notice or one.view["version"] != version)


@pytest.mark.parametrize(
    ("what", "play", "language"),
    [
        ("open mau_binh.", arrange, "vi"),
        ("seal mau_binh.", arrange, "en"),
        ("open tien_len.", shed, "vi"),
        ("open ultimate_texas.", bet, "en"),
        ("seal ultimate_texas.", bet, "vi"),
        pytest.param("open mau_binh.", arrange, "en", marks=OTHER_LANGUAGE),
        pytest.param("seal mau_binh.", arrange, "vi", marks=OTHER_LANGUAGE),
        pytest.param("open tien_len.", shed, "en", marks=OTHER_LANGUAGE),
        pytest.param("open ultimate_texas.", bet, "vi", marks=OTHER_LANGUAGE),
        pytest.param("seal ultimate_texas.", bet, "en", marks=OTHER_LANGUAGE),
    ],
)
def test_a_round_is_played_by_keys_settled_and_proved(
    server: str, tmp_path: Path, what: str, play: Play, language: str
):
    async def act(one: Sitting) -> None:
        await one.choose(what)
        await one.play_round(play)
        assert one.view["last"]["end"] == "SETTLED"
        given = await one.proof()
        assert one.app.look.say("verified") in given
        assert "✗" not in given
        if not one.view["last"].get("instant_wins"):
            assert f"✓ {one.app.look.say('seats_signed')}" in given
        await one.pilot.press("escape")
        await one.until(lambda: isinstance(one.app.screen, LeaveAsked))
        await one.pilot.press("enter")
        await one.until(lambda: isinstance(one.app.screen, Lobby))

    sit(server, tmp_path / "seat.json", act, language=language)


def test_a_terminal_closed_in_the_middle_comes_back_to_the_same_cards(server: str, tmp_path: Path):
    """In a sealed round, whose cards only the seat's kept token opens."""
    seen: list[list[str]] = []

    async def leave(one: Sitting) -> None:
        await one.choose("seal mau_binh.")
        await one.begin_round(lambda: one.app.room.cards)
        seen.append(sorted(one.app.room.cards))

    async def come_back(one: Sitting) -> None:
        await one.until(lambda: isinstance(one.app.screen, TableScreen) and one.app.room.cards)
        seen.append(sorted(one.app.room.cards))

    sit(server, tmp_path / "seat.json", leave)
    sit(server, tmp_path / "seat.json", come_back)
    assert seen[0] == seen[1]


def test_a_second_terminal_takes_over_and_the_first_says_so(server: str, tmp_path: Path):
    async def both() -> None:
        first, second = (
            TerminalTable(server, state=tmp_path / "seat.json", name="An", language="en") for _ in range(2)
        )
        async with contextlib.AsyncExitStack() as stack:
            one = Sitting(first, await stack.enter_async_context(first.run_test(size=(100, 32))))
            await one.choose("open mau_binh.")
            two = Sitting(second, await stack.enter_async_context(second.run_test(size=(100, 32))))
            await two.until(lambda: isinstance(second.screen, TableScreen))
            await one.until(lambda: first.is_taken_over)
            assert "somewhere else" in first.notice
            await one.pilot.press("enter")
            await two.until(lambda: second.is_taken_over)

    asyncio.run(both())


def test_a_refusal_is_shown_in_words(server: str, tmp_path: Path):
    """Thirteen chosen cards are no play."""

    async def act(one: Sitting) -> None:
        await one.choose("open tien_len.")
        await one.begin_round(lambda: "turn" in (one.app.room.round.get("tien_len") or {}))
        await one.until(lambda: (one.app.room.round.get("tien_len") or {}).get("turn") == one.app.room.you)
        one.app.room.hand.choose(one.app.room.hand.cards)
        one.app.notice = ""
        await one.pilot.press("enter")
        await one.until(lambda: one.app.notice)
        assert "_" not in one.app.notice

    sit(server, tmp_path / "seat.json", act)


def test_a_changed_proof_is_refuted_by_name(server: str, tmp_path: Path):
    """The bundle of a real round: sound as it came, and refuted with two leaves exchanged."""

    async def act(one: Sitting) -> None:
        await one.choose("open mau_binh.")
        await one.play_round(arrange)
        await one.until(lambda: one.view["last"]["proof"]["is_revealed"])
        bundle = json.loads(await one.app.fetch_bundle(one.view["last"]["proof"]))
        known = one.app.log_keys
        assert check_proof(json.dumps(bundle).encode(), known).found.is_proved
        leaves = bundle["leaves"]
        leaves[-1]["leaf"], leaves[-2]["leaf"] = leaves[-2]["leaf"], leaves[-1]["leaf"]
        refuted = check_proof(json.dumps(bundle).encode(), known)
        assert not refuted.found.is_proved
        assert "REFUTED: LOG_RECEIPT_REFUSED" in refuted.draw(Look("en")).plain

    sit(server, tmp_path / "seat.json", act)
