"""Pictures of each scene in three sizes, and a film strip of each game's end.

``python -m tests.web_table.pictures FOLDER`` takes all; with names such as ``phone-turn`` after it, those alone. Scenes
are shown from the protocol's examples; a strip is of a round that is played against bots at the table's own pace, with
a frame each half second from the guest's last choice to the result.
"""

import base64
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.browser_flags import FLAGS
from tests.web_table.test_web_table_screens import SCREENS, visit
from tests.web_table.web_table_guest import RULESETS, SIZES, TIMEOUT, Guest
from tests.web_table.web_table_servers import TableProcess
from tests.web_table.web_table_stage import Stage, example

FRAME_MS: Final = 500
MANY_FRAMES: Final = 200


def guest_of(browser: Browser, viewport: ViewportSize) -> Guest:
    """Open a page for a guest."""
    context = browser.new_context(locale="vi-VN", viewport=viewport)
    context.set_default_timeout(TIMEOUT)
    return Guest(context.new_page(), "Lan", "MOUSE")


def staged(browser: Browser, url: str, size: str, files: dict[str, Path]) -> None:
    """Keep some screens of the list in one size, each in its file."""
    guest = guest_of(browser, SIZES[size])
    stage = Stage(guest.page, example("lobby"))
    for name, path in files.items():
        visit(guest, url, stage, SCREENS[name], "vi")
        guest.wait_still()
        guest.page.screenshot(path=path)
    guest.page.context.close()


def played(browser: Browser, url: str, game: str, size: str, path: Path) -> None:
    """Play a round to its end and keep the strip of its end."""
    guest = guest_of(browser, SIZES[size])
    guest.host(url, RULESETS[game], bots=3 if game != "ultimate_texas" else 1)
    over = guest.page.locator(f'.result[data-round="{guest.deal()}"]')
    step = {"mau_binh": Guest.arrange, "ultimate_texas": Guest.bet}.get(game)
    if step is not None:
        step(guest)
    while step is None and guest.phase == "PLAYING":
        guest.shed()
        guest.page.wait_for_timeout(50)
    frames: list[bytes] = []
    while not over.is_visible() and len(frames) < MANY_FRAMES:
        frames.append(guest.page.screenshot(type="jpeg", quality=80))
        guest.page.wait_for_timeout(FRAME_MS)
    frames.append(guest.page.screenshot(type="jpeg", quality=80))
    path.write_bytes(strip(browser, frames))
    guest.page.context.close()


def strip(browser: Browser, pictures: Sequence[bytes]) -> bytes:
    """Return pictures in rows of eight as one, by the browser's own hand."""
    page = browser.new_page(viewport={"width": 8 * 320, "height": 100})
    sources = [f"data:image/jpeg;base64,{base64.b64encode(one).decode()}" for one in pictures]
    images = "".join(f'<img src="{source}" style="width:314px">' for source in sources)
    page.set_content(f'<body style="margin:0;background:#222;display:flex;flex-wrap:wrap;gap:6px">{images}</body>')
    made = page.screenshot(full_page=True)
    page.close()
    return made


def main() -> None:
    """Take pictures into a folder."""
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    found = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        table = TableProcess(Path(data), pace=("--bot-ms", "300"))
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        for size in SIZES:
            names = {name: f"{size}-{name.replace(': ', '-').replace(' ', '-')}" for name in SCREENS}
            files = {name: folder / f"{stem}.png" for name, stem in names.items() if not wanted or stem in wanted}
            staged(browser, table.url, size, files)
            for game in RULESETS:
                if not wanted or f"{size}-{game}-strip" in wanted:
                    played(browser, table.url, game, size, folder / f"{size}-{game}-strip.png")
        browser.close()
        table.stop()


if __name__ == "__main__":
    main()
