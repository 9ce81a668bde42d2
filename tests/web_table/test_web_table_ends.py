"""Each game's end at the table's real lengths: its last state is on the screen for two seconds at least.

The page runs under Playwright's clock, referee and table server under one injected clock; the test moves both together.
"""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page
from referee_table.play import Pace
from referee_table.serving import Plan, serving

from tests.table.table_scene import START, Court, MovedClock, counted
from tests.web_table.web_table_guest import DESKTOP, RULESETS, TIMEOUT, Guest
from tests.web_table.web_table_servers import WEB

pytestmark = pytest.mark.slow("drives a browser")

STEP_MS: Final = 200
REST_SECONDS: Final = 0.06
"""Real time in which messages arrive after each step."""
MANY_STEPS: Final = 400
LEAST_MS: Final = 2_000
SCENE: Final = """() => {
  const scene = document.querySelector('.showdown, .end, .scene');
  if (scene === null) return null;
  const cards = [...scene.querySelectorAll('[role=img]')].map((one) => one.getAttribute('aria-label'));
  return [scene.className.split(' ')[0], scene.innerText, ...cards].join('|');
}"""
"""What the show or the ending on the felt says and which cards it has; null where none is shown."""
LUCK: Final = "ends"
"""What the referee's seeds are drawn from; the page's are as fixed, so that the same hands come, which win no deal."""
FIXED: Final = "(() => { crypto.getRandomValues = (array) => array.fill(7); })()"
CHOICES: Final = (
    "dialog .ends .button:nth-of-type(2)",  # a foul is handed in all the same
    ".arrange .main:enabled",
    '[data-decision="PLAY_3X"]:enabled',
    ".tien-len .buttons .main:enabled",
    ".tien-len .buttons .button:enabled:has(.idea):not(.room:has(.state .idea) *)",
    ".room:has(.state .turn) .tien-len .buttons .button:enabled:first-child",
)
"""What the seat presses, the first that is there: its choice, or a suggestion, or a pass."""


class Together:
    """A referee and a table server in a thread, and a page, all by clocks that move together."""

    def __init__(self, folder: Path) -> None:
        self.clock = MovedClock()
        self.court = Court(folder / "referee", self.clock, luck=LUCK)
        self.plan = Plan(
            referee=self.court.address,
            folder=folder / "table",
            page=WEB / "dist",
            pace=Pace(bot_ms=0),
            clock=self.clock,
            entropy=counted(LUCK),
        )
        self.loop = asyncio.new_event_loop()
        self.stopped, self.started = asyncio.Event(), threading.Event()
        self.url = ""
        self.thread = threading.Thread(target=self._run)
        self.thread.start()
        assert self.started.wait(timeout=60)

    def _run(self) -> None:
        async def serve() -> None:
            async with serving(self.plan) as (address, _house):
                self.url = f"http://{address}/"
                self.started.set()
                await self.stopped.wait()

        self.loop.run_until_complete(serve())
        self.loop.close()

    def move(self, page: Page) -> None:
        """Let a step pass, everywhere."""
        moved = threading.Event()
        self.loop.call_soon_threadsafe(self.clock.move, STEP_MS)
        self.loop.call_soon_threadsafe(moved.set)
        assert moved.wait(timeout=60)
        page.clock.run_for(STEP_MS)
        threading.Event().wait(REST_SECONDS)
        page.clock.run_for(1)  # what has just arrived is drawn

    def close(self) -> None:
        """Stop all of it."""
        self.loop.call_soon_threadsafe(self.stopped.set)
        self.thread.join(timeout=60)
        self.court.close()


@pytest.fixture
def together(tmp_path: Path, quiet_calls: None) -> Iterator[Together]:  # noqa: ARG001 - it makes the log of calls quiet
    """Run them."""
    running = Together(tmp_path)
    yield running
    running.close()


@pytest.mark.parametrize("game", RULESETS)
def test_last_state_of_a_games_end_is_shown_for_two_seconds(together, browser: Browser, game: str) -> None:
    context = browser.new_context(locale="vi-VN", viewport=DESKTOP)
    context.set_default_timeout(TIMEOUT)
    page = context.new_page()
    page.add_init_script(FIXED)
    page.clock.install(time=START / 1000)
    Guest(page, "Lan", "MOUSE").host(together.url, RULESETS[game], bots=1)
    page.locator(".ready").click()
    states: list[tuple[str, int]] = []
    for _ in range(MANY_STEPS):
        if page.locator(".between .result").count():
            break
        choice = next((choice for choice in map(page.locator, CHOICES) if choice.count()), None)
        if choice is not None:
            choice.first.click()
        state = page.evaluate(SCENE)
        if state is not None:
            shown = states.pop()[1] + STEP_MS if states and states[-1][0] == state else 0
            states.append((state, shown))
        together.move(page)
    assert states, f"the end has no scene of its own: {page.locator('body').inner_text()[:500]}"
    last, shown_ms = states[-1]
    assert shown_ms >= LEAST_MS, f"{last} is shown for {shown_ms} ms of {[ms for _, ms in states]}"
    assert page.locator(".ready").is_enabled(), "after the end the next round can be wanted"
    context.close()
