"""Measure how fast the page is on this machine: ``python tests/web_table/measure.py``.

Prints the milliseconds from the start of a load, with an empty cache, to the first enabled button, those that the page
spends on one frame of a dragged card, and those between two frames of its animations. No limits are applied.
"""

import shutil
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

from tests.web_table.test_web_table_scene import finished
from tests.web_table.web_table_guest import Guest
from tests.web_table.web_table_server import TableProcess
from tests.web_table.web_table_stage import Stage, dealt

WEB: Final = Path(__file__).parents[2] / "clients" / "web"
LOADS: Final = 9
LOADED: Final = """() => {
  const button = document.querySelector('button:not([disabled])');
  return button === null ? null : performance.now();
}"""
DRAGGED: Final = """board => {
  const card = board.querySelector('[data-place="0"]');
  const box = card.getBoundingClientRect();
  const send = (type, at) => card.dispatchEvent(new PointerEvent(type,
    {bubbles: true, button: 0, pointerId: 1, clientX: box.x + 20 + at, clientY: box.y + 20 - at}));
  card.setPointerCapture = () => {};
  send('pointerdown', 0);
  const times = [];
  for (let at = 0; at < 200; at += 1) {
    const start = performance.now();
    send('pointermove', at);
    board.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  send('pointercancel', 0);
  return times.sort((a, b) => a - b);
}"""


WATCHED: Final = """() => {
  window.frames_seen = [];
  window.watching = true;
  let before = performance.now();
  const look = (now) => {
    if (document.getAnimations().some((one) => one.playState === 'running')) window.frames_seen.push(now - before);
    before = now;
    if (window.watching) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""
ANIMATED: Final = 1_800
"""Milliseconds that the scenes are watched for."""


def loads(browser: Browser, url: str) -> list[float]:
    """Return the milliseconds of each load, sorted."""
    times = []
    for _ in range(LOADS):
        context = browser.new_context()
        page = context.new_page()
        page.goto(url, wait_until="commit")
        times.append(page.wait_for_function(LOADED, polling=5).json_value())
        context.close()
    return sorted(times)


def drags(browser: Browser, url: str) -> list[float]:
    """Return the milliseconds that the page spends on each of 200 movements, sorted."""
    guest = Guest(browser.new_page(), "Lan", "MOUSE")
    guest.enter(url)
    guest.open_room("mau_binh.classic", bots=1)
    guest.deal()
    times: list[float] = guest.page.locator(".board").evaluate(DRAGGED)
    return times


def frames(browser: Browser, url: str) -> list[float]:
    """Return the milliseconds between frames while a hand is dealt, chips fly and confetti falls, sorted."""
    guest = Guest(browser.new_page(), "Lan", "MOUSE")
    stage = Stage(guest.page, dealt("view.mau_binh.seeding"))
    guest.enter(url)
    guest.page.locator(".room").wait_for()
    times: list[float] = []
    for view in (dealt("view.mau_binh.playing"), finished()):
        guest.page.evaluate(WATCHED)
        stage.show(view)
        guest.page.wait_for_timeout(ANIMATED)
        times += guest.page.evaluate("() => { window.watching = false; return window.frames_seen; }")
    return sorted(times)


def main() -> None:
    """Measure all three and print them."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        table = TableProcess(Path(folder), page=WEB / "dist", options=("--bot-ms", "40", "--brisk"))
        try:
            browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
            loaded, dragged = loads(browser, table.url), drags(browser, table.url)
            animated = frames(browser, table.url)
            version = browser.version
            browser.close()
        finally:
            table.stop()
    sys.stdout.write(f"Chromium {version}\n")
    sys.stdout.write(f"load to first button: median {statistics.median(loaded):.0f} ms, slowest {loaded[-1]:.0f} ms\n")
    sys.stdout.write(f"a dragged frame: median {dragged[100]:.2f} ms, 99th percentile {dragged[198]:.2f} ms\n")
    slow = animated[int(len(animated) * 0.99)]
    sys.stdout.write(
        f"a frame of deal, chips and confetti: median {statistics.median(animated):.1f} ms, "
        f"99th percentile {slow:.1f} ms of {len(animated)}\n"
    )


if __name__ == "__main__":
    main()
