"""Pages and pictures of the scenes: ``python -m tests.dispute.pictures OUT`` writes each page and three pictures of it.

The pictures are of the whole page, in both languages on a laptop and in Vietnamese on a phone. They need Chromium.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

import structlog
from playwright.sync_api import Browser, sync_playwright

from tests.browser_flags import FLAGS
from tests.dispute.scenes import SCENES, play

SIZES: Final = {"en": (1100, 800), "vi": (1100, 800), "phone": (390, 844)}


def write_page(name: str, out: Path) -> Path:
    """Play a scene and write the page of its quarrel; return the file."""
    page = out / f"{name}.html"
    with tempfile.TemporaryDirectory() as folder:
        done = play(name, Path(folder)).dispute("--html", page)
    assert page.is_file(), done.stderr
    return page


def shoot(browser: Browser, page: Path, out: Path) -> None:
    """Take the pictures of a page."""
    for name, (width, height) in SIZES.items():
        locale = "en-GB" if name == "en" else "vi-VN"
        view = browser.new_page(viewport={"width": width, "height": height}, locale=locale)
        view.goto(page.as_uri())
        view.screenshot(path=out / f"{page.stem}-{name}.png", full_page=True)
        view.close()


def main() -> None:
    """Write the pages and take their pictures."""
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    pages = [write_page(name, out) for name in SCENES]
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        sys.exit("the pages are written and no pictures: there is no chromium; apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        for page in pages:
            shoot(browser, page, out)
        browser.close()


if __name__ == "__main__":
    main()
