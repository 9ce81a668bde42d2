"""Guests at the table: each a browser of its own, playing by mouse, touch, keys or typed commands."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from playwright.sync_api import Locator, Page, ViewportSize, expect

Way = Literal["MOUSE", "TOUCH", "KEYS", "TEXT"]

PATIENCE: Final = 60_000
"""Milliseconds that something may take on a busy machine."""
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
LANDSCAPE: Final = {"width": 844, "height": 390}
MANY_TABS: Final = 80
MANY_ROUNDS: Final = 9


@dataclass
class Guest:
    """Somebody at a page, and how they use it."""

    page: Page
    name: str
    way: Way

    def enter(self, url: str) -> None:
        """Gives a name at the door."""
        self.page.goto(url)
        field = self.page.locator("#name")
        field.fill(self.name)
        self.press(self.page.locator("form .main"))

    def open_room(self, ruleset: str, *, bots: int, sealed: bool = False) -> str:
        """Opens a table from the lobby; its name."""
        self.press(self.page.locator(f'.tile[data-ruleset="{ruleset}"]'))
        self.page.locator('select[name="bots"]').select_option(str(bots))
        if sealed:
            self.page.locator('input[name="sealed"]').check()
        self.press(self.page.locator(".terms .main"))
        expect(self.page.locator(".room")).to_be_visible(timeout=PATIENCE)
        return self.page.url.partition("#")[2]

    def press(self, target: Locator) -> None:
        """Presses a button in this guest's way."""
        match self.way:
            case "TOUCH":
                target.tap(timeout=PATIENCE)
            case "KEYS":
                self.tab_to(target)
                self.page.keyboard.press("Enter")
            case _:
                target.click(timeout=PATIENCE)

    def tab_to(self, target: Locator) -> None:
        """Moves the focus with the Tab key alone."""
        expect(target).to_be_enabled(timeout=PATIENCE)
        for _ in range(MANY_TABS):
            if target.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        message = f"{self.name} cannot reach {target} by keys"
        raise AssertionError(message)

    def type_command(self, text: str) -> None:
        """Types a command in text mode."""
        field = self.page.locator("#typed")
        field.fill(text)
        field.press("Enter")

    def get_ready(self) -> None:
        """Says that the next round may come."""
        if self.way == "TEXT":
            self.type_command("ready")
        else:
            self.press(self.page.locator(".ready"))

    def choose_text_mode(self) -> None:
        """Turns text mode on in the settings."""
        self.page.locator("nav .button").nth(3).click()
        self.page.locator('input[name="text-mode"]').check()
        self.page.keyboard.press("Escape")

    @property
    def phase(self) -> str:
        """The room's phase, as the page shows it; empty where it shows none."""
        room = self.page.locator(".room")
        return (room.get_attribute("data-phase") or "") if room.count() else ""

    def wait_phase(self, *phases: str) -> None:
        """Waits until the page shows one of these phases."""
        expect(self.page.locator(".room")).to_have_attribute(
            "data-phase", re.compile("|".join(phases)), timeout=2 * PATIENCE
        )

    def wait_dealt(self, number: int = 1) -> bool:
        """Waits for the cards of a round; whether there is anything to play, and no instant win has ended it."""
        game = self.page.locator(".arrange .main, .tien-len .buttons, .texas .buttons .button, main.text").first
        expect(game.or_(self.page.locator(f'.result[data-round="{number}"]'))).to_be_visible(timeout=PATIENCE)
        return game.count() > 0

    def deal(self) -> int:
        """Gets ready until there is a round with something to play; its number."""
        for number in range(1, MANY_ROUNDS):
            self.get_ready()
            if self.wait_dealt(number):
                return number
        message = "every round was won at the deal"
        raise AssertionError(message)

    def nets(self) -> dict[str, int]:
        """What the page says that each seat won, by name."""
        lines = self.page.locator(".between .result li")
        expect(lines.first).to_be_visible(timeout=PATIENCE)
        return {one.get_attribute("data-name") or "": int(one.get_attribute("data-net") or "") for one in lines.all()}

    def expect_verified(self) -> None:
        """The badge turns green: the verifier ran in this page over the round's bundle and found nothing."""
        expect(self.page.locator(".badge").first).to_have_attribute("data-state", "VERIFIED", timeout=PATIENCE)
