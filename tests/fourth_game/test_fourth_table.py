"""Bài Cào is played at the table: the server finds its package, and a page is built with its folder."""

import os
import re
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, expect

from tests import node_project
from tests.fourth_game.fourth_house import HERE
from tests.web_table.conftest import browser as browser  # noqa: PLC0414 - the fixture of the page's tests
from tests.web_table.web_table_guest import DESKTOP, TIMEOUT, Guest
from tests.web_table.web_table_packages import WEB, installed
from tests.web_table.web_table_server import TableProcess

PAGE: Final = HERE / "page"
ROUNDS: Final = 2


@pytest.fixture
def page_with_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Build the page with the game's folder and return where it is."""
    npm = installed("Bài Cào is not played at the table")
    monkeypatch.setenv("PAGE_GAME", str(PAGE))
    built = node_project.run(WEB, npm, "run", "build", "--", "--outDir", str(tmp_path / "dist"))
    assert built.returncode == 0, built.stdout + built.stderr
    return tmp_path / "dist"


@pytest.mark.slow("builds the page, and plays rounds in Chromium")
def test_round_is_played_at_the_table_from_deal_to_proof(
    page_with_game: Path,
    environment: dict[str, str],
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("index.html", "manifest.json"):
        assert "Ultimate Texas, Bài Cào" in (page_with_game / name).read_text("utf-8")
    monkeypatch.setenv("PYTHONPATH", environment["PYTHONPATH"])  # of the table, and of the referee that it starts
    table = TableProcess(tmp_path / "data", page=page_with_game, options=("--bot-ms", "40", "--brisk"))
    context = browser.new_context(locale="vi-VN", viewport=DESKTOP, service_workers="block")
    errors: list[str] = []
    try:
        context.set_default_timeout(TIMEOUT)
        guest = Guest(context.new_page(), "An", "MOUSE")
        guest.page.on("pageerror", lambda error: errors.append(str(error)))
        guest.enter(table.url)
        guest.open_room("bai_cao.classic", bots=3)
        for number in range(1, ROUNDS + 1):
            guest.get_ready()
            show = guest.page.locator(".bai-cao .show")
            expect(show).to_be_enabled()
            picture(guest, f"playing-{number}")
            guest.press(show)
            expect(guest.page.locator(f'.result[data-round="{number}"]')).to_be_visible()
            nets = guest.nets()
            assert len(nets) == 4
            assert sum(nets.values()) == 0
            guest.expect_verified()
            picture(guest, f"result-{number}")
        assert errors == []
    finally:
        context.close()
        table.stop()


def picture(guest: Guest, name: str) -> None:
    """Take a picture where ``PICTURES`` names a folder."""
    if folder := os.environ.get("PICTURES"):
        guest.wait_still()
        guest.page.screenshot(path=str(Path(folder) / f"{name}.png"))


@pytest.mark.slow("checks the types of the page with the game")
def test_folder_of_the_game_passes_the_type_check() -> None:
    npm = installed("the types of Bài Cào's page are not checked")
    options = ["--workspace", str(PAGE), "--tsconfig", str(PAGE / "tsconfig.json"), "--fail-on-warnings"]
    checked = node_project.run(WEB, npm, "exec", "--", "svelte-check", *options)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_shipped_page_does_not_have_the_game() -> None:
    shipped = [path for path in (WEB / "dist").rglob("*") if path.suffix in {".js", ".json", ".html", ".css"}]
    assert shipped
    assert [path.name for path in shipped if re.search("bai_cao|Bài Cào", path.read_text("utf-8"))] == []
