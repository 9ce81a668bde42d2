"""Axe-core on every screen, dialog and state of the page, by one list that has every component of the page.

Each screen says which components it shows: the test of the screen fails if one of them is not there, and the test of
the list fails for a component that no screen shows. So a new component needs a screen here.
"""

import copy
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pytest
from playwright.sync_api import expect

from tests.web_table.screenshots import chop
from tests.web_table.test_web_table_access import axe as axe  # noqa: PLC0414 - a fixture
from tests.web_table.test_web_table_access import expect_accessible
from tests.web_table.test_web_table_alone import finish
from tests.web_table.test_web_table_scene import instant_win, showdown
from tests.web_table.test_web_table_where_lost import PAIR, RIVER
from tests.web_table.web_table_guest import DESKTOP, PHONE, TIMEOUT, Guest
from tests.web_table.web_table_packages import WEB
from tests.web_table.web_table_stage import Stage, dealt, example, now

SRC: Final = WEB / "src"
DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
SETTLE_MS: Final = 400
SUGGESTED: Final = example("done.mau_binh.suggest")["result"]["suggestions"]
ARRANGED: Final = {"number": 1, "own": SUGGESTED[1], "best": SUGGESTED[0], "cost_minor": 900, "error_minor": 20}
PAGE: Final = {"Notices", "Shapes"}
"""Components that every screen has; Shapes draws nothing by itself."""
TABLE: Final = {"Table", "TopBar", "SeatPlate", "Icon"}
FELT: Final = TABLE | {"Talk"}
RESULT: Final = FELT | {"Between", "Result", "ResultHand", "ProofBadge", "ShareButton", "WhereLost", "Transfers"}


@dataclass
class Visit:
    """One look at the page: a guest in a browser of its own, and the address of a real table server."""

    guest: Guest
    url: str

    def staged(self, first: dict[str, Any], **answers: Callable[[dict[str, Any]], dict[str, Any]]) -> Stage:
        """Enter the page at a scripted table server."""
        stage = Stage(self.guest.page, first)
        stage.answers |= answers
        self.guest.enter(self.url)
        expect(self.guest.page.locator(".room, .tile").first).to_be_visible(timeout=TIMEOUT)
        return stage

    def click(self, *selectors: str) -> None:
        """Click one element after the other."""
        for selector in selectors:
            self.guest.page.locator(selector).first.click()

    def open_dialog(self, first: dict[str, Any], place: int, **answers: Callable[[dict[str, Any]], Any]) -> None:
        """Open a dialog of the table's menu."""
        self.staged(first, **answers)
        self.guest.page.locator("nav .button").nth(place).click()
        expect(self.guest.page.locator("dialog")).to_be_visible()


Steps = Callable[[Visit], object]


def shown(view: Callable[[], dict[str, Any]]) -> Steps:
    """Return the steps to a view."""
    return lambda visit: visit.staged(view())


def last(game: str, choice: dict[str, Any]) -> Steps:
    """Return the steps to a result with its reasons, and with a choice that cost something."""
    review = example("done.review.ready")["result"] | {"cost_minor": choice["cost_minor"], "choices": [choice]}

    def look(visit: Visit) -> None:
        view = example(f"view.{game}.last")
        view["last"]["seats"][0] |= {"fouled": True}  # which has a mark in Mậu Binh
        visit.staged(view, review=lambda _command: review)
        visit.guest.page.evaluate("for (const part of document.querySelectorAll('.result details')) part.open = true")
        expect(visit.guest.page.locator(".result li[data-cost]")).to_be_visible(timeout=TIMEOUT)

    return look


def ending(game: str, before: str) -> Steps:
    """Return the steps to the end of a round on the felt, before its result."""

    def look(visit: Visit) -> None:
        visit.staged(dealt(f"view.{game}.{before}")).show(example(f"view.{game}.last"))
        expect(visit.guest.page.locator(".end")).to_be_visible(timeout=TIMEOUT)
        scores = visit.guest.page.locator(".plate .score").all_inner_texts()
        assert set(scores) == {"0"}, "a plate shows the end before the scene does"

    return look


def spectator() -> dict[str, Any]:
    """Return a round as somebody without a seat sees it."""
    view = dealt("view.tien_len.turn")
    person = view["persons"][0] | {"person": "watcher", "name": "Khách", "is_seated": False, "place": "WATCHING"}
    view["persons"] = [*view["persons"], person]
    view["you"], view["round"]["you"], view["round"]["hand"] = "watcher", None, None
    view["round"]["tien_len"].pop("legal", None)
    return view


def lobby(visit: Visit) -> None:
    """Open the lobby at a ruleset, with rooms to join."""
    visit.staged(example("lobby") | {"time": now()})
    visit.click('.tile[data-ruleset="ultimate_texas.casino"]')


def rules(visit: Visit) -> None:
    """Open the rules."""
    visit.staged(dealt("view.mau_binh.playing"), rules=lambda _command: example("done.rules")["result"])
    visit.click("button.help")
    expect(visit.guest.page.locator("dialog section").nth(2)).to_be_visible(timeout=TIMEOUT)


def replayed(visit: Visit, game: str) -> None:
    """Open a step of a replay."""
    replay = example(f"done.{game}.replay")["result"]
    rounds = {"rounds": [example(f"view.{game}.last")["last"]]}
    answers = {"history": lambda _command: rounds, "replay": lambda _command: replay}
    visit.open_dialog(example(f"view.{game}.last"), 2, **answers)
    visit.click("dialog li .button", "dialog .steps .button:nth-of-type(2)")


def share(visit: Visit) -> None:
    """Make a link of a round."""
    visit.staged(example("view.tien_len.last"), share=lambda _command: example("done.share")["result"])
    visit.click(".result .show", ".show-round .main")
    expect(visit.guest.page.locator(".show-round a")).to_be_visible(timeout=TIMEOUT)


def linked(visit: Visit, name: str, status: int) -> None:
    """Open the link of a round."""
    page = visit.guest.page
    Stage(page, example("lobby"))
    page.route(re.compile("/api/shares/"), lambda route: route.fulfill(status=status, json=example(name)))
    page.goto(f"{visit.url}?share=anything")
    expect(page.locator("[role=alert], .result li").first).to_be_visible(timeout=TIMEOUT)


def proof(visit: Visit) -> None:
    """Play a round at the real table and open its proof."""
    guest = visit.guest
    guest.host(visit.url, "ultimate_texas.casino", bots=1)
    guest.deal()
    finish(guest, "ultimate_texas.casino")
    guest.expect_verified()
    visit.click(".badge")
    expect(guest.page.locator("dialog")).to_be_visible()


def verify(visit: Visit) -> None:
    """Open the page that verifies at a round that is not there."""
    Stage(visit.guest.page, example("lobby"))
    visit.guest.page.goto(f"{visit.url}?round=1&table=nosuchtable.1")
    expect(visit.guest.page.locator(".badge")).to_have_attribute("data-state", "UNREACHED", timeout=TIMEOUT)


def invitation(visit: Visit, answer: dict[str, Any]) -> None:
    """Open an invitation."""
    page = visit.guest.page
    stage = Stage(page, example("lobby"))
    if answer["type"] == "refused":
        stage.refusals["preview"] = answer
    stage.answers["preview"] = lambda _command: answer.get("result", {})
    page.goto(f"{visit.url}#someroom")
    expect(page.locator(".door .panel")).to_be_visible(timeout=TIMEOUT)


def silent(visit: Visit) -> None:
    """Enter at a table server that never answers."""
    visit.guest.page.route_web_socket(re.compile("/api/stream"), lambda _socket: None)
    visit.guest.enter(visit.url)
    expect(visit.guest.page.locator(".waiting h1")).to_be_visible()


def lost(visit: Visit, message: dict[str, Any] | None) -> None:
    """Lose the connection in a round, with a last message from the server or without."""
    stage = visit.staged(dealt("view.tien_len.turn"))
    if message is not None:
        stage.send(message)
    stage.close()
    expect(visit.guest.page.locator(".notice.warn")).to_be_visible(timeout=TIMEOUT)


def noticed(visit: Visit) -> None:
    """Lose the referee, and see a notice and a message that is wrong."""
    view = dealt("view.tien_len.turn") | {"referee": "AWAY"}
    stage = visit.staged(view)
    stage.send(example("notice"))
    stage.send({"type": "view"})
    expect(visit.guest.page.locator(".notice")).to_have_count(3, timeout=TIMEOUT)


def in_words(visit: Visit) -> None:
    """Turn text mode on in a round."""
    visit.staged(dealt("view.tien_len.turn"))
    visit.guest.choose_text_mode()
    expect(visit.guest.page.locator("main.text")).to_be_visible()


def asked(visit: Visit) -> None:
    """Hand in a foul, which is asked about."""
    fouled = example("done.check")["result"]
    visit.staged(dealt("view.mau_binh.playing"), check=lambda _command: fouled)
    visit.click(".arrange .main")
    expect(visit.guest.page.locator("dialog")).to_be_visible(timeout=TIMEOUT)


def hosted() -> dict[str, Any]:
    """Return a table between rounds whose host looks at it."""
    view = copy.deepcopy(example("view.ultimate_texas.lobby"))
    view["persons"] = [person | {"is_host": person["person"] == view["you"]} for person in view["persons"]]
    return view


def settings(visit: Visit) -> None:
    """Open the settings."""
    visit.open_dialog(dealt("view.tien_len.turn"), 3)


def device_scores(visit: Visit) -> None:
    """Open the scores of a device in the lobby."""
    visit.staged(example("lobby") | {"time": now()}, scores=lambda _command: example("done.scores")["result"])
    visit.click("header .scores")
    expect(visit.guest.page.locator(".device-scores table").first).to_be_visible(timeout=TIMEOUT)


def kept_tables(visit: Visit) -> None:
    """Open the lobby of a member of two kept tables, one of which was never played at."""
    members = example("done.members")["result"]
    room = example("lobby")["rooms"][0]
    table = room | {"kept_until": members["until"], "members": ["An", "Bình"], "score_minor": -2000, "time": now()}
    unplayed = table | {"room": "another", "members": ["An"], "score_minor": 0, "time": None}
    replies = {"members": lambda _command: members, "history": lambda _command: {"rounds": []}}
    visit.staged(example("lobby") | {"time": now(), "yours": [table, unplayed]}, **replies)
    expect(visit.guest.page.locator("ul.own li")).to_have_count(2, timeout=TIMEOUT)


def kept_table(visit: Visit) -> None:
    """Look at a kept table from the lobby."""
    kept_tables(visit)
    visit.click("ul.own .look")
    expect(visit.guest.page.locator("dialog")).to_contain_text("An", timeout=TIMEOUT)


def talking(visit: Visit) -> None:
    """Open the phrases."""
    visit.staged(example("view.mau_binh.lobby"))
    visit.click(".talk > .button")


SCREENS: Final[dict[str, tuple[Steps, set[str]]]] = {
    "door": (lambda visit: visit.guest.page.goto(visit.url), {"Door", "CardFace", "LanguageChoice"}),
    "invitation": (partial(invitation, answer=example("done.preview")), {"Door"}),
    "dead invitation": (partial(invitation, answer=example("refused.no_room")), {"Door", "Icon"}),
    "connecting": (silent, {"App"}),
    "lobby": (lobby, {"Lobby", "GameTile", "RoomList", "Terms", "BotChoice", "LanguageChoice"}),
    "kept tables": (kept_tables, {"Lobby", "OwnTables"}),
    "kept table": (kept_table, {"Dialog", "KeptTable", "StatsTable"}),
    "room": (shown(lambda: example("view.mau_binh.lobby")), FELT | {"Between"}),
    "host, bets": (shown(hosted), FELT | {"Between", "Host", "TexasBets"}),
    "phrases": (talking, FELT),
    "shuffling": (shown(lambda: dealt("view.tien_len.seeding")), FELT | {"Countdown"}),
    "mau_binh: arranging": (
        shown(lambda: dealt("view.mau_binh.playing")),
        FELT | {"mau_binh/Board", "Arrange", "CardFace", "Countdown"},
    ),
    "mau_binh: foul": (asked, {"Arrange", "Dialog"}),
    "mau_binh: opening": (shown(lambda: dealt("view.mau_binh.sealed.opening")), FELT | {"MauBinhTable"}),
    "mau_binh: showdown": (shown(showdown), FELT | {"Showdown", "Banner"}),
    "mau_binh: foul shown": (shown(lambda: showdown(fouled=True)), FELT | {"Showdown", "Banner"}),
    "mau_binh: instant win": (shown(lambda: instant_win(from_ms=0)), FELT | {"InstantWin", "Banner"}),
    "mau_binh: result": (
        last("mau_binh", ARRANGED),
        RESULT | {"mau_binh/ResultCards", "ResultMarks", "Pairs", "CardRow"},
    ),
    "mau_binh: replay": (partial(replayed, game="mau_binh"), {"Dialog", "Rounds", "ReplayFelt"}),
    "tien_len: turn": (shown(lambda: dealt("view.tien_len.turn")), FELT | {"TienLenTable", "Hand", "Pile"}),
    "tien_len: chop": (shown(chop), FELT | {"TienLenTable", "Pile", "Banner"}),
    "tien_len: spectator": (shown(spectator), TABLE | {"TienLenTable", "Pile"}),
    "tien_len: last play": (ending("tien_len", "turn"), FELT | {"RoundEnd", "LastPlay"}),
    "tien_len: result": (last("tien_len", PAIR), RESULT | {"tien_len/ResultCards", "Pairs"}),
    "tien_len: replay": (partial(replayed, game="tien_len"), {"Dialog", "Rounds", "ReplayFelt"}),
    "ultimate_texas: before the flop": (
        shown(lambda: dealt("view.ultimate_texas.preflop")),
        FELT | {"TexasTable", "Own", "Paytable"},
    ),
    "ultimate_texas: flop": (shown(lambda: dealt("view.ultimate_texas.flop")), FELT | {"TexasTable", "Own"}),
    "ultimate_texas: river": (shown(lambda: dealt("view.ultimate_texas.river")), FELT | {"TexasTable", "Own"}),
    "ultimate_texas: house turns": (ending("ultimate_texas", "river"), FELT | {"RoundEnd", "HouseTurns"}),
    "ultimate_texas: result": (
        last("ultimate_texas", RIVER),
        RESULT | {"ultimate_texas/ResultCards", "ResultHead"},
    ),
    "ultimate_texas: replay": (partial(replayed, game="ultimate_texas"), {"Dialog", "Rounds", "ReplayFelt"}),
    "guide": (shown(lambda: dealt("view.mau_binh.playing")), FELT | {"Guide"}),
    "rules": (rules, {"Dialog", "RulesDialog"}),
    "invite": (lambda visit: visit.open_dialog(example("view.mau_binh.lobby"), 0), {"Dialog", "InviteDialog", "Qr"}),
    "scores": (lambda visit: visit.open_dialog(example("view.tien_len.last"), 1), {"Dialog", "ScoresDialog"}),
    "device's scores": (device_scores, {"Dialog", "DeviceScores", "StatsTable"}),
    "settings": (settings, {"Dialog", "SettingsDialog", "AvatarChoice"}),
    "leave": (lambda visit: visit.open_dialog(dealt("view.tien_len.turn"), 4), {"Dialog", "TopBar"}),
    "share": (share, {"Dialog", "ShareButton"}),
    "link": (partial(linked, name="share", status=200), {"SharePage", "Result", "ReplayFelt", "ProofBadge"}),
    "dead link": (partial(linked, name="share.unknown", status=404), {"SharePage"}),
    "proof": (proof, {"Dialog", "ProofDialog", "ProofReport", "Qr"}),
    "verify": (verify, {"VerifyPage"}),
    "text mode": (in_words, {"Table", "TopBar", "TextTable"}),
    "connection lost": (partial(lost, message=None), FELT),
    "taken over": (partial(lost, message=example("goodbye")), FELT),
    "other protocol": (partial(lost, message=example("goodbye") | {"code": "OTHER_PROTOCOL"}), FELT),
    "notices": (noticed, FELT),
}
GUIDED: Final = {"guide"}


def style_class(component: str) -> str:
    """Return the class that Svelte gives to what a component draws: a hash of its path."""
    value = 5381
    for letter in reversed(f"src/{component}"):
        value = (((value << 5) - value) ^ ord(letter)) & 0xFFFFFFFF
    text = ""
    while value:
        value, digit = divmod(value, 36)
        text = DIGITS[digit] + text
    return f"svelte-{text}"


def components() -> dict[str, str | None]:
    """Return the class of each component, None without a style; two of one name have their folder before it."""
    paths = [path.relative_to(SRC) for path in SRC.rglob("*.svelte")]
    stems = [path.stem for path in paths]
    return {
        str(path.with_suffix("")) if stems.count(path.stem) > 1 or path.stem == "Board" else path.stem: (
            style_class(path.as_posix()) if "<style" in (SRC / path).read_text("utf-8") else None
        )
        for path in paths
    }


def test_every_component_is_on_a_screen_of_the_list() -> None:
    css = "".join(path.read_text("utf-8") for path in (WEB / "dist" / "assets").glob("*.css"))
    found = components()
    assert [name for name, drawn in found.items() if drawn is not None and drawn not in css] == []
    assert set().union(PAGE, *(shows for _, shows in SCREENS.values())) == found.keys()


def test_every_game_has_each_part_of_a_round_on_the_list() -> None:
    games = {path.parent.name for path in SRC.glob("*/game.ts")}
    parts = [name.split(": ") for name in SCREENS if ": " in name]
    assert {game for game, _ in parts} == games
    for game in games:
        assert {part for named, part in parts if named == game} >= {"result", "replay"}


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("shape", [("vi", PHONE), ("en", DESKTOP)], ids=["vi-phone", "en-desktop"])
def test_axe_finds_nothing_serious(table, invite, axe, shape, screen) -> None:
    language, viewport = shape
    guest: Guest = invite("Lan", language=language, viewport=viewport, is_guided=screen in GUIDED)
    steps, shows = SCREENS[screen]
    steps(Visit(guest, table.url))
    guest.page.wait_for_timeout(SETTLE_MS)
    found = components()
    drawn = {name: found[name] for name in shows | PAGE - {"Shapes"}}
    absent = [
        name for name, drawn in drawn.items() if drawn is not None and not guest.page.locator(f".{drawn}").count()
    ]
    assert absent == []
    expect_accessible(guest.page, axe, screen)
