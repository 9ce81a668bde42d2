"""Guests at the table: each a browser of its own, playing by mouse, touch or keys at real coordinates."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import FloatRect, Locator, Page, ViewportSize, expect

TIMEOUT: Final = 60_000
"""Milliseconds that something may take on a busy machine."""
DESKTOP: Final[ViewportSize] = {"width": 1280, "height": 800}
TABLET: Final[ViewportSize] = {"width": 820, "height": 1180}
PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
SIZES: Final = {"desktop": DESKTOP, "tablet": TABLET, "phone": PHONE}
RULESETS: Final = {
    "mau_binh": "mau_binh.maubinh_com",
    "tien_len": "tien_len.mien_nam",
    "ultimate_texas": "ultimate_texas.casino",
}
"""The ruleset of each game that is played here."""
STILL: Final = """() => document.getAnimations().every((one) =>
  one.playState !== 'running' || one.effect.getComputedTiming().iterations === Infinity)"""
"""Whether nothing moves on the page but what moves without end."""
MANY_TABS: Final = 80
MANY_ROUNDS: Final = 9


def until(page: Page, holds: Callable[[], object], words: str = "the page has not done it in time") -> None:
    """Let a page go on until something holds that the test notes of it; fail with these words otherwise."""
    for _ in range(TIMEOUT // 50):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError(words)


def box_of(target: Locator) -> FloatRect:
    """Return where an element is."""
    box = target.bounding_box()
    assert box is not None, f"{target} is not drawn"
    return box


@dataclass
class Guest:
    """One person at a page, and their input device: MOUSE, TOUCH or KEYS."""

    page: Page
    name: str
    way: str

    def enter(self, url: str) -> None:
        """Enter a name on the first screen."""
        self.page.goto(url)
        self.press(self.page.locator("#name"))
        self.page.keyboard.press("Control+a")
        self.page.keyboard.type(self.name)
        self.press(self.page.locator("form .main"))

    def host(self, url: str, ruleset: str, *, bots: int = 0, sealed: bool = False) -> str:
        """Enter, open a room and return its name."""
        self.enter(url)
        self.press(self.page.locator(f'.tile[data-ruleset="{ruleset}"]'))
        self.page.locator('select[name="bots"]').select_option(str(bots))
        if sealed:
            self.page.locator('input[name="sealed"]').check()
        self.press(self.page.locator(".terms .main"))
        expect(self.page.locator(".room")).to_be_visible(timeout=TIMEOUT)
        return self.page.url.partition("#")[2]

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
        """Press a button of the room's menu."""
        self.press(self.page.locator(f'nav [data-opens="{name}"]'))

    @property
    def phase(self) -> str:
        """Phase of the room that the page shows; empty if it shows none."""
        room = self.page.locator(".room")
        return (room.get_attribute("data-phase") or "") if room.count() else ""

    def wait_still(self) -> None:
        """Wait until the cards that fly in have landed."""
        self.page.wait_for_function(STILL, timeout=TIMEOUT)

    def wait_dealt(self, number: int) -> bool:
        """Wait for the cards of a round; return False if an instant win ended it."""
        game = self.page.locator(".arrange .main, .tien-len .buttons, .texas .buttons .button").first
        over = self.page.locator(f'.result[data-round="{number}"]')
        expect(game.or_(over).first).to_be_visible(timeout=TIMEOUT)
        self.wait_still()
        return over.count() == 0

    def deal(self, *others: "Guest", after: int = 0) -> int:
        """Start rounds after the given one until one is not won at the deal; return its number."""
        for number in range(after + 1, after + MANY_ROUNDS):
            for guest in (self, *others):
                guest.press(guest.page.locator(".ready"))
            dealt = [guest.wait_dealt(number) for guest in (self, *others)]
            if all(dealt):
                return number
        message = "every round was won at the deal"
        raise AssertionError(message)

    def places(self) -> list[str]:
        """Return the thirteen cards that the page shows: back, middle, front."""
        cards = self.page.locator(".board [data-place]")
        expect(cards).to_have_count(13, timeout=TIMEOUT)
        shown = [(int(card.get_attribute("data-place") or ""), card.get_attribute("data-card")) for card in cards.all()]
        return [card or "" for _, card in sorted(shown)]

    def swap(self, place: int, other: int) -> None:
        """Swap two cards: dragged by mouse, tapped by touch, or by arrows and Enter."""
        cards = [self.page.locator(f'.board [data-place="{one}"]') for one in (place, other)]
        if self.way == "MOUSE":
            cards[0].drag_to(cards[1])
        elif self.way == "TOUCH":
            for card in cards:
                card.tap()
        else:
            self.tab_to(self.page.locator('.board [tabindex="0"]'))
            for at in (place, other):  # from the back hand's first card to the right, and up
                row, column = (0, at - 9) if at > 9 else (1, at - 5) if at > 4 else (2, at)
                keys = ["ArrowDown"] * 2 + ["ArrowLeft"] * 4 + ["ArrowRight"] * column + ["ArrowUp"] * (2 - row)
                for key in [*keys, "Enter"]:
                    self.page.keyboard.press(key)

    def arrange(self) -> None:
        """Take the referee's arrangement of a hand of Mậu Binh, and hand it in."""
        suggest = self.page.locator(".arrange .buttons .button").first

        def is_suggested() -> bool:
            if "/" not in suggest.inner_text() and suggest.is_enabled():  # not asked yet, or in vain
                self.press(suggest)
            return "/" in suggest.inner_text()

        until(self.page, is_suggested, "the referee suggests nothing")
        expect(self.page.locator(".verdict.good")).to_be_visible(timeout=TIMEOUT)
        self.press(self.page.locator(".arrange .main"))

    def bet(self) -> None:
        """Bet on the hand at once, which is the seat's only decision of a round of Ultimate Texas."""
        self.press(self.page.locator('[data-decision="PLAY_3X"]'))

    def decide(self) -> None:
        """Check while that is free, and bet once on the river."""
        buttons = self.page.locator('[data-decision="CHECK"]:enabled, [data-decision="PLAY_1X"]:enabled')
        if buttons.count():
            self.press(buttons.first)

    def shed(self) -> None:
        """Follow the referee's suggestion in Tiến Lên if it is the guest's turn."""
        passes, go, suggest = (self.page.locator(".tien-len .buttons .button").nth(at) for at in range(3))
        if self.page.locator(".state .turn").count() and suggest.is_enabled():
            self.press(suggest)
            expect(self.page.locator(".state svg.idea")).to_be_visible(timeout=TIMEOUT)
            expect(suggest).to_be_enabled(timeout=TIMEOUT)
            self.press(go if go.is_enabled() else passes)

    def play(self, game: str, number: int, *others: "Guest") -> None:
        """Make the choices of this guest and others until a round is over."""
        step = {"tien_len": Guest.shed, "ultimate_texas": Guest.decide}.get(game)
        guests = (self, *others)
        for guest in guests if step is None else ():
            guest.arrange()
        over = self.page.locator(f'.result[data-round="{number}"]')

        def is_over() -> bool:
            for guest in guests:
                if step is not None and guest.phase == "PLAYING":
                    step(guest)
            return over.count() > 0

        until(self.page, is_over, "the round does not end")

    def expect_result(self, number: int = 0) -> None:
        """Wait for a round's result, which sums to zero with the house's and is verified."""
        which = f'[data-round="{number}"]' if number else ""
        expect(self.page.locator(f".between .result{which}")).to_be_visible(timeout=2 * TIMEOUT)
        houses = self.page.locator(".between .result [data-house-net]").all()
        house = sum(int(one.get_attribute("data-house-net") or "") for one in houses)
        assert sum(self.nets().values()) + house == 0
        expect(self.page.locator(".badge").first).to_have_attribute("data-state", "VERIFIED", timeout=TIMEOUT)

    def nets(self) -> dict[str, int]:
        """Return the net win of each seat that the page shows, by name."""
        lines = self.page.locator(".between .result li[data-net]").all()
        return {one.get_attribute("data-name") or "": int(one.get_attribute("data-net") or "") for one in lines}
