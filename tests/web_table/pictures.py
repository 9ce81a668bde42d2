"""Pictures of each scene in three sizes, and a film strip of each game's end.

``python -m tests.web_table.pictures FOLDER`` writes them. Each file is named by its size and scene. Scenes that chance
decides are shown from the protocol's examples; the others are of a round that is played to its end against bots. A
strip has a frame every fifth of a second from the guest's last choice to the result.
"""

import base64
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser

from tests.web_table.browsing import browsing, guest_of, stage_of
from tests.web_table.screenshots import chop
from tests.web_table.shifts import PLAYED, RULESETS, SIZES
from tests.web_table.test_web_table_scene import finished, instant_win, showdown
from tests.web_table.web_table_guest import Guest
from tests.web_table.web_table_stage import dealt

FRAME_MS: Final = 200
MANY_FRAMES: Final = 200
STRIP: Final = 8
"""Frames of a strip: the first, the last, and others at even distances between."""
SETTLED_MS: Final = 900
"""Milliseconds after which nothing moves in a staged scene."""
STAGED: Final[dict[str, tuple[Callable[[], dict[str, Any]], str]]] = {
    "arranging": (lambda: dealt("view.mau_binh.playing"), ".board [data-card]"),
    "instant-win": (lambda: instant_win(from_ms=0), ".banner:not([inert])"),
    "showdown": (showdown, ".banner:not([inert])"),
    "finished": (finished, ".result .won"),
    "turn": (lambda: dealt("view.tien_len.turn"), ".hand [data-card]"),
    "chop": (chop, ".banner:not([inert])"),
}


@dataclass(frozen=True)
class Album:
    """A folder of pictures of one size; each is named when it is written."""

    folder: Path
    size: str

    def keep(self, guest: Guest, scene: str) -> None:
        """Write what the page shows now."""
        self.write(scene, guest.page.screenshot())

    def write(self, scene: str, picture: bytes) -> None:
        """Write a picture."""
        path = self.folder / f"{self.size}-{scene}.png"
        path.write_bytes(picture)
        sys.stdout.write(f"{path.name}\n")
        sys.stdout.flush()


def staged(browser: Browser, url: str, album: Album) -> None:
    """Show the scenes that chance decides."""
    guest = guest_of(browser, SIZES[album.size])
    stage = stage_of(guest, url)
    for scene, (view, shown) in STAGED.items():
        stage.show(view())
        guest.page.locator(shown).first.wait_for()
        guest.page.wait_for_timeout(SETTLED_MS)
        album.keep(guest, scene)
    guest.page.context.close()


def played(browser: Browser, url: str, game: str, album: Album) -> None:
    """Play a round of a game to its end; keep each scene from the lobby to the replay, and the strip of its end."""
    name = game.lower().replace(" ", "-")
    guest = guest_of(browser, SIZES[album.size])
    page = guest.page
    guest.enter(url)
    page.locator(".tile").first.wait_for()
    album.keep(guest, f"{name}-lobby")
    guest.open_room(RULESETS[game], bots=3)
    album.keep(guest, f"{name}-room")
    number = guest.deal()
    guest.wait_still()
    album.keep(guest, f"{name}-dealt")
    PLAYED[game](guest)
    album.write(f"{name}-strip", strip(browser, frames(guest, number)))
    guest.wait_still()
    page.wait_for_timeout(SETTLED_MS)
    album.keep(guest, f"{name}-result")
    page.locator(".result .show").first.click()
    page.locator(".show-round .main").wait_for()
    page.wait_for_timeout(SETTLED_MS)
    album.keep(guest, f"{name}-share")
    page.keyboard.press("Escape")
    page.locator("nav .button").nth(2).click()
    page.locator("dialog li .button").first.click()
    page.locator("dialog .steps .button").nth(1).click()
    page.wait_for_timeout(SETTLED_MS)
    album.keep(guest, f"{name}-replay")
    page.context.close()


def frames(guest: Guest, number: int) -> list[bytes]:
    """Return pictures of the page until it shows the round's result."""
    found = []
    for _ in range(MANY_FRAMES):
        found.append(guest.page.screenshot(type="jpeg", quality=80))
        if guest.page.locator(f'.result[data-round="{number}"]').is_visible():
            return found
        guest.page.wait_for_timeout(FRAME_MS)
    message = f"no result of round {number} within {MANY_FRAMES} frames"
    raise AssertionError(message)


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
    """Make all of them."""
    if len(sys.argv) != 2:
        sys.exit("give the folder to write the pictures to: python -m tests.web_table.pictures FOLDER")
    kept = Path(sys.argv[1])
    kept.mkdir(parents=True, exist_ok=True)
    with browsing("--bot-ms", "300") as (browser, url):
        for size in SIZES:
            album = Album(kept, size)
            staged(browser, url, album)
            for game in RULESETS:
                played(browser, url, game, album)


if __name__ == "__main__":
    main()
