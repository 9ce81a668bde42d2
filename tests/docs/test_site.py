"""The site of all pages: built by `make docs`, whole, without a broken link, and read by a browser from its files."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urldefrag

import pytest
import referee_client

from referee.service.status import CODES
from referee.v1.error_reason_pb2 import ErrorReason
from tests import node_project
from tests.browser_flags import FLAGS
from tests.once import made_once
from tests.web.web_client import CLIENT, built

ENTRY: Final = re.compile(
    r'<dt class="sig sig-object py" id="(referee_client\.[\w.]+)">.*?</dt>\s*<dd>(</dd>|)', re.DOTALL
)
"""An entry of a name, and the end of its description where that is empty."""
ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 900
pytestmark = [pytest.mark.slow("builds the site of all pages"), pytest.mark.timeout(2 * SECONDS)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site once in a run of the tests; a warning of Sphinx, typedoc or OpenAPI's validator is an error."""
    if why := built() or node_project.install(ROOT / ".docs"):
        pytest.skip(f"the site is not built: {why}")
    return made_once(tmp_path_factory, "site", _build) / "html"


def _build(folder: Path) -> None:
    environment = sys.prefix
    given = (f"SITE={folder}", f"VENV={environment}", f"STAMP={environment}", f"DEV={environment}")
    command = ["make", "docs", *given, f"PYTHON={sys.executable}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


class _Page(HTMLParser):
    """The ids and links of a page, and what it fetches."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take what is looked for of a tag."""
        given = {name: value or "" for name, value in attrs}
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.fetched += [given[name] for name in ("src", "srcset") if name in given]
        if tag == "link":
            self.fetched.append(given["href"])


@cache
def page_of(path: Path) -> _Page:
    """Read a page once."""
    return _Page(path)


def pages(site: Path) -> Iterator[tuple[Path, _Page]]:
    """Yield the pages of the site."""
    found = sorted(path for path in site.rglob("*.html") if "_static" not in path.parts)
    assert len(found) > 70
    yield from ((path, page_of(path)) for path in found)


def test_every_page_of_the_tree_is_on_the_site(site: Path) -> None:
    command = ["git", "ls-files", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    wanted = [name for name in listed if not name.startswith((".github/", ".docs/", "clients/web/dist/"))]
    assert len(wanted) > 50
    assert [name for name in wanted if not (site / name).with_suffix(".html").is_file()] == []


def test_no_link_within_the_site_is_broken(site: Path) -> None:
    """Files and, in pages, the places that links name."""
    broken, checked = [], 0
    for path, page in pages(site):
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            name, place = urldefrag(unquote(link))
            target = (path.parent / name).resolve() if name else path
            is_there = target.is_file() and (not place or target.suffix != ".html" or place in page_of(target).ids)
            checked += 1
            if not is_there:
                broken.append(f"{path.relative_to(site)}: {link}")
    assert checked > 5_000
    assert broken == []


def test_no_page_fetches_from_elsewhere(site: Path) -> None:
    """No font, script or picture of another host; every one is a file of the site."""
    for path, page in pages(site):
        assert [name for name in page.fetched if re.match(r"(https?:)?//", name)] == [], path
    styles = "".join(path.read_text("utf-8") for path in (site / "_static").rglob("*.css"))
    assert not re.search(r"url\(['\"]?(https?:)?//|@import", styles)


def test_every_public_name_of_the_python_sdk_has_an_entry(site: Path) -> None:
    ids = {one for _, page in pages(site) for one in page.ids}
    assert len(referee_client.__all__) > 50
    assert [name for name in referee_client.__all__ if f"referee_client.{name}" not in ids] == []


def test_every_entry_of_the_python_sdk_says_something(site: Path) -> None:
    """Classes, constructors, fields, properties and methods; the name of a card says enough."""
    described = {
        name: words != "</dd>"
        for path in (site / "reference" / "python").glob("*.html")
        for name, words in ENTRY.findall(path.read_text("utf-8"))
    }
    assert {"referee_client.Terms.stake", "referee_client.Client.resume"} <= set(described)
    silent = {name for name, is_described in described.items() if not is_described}
    assert silent == {f"referee_client.Card.{card.name}" for card in referee_client.DECK}


def test_every_public_name_of_the_typescript_sdk_has_an_entry(site: Path) -> None:
    """Those that ``referee-client/node`` exports, with its classes' members; messages are among the API's pages."""
    done = node_project.run(CLIENT, "node", "exports.js")
    assert done.returncode == 0, done.stderr
    offered: dict[str, Any] = json.loads(done.stdout)
    assert len(offered) > 40
    ids = {one for path in (site / "reference" / "typescript").glob("*.html") for one in page_of(path).ids}
    plain = {re.sub(r"-\d+$", "", one) for one in ids}
    names = {*offered, *(member for members in offered.values() for member in members)}
    assert [name for name in sorted(names) if name.lower() not in plain] == []


def test_every_reason_has_its_remedy(site: Path) -> None:
    text = (site / "reference" / "reasons.html").read_text("utf-8")
    names = {ErrorReason.Name(number).removeprefix("ERROR_REASON_") for number in CODES}
    assert set(re.findall(r"<h2>([A-Z_]+)<", text)) == names
    assert text.count("<strong>Remedy.</strong>") == len(names)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Start the machine's Chromium."""
    api = pytest.importorskip("playwright.sync_api", reason="no browser reads the site: playwright is not installed")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no browser reads the site: chromium is not on the path")
    with api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield running
        running.close()


def test_browser_reads_a_page_a_reference_and_finds_a_reason(site: Path, browser: Any) -> None:  # noqa: ANN401 - playwright's
    """From files alone, on a screen of a phone; nothing is asked of another place."""
    page = browser.new_page(viewport={"width": 400, "height": 800})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "README.html").as_uri())
    assert page.locator("h1").inner_text() == "Referee"
    page.locator("a[href='clients/README.html']").last.click()
    assert "afternoon" in page.locator("h1").inner_text()
    page.goto((site / "reference" / "python" / "client.html").as_uri())
    assert "minor units" in page.locator("dt[id='referee_client.Terms.stake'] + dd").inner_text()
    page.goto((site / "search.html").as_uri() + "?q=SEED_MISMATCH")
    page.locator("#search-results a", has_text="Why calls are refused").first.click()
    assert "Send each seat's own seed" in page.locator("section#seed-mismatch").inner_text().replace("\u2019", "'")
    page.close()
    assert asked
    assert [url for url in asked if not url.startswith("file:")] == []
