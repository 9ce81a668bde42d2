"""Each game's end at the table's real lengths: its last state is on the screen for two seconds at least.

The page runs under Playwright's clock, referee and table server under one injected clock; the test moves both together.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Final

import pytest
from anyio.from_thread import start_blocking_portal
from playwright.sync_api import Page

from tests.table.table_process import WEB
from tests.table.table_scene import START, Scene
from tests.web_table.pictures import FOLDER, FRAME_MS, keep_strip
from tests.web_table.web_table_guest import RULESETS

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
FIXED: Final = "(() => { crypto.getRandomValues = (array) => array.fill(7); })()"
"""The page's seeds are as fixed as the referee's, so that the same hands come, which win no deal."""
CHOICES: Final = (
    "dialog .ends .button:nth-of-type(2)",  # a foul is handed in all the same
    ".arrange .main:enabled",
    '[data-decision="PLAY_3X"]:enabled',
    ".tien-len .buttons .main:enabled",
    ".tien-len .buttons .button:enabled:has(.idea):not(.room:has(.state .idea) *)",
    ".room:has(.state .turn) .tien-len .buttons .button:enabled:first-child",
)
"""What the seat presses, the first that is there: its choice, or a suggestion, or a pass."""
Move = Callable[[Page], None]


@pytest.fixture
def together(make_scene: Callable[..., Scene]) -> Iterator[tuple[str, Move]]:
    """Run a scene in a thread; return the page's address, and what lets a step pass everywhere."""
    scene = make_scene(luck="ends")
    with start_blocking_portal() as portal:

        def move(page: Page) -> None:
            portal.call(scene.clock.move, STEP_MS)
            page.clock.run_for(STEP_MS)
            threading.Event().wait(REST_SECONDS)
            page.clock.run_for(1)  # what has just arrived is drawn

        with portal.wrap_async_context_manager(scene.open(page=WEB / "dist", gateway=None)):
            yield f"http://{scene.address}/", move


@pytest.mark.parametrize("game", RULESETS)
def test_last_state_of_a_games_end_is_shown_for_two_seconds(together: tuple[str, Move], invite, game: str) -> None:
    (url, move), guest = together, invite("Lan")
    page: Page = guest.page
    page.add_init_script(FIXED)
    page.clock.install(time=START / 1000)
    guest.host(url, RULESETS[game], bots=1)
    page.locator(".ready").click()
    states: list[tuple[str, int]] = []
    frames: list[bytes] = []
    for step in range(MANY_STEPS):
        if page.locator(".between .result").count():
            break
        choice = next((choice for choice in map(page.locator, CHOICES) if choice.count()), None)
        if choice is not None:
            choice.first.click()
        state = page.evaluate(SCENE)
        if state is not None:
            shown = states.pop()[1] + STEP_MS if states and states[-1][0] == state else 0
            states.append((state, shown))
        if FOLDER and state is not None and step % (FRAME_MS // STEP_MS) == 0:
            frames.append(page.screenshot(type="jpeg"))
        move(page)
    keep_strip(page, frames, f"{game}-strip")
    assert states, f"the end has no scene of its own: {page.locator('body').inner_text()[:500]}"
    last, shown_ms = states[-1]
    assert shown_ms >= LEAST_MS, f"{last} is shown for {shown_ms} ms of {[ms for _, ms in states]}"
    assert page.locator(".ready").is_enabled(), "after the end the next round can be wanted"
