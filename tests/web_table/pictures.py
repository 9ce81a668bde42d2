"""Pictures of each scene in three sizes, and a film strip of each game's end.

``python -m tests.web_table.pictures FOLDER`` takes them; without a folder it takes those of the page's README. Scenes
that chance decides are shown from the protocol's examples; the others are of a round that is played to its end against
bots at the table's own pace. A strip has frames at even distances from the guest's last choice to the result.
"""

import base64
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.browser_flags import FLAGS
from tests.web_table.web_table_guest import DESKTOP, PHONE, RULESETS, TABLET, TIMEOUT, Guest
from tests.web_table.web_table_packages import WEB
from tests.web_table.web_table_server import TableProcess
from tests.web_table.web_table_stage import Stage, chop, dealt, ending, finished, instant_win, showdown

SIZES: Final[dict[str, ViewportSize]] = {"desktop": DESKTOP, "tablet": TABLET, "phone": PHONE}
FRAME_MS: Final = 400
MANY_FRAMES: Final = 200
STRIP: Final = 8
"""Frames of a strip: the first, the last, and others at even distances between."""
SETTLED_MS: Final = 1_000
SCENES: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "arranging": lambda: dealt("view.mau_binh.playing"),
    "instant-win": lambda: instant_win(dealt_ms=5_000),
    "showdown": showdown,
    "foul": lambda: showdown(fouled=True),
    "mau-binh-result": lambda: finished("mau_binh"),
    "turn": lambda: dealt("view.tien_len.turn"),
    "chop": chop,
    "last-play": lambda: ending("tien_len"),
    "tien-len-result": lambda: finished("tien_len"),
    "preflop": lambda: dealt("view.ultimate_texas.preflop"),
    "flop": lambda: dealt("view.ultimate_texas.flop"),
    "river": lambda: dealt("view.ultimate_texas.river"),
    "house": lambda: ending("ultimate_texas"),
    "ultimate-texas-result": lambda: finished("ultimate_texas"),
}
README: Final = {"arranging": DESKTOP, "showdown": DESKTOP, "chop": DESKTOP, "flop": DESKTOP, "turn": PHONE}


@contextmanager
def browsing(*options: str) -> Iterator[tuple[Browser, str]]:
    """Run a browser and a table for the block; yield the browser and the page's address."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        table = TableProcess(Path(folder), page=WEB / "dist", options=options)
        try:
            browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
            yield browser, table.url
            browser.close()
        finally:
            table.stop()


def guest_of(browser: Browser, viewport: ViewportSize) -> Guest:
    """Open a page for a guest."""
    context = browser.new_context(locale="vi-VN", viewport=viewport)
    context.set_default_timeout(TIMEOUT)
    return Guest(context.new_page(), "Lan", "MOUSE")


def keep(guest: Guest, folder: Path, name: str) -> None:
    """Write what the page shows now."""
    guest.page.screenshot(path=folder / f"{name}.png")
    sys.stdout.write(f"{name}.png\n")
    sys.stdout.flush()


def staged(browser: Browser, url: str, scene: str, viewport: ViewportSize) -> Guest:
    """Show a scene of the protocol's examples."""
    guest = guest_of(browser, viewport)
    Stage(guest.page, SCENES[scene]())
    guest.enter(url)
    guest.page.locator(".room").wait_for()
    guest.page.wait_for_timeout(SETTLED_MS)
    guest.wait_still()
    return guest


def play(guest: Guest, game: str) -> None:
    """Make the guest's choices of a round until it is over for its seat."""
    match game:
        case "mau_binh":
            guest.arrange()
        case "ultimate_texas":
            guest.bet()
        case _:
            while guest.phase == "PLAYING":
                if not guest.shed():
                    guest.page.wait_for_timeout(50)


def played(browser: Browser, url: str, game: str, folder: Path, size: str) -> None:
    """Play a round to its end; keep the lobby, the room, the strip of its end, and the replay."""
    guest = guest_of(browser, SIZES[size])
    page = guest.page
    guest.enter(url)
    page.locator(".tile").first.wait_for()
    keep(guest, folder, f"{size}-{game}-lobby")
    guest.open_room(RULESETS[game], bots=3 if game != "ultimate_texas" else 1)
    keep(guest, folder, f"{size}-{game}-room")
    number = guest.deal()
    play(guest, game)
    frames: list[bytes] = []
    while not page.locator(f'.result[data-round="{number}"]').is_visible() and len(frames) < MANY_FRAMES:
        frames.append(page.screenshot(type="jpeg", quality=80))
        page.wait_for_timeout(FRAME_MS)
    frames.append(page.screenshot(type="jpeg", quality=80))
    (folder / f"{size}-{game}-strip.png").write_bytes(strip(browser, frames))
    guest.expect_verified()
    keep(guest, folder, f"{size}-{game}-result")
    page.locator(".badge").first.click()
    keep(guest, folder, f"{size}-{game}-proof")
    page.keyboard.press("Escape")
    guest.open_menu("history")
    page.locator("dialog li .button").first.click()
    page.locator("dialog .steps .button").nth(1).click()
    keep(guest, folder, f"{size}-{game}-replay")
    page.context.close()


def strip(browser: Browser, pictures: Sequence[bytes]) -> bytes:
    """Return some of the pictures side by side as one, by the browser's own hand."""
    count = min(STRIP, len(pictures))
    chosen = [pictures[round(at * (len(pictures) - 1) / max(1, count - 1))] for at in range(count)]
    page = browser.new_page(viewport={"width": 320 * count, "height": 100})
    sources = [f"data:image/jpeg;base64,{base64.b64encode(one).decode()}" for one in chosen]
    images = "".join(f'<img src="{source}" style="width:314px">' for source in sources)
    page.set_content(f'<body style="margin:0;background:#222;display:flex;gap:6px;align-items:start">{images}</body>')
    made = page.screenshot(full_page=True)
    page.close()
    return made


def main() -> None:
    """Take the README's pictures, or all into a folder."""
    with browsing("--bot-ms", "300") as (browser, url):
        if len(sys.argv) == 1:
            for scene, viewport in README.items():
                keep(staged(browser, url, scene, viewport), WEB / "screenshots", scene)
            return
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        for size, viewport in SIZES.items():
            for scene in SCENES:
                guest = staged(browser, url, scene, viewport)
                keep(guest, folder, f"{size}-{scene}")
                guest.page.context.close()
            for game in RULESETS:
                played(browser, url, game, folder, size)


if __name__ == "__main__":
    main()
