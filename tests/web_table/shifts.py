"""Measure how steady and how quick a round is: ``python -m tests.web_table.shifts``.

Plays one round of each game in each size, with a hint before each move. Prints the sum of the layout shifts that no
input in the half second before explains, and the milliseconds from each input to the paint after it.
"""

import os
import statistics
import sys
from dataclasses import dataclass
from typing import Any, Final

from playwright.sync_api import ViewportSize, expect

from tests.web_table.browsing import browsing, guest_of
from tests.web_table.web_table_guest import PHONE, TIMEOUT, Guest

SIZES: Final[dict[str, ViewportSize]] = {
    "desktop": {"width": 1280, "height": 720},
    "tablet": {"width": 820, "height": 1180},
    "phone": PHONE,
}
RULESETS: Final = {
    "Mậu Binh": "mau_binh.maubinh_com",
    "Tiến Lên": "tien_len.mien_nam",
    "Ultimate Texas": "ultimate_texas.casino",
}
READ: Final = 700
"""Milliseconds for which a guest reads a hint: more than the half second in which shifts are an input's own."""
MANY_MOVES: Final = 200
MEASURING: Final = """(() => {
  window.shifts = [];
  window.answers = [];
  const nameOf = ({node}) => node === null ? 'gone' : node.nodeName + '.' +
    String((node.className === undefined ? node.parentElement : node).className).replaceAll(/ ?svelte-\\w+/g, '');
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.shifts.push({value: one.value, isOwn: one.hadRecentInput,
      phase: document.querySelector('.room')?.dataset.phase ?? '', nodes: one.sources.map(nameOf)});
  }).observe({type: 'layout-shift', buffered: true});
  for (const kind of ['pointerdown', 'click', 'keydown'])
    addEventListener(kind, ({timeStamp}) => requestAnimationFrame(() => {
      const {port1, port2} = new MessageChannel();
      port1.onmessage = () => window.answers.push(performance.now() - timeStamp);
      port2.postMessage(0);
    }), {capture: true});
})()"""
"""Records layout shifts, and for each input the milliseconds until the frame after it has been painted."""


@dataclass(frozen=True)
class Measured:
    """What one round showed: layout shifts as the browser reports them, and the milliseconds from input to paint."""

    shifts: list[dict[str, Any]]
    answers: list[float]

    @property
    def unexpected(self) -> float:
        """Sum of the shifts that no input explains."""
        return sum(shift["value"] for shift in self.shifts if not shift["isOwn"])

    @property
    def largest(self) -> str:
        """The largest unexpected shift: where in the round, and what moved."""
        shifts = [shift for shift in self.shifts if not shift["isOwn"]]
        if not shifts:
            return ""
        shift = max(shifts, key=lambda one: float(one["value"]))
        return f"{shift['value']:.3f} {shift['phase']} {', '.join(shift['nodes'][:3])}"


def arrange(guest: Guest) -> None:
    """Look at two suggestions of Mậu Binh and hand in the second."""
    suggest = guest.page.locator(".arrange .buttons .button").first
    for _ in range(2):
        suggest.click()
        expect(suggest).to_be_enabled(timeout=TIMEOUT)
        guest.page.wait_for_timeout(READ)
    guest.page.locator(".arrange .main").click()


def shed(guest: Guest) -> None:
    """Ask for a hint on each turn of Tiến Lên and follow it."""
    page = guest.page
    passes, play, suggest = (page.locator(".tien-len .buttons .button").nth(at) for at in range(3))
    for _ in range(MANY_MOVES):
        over = page.locator('.room:not([data-phase="PLAYING"])')
        expect(page.locator(".state .turn").or_(over).first).to_be_visible(timeout=TIMEOUT)
        if guest.phase != "PLAYING":
            return
        if suggest.is_disabled():
            page.wait_for_timeout(50)
            continue
        suggest.click()
        expect(page.locator(".state .idea").or_(over).first).to_be_visible(timeout=TIMEOUT)
        page.wait_for_timeout(READ)
        if guest.phase == "PLAYING":
            (play if play.is_enabled() else passes).click()
            page.wait_for_timeout(READ)


def decide(guest: Guest) -> None:
    """Ask for a hint on each street of Ultimate Texas and follow it."""
    page = guest.page
    suggest = page.locator(".texas .buttons .button:has(.idea)")
    for _ in range(MANY_MOVES):
        over = page.locator('.room:not([data-phase="PLAYING"])')
        expect(suggest.or_(over).first).to_be_visible(timeout=TIMEOUT)
        if guest.phase != "PLAYING":
            return
        suggest.click()
        expect(page.locator(".best").or_(over).first).to_be_visible(timeout=TIMEOUT)
        page.wait_for_timeout(READ)
        if page.locator(".best").count() > 0:
            page.locator(".best").click()
            page.wait_for_timeout(READ)


PLAYED: Final = {"Mậu Binh": arrange, "Tiến Lên": shed, "Ultimate Texas": decide}


def round_of(guest: Guest, game: str, url: str) -> Measured:
    """Play a round of a game from the press of Ready until its result has been read."""
    guest.host(url, RULESETS[game], bots=3)
    number = 0
    is_dealt = False
    while not is_dealt:  # a round that is won at the deal is not measured
        number += 1
        guest.page.evaluate("() => { window.shifts.length = window.answers.length = 0; }")
        guest.get_ready()
        is_dealt = guest.wait_dealt(number)
    PLAYED[game](guest)
    expect(guest.page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * TIMEOUT)
    guest.wait_still()
    guest.page.wait_for_timeout(2 * READ)
    return Measured(*guest.page.evaluate("() => [window.shifts, window.answers]"))


def line(game: str, size: str, measured: Measured) -> str:
    """Return one line of the table."""
    answers = sorted(measured.answers)
    slow = answers[int(len(answers) * 0.99)]
    head = (
        f"{game:<16}{size:<9}{measured.unexpected:>8.3f}{len(answers):>8}{statistics.median(answers):>9.1f}{slow:>8.1f}"
    )
    return f"{head}  {measured.largest}\n"


def main() -> None:
    """Play all rounds and print the table."""
    with browsing() as (browser, url):
        load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
        sys.stdout.write(f"Chromium {browser.version} on {os.cpu_count()} cores, load averages {load}\n")
        sys.stdout.write(f"{'game':<16}{'size':<9}{'shift':>8}{'inputs':>8}{'median':>9}{'99 %':>8}  largest shift\n")
        for game in RULESETS:
            for name, size in SIZES.items():
                guest = guest_of(browser, size, MEASURING)
                sys.stdout.write(line(game, name, round_of(guest, game, url)))
                sys.stdout.flush()
                guest.page.context.close()


if __name__ == "__main__":
    main()
