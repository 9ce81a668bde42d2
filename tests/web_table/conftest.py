"""Fixtures of the page's tests: a real Chromium, a table server in its own processes, and the page without one."""

import contextlib
import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, ViewportSize, sync_playwright

from tests.browser_flags import FLAGS
from tests.web_table.web_table_guest import DESKTOP, PHONE, TIMEOUT, Guest, Way
from tests.web_table.web_table_packages import WEB
from tests.web_table.web_table_server import TableProcess

QUICK: Final = ("--bot-ms", "40", "--brisk")
"""Options of a table with quick bots and no pauses between the parts of a show."""

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


class Files(http.server.SimpleHTTPRequestHandler):
    """The built page's files, and nothing in the log; a page that goes away in mid-file is none of its matters."""

    def log_message(self, *_args: object) -> None:
        """Write nothing."""

    def do_GET(self) -> None:
        """Send a file."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            super().do_GET()


@pytest.fixture(scope="session")
def files() -> Iterator[str]:
    """Serve the built page's files alone, for tests that play the table server themselves; return the address."""
    handler = functools.partial(Files, directory=str(WEB / "dist"))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TableProcess]:
    """Start a table."""
    running = TableProcess(tmp_path_factory.mktemp("table"), page=WEB / "dist", options=QUICK)
    yield running
    running.stop()


@pytest.fixture
def own_table(browser: Browser, tmp_path: Path) -> Iterator[TableProcess]:  # noqa: ARG001 - skips without a browser
    """Start a table that the test may kill."""
    running = TableProcess(tmp_path / "table", page=WEB / "dist", options=QUICK)
    yield running
    running.stop()


@pytest.fixture
def invite(browser: Browser) -> Iterator[Invite]:
    """Return a function that opens a browser for a guest; fail the test if a page raised a script error."""
    contexts, errors = [], []

    def invited(name: str, *, way: Way = "MOUSE", language: str = "vi", viewport: ViewportSize | None = None) -> Guest:
        context = browser.new_context(
            locale="vi-VN" if language == "vi" else "en-GB",
            viewport=viewport or (PHONE if way == "TOUCH" else DESKTOP),
            has_touch=way == "TOUCH",
            reduced_motion="reduce" if way == "KEYS" else "no-preference",
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
