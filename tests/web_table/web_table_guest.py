"""Guests at the table: each a browser of its own, playing by mouse, touch, keys or typed commands."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from playwright.sync_api import Locator, Page, ViewportSize, expect

Way = Literal["MOUSE", "TOUCH", "KEYS", "TEXT"]

TIMEOUT: Final = 60_000
"""Milliseconds that something may take on a busy machine."""
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
LANDSCAPE: Final = {"width": 844, "height": 390}
STILL: Final = """() => document.getAnimations().every((one) =>
  one.playState !== 'running' || one.effect.getComputedTiming().iterations === Infinity)"""
"""Whether nothing moves on the page but what moves without end."""
MANY_TABS: Final = 80
MANY_ROUNDS: Final = 9


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
        field.fill(self.name)
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
        """Press a button with this guest's input device."""
        match self.way:
            case "TOUCH":
                target.tap(timeout=TIMEOUT)
            case "KEYS":
                self.tab_to(target)
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

    def type_command(self, text: str) -> None:
        """Type a command in text mode."""
        field = self.page.locator("#typed")
        field.fill(text)
        field.press("Enter")

    def get_ready(self) -> None:
        """Say that the next round may start."""
        if self.way == "TEXT":
            self.type_command("ready")
        else:
            self.press(self.page.locator(".ready"))

    def choose_text_mode(self) -> None:
        """Turn on text mode in the settings."""
        self.page.locator("nav .button").nth(3).click()
        self.page.locator('input[name="text-mode"]').check()
        self.page.keyboard.press("Escape")

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
        drawn = ".arrange .main, .tien-len .buttons, .texas .buttons .button"
        game = page.locator(f'{drawn}, .room[data-phase="PLAYING"] main.text').first
        said = page.locator("main.text li", has_text=re.compile(rf"(Kết quả ván|Result of round) {number}:"))
        over = page.locator(f'.result[data-round="{number}"]').or_(said)
        expect(game.or_(over)).to_be_visible(timeout=TIMEOUT)
        self.wait_still()
        return game.count() > 0

    def wait_still(self) -> None:
        """Wait until the cards that fly in have landed."""
        self.page.wait_for_function(STILL, timeout=TIMEOUT)

    def deal(self, *, after: int = 0) -> int:
        """Start rounds after the given one until one is not won at the deal; return its number."""
        for number in range(after + 1, after + MANY_ROUNDS):
            self.get_ready()
            if self.wait_dealt(number):
                return number
        message = "every round was won at the deal"
        raise AssertionError(message)

    def decisions(self) -> Locator:
        """Wait for the first decision of a round of Ultimate Texas; return its four buttons."""
        buttons = self.page.locator(".texas .buttons .button")
        expect(buttons).to_have_count(4, timeout=TIMEOUT)
        self.wait_still()
        return buttons

    def bet(self) -> None:
        """Bet on the hand at once, which is the seat's only decision of a round of Ultimate Texas."""
        self.decisions().nth(1).click()

    def arrange(self) -> None:
        """Take the referee's arrangement of a hand of Mậu Binh, and hand it in."""
        self.press(self.page.locator(".arrange .buttons .button").first)
        expect(self.page.locator(".verdict.good")).to_be_visible(timeout=TIMEOUT)
        self.press(self.page.locator(".arrange .main"))

    def expect_result(self, number: int) -> None:
        """Wait for a round's result, which sums to zero and is verified."""
        expect(self.page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * TIMEOUT)
        assert sum(self.nets().values()) == 0
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
        self.wait_phase("LOBBY")
        self.expect_verified()


def seat_four(invite: Callable[..., Guest], url: str, ruleset: str) -> list[Guest]:
    """Seat four people at a table: one by mouse, who hosts, one by touch, one by keys and one in text mode."""
    guests = [
        invite("Mouse", way="MOUSE", language="en"),
        invite("Chạm", way="TOUCH", language="vi"),
        invite("Phím", way="KEYS", language="vi"),
        invite("Text", way="TEXT", language="en"),
    ]
    room = guests[0].host(url, ruleset)
    for guest in guests[1:]:
        guest.join(url, room, shown=".room")
    guests[3].choose_text_mode()
    return guests


def end_alike(guests: Sequence[Guest]) -> dict[str, int]:
    """Wait until the round of four such people has ended for each of them, verified; return its net amounts."""
    for guest in guests:
        guest.wait_phase("LOBBY")
    nets = guests[0].nets()
    assert set(nets) == {guest.name for guest in guests}
    assert guests[1].nets() == guests[2].nets() == nets
    for guest in guests:
        guest.expect_verified()
    return nets
