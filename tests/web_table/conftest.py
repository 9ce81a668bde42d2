"""Fixtures of the page's tests: a real Chromium, a table server in its own processes, and the page without one."""

import shutil
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, ViewportSize, sync_playwright

from tests.browser_flags import FLAGS
from tests.table.table_process import TableProcess, table_process
from tests.web_table.web_table_guest import DESKTOP, PHONE, TIMEOUT, Guest

Invite = Callable[..., Guest]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start this machine's Chromium; stop it after each module, because its event loop blocks all others."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("the page is not tested: chromium is not on the path")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableProcess]:
    """Start a table."""
    with table_process(tmp_path_factory.mktemp("table")) as running:
        yield running


@pytest.fixture
def files(table: TableProcess) -> str:
    """Return the address of the page, for tests that play the table server themselves."""
    return str(table.url)


@pytest.fixture
def invite(browser: Browser) -> Iterator[Invite]:
    """Return a function that opens a browser for a guest; fail the test if a page raised a script error."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def invited(
        name: str,
        *,
        way: str = "MOUSE",
        language: str = "vi",
        viewport: ViewportSize | None = None,
        still: bool = False,
    ) -> Guest:
        context = browser.new_context(
            locale="vi-VN" if language == "vi" else "en-GB",
            viewport=viewport or (PHONE if way == "TOUCH" else DESKTOP),
            has_touch=way == "TOUCH",
            reduced_motion="reduce" if still or way == "KEYS" else "no-preference",
        )
        context.set_default_timeout(TIMEOUT)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(f"{name}: {error}"))
        return Guest(page, name, way)

    yield invited
    for context in contexts:
        context.close()
    assert errors == []
