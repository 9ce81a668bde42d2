"""Calls to a player who looks elsewhere: sound in the background, its volume, notifications by the service worker.

Headless Chromium never hides a page, so ``document.hidden`` is a stub here; the permission is granted by the browser.
"""

import time
from collections.abc import Iterator
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.web_table.conftest import KNOWN
from tests.web_table.test_web_table_scene import COUNT_SOUNDS, tones
from tests.web_table.web_table_guest import DESKTOP, TIMEOUT, Guest
from tests.web_table.web_table_stage import Stage, dealt

pytestmark = pytest.mark.slow("drives a browser")

HIDEABLE: Final = """
  window.is_hidden = false;
  Object.defineProperty(document, 'hidden', {get: () => window.is_hidden});
  window.hide = (is_hidden) => {
    window.is_hidden = is_hidden;
    document.dispatchEvent(new Event('visibilitychange'));
  };
  window.peaks = [];
  const ramp = AudioParam.prototype.linearRampToValueAtTime;
  AudioParam.prototype.linearRampToValueAtTime = function (value, ...when) {
    window.peaks.push(value);
    return ramp.apply(this, [value, ...when]);
  };
"""
SHOWN: Final = (
    """async () => (await (await navigator.serviceWorker.ready).getNotifications()).map((one) => one.title)"""
)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page that may notify, and whose visibility a test sets."""
    context = browser.new_context(locale="en-GB", viewport=DESKTOP, permissions=["notifications"])
    context.set_default_timeout(TIMEOUT)
    for script in (KNOWN, COUNT_SOUNDS, HIDEABLE):
        context.add_init_script(script)
    yield context.new_page()
    context.close()


def hide(page: Page, *, is_hidden: bool) -> None:
    """Put the page into the background, or back."""
    page.evaluate("(is_hidden) => window.hide(is_hidden)", is_hidden)


def wait_shown(page: Page, titles: list[str]) -> None:
    """Wait until these notifications are shown, and no others."""
    end = time.monotonic() + TIMEOUT / 1000
    while page.evaluate(SHOWN) != titles and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert page.evaluate(SHOWN) == titles


def turn(stage: Stage, seat: int) -> None:
    """Show the page that a seat is on turn."""
    view = dealt("view.tien_len.turn")
    view["round"]["tien_len"]["turn"] = seat
    stage.show(view)
    plate = ".mine .plate.turn" if seat == 0 else ".others .plate.turn"
    expect(stage.page.locator(plate)).to_be_visible(timeout=TIMEOUT)


def enter(page: Page, url: str) -> Stage:
    """Open the page on a scripted table, on another seat's turn."""
    view = dealt("view.tien_len.turn")
    view["round"]["tien_len"]["turn"] = 1
    stage = Stage(page, view)
    Guest(page, "Lan", "MOUSE").enter(url)
    expect(page.locator(".others .plate.turn")).to_be_visible(timeout=TIMEOUT)
    page.mouse.click(5, 5)
    return stage


def test_turn_sounds_in_a_background_tab_and_other_things_do_not(table, page) -> None:
    stage = enter(page, table.url)
    hide(page, is_hidden=True)
    before = tones(page)
    stage.show(dealt("view.mau_binh.showdown"))
    expect(page.locator(".showdown")).to_be_visible(timeout=TIMEOUT)
    assert tones(page) == before
    turn(stage, 0)
    page.wait_for_function(f"() => window.sounds > {before}", timeout=TIMEOUT)


def test_volume_is_kept_and_makes_every_sound_quieter(table, page) -> None:
    stage = enter(page, table.url)
    turn(stage, 0)
    page.wait_for_function("() => window.peaks.length > 0", timeout=TIMEOUT)
    loud = page.evaluate("Math.max(...window.peaks)")
    page.locator("nav .button").nth(3).click()
    page.locator('input[name="volume"]').fill("0.3")
    page.keyboard.press("Escape")
    page.evaluate("() => { window.peaks.length = 0; }")
    turn(stage, 1)
    turn(stage, 0)
    page.wait_for_function("() => window.peaks.length > 0", timeout=TIMEOUT)
    assert page.evaluate("Math.max(...window.peaks)") < loud / 2
    page.reload()
    page.locator("nav .button").nth(3).click()
    expect(page.locator('input[name="volume"]')).to_have_value("0.3")


def test_page_asks_once_after_a_missed_turn_and_then_notifies_of_turns(table, page) -> None:
    stage = enter(page, table.url)
    asked = page.locator(".notice.ask")
    turn(stage, 0)
    turn(stage, 1)
    expect(asked).to_have_count(0)  # a turn that was seen is not missed
    hide(page, is_hidden=True)
    turn(stage, 0)
    assert page.evaluate(SHOWN) == []
    turn(stage, 1)
    hide(page, is_hidden=False)
    expect(asked).to_be_visible(timeout=TIMEOUT)
    asked.locator(".main").click()
    expect(asked).to_have_count(0)
    hide(page, is_hidden=True)
    turn(stage, 0)
    wait_shown(page, ["Your turn"])
    turn(stage, 1)
    wait_shown(page, [])
    hide(page, is_hidden=False)
    expect(asked).to_have_count(0)


def test_no_is_an_answer_for_ever(table, page) -> None:
    stage = enter(page, table.url)
    asked = page.locator(".notice.ask")
    hide(page, is_hidden=True)
    turn(stage, 0)
    turn(stage, 1)
    asked.locator(".bare").click()
    page.reload()
    expect(page.locator(".others .plate.turn")).to_be_visible(timeout=TIMEOUT)
    hide(page, is_hidden=True)
    turn(stage, 0)
    turn(stage, 1)
    expect(asked).to_have_count(0)
    assert page.evaluate(SHOWN) == []
