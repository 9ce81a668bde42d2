"""Guests at the table: each a browser of its own, playing by mouse, touch or keys at real coordinates."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from playwright.sync_api import Locator, Page, ViewportSize, expect

Way = Literal["MOUSE", "TOUCH", "KEYS"]

TIMEOUT: Final = 60_000
"""Milliseconds that something may take on a busy machine."""
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
TABLET: Final[ViewportSize] = {"width": 820, "height": 1180}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
LANDSCAPE: Final[ViewportSize] = {"width": 844, "height": 390}
STILL: Final = """() => document.getAnimations().every((one) =>
  one.playState !== 'running' || one.effect.getComputedTiming().iterations === Infinity)"""
"""Whether nothing moves on the page but what moves without end."""
STEP_MS: Final = 50
"""Milliseconds between two looks at what a page has sent."""
QUIET: Final = """() => new Promise((resolve) => {
  let timer = setTimeout(resolve, 150);
  setTimeout(resolve, 10_000);
  new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(resolve, 150); })
    .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})"""
"""Waits until the page has not changed for a while; ten seconds at most, for a page that never stops."""
MANY_TABS: Final = 80
MANY_ROUNDS: Final = 9
RULESETS: Final = {
    "mau_binh": "mau_binh.maubinh_com",
    "tien_len": "tien_len.mien_nam",
    "ultimate_texas": "ultimate_texas.casino",
}
"""The ruleset of each game that is played here."""


def until(page: Page, holds: Callable[[], object], words: str = "the page has not done it in time") -> None:
    """Let a page go on until something holds that the test notes of it; fail with these words otherwise."""
    for _ in range(TIMEOUT // STEP_MS):
        if holds():
            return
        page.wait_for_timeout(STEP_MS)
    raise AssertionError(words)


@dataclass
class Guest:
    """One person at a page, and the input device they use."""

    page: Page
    name: str
    way: Way

    def enter(self, url: str) -> None:
        """Enter a name on the first screen."""
        self.page.goto(url)
        field = self.page.locator("#name")
        self.press(field)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(self.name)
        self.press(self.page.locator("form .main"))

    def open_room(self, ruleset: str, *, bots: int, sealed: bool = False) -> str:
        """Open a room from the lobby and return its name."""
        self.press(self.page.locator(f'.tile[data-ruleset="{ruleset}"]'))
        self.page.locator('select[name="bots"]').select_option(str(bots))
        if sealed:
            self.page.locator('input[name="sealed"]').check()
        self.press(self.page.locator(".terms .main"))
        expect(self.page.locator(".room")).to_be_visible(timeout=TIMEOUT)
        return self.page.url.partition("#")[2]

    def host(self, url: str, ruleset: str, *, bots: int = 0, sealed: bool = False) -> str:
        """Enter, open a room and return its name."""
        self.enter(url)
        return self.open_room(ruleset, bots=bots, sealed=sealed)

    def join(self, url: str, room: str, *, shown: str = ".ready") -> None:
        """Enter by the link to a room and wait until it is shown."""
        self.enter(f"{url}#{room}")
        expect(self.page.locator(shown)).to_be_visible(timeout=TIMEOUT)

    def press(self, target: Locator) -> None:
        """Press a button, or the middle of a field, with this guest's input device."""
        match self.way:
            case "TOUCH":
                target.tap(timeout=TIMEOUT)
            case "KEYS":
                self.tab_to(target)
                if target.evaluate("one => one.tagName !== 'INPUT'"):
                    self.page.keyboard.press("Enter")
            case _:
                target.click(timeout=TIMEOUT)

    def tab_to(self, target: Locator) -> None:
        """Move the focus with the Tab key only."""
        expect(target).to_be_enabled(timeout=TIMEOUT)
        for _ in range(MANY_TABS):
            if target.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        message = f"{self.name} cannot reach {target} by keys"
        raise AssertionError(message)

    def open_menu(self, name: str) -> None:
        """Press a button of the room's menu: invite, scores, history, settings or leave."""
        self.press(self.page.locator(f'nav [data-opens="{name}"]'))

    def get_ready(self) -> None:
        """Say that the next round may start."""
        self.press(self.page.locator(".ready"))

    @property
    def phase(self) -> str:
        """Phase of the room that the page shows; empty if it shows none."""
        room = self.page.locator(".room")
        return (room.get_attribute("data-phase") or "") if room.count() else ""

    def wait_phase(self, *phases: str) -> None:
        """Wait until the page shows one of these phases."""
        expect(self.page.locator(".room")).to_have_attribute(
            "data-phase", re.compile("|".join(phases)), timeout=2 * TIMEOUT
        )

    def wait_dealt(self, number: int = 1) -> bool:
        """Wait for the cards of a round; return False if an instant win ended it."""
        page = self.page
        game = page.locator(".arrange .main, .tien-len .buttons, .texas .buttons .button").first
        over = page.locator(f'.result[data-round="{number}"]')
        expect(game.or_(over).first).to_be_visible(timeout=TIMEOUT)
        self.wait_still()
        return over.count() == 0

    def wait_still(self) -> None:
        """Wait until the cards that fly in have landed."""
        self.page.wait_for_function(STILL, timeout=TIMEOUT)

    def deal(self, *others: "Guest", after: int = 0) -> int:
        """Start rounds after the given one until one is not won at the deal; return its number."""
        for number in range(after + 1, after + MANY_ROUNDS):
            for guest in (self, *others):
                guest.get_ready()
            dealt = [guest.wait_dealt(number) for guest in (self, *others)]
            if all(dealt):
                return number
        message = "every round was won at the deal"
        raise AssertionError(message)

    def decisions(self) -> Locator:
        """Wait for the first decision of a round of Ultimate Texas; return its three buttons and the suggestion."""
        buttons = self.page.locator(".texas .buttons .button")
        expect(buttons).to_have_count(4, timeout=TIMEOUT)
        self.wait_still()
        return buttons

    def bet(self) -> None:
        """Bet on the hand at once, which is the seat's only decision of a round of Ultimate Texas."""
        self.decisions()
        self.press(self.page.locator('[data-decision="PLAY_3X"]'))

    def arrange(self) -> None:
        """Take the referee's arrangement of a hand of Mậu Binh, and hand it in."""
        self.press(self.page.locator(".arrange .buttons .button").first)
        expect(self.page.locator(".verdict.good")).to_be_visible(timeout=TIMEOUT)
        self.press(self.page.locator(".arrange .main"))

    def shed(self) -> bool:
        """Follow the referee's suggestion in Tiến Lên if it is the guest's turn; return whether it was."""
        passes, go, suggest = (self.page.locator(".tien-len .buttons .button").nth(at) for at in range(3))
        turn = self.page.locator(".state .turn")
        if turn.count() == 0 or suggest.is_disabled():
            return False
        self.press(suggest)
        expect(self.page.locator(".state svg.idea")).to_be_visible(timeout=TIMEOUT)
        expect(suggest).to_be_enabled(timeout=TIMEOUT)
        self.press(go if go.is_enabled() else passes)
        return True

    def expect_result(self, number: int) -> None:
        """Wait for a round's result, which sums to zero with the house's and is verified."""
        expect(self.page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * TIMEOUT)
        houses = self.page.locator(".between .result [data-house-net]").all()
        house = sum(int(one.get_attribute("data-house-net") or "") for one in houses)
        assert sum(self.nets().values()) + house == 0
        self.expect_verified()

    def nets(self) -> dict[str, int]:
        """Return the net win of each seat that the page shows, by name."""
        lines = self.page.locator(".between .result li[data-net]")
        expect(lines.first).to_be_visible(timeout=TIMEOUT)
        return {one.get_attribute("data-name") or "": int(one.get_attribute("data-net") or "") for one in lines.all()}

    def expect_verified(self) -> None:
        """Wait for the green badge: the page's verifier checked the round's bundle and found no fault."""
        expect(self.page.locator(".badge").first).to_have_attribute("data-state", "VERIFIED", timeout=TIMEOUT)

    def end_verified(self) -> None:
        """Wait for the end of the round, and until the page has verified it."""
        expect(self.page.locator(".between .result")).to_be_visible(timeout=2 * TIMEOUT)
        self.expect_verified()
