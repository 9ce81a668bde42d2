"""A round of each game from door to proof, by keyboard alone, by touch alone, and in text mode alone."""

import time
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.web_table.test_web_table_mau_binh import places, swap
from tests.web_table.test_web_table_tien_len import play
from tests.web_table.test_web_table_ultimate_texas import decide
from tests.web_table.web_table_guest import TIMEOUT, Guest, Way

pytestmark = pytest.mark.slow("drives a browser")

LONGEST: Final = 200
"""Seconds in which a round is over, on a busy machine too."""
WAYS: Final[tuple[Way, ...]] = ("KEYS", "TOUCH", "TEXT")
GAMES: Final = ("mau_binh.maubinh_com", "tien_len.mien_nam", "ultimate_texas.casino")


def sit_down(guest: Guest, url: str, ruleset: str) -> None:
    """Go from the first screen to a table of one's own with this guest's device; text mode begins at the table."""
    page = guest.page
    page.goto(url)
    device = Guest(page, guest.name, "KEYS") if guest.way == "TEXT" else guest
    name = page.locator("#name")
    expect(name).to_be_visible(timeout=TIMEOUT)
    if device.way == "TOUCH":
        name.tap()
    else:
        device.tab_to(name)
    page.keyboard.type(guest.name)
    device.press(page.locator("form .main"))
    tile = page.locator(f'.tile[data-ruleset="{ruleset}"]')
    expect(tile).to_be_visible(timeout=TIMEOUT)
    device.press(tile)
    device.press(page.locator(".terms .main"))
    expect(page.locator(".room")).to_be_visible(timeout=TIMEOUT)
    if guest.way == "TEXT":
        device.press(page.locator("nav .button").nth(3))
        device.tab_to(page.locator('input[name="text-mode"]'))
        page.keyboard.press("Space")
        page.keyboard.press("Escape")
        expect(page.locator("main.text")).to_be_visible()


def arrange(guest: Guest) -> None:
    """Lay out thirteen cards, by hand and by suggestion, and hand them in."""
    page = guest.page
    if guest.way == "TEXT":
        for line in ("swap 1 13", "suggest", "done"):
            guest.type_command(line)
            page.wait_for_timeout(200)
        return
    before = places(guest)
    swap(guest, 0, 10)
    assert places(guest) == [before[10], *before[1:10], before[0], *before[11:]]
    guest.press(page.locator(".arrange .buttons .button").first)
    expect(page.locator(".verdict.good")).to_be_visible(timeout=TIMEOUT)
    guest.press(page.locator(".arrange .main"))


def finish(guest: Guest, ruleset: str) -> None:
    """Play a round that was dealt to its proof."""
    badge = guest.page.locator(".badge")
    end = time.monotonic() + LONGEST
    while not (guest.phase == "LOBBY" and badge.count()) and time.monotonic() < end:
        if guest.phase == "PLAYING":
            if ruleset.startswith("mau_binh"):
                arrange(guest)
                guest.wait_phase("SHOWDOWN", "LOBBY")
            elif ruleset.startswith("tien_len"):
                play(guest)
            else:
                decide(guest, last=False)
        guest.page.wait_for_timeout(60)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ruleset", GAMES)
def test_round_is_played_alone(table, invite, ruleset: str, way: Way) -> None:
    guest: Guest = invite("Lan", way=way, language="en")
    sit_down(guest, table.url, ruleset)
    guest.deal()
    finish(guest, ruleset)
    guest.expect_verified()
