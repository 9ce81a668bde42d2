"""Take the page's committed screenshots: ``python tests/web_table/screenshots.py``.

Scenes that chance decides are shown from the protocol's examples; the others are played at a real table.
"""

import sys
from typing import Any, Final

from playwright.sync_api import Browser

from tests.web_table.browsing import browsing, guest_of, stage_of
from tests.web_table.conftest import WEB
from tests.web_table.test_web_table_room import LAPTOP
from tests.web_table.test_web_table_scene import finished, instant_win, showdown
from tests.web_table.web_table_guest import PHONE, Guest
from tests.web_table.web_table_stage import dealt

FOLDER: Final = WEB / "screenshots"
RULESET: Final = "mau_binh.maubinh_com"


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
    stage = stage_of(guest, url)
    for name, view, shown, pause in (
        ("deal", dealt("view.mau_binh.playing"), ".board [data-card]", 240),
        ("instant-win", instant_win(from_ms=0), ".banner:not([inert])", 1_700),
        ("showdown", showdown(), ".banner:not([inert])", 600),
        ("result", finished(), ".result .won", 620),
    ):
        stage.show(view)
        guest.page.locator(shown).first.wait_for()
        guest.page.wait_for_timeout(pause)
        shoot(guest, name)
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
    with browsing("--bot-ms", "40") as (browser, url):
        staged(browser, url)
        played(browser, url)


if __name__ == "__main__":
    main()
