"""Each game's end at the table's real lengths: its last state is on the screen for two seconds at least.

The page runs under Playwright's clock, referee and table server under one injected clock; the test moves both together.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, expect
from referee_table.play import Pace
from referee_table.serving import Plan, serving

from tests.table.table_scene import START, Court, MovedClock, counted
from tests.web_table.web_table_guest import DESKTOP, RULESETS, TIMEOUT, Guest
from tests.web_table.web_table_packages import WEB

pytestmark = pytest.mark.slow("drives a browser")

STEP_MS: Final = 200
REST_MS: Final = 60
"""Milliseconds of real time in which messages arrive after each step."""
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


class Together:
    """A referee and a table server in a thread, and a page, all by clocks that move together."""

    def __init__(self, folder: Path, pace: Pace) -> None:
        self.clock = MovedClock()
        self.court = Court(folder / "referee", self.clock, luck=LUCK)
        self.plan = Plan(
            referee=self.court.address,
            folder=folder / "table",
            page=WEB / "dist",
            pace=pace,
            clock=self.clock,
            entropy=counted("ends"),
        )
        self.loop = asyncio.new_event_loop()
        self.stopped = asyncio.Event()
        self.started = threading.Event()
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

    def move(self, page: Page, milliseconds: int = STEP_MS) -> None:
        """So much later, everywhere."""
        moved = threading.Event()

        def move_clock() -> None:
            self.clock.move(milliseconds)
            moved.set()

        self.loop.call_soon_threadsafe(move_clock)
        assert moved.wait(timeout=60)
        page.clock.run_for(milliseconds)
        threading.Event().wait(REST_MS / 1000)
        page.clock.run_for(1)  # what has just arrived is drawn

    def until(self, page: Page, holds: Callable[[], bool]) -> None:
        """Let time go on until something holds."""
        for _ in range(MANY_STEPS):
            if holds():
                return
            self.move(page)
        message = f"not within {MANY_STEPS * STEP_MS} ms: the page shows {page.locator('body').inner_text()[:500]}"
        raise AssertionError(message)

    def close(self) -> None:
        """Stop all of it."""
        self.loop.call_soon_threadsafe(self.stopped.set)
        self.thread.join(timeout=60)
        self.court.close()


@pytest.fixture(params=sorted(RULESETS))
def together(request: pytest.FixtureRequest, tmp_path: Path, quiet_calls: None) -> Iterator[tuple[str, Together]]:  # noqa: ARG001 - it makes the log of calls quiet
    """Run them for a game."""
    running = Together(tmp_path, Pace(bot_ms=0))
    yield request.param, running
    running.close()


def act(guest: Guest, game: str) -> None:
    """Make the seat's choice, if it has one now."""
    page = guest.page
    choices = {
        "mau_binh": ".arrange .main:enabled",
        "tien_len": ".tien-len .buttons .main:enabled",
        "ultimate_texas": '[data-decision="PLAY_3X"]:enabled',
    }
    if game == "tien_len" and page.locator(".state .turn").count() and not page.locator(choices[game]).count():
        suggest, passes = page.locator(".tien-len .buttons .button:enabled"), page.locator(".tien-len .buttons button")
        button = suggest.filter(has=page.locator(".idea"))
        if button.count() and page.locator(".state .idea").count() == 0:
            button.click()
        elif passes.first.is_enabled():
            passes.first.click()
    elif page.locator("dialog .ends").count():
        page.locator("dialog .ends .button").last.click()  # a foul is handed in all the same
    elif page.locator(choices[game]).count():
        page.locator(choices[game]).click()


def test_last_state_of_a_games_end_is_shown_for_two_seconds(together, browser: Browser) -> None:
    game, running = together
    context = browser.new_context(locale="vi-VN", viewport=DESKTOP)
    context.set_default_timeout(TIMEOUT)
    page = context.new_page()
    page.add_init_script(FIXED)
    page.clock.install(time=START / 1000)
    guest = Guest(page, "Lan", "MOUSE")
    guest.host(running.url, RULESETS[game], bots=1)
    expect(page.locator(".ready")).to_be_visible()
    page.locator(".ready").click()
    states: list[tuple[str, int]] = []

    def is_over() -> bool:
        act(guest, game)
        state = page.evaluate(SCENE)
        if state is not None:
            if states and states[-1][0] == state:
                states[-1] = (state, states[-1][1] + STEP_MS)
            else:
                states.append((state, 0))
        return bool(page.locator(".between .result").count())

    running.until(page, is_over)
    assert states, "the end has a scene of its own"
    last, shown_ms = states[-1]
    assert shown_ms >= LEAST_MS, f"{last} is shown for {shown_ms} ms of {[ms for _, ms in states]}"
    assert page.locator(".ready").is_enabled(), "after the end the next round can be wanted"
    context.close()
