"""Take the page's committed screenshots: ``python tests/web_table/screenshots.py``.

Scenes that chance decides are shown from the protocol's examples; the others are played at a real table.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.web_table.conftest import KNOWN, WEB
from tests.web_table.test_web_table_room import LAPTOP
from tests.web_table.test_web_table_scene import finished, instant_win, showdown
from tests.web_table.web_table_guest import PHONE, TIMEOUT, Guest
from tests.web_table.web_table_server import TableProcess
from tests.web_table.web_table_stage import Stage, dealt

FOLDER: Final = WEB / "screenshots"
RULESET: Final = "mau_binh.maubinh_com"


def guest_of(browser: Browser, viewport: ViewportSize) -> Guest:
    """Open a page for a guest who has played before."""
    context = browser.new_context(locale="vi-VN", viewport=viewport, service_workers="block")
    context.set_default_timeout(TIMEOUT)
    context.add_init_script(KNOWN)
    return Guest(context.new_page(), "Lan", "MOUSE")


def shoot(guest: Guest, name: str) -> None:
    """Write what the page shows now."""
    guest.page.screenshot(path=FOLDER / f"{name}.png")
    sys.stdout.write(f"{name}.png\n")


def chop() -> dict[str, Any]:
    """Return a view of Tiến Lên in which a two has just been chopped."""
    view = dealt("view.tien_len.turn")
    two: dict[str, Any] = {
        "seat": 1,
        "action": "PLAY",
        "cards": ["2S"],
        "kind": "SINGLE",
        "name": {"vi": "rác", "en": "single"},
    }
    name = {"vi": "3 đôi thông", "en": "three pairs in a row"}
    run: dict[str, Any] = {
        "seat": 2,
        "action": "PLAY",
        "cards": ["5S", "5C", "6S", "6C", "7S", "7C"],
        "kind": "PAIR_RUN_3",
        "name": name,
        "chops": {"seat": 1, "cards": ["2S"], "name": {"vi": "heo đen", "en": "black two"}, "amount_minor": 6000},
    }
    beaten = {part: run[part] for part in ("seat", "kind", "name", "cards")}
    view["round"]["tien_len"] |= {
        "trick": [two, run],
        "to_beat": beaten,
        "cards_left": [13, 12, 7],
        "passed": [],
        "played": [*two["cards"], *run["cards"]],
    }
    return view


def staged(browser: Browser, url: str) -> None:
    """Shoot the scenes that chance decides."""
    guest = guest_of(browser, LAPTOP)
    stage = Stage(guest.page, dealt("view.mau_binh.seeding"))
    guest.enter(url)
    guest.page.locator(".room").wait_for()
    stage.show(dealt("view.mau_binh.playing"))
    guest.page.locator(".board [data-card]").first.wait_for()
    guest.page.wait_for_timeout(240)
    shoot(guest, "deal")
    stage.show(instant_win(from_ms=0))
    guest.page.locator(".banner:not([inert])").wait_for()
    guest.page.wait_for_timeout(1_700)
    shoot(guest, "instant-win")
    stage.show(showdown())
    guest.page.locator(".banner:not([inert])").wait_for()
    guest.page.wait_for_timeout(600)
    shoot(guest, "showdown")
    stage.show(finished())
    guest.page.locator(".result .won").wait_for()
    guest.page.wait_for_timeout(620)
    shoot(guest, "result")
    stage.show(dealt("view.tien_len.turn"))
    guest.page.locator(".hand [data-card]").first.wait_for()
    guest.wait_still()
    stage.show(chop())
    guest.page.locator(".banner:not([inert])").wait_for()
    guest.page.wait_for_timeout(900)
    shoot(guest, "chop")


def played(browser: Browser, url: str) -> None:
    """Shoot what a real table shows."""
    laptop, phone = guest_of(browser, LAPTOP), guest_of(browser, PHONE)
    laptop.enter(url)
    laptop.page.locator(".cell").nth(2).locator("button.help").click()
    laptop.page.locator("dialog section").nth(2).wait_for()
    shoot(laptop, "rules")
    laptop.page.keyboard.press("Escape")
    phone.enter(url)
    for guest, name in ((laptop, "arranging"), (phone, "phone")):
        guest.open_room(RULESET, bots=3)
        guest.deal()
        guest.page.locator(".arrange .buttons .button").first.click()
        guest.page.locator(".hint.kept").wait_for()
        guest.wait_still()
        shoot(guest, name)


def main() -> None:
    """Take all of them."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        table = TableProcess(Path(folder), page=WEB / "dist", options=("--bot-ms", "40"))
        try:
            browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
            staged(browser, table.url)
            played(browser, table.url)
            browser.close()
        finally:
            table.stop()


if __name__ == "__main__":
    main()
