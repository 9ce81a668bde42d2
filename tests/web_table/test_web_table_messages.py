"""A message that is not what the schema says: the page names what is wrong with it, and goes on."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.web_table.test_web_table_signing import TEXAS, Wire
from tests.web_table.web_table_guest import TIMEOUT, Guest

pytestmark = pytest.mark.slow("drives a browser")


def test_page_names_a_wrong_view_and_plays_on_with_the_next(table, invite) -> None:
    guest: Guest = invite("Lan", language="en")
    wire = Wire(guest)
    broken: list[dict[str, Any]] = []

    def spoil(message: dict[str, Any]) -> None:
        if message["type"] == "view" and message["phase"] == "PLAYING" and not broken:
            broken.append(message)
            message["persons"] = {}

    wire.change = spoil
    guest.host(table.url, TEXAS)
    guest.get_ready()
    notice = guest.page.get_by_text("view.persons: expected array, found object")
    expect(notice.first).to_be_visible(timeout=TIMEOUT)
    assert len(broken) == 1
    guest.page.reload()
    guest.bet()
    guest.end_verified()


def test_page_refuses_an_answer_that_it_cannot_read_and_stays(table, invite) -> None:
    guest: Guest = invite("Lan", language="en")
    wire = Wire(guest)

    def spoil(message: dict[str, Any]) -> None:
        if message["type"] == "done" and "room" in message.get("result", {}):
            message["result"]["room"] = 7

    wire.change = spoil
    guest.host(table.url, TEXAS)
    expect(guest.page.get_by_text("create.room: expected string, found number").first).to_be_visible(timeout=TIMEOUT)
    expect(guest.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)
