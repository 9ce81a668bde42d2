"""A person at the terminal: a name that they chose, a stake, keys that say what they did, and nothing lost by Esc."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from referee_terminal.app import TerminalTable
from referee_terminal.asking import LeaveAsked, NameAsked
from referee_terminal.lobby import Lobby
from referee_terminal.over import Over
from referee_terminal.scores import session_of
from referee_terminal.seat import Keeping
from referee_terminal.table import TableScreen
from textual.widgets import OptionList

from tests.terminal.test_terminal_rounds import Sitting, server, sit

__all__ = ["server"]


def in_round(one: Sitting) -> Callable[[], object]:
    """Whether the person arranges."""
    return lambda: one.view.get("phase") == "PLAYING" and one.app.room.arrangement


def test_name_is_asked_once_and_never_taken_from_the_machine(server: str, tmp_path: Path):
    """Whatever the login is; the next start knows the name."""

    async def first() -> None:
        app = TerminalTable(server, state=tmp_path / "seat.json", name="", language="en")
        async with app.run_test(size=(100, 32)) as pilot:
            one = Sitting(app, pilot)
            await one.until(lambda: isinstance(app.screen, NameAsked))
            await pilot.press("enter")
            assert isinstance(app.screen, NameAsked)
            await pilot.press(*"Lan", "enter")
            await one.choose("open tien_len.")
            assert [each["name"] for each in one.view["persons"] if not each["is_bot"]] == ["Lan"]

    async def second() -> None:
        app = TerminalTable(server, state=tmp_path / "seat.json", name="", language="en")
        async with app.run_test(size=(100, 32)) as pilot:
            await Sitting(app, pilot).until(lambda: isinstance(app.screen, TableScreen))

    asyncio.run(first())
    asyncio.run(second())


def test_name_and_picture_can_be_changed(server: str, tmp_path: Path):
    async def act(one: Sitting) -> None:
        await one.until(lambda: one.app.avatars and isinstance(one.app.screen, Lobby))
        await one.pilot.press("n")
        await one.until(lambda: isinstance(one.app.screen, NameAsked))
        await one.pilot.press("ctrl+u", *"Hoa", "enter")
        await one.until(lambda: isinstance(one.app.screen, Lobby) and "Hoa" in one.app.notice)
        await one.pilot.press("a", "3")
        await one.until(lambda: isinstance(one.app.screen, Lobby))
        await one.choose("open tien_len.")
        person = next(each for each in one.view["persons"] if not each["is_bot"])
        assert (person["name"], person["avatar"]) == ("Hoa", one.app.avatars[2]["code"])

    sit(server, tmp_path / "seat.json", act)


def test_turn_rings_once_and_scores_of_the_session_are_shown(server: str, tmp_path: Path):
    async def act(one: Sitting) -> None:
        rung: list[str] = []
        one.app.bell = lambda: rung.append(one.view["phase"])  # type: ignore[method-assign]
        await one.choose("open ultimate_texas.")
        await one.begin_round(lambda: one.app.room.is_on_turn)
        await one.until(lambda: rung)
        assert rung == ["PLAYING"]
        await one.pilot.press("2")
        await one.until(lambda: one.view["phase"] == "LOBBY" and one.view.get("last"))
        me = next(each for each in one.view["persons"] if not each["is_bot"])
        net = f"{me['stats']['best_minor']:+,}"
        assert session_of(me, one.app.look).startswith("1 played")
        assert net == f"{me['score_minor']:+,}"
        assert session_of(me, one.app.look).endswith(f"{net} / {net}")

    sit(server, tmp_path / "seat.json", act)


def test_clock_is_marked_in_its_last_ten_seconds(server: str, tmp_path: Path):
    async def act(one: Sitting) -> None:
        await one.choose("open tien_len.")
        screen = one.app.screen
        assert isinstance(screen, TableScreen)
        shown = [screen.clock("seconds_left", one.app.server_time + seconds * 1000) for seconds in (9, 30)]
        assert ["reverse" in words for words in shown] == [True, False]

    sit(server, tmp_path / "seat.json", act)


def test_stake_of_a_table_is_the_persons_choice(server: str, tmp_path: Path):
    async def act(one: Sitting) -> None:
        await one.until(lambda: one.app.stakes and isinstance(one.app.screen, Lobby))
        await one.pilot.press("+", "+", "-")
        assert one.app.stake == one.app.stakes[1]
        assert f"{one.app.stakes[1]:,}" in one.app.notice
        await one.choose("open tien_len.")
        assert one.view["stake_minor"] == one.app.stakes[1]

    sit(server, tmp_path / "seat.json", act)


def test_escape_asks_before_the_table_is_left(server: str, tmp_path: Path):
    async def act(one: Sitting) -> None:
        await one.choose("open tien_len.")
        for key in ("escape", "n", "space"):
            await one.pilot.press("escape")
            await one.until(lambda: isinstance(one.app.screen, LeaveAsked))
            await one.pilot.press(key)
            await one.until(lambda: isinstance(one.app.screen, TableScreen))
        await one.pilot.press("escape")
        await one.until(lambda: isinstance(one.app.screen, LeaveAsked))
        await one.pilot.press("enter")
        await one.until(lambda: isinstance(one.app.screen, Lobby))

    sit(server, tmp_path / "seat.json", act)


@pytest.mark.parametrize("what", ["open mau_binh.", "seal mau_binh."])
def test_what_is_on_the_screen_is_handed_in_without_a_word(server: str, tmp_path: Path, what: str):
    """Cards change places and nobody presses Enter: the referee has the arrangement all the same."""

    async def act(one: Sitting) -> None:
        await one.choose(what)
        await one.begin_round(in_round(one))
        await one.pilot.press("space", "right", "space")
        await one.until(lambda: one.view["round"]["mau_binh"]["handed_in"][one.app.room.you])
        assert not one.app.room.is_sent
        if what.startswith("open"):
            assert one.app.room.arrangement is not None
            assert one.view["round"]["mau_binh"]["arrangement"] == one.app.room.arrangement.rows

    sit(server, tmp_path / "seat.json", act)


def test_known_foul_is_handed_in_after_a_question(server: str, tmp_path: Path):
    async def act(one: Sitting) -> None:
        await one.choose("open mau_binh.")
        await one.begin_round(in_round(one))
        laid = one.app.room.arrangement
        assert laid is not None
        laid.given = {"violations": [{"code": "FOULED_MIDDLE", "text": {"en": "Fouled."}}]}
        await one.pilot.press("enter")
        assert one.app.notice == one.app.look.say("foul_asks")
        assert not one.app.room.is_sent
        await one.pilot.press("enter")
        await one.until(lambda: one.app.room.is_sent or one.view["phase"] != "PLAYING")

    sit(server, tmp_path / "seat.json", act)


def test_every_key_says_what_it_did(server: str, tmp_path: Path):
    """At the table and while arranging; a key without a meaning says that."""

    async def act(one: Sitting) -> None:
        await one.choose("open mau_binh.")
        for key in ("y", "y", "o", "o", "minus", "plus", "b", "b", "c", "z"):
            one.app.notice = ""
            await one.pilot.press(key)
            await one.until(lambda: one.app.notice)
        await one.begin_round(in_round(one))
        for key in ("right", "space", "left", "space", "s", "z"):
            one.app.notice = ""
            await one.pilot.press(key)
            assert one.app.notice, key

    sit(server, tmp_path / "seat.json", act)


def test_rules_and_phrases_are_a_key_away(server: str, tmp_path: Path):
    async def act(one: Sitting) -> None:
        await one.until(lambda: one.app.rulesets and isinstance(one.app.screen, Lobby))
        await one.pilot.press("?")
        await one.until(lambda: isinstance(one.app.screen, Over))
        assert "full house" in one.given
        await one.pilot.press("escape")
        await one.choose("open tien_len.")
        await one.pilot.press("?")
        await one.until(lambda: isinstance(one.app.screen, Over))
        assert "four pairs in a row" in one.given
        await one.pilot.press("escape")
        await one.pilot.press("e", "1")
        await one.until(lambda: any("said" in each for each in one.view["persons"]))

    sit(server, tmp_path / "seat.json", act)


def test_highlighted_line_stays_when_rooms_come_and_go(server: str, tmp_path: Path):
    """A player about to press Enter gets what was highlighted, wherever the list has moved it."""

    async def act(one: Sitting) -> None:
        await one.until(lambda: one.app.rulesets and isinstance(one.app.screen, Lobby))
        lobby = one.app.screen
        assert isinstance(lobby, Lobby)
        choices = lobby.query_one(OptionList)
        choices.highlighted = choices.get_option_index("open tien_len.mien_nam")
        room = {"room": "abc", "ruleset": "mau_binh.sam_huong", "host": "Bao", "open_seats": 3, "stake_minor": 100}
        lists: list[list[Mapping[str, Any]]] = [[room], [room, {**room, "room": "abd"}], []]
        for rooms in lists:
            one.app.rooms = rooms
            lobby.refresh_room()
            assert lobby.chosen == ("open", "tien_len.mien_nam")
        one.app.rooms = [room]
        lobby.refresh_room()
        choices.highlighted = choices.get_option_index("join abc")
        one.app.rooms = []
        lobby.refresh_room()
        assert choices.highlighted == 0

    sit(server, tmp_path / "seat.json", act)


def test_private_key_stays_in_its_file(server: str, tmp_path: Path):
    """It signs, its owner alone can read it, and no message has it."""
    sent: list[str] = []

    async def act(one: Sitting) -> None:
        send = one.app.session._send  # noqa: SLF001 - every message passes here

        async def recorded(stream: Any, message: Any) -> None:  # noqa: ANN401 - of the session
            sent.append(json.dumps(message))
            await send(stream, message)

        one.app.session._send = recorded  # type: ignore[method-assign] # noqa: SLF001
        await one.choose("open mau_binh.")
        await one.begin_round(in_round(one))
        await one.pilot.press("space", "right", "space", "enter")
        await one.until(lambda: one.view["phase"] == "SHOWDOWN" or one.view.get("last"))

    sit(server, tmp_path / "seat.json", act)
    file = tmp_path / "seat.json"
    key = Keeping(file).key()
    assert file.stat().st_mode & 0o077 == 0
    assert any('"signature"' in one for one in sent)
    assert not any(key in one for one in sent)


@pytest.mark.parametrize("what", ["open ultimate_texas.", "seal ultimate_texas."])
def test_decisions_are_weighed_at_open_and_sealed_tables(server: str, tmp_path: Path, what: str):
    """By the referee: over the table server, or by the gateway where only the seat knows its cards."""

    async def act(one: Sitting) -> None:
        await one.choose(what)
        await one.begin_round(lambda: one.app.room.cards and one.view["round"]["ultimate_texas"].get("legal"))
        one.app.notice = ""
        await one.pilot.press("g")
        await one.until(lambda: one.app.notice)
        assert one.app.notice.startswith(one.app.look.say("suggest")), one.app.notice
        assert one.app.look.say("CHECK") in one.app.notice

    sit(server, tmp_path / "seat.json", act)
