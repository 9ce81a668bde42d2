"""Accessibility of every screen: no serious finding of axe-core, no sideways scrolling, and never colour alone."""

import json
import sys

import pytest
from playwright.sync_api import Page, expect

from tests.web_table.measure import DRAGGED
from tests.web_table.screenshots import chop
from tests.web_table.test_web_table_alone import finish
from tests.web_table.test_web_table_scene import finished, instant_win, showdown
from tests.web_table.test_web_table_share import share
from tests.web_table.web_table_guest import DESKTOP, LANDSCAPE, PHONE, TIMEOUT, Guest
from tests.web_table.web_table_packages import WEB, installed
from tests.web_table.web_table_stage import Stage, dealt, example

pytestmark = pytest.mark.slow("drives a browser")

AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
SERIOUS = {"serious", "critical"}
SCREENS = {
    "mau_binh.maubinh_com": ".arrange",
    "tien_len.mien_nam": ".tien-len",
    "ultimate_texas.casino": ".texas",
}


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


@pytest.mark.parametrize("ruleset", SCREENS)
@pytest.mark.parametrize(
    "shape", [("vi", DESKTOP), ("en", PHONE), ("vi", LANDSCAPE)], ids=["vi-desktop", "en-phone", "vi-landscape"]
)
def test_axe_finds_nothing_serious_on_any_screen(table, invite, axe, ruleset, shape) -> None:
    language, viewport = shape
    guest: Guest = invite("Lan", language=language, viewport=viewport)
    page = guest.page
    page.goto(table.url)
    expect(page.locator("#name")).to_be_visible()
    expect_accessible(page, axe, "the door")
    guest.enter(table.url)
    expect(page.locator(".tile").first).to_be_visible()
    page.locator(f'.tile[data-ruleset="{ruleset}"]').click()
    expect_accessible(page, axe, "the lobby")
    page.locator("button.help").first.click()
    expect(page.locator("dialog section").nth(2)).to_be_visible(timeout=TIMEOUT)
    expect_accessible(page, axe, "the rules")
    page.keyboard.press("Escape")
    guest.open_room(ruleset, bots=1)
    expect_accessible(page, axe, "the room before a round")
    page.locator(".talk > .button").click()
    expect_accessible(page, axe, "quick phrases")
    page.locator(".talk > .button").click()
    guest.deal()
    game = page.locator(SCREENS[ruleset])
    expect(game).to_be_visible(timeout=TIMEOUT)
    page.wait_for_timeout(400)
    expect_accessible(page, axe, "the round")
    for number in (0, 1, 2, 3):
        page.locator("nav .button").nth(number).click()
        expect(page.locator("dialog")).to_be_visible()
        expect_accessible(page, axe, f"dialog {number}")
        page.keyboard.press("Escape")
    if ruleset == "mau_binh.maubinh_com" and game.count() > 0:
        page.locator(".arrange .main").click()
        guest.end_verified()
        page.locator(".why summary").click()
        expect_accessible(page, axe, "the result")
        page.locator(".badge").click()
        expect_accessible(page, axe, "the proof")
        page.keyboard.press("Escape")
        page.locator("nav .button").nth(2).click()
        page.locator("dialog li .button").first.click()
        expect(page.locator("dialog #step")).to_be_visible(timeout=TIMEOUT)
        expect_accessible(page, axe, "the replay")
        page.keyboard.press("Escape")
    guest.choose_text_mode()
    expect(page.locator("main.text")).to_be_visible()
    expect_accessible(page, axe, "text mode")


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_serious_in_any_scene(table, invite, axe, viewport) -> None:
    """The showdown, its banners, an instant win, a chop, the guide and the page that verifies."""
    guest: Guest = invite("Lan", viewport=viewport, is_guided=True)
    page = guest.page
    stage = Stage(page, dealt("view.mau_binh.playing"))
    guest.enter(table.url)
    expect(page.locator(".guide")).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    expect_accessible(page, axe, "the guide")
    scenes = {
        "the sweep": showdown(),
        "the foul": showdown(fouled=True),
        "the instant win": instant_win(from_ms=0),
        "the chop": chop(),
        "the win": finished(),
        "opening": dealt("view.mau_binh.sealed.opening"),
        "the flop": dealt("view.ultimate_texas.flop"),
        "the river": dealt("view.ultimate_texas.river"),
        "the result of Ultimate Texas": example("view.ultimate_texas.last"),
        "the result of Tiến Lên": example("view.tien_len.last"),
    }
    for name, view in scenes.items():
        stage.show(view)
        page.wait_for_timeout(200)
        guest.wait_still()
        expect_accessible(page, axe, name)
    stage.show(dealt("view.tien_len.turn"))
    expect(page.locator(".tien-len")).to_be_visible(timeout=TIMEOUT)
    page.locator("nav .button").nth(4).click()
    expect(page.locator("dialog")).to_be_visible()
    expect_accessible(page, axe, "the question before leaving")
    page.goto(f"{table.url}?round=1&table=nosuchtable.1")
    expect(page.locator(".badge")).to_have_attribute("data-state", "UNREACHED", timeout=TIMEOUT)
    expect_accessible(page, axe, "the page that verifies")


def test_four_colour_deck_gives_each_suit_its_own_colour(table, invite) -> None:
    guest = invite("Lan", language="en")
    guest.enter(table.url)
    page = guest.page
    root = "getComputedStyle(document.documentElement).getPropertyValue"
    names = ["--suit-black", "--suit-club", "--suit-diamond", "--suit-red"]

    def colours() -> set[str]:
        return {page.evaluate(f"{root}('{name}')") for name in names}

    assert len(colours()) == 2
    page.locator("header > .settings").click()
    page.locator('input[name="four-colours"]').check()
    assert len(colours()) == 4


def test_reduced_motion_stops_every_animation(table, invite) -> None:
    guest = invite("Lan", way="KEYS", language="en")
    guest.enter(table.url)
    assert guest.page.evaluate("document.documentElement.dataset.motion") == "still"


def test_work_of_a_dragged_frame_is_measured(table, invite, record_property) -> None:
    """Print, without a limit, how long the page's own code takes for one movement of a dragged card."""
    guest = invite("Lan", language="vi")
    guest.host(table.url, "mau_binh.classic", bots=1)
    guest.deal()
    board = guest.page.locator(".board")
    times = board.evaluate(DRAGGED)
    assert len(times) == 200
    record_property("dragged frame in ms, median and 99th percentile", f"{times[100]:.2f}, {times[198]:.2f}")
    sys.stdout.write(f"a dragged frame: median {times[100]:.2f} ms, 99th percentile {times[198]:.2f} ms\n")


def test_shown_round_and_its_dialog_are_accessible(table, invite, axe) -> None:
    """Both screens, on a phone: no serious finding of axe, and nothing wider than the screen."""
    lan = invite("Lan", way="TOUCH", language="vi")
    lan.host(table.url, "ultimate_texas.casino", bots=1)
    lan.deal()
    finish(lan, "ultimate_texas.casino")
    link = share(lan, has_names=True)
    expect_accessible(lan.page, axe, "dialog of a round to show")
    lan.page.goto(link)
    expect(lan.page.locator(".result li[data-net]").first).to_be_visible(timeout=TIMEOUT)
    expect_accessible(lan.page, axe, "round to see")
