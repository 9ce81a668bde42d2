"""Every screen, dialog and state: axe-core finds nothing serious, nothing is wider than the screen, nothing jumps.

Each screen says which components it shows: the test of the screen fails if one of them is not there, and the test of
the list fails for a component that no screen shows. So a new component needs a screen here.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.web_table.web_table_guest import DESKTOP, LANDSCAPE, PHONE, TABLET, TIMEOUT, Guest
from tests.web_table.web_table_packages import WEB, installed
from tests.web_table.web_table_stage import (
    Answer,
    Message,
    Stage,
    chop,
    dealt,
    ending,
    example,
    finished,
    instant_win,
    now,
    showdown,
    spectator,
)

SRC: Final = WEB / "src"
AXE: Final = WEB / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS: Final = {"serious", "critical"}
DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
PAGE: Final = {"Notices", "Shapes", "App"}
"""Components that every screen has; Shapes and App draw nothing by themselves."""
FELT: Final = {"Table", "TopBar", "SeatPlate", "Icon"}
RESULT: Final = FELT | {"Between", "Result", "ResultHand", "ProofBadge", "Transfers"}
SIZES: Final = {"desktop": DESKTOP, "tablet": TABLET, "phone": PHONE, "landscape": LANDSCAPE}
BOXES: Final = """() => [...document.querySelectorAll(
    '.felt .button, .board [data-place], .hand button, .felt .slot, .plate')].map((one) => {
  const {x, y, width, height} = one.getBoundingClientRect();
  return [x, y, width, height].map(Math.round).join();
}).sort()"""
"""Where each button, card and plate of the table is."""
LONG: Final = {
    "vi": "Đánh lá này thì còn giữ được đôi heo để chặt về sau, và không ai còn lá nào lớn hơn.",
    "en": "This keeps the pair of twos for a chop later on, and nobody has a higher card left now.",
}
"""A reason as long as a referee gives."""


@pytest.fixture(scope="session")
def axe() -> str:
    """Return the source of axe-core; skip if the page's packages cannot be installed."""
    installed("axe-core is not run")
    return AXE.read_text(encoding="utf-8")


def expect_accessible(page: Page, axe: str, screen: str) -> None:
    """Check that axe-core has no serious finding on what the page shows now, and that it fits the width."""
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations)")
    serious = [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found if one["impact"] in SERIOUS]
    assert serious == [], f"{screen}: {json.dumps(serious, ensure_ascii=False, indent=1)}"
    over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert over <= 0, f"{screen} scrolls sideways by {over} pixels"


@dataclass
class Visit:
    """One look at the page: a guest in a browser of its own, and the address of the page's files."""

    guest: Guest
    url: str

    def staged(self, first: Message, **answers: Answer) -> Stage:
        """Enter the page at a scripted table server."""
        stage = Stage(self.guest.page, first)
        stage.answers |= answers
        self.guest.enter(self.url)
        expect(self.guest.page.locator(".room, .tile").first).to_be_visible(timeout=TIMEOUT)
        return stage

    def open(self, first: Message, *selectors: str, **answers: Answer) -> None:
        """Enter, and press one element after the other; a dialog is open at last."""
        self.staged(first, **answers)
        for selector in selectors:
            self.guest.press(self.guest.page.locator(selector).first)
        expect(self.guest.page.locator("dialog")).to_be_visible(timeout=TIMEOUT)


Steps = Callable[[Visit], object]


def shown(view: Callable[[], Message]) -> Steps:
    """Return the steps to a view."""
    return lambda visit: visit.staged(view())


def result(visit: Visit, game: str) -> None:
    """Show a result with its reasons and its marks."""
    view = finished(game)
    view["last"]["proof"] = example(f"view.{game}.last")["last"]["proof"]
    view["last"]["seats"][0] |= {"fouled": True}  # which has a mark in Mậu Binh
    visit.staged(view)
    visit.guest.page.locator(".why summary").click()


def replayed(visit: Visit, game: str) -> None:
    """Open a step of a replay."""
    replay = example(f"done.{game}.replay")["result"]
    answers: dict[str, Answer] = {"replay": lambda _: replay}
    answers["history"] = lambda _: {"rounds": [finished(game)["last"]]}
    opens = ('[data-opens="history"]', "dialog li .button", "dialog .steps .button:nth-of-type(2)")
    visit.open(finished(game), *opens, **answers)


def lobby(visit: Visit) -> None:
    """Open the lobby at a ruleset, with a way back to a room."""
    visit.guest.page.add_init_script("localStorage['referee.settings'] ??= JSON.stringify({rooms: ['someroom']})")
    visit.staged(example("lobby") | {"time": now()})
    visit.guest.page.locator('.tile[data-ruleset="mau_binh.classic"]').click()
    expect(visit.guest.page.locator("[data-room]")).to_be_visible(timeout=TIMEOUT)


def verify(visit: Visit) -> None:
    """Open the page that verifies at a round that is not there."""
    Stage(visit.guest.page, example("lobby"))
    visit.guest.page.goto(f"{visit.url}?round=1&table=nosuchtable.1")
    expect(visit.guest.page.locator(".badge")).to_have_attribute("data-state", "UNREACHED", timeout=TIMEOUT)


def invitation(visit: Visit, answer: Message) -> None:
    """Open an invitation."""
    page = visit.guest.page
    stage = Stage(page, example("lobby"))
    if answer["type"] == "refused":
        stage.refusals["preview"] = answer
    page.goto(f"{visit.url}#someroom")
    expect(page.locator(".door .panel")).to_be_visible(timeout=TIMEOUT)


def silent(visit: Visit) -> None:
    """Enter at a table server that never answers."""
    visit.guest.page.route_web_socket(re.compile("/api/stream"), lambda _socket: None)
    visit.guest.enter(visit.url)
    expect(visit.guest.page.locator("h1", has_text=re.compile("kết nối|Connecting"))).to_be_visible()


def lost(visit: Visit, message: Message | None) -> None:
    """Lose the connection in a round, with a last message from the server or without."""
    stage = visit.staged(dealt("view.tien_len.turn"))
    if message is not None:
        stage.send(message)
    stage.close()
    expect(visit.guest.page.locator(".notice.warn")).to_be_visible(timeout=TIMEOUT)


def asked(visit: Visit) -> None:
    """Hand in a foul, which is asked about."""
    fouled = example("done.check")["result"]
    visit.open(dealt("view.mau_binh.playing"), ".arrange .main", check=lambda _: fouled)


TURN: Final = partial(dealt, "view.tien_len.turn")
SCREENS: Final[dict[str, tuple[Steps, set[str]]]] = {
    "door": (lambda visit: visit.guest.page.goto(visit.url), {"Door", "CardFace", "LanguageChoice"}),
    "invitation": (partial(invitation, answer=example("done.preview")), {"Door"}),
    "dead invitation": (partial(invitation, answer=example("refused.no_room")), {"Door", "Icon"}),
    "connecting": (silent, PAGE),
    "lobby": (lobby, {"Lobby", "Terms", "LanguageChoice"}),
    "room": (shown(lambda: example("view.mau_binh.lobby")), FELT | {"Between"}),
    "bets": (shown(lambda: example("view.ultimate_texas.lobby")), FELT | {"Between", "TexasBets"}),
    "shuffling": (shown(lambda: dealt("view.tien_len.seeding")), FELT | {"Countdown"}),
    "mau_binh: arranging": (
        shown(lambda: dealt("view.mau_binh.playing")),
        FELT | {"Board", "Arrange", "CardFace", "Countdown"},
    ),
    "mau_binh: foul": (asked, {"Arrange", "Dialog"}),
    "mau_binh: opening": (shown(lambda: dealt("view.mau_binh.sealed.opening")), FELT | {"MauBinhTable"}),
    "mau_binh: watched": (shown(lambda: spectator("view.mau_binh.playing")), FELT | {"MauBinhTable", "Countdown"}),
    "mau_binh: show": (shown(showdown), FELT | {"Showdown", "Banner", "Skip"}),
    "mau_binh: foul shown": (shown(lambda: showdown(fouled=True)), FELT | {"Showdown", "Banner"}),
    "mau_binh: instant win": (shown(lambda: instant_win(dealt_ms=9_000)), FELT | {"InstantWin", "Banner"}),
    "mau_binh: result": (
        partial(result, game="mau_binh"),
        RESULT | {"mau_binh/ResultCards", "ResultMarks", "CardRow"},
    ),
    "mau_binh: replay": (partial(replayed, game="mau_binh"), {"Dialog", "Rounds", "ReplayFelt"}),
    "tien_len: turn": (shown(TURN), FELT | {"TienLenTable", "Hand", "Pile"}),
    "tien_len: chop": (shown(chop), FELT | {"TienLenTable", "Pile", "Banner"}),
    "tien_len: watched": (shown(lambda: spectator("view.tien_len.turn")), FELT | {"TienLenTable", "Countdown"}),
    "tien_len: last play": (shown(lambda: ending("tien_len")), FELT | {"RoundEnd", "LastPlay"}),
    "tien_len: result": (partial(result, game="tien_len"), RESULT | {"tien_len/ResultCards"}),
    "tien_len: replay": (partial(replayed, game="tien_len"), {"Dialog", "Rounds", "ReplayFelt"}),
    "ultimate_texas: preflop": (
        shown(lambda: dealt("view.ultimate_texas.preflop")),
        FELT | {"TexasTable", "Own", "Paytable"},
    ),
    "ultimate_texas: flop": (shown(lambda: dealt("view.ultimate_texas.flop")), FELT | {"TexasTable", "Own"}),
    "ultimate_texas: river": (shown(lambda: dealt("view.ultimate_texas.river")), FELT | {"TexasTable", "Own"}),
    "ultimate_texas: watched": (shown(lambda: spectator("view.ultimate_texas.flop")), FELT | {"TexasTable"}),
    "ultimate_texas: house": (shown(lambda: ending("ultimate_texas")), FELT | {"RoundEnd", "HouseTurns"}),
    "ultimate_texas: result": (
        partial(result, game="ultimate_texas"),
        RESULT | {"ultimate_texas/ResultCards", "ResultHead"},
    ),
    "ultimate_texas: replay": (partial(replayed, game="ultimate_texas"), {"Dialog", "Rounds", "ReplayFelt"}),
    "rules": (
        lambda visit: visit.open(TURN(), "button.help", rules=lambda _: example("done.rules")["result"]),
        {"Dialog", "RulesDialog"},
    ),
    "invite": (lambda visit: visit.open(TURN(), '[data-opens="invite"]'), {"Dialog", "InviteDialog"}),
    "scores": (lambda visit: visit.open(finished("tien_len"), '[data-opens="scores"]'), {"Dialog", "TopBar"}),
    "settings": (lambda visit: visit.open(TURN(), '[data-opens="settings"]'), {"Dialog", "SettingsDialog"}),
    "leave": (lambda visit: visit.open(TURN(), '[data-opens="leave"]'), {"Dialog", "TopBar"}),
    "proof": (
        lambda visit: visit.open(example("view.tien_len.last") | {"phase": "LOBBY"}, ".badge"),
        {"ProofDialog", "ProofReport"},
    ),
    "verify": (verify, {"VerifyPage", "ProofReport"}),
    "connection lost": (partial(lost, message=None), FELT),
    "taken over": (partial(lost, message=example("goodbye")), FELT),
    "referee away": (shown(lambda: TURN() | {"referee": "AWAY"}), FELT),
}


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
        str(path.with_suffix("")) if stems.count(path.stem) > 1 else path.stem: (
            style_class(path.as_posix()) if "<style" in (SRC / path).read_text("utf-8") else None
        )
        for path in paths
    }


def test_every_component_is_on_a_screen_of_the_list() -> None:
    css = "".join(path.read_text("utf-8") for path in (WEB / "dist" / "assets").glob("*.css"))
    found = components()
    assert [name for name, drawn in found.items() if drawn is not None and drawn not in css] == []
    assert set().union(PAGE, *(shows for _, shows in SCREENS.values())) == found.keys()


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize(
    "shape", [("vi", PHONE), ("en", DESKTOP), ("vi", LANDSCAPE)], ids=["vi-phone", "en-desktop", "vi-landscape"]
)
def test_axe_finds_nothing_serious(files, invite, axe, shape, screen) -> None:
    language, viewport = shape
    guest: Guest = invite("Lan", language=language, viewport=viewport)
    steps, shows = SCREENS[screen]
    steps(Visit(guest, files))
    guest.wait_still()
    found = components()
    for name in shows - {"Shapes", "App"}:
        if (drawn := found[name]) is not None:
            expect(guest.page.locator(f".{drawn}").first).to_be_attached(timeout=TIMEOUT)
    expect_accessible(guest.page, axe, screen)


def expect_in_view(page: Page, target: Locator) -> None:
    """Check that an element is in the window without scrolling, and nothing else lies over its middle."""
    expect(target).to_be_visible(timeout=TIMEOUT)
    assert page.evaluate("scrollY") == 0
    box = target.bounding_box()
    assert box is not None
    height = page.evaluate("innerHeight")
    assert 0 <= box["y"] <= height - box["height"], f"{target} ends at {box['y'] + box['height']} of {height}"
    point = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    is_top = target.evaluate("(one, [x, y]) => one.contains(document.elementFromPoint(x, y))", point)
    assert is_top, f"something lies over {target}"


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("size", ["desktop", "tablet", "phone"])
@pytest.mark.parametrize(
    ("view", "target"),
    [
        (lambda: example("view.mau_binh.lobby"), ".ready"),
        (lambda: dealt("view.mau_binh.playing"), ".arrange .main"),
        (lambda: finished("mau_binh"), ".ready"),
        (TURN, ".tien-len .main"),
        (lambda: finished("tien_len"), ".ready"),
        (lambda: dealt("view.ultimate_texas.preflop"), ".texas .buttons .ask"),
        (lambda: dealt("view.ultimate_texas.river"), ".texas .buttons .ask"),
        (lambda: finished("ultimate_texas"), ".ready"),
    ],
)
def test_main_button_is_in_view_and_no_notice_covers_a_plate(files, invite, size, view, target: str) -> None:
    guest: Guest = invite("Lan", viewport=SIZES[size])
    stage = Stage(guest.page, view())
    guest.enter(files)
    stage.send(example("notice"))
    expect(guest.page.locator(".notice")).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    expect_in_view(guest.page, guest.page.locator(target))
    for plate in guest.page.locator(".others .plate").all():
        expect_in_view(guest.page, plate)


@pytest.mark.slow("drives a browser")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "hint",
    [
        ("view.mau_binh.playing", "mau_binh.suggest", ".hint.kept"),
        ("view.tien_len.turn", "tien_len.suggest", ".state .idea"),
        ("view.ultimate_texas.preflop", "ultimate_texas.suggest.preflop", ".best"),
        ("view.ultimate_texas.river", "ultimate_texas.suggest.river", ".best"),
    ],
    ids=["mau_binh", "tien_len", "preflop", "river"],
)
def test_hint_moves_no_button_card_or_plate(files, invite, size: str, hint: tuple[str, str, str]) -> None:
    view, answer, shown = hint
    guest: Guest = invite("Lan", viewport=SIZES[size])
    page = guest.page
    suggested: dict[str, Any] = example(f"done.{answer}")["result"]
    for one in suggested["suggestions"]:
        if "reasons" in one:
            one["reasons"][0]["text"] = LONG
    stage = Stage(page, dealt(view))
    stage.answers["suggest"] = lambda _command: suggested
    guest.enter(files)
    button = page.locator(".felt .buttons .button:has(.idea)")
    expect(button).to_be_enabled(timeout=TIMEOUT)
    guest.wait_still()
    before = page.evaluate(BOXES)
    assert len(before) > 4
    button.click()
    expect(page.locator(shown).first).to_be_attached(timeout=TIMEOUT)
    guest.wait_still()
    assert page.evaluate(BOXES) == before


@pytest.mark.slow("drives a browser")
def test_what_is_free_never_lies_where_a_bet_lies(files, invite) -> None:
    """Over the streets of Ultimate Texas, on a phone: checking twice in one place never bets or folds."""
    guest: Guest = invite("Lan", viewport=PHONE)
    page = guest.page
    stage = Stage(page, dealt("view.ultimate_texas.preflop"))
    guest.enter(files)
    boxes: dict[str, list[dict[str, float]]] = {"free": [], "costs": []}
    for street in ("preflop", "flop", "river"):
        stage.show(dealt(f"view.ultimate_texas.{street}"))
        guest.wait_still()
        for button in page.locator("[data-decision]").all():
            kind = "free" if button.get_attribute("data-decision") == "CHECK" else "costs"
            box = button.bounding_box()
            assert box is not None
            boxes[kind].append({"x": box["x"], "y": box["y"], "width": box["width"], "height": box["height"]})
    assert len(boxes["free"]) == 2
    assert len(boxes["costs"]) >= 5
    for free in boxes["free"]:
        for costs in boxes["costs"]:
            apart_x = free["x"] >= costs["x"] + costs["width"] or costs["x"] >= free["x"] + free["width"]
            apart_y = free["y"] >= costs["y"] + costs["height"] or costs["y"] >= free["y"] + free["height"]
            assert apart_x or apart_y


@pytest.mark.slow("drives a browser")
def test_four_colour_deck_gives_each_suit_its_own_colour(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    Stage(page, TURN())
    guest.enter(files)
    root = "getComputedStyle(document.documentElement).getPropertyValue"
    names = ["--suit-black", "--suit-club", "--suit-diamond", "--suit-red"]
    assert len({page.evaluate(f"{root}('{name}')") for name in names}) == 2
    guest.open_menu("settings")
    page.locator('input[name="four-colours"]').click()
    assert len({page.evaluate(f"{root}('{name}')") for name in names}) == 4
