"""A browser and a table of their own, for the programs that look at the page."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.browser_flags import FLAGS
from tests.web_table.conftest import KNOWN, WEB
from tests.web_table.web_table_guest import TIMEOUT, Guest
from tests.web_table.web_table_server import TableProcess
from tests.web_table.web_table_stage import Stage, dealt


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


def guest_of(browser: Browser, viewport: ViewportSize, *scripts: str) -> Guest:
    """Open a page, in which scripts run first, for a guest who has played before."""
    context = browser.new_context(locale="vi-VN", viewport=viewport, service_workers="block")
    context.set_default_timeout(TIMEOUT)
    for script in (KNOWN, *scripts):
        context.add_init_script(script)
    return Guest(context.new_page(), "Lan", "MOUSE")


def stage_of(guest: Guest, url: str) -> Stage:
    """Show a guest a scripted table of Mậu Binh before its deal."""
    stage = Stage(guest.page, dealt("view.mau_binh.seeding"))
    guest.enter(url)
    guest.page.locator(".room").wait_for()
    return stage
