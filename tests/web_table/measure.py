"""Measure how fast the page is on this machine: ``python -m tests.web_table.measure``.

Prints a table in milliseconds: from the start of a load, with an empty cache, to the first enabled button; what the
page spends on one frame of a dragged card; and what passes between two frames of each animation. No limits are applied.
"""

import os
import statistics
import sys
from typing import Final

from playwright.sync_api import Browser

from tests.web_table.browsing import browsing, stage_of
from tests.web_table.screenshots import chop
from tests.web_table.test_web_table_scene import finished, instant_win, showdown
from tests.web_table.web_table_guest import Guest
from tests.web_table.web_table_stage import dealt

LOADS: Final = 9
PAGES: Final = 4
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
"""Moves a card 200 times; the milliseconds that the page spends on each, sorted."""
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
"""Milliseconds that each scene is watched for."""


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
    guest.host(url, "mau_binh.classic", bots=1)
    guest.deal()
    times: list[float] = guest.page.locator(".board").evaluate(DRAGGED)
    return times


def frames(browser: Browser, url: str) -> dict[str, list[float]]:
    """Return the milliseconds between frames while something moves, by scene and sorted, on several pages."""
    times: dict[str, list[float]] = {}
    for _ in range(PAGES):
        for name, one in watched(browser, url).items():
            times[name] = sorted([*times.get(name, []), *one])
    return times


def watched(browser: Browser, url: str) -> dict[str, list[float]]:
    """Return the milliseconds between frames while something moves, by scene, on one page."""
    guest = Guest(browser.new_page(), "Lan", "MOUSE")
    stage = stage_of(guest, url)
    scenes = {
        "deal of thirteen cards": dealt("view.mau_binh.playing"),
        "instant win, sorted": instant_win(from_ms=0),
        "showdown with a sweep": showdown(),
        "chips and confetti of a win": finished(),
        "deal of Tiến Lên": dealt("view.tien_len.turn"),
        "chop": chop(),
    }
    times: dict[str, list[float]] = {}
    for name, view in scenes.items():
        guest.page.evaluate(WATCHED)
        stage.show(view)
        guest.page.wait_for_timeout(ANIMATED)
        found: list[float] = guest.page.evaluate("() => { window.watching = false; return window.frames_seen; }")
        times[name] = found
    guest.page.close()
    return times


def line(name: str, times: list[float]) -> str:
    """Return one line of the table; ``times`` are sorted."""
    if not times:
        return f"{name:<30}{0:>8}\n"
    slow, slowest = times[int(len(times) * 0.99)], times[-1]
    return f"{name:<30}{len(times):>8}{statistics.median(times):>9.1f}{slow:>9.1f}{slowest:>9.1f}\n"


def main() -> None:
    """Measure all of it and print the table."""
    with browsing("--bot-ms", "40", "--brisk") as (browser, url):
        times = {
            "load to the first button": loads(browser, url),
            "work for a dragged frame": drags(browser, url),
            **frames(browser, url),
        }
        version = browser.version
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    sys.stdout.write(f"Chromium {version} on {os.cpu_count()} cores, load averages {load}; milliseconds\n")
    sys.stdout.write(f"{'':<30}{'count':>8}{'median':>9}{'99 %':>9}{'slowest':>9}\n")
    sys.stdout.writelines(line(name, one) for name, one in times.items())


if __name__ == "__main__":
    main()
