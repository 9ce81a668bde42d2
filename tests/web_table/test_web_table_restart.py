"""The table server is killed in the middle of a sealed round, and an open page plays the round to its end."""

import re
import socket
import time
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.table.slow_rulesets import write_slow_rulesets
from tests.web_table.web_table_guest import MANY_ROUNDS, TIMEOUT, Guest
from tests.web_table.web_table_server import TableProcess

pytestmark = pytest.mark.slow("drives a browser")

RULESET: Final = "mau_binh.slow"
TEXAS: Final = "ultimate_texas.slow"
OPEN_HAND = re.compile(r"ShufflerService/OpenHand$")
LOADED = "window.isOldPage"
"""Whether a page is the one that was open before the restart."""


@pytest.fixture(autouse=True)
def _slow_rulesets(tmp_path: Path, monkeypatch) -> None:
    """Give tables rulesets that leave much time."""
    write_slow_rulesets(tmp_path / "house")
    monkeypatch.setenv("REFEREE_SERVE_RULESETS", str(tmp_path / "house"))


def deal_sealed(guest: Guest, table: TableProcess, ruleset: str) -> None:
    """Seat a guest at a sealed table and start its first round."""
    guest.host(table.url, ruleset, bots=0 if ruleset == TEXAS else 1, sealed=True)
    guest.page.evaluate(f"{LOADED} = true")
    guest.get_ready()


def restart(table: TableProcess, page: Page) -> None:
    """Kill the table server and start it again, while the page is open."""
    table.kill()
    expect(page.locator(".notices .notice.warn")).to_contain_text("Nothing is lost", timeout=TIMEOUT)
    table.start()
    expect(page.locator(".notices .notice.warn")).to_have_count(0, timeout=TIMEOUT)


def follow_advice(guest: Guest) -> None:
    """Ask what each decision is worth, bet, and wait for the proved result."""
    guest.decisions().last.click()
    expect(guest.page.locator(".worth")).to_have_count(3, timeout=TIMEOUT)
    guest.bet()
    guest.end_verified()


def test_sealed_hand_that_was_open_is_played_after_the_restart(own_table, invite) -> None:
    guest = invite("Lan", language="en")
    deal_sealed(guest, own_table, RULESET)
    number = 1 if guest.wait_dealt(1) else guest.deal(after=1)
    restart(own_table, guest.page)
    guest.arrange()
    guest.expect_result(number)
    assert guest.page.evaluate(LOADED) is True


def test_sealed_hand_is_fetched_after_the_restart(own_table, invite) -> None:
    """The page asks for its hand until the gateway answers, at the address that the page was served with."""
    guest = invite("Lan", language="en")
    page = guest.page
    page.route(OPEN_HAND, lambda route: route.abort())
    deal_sealed(guest, own_table, RULESET)
    trouble = page.locator(".calm .bad")
    for number in range(1, MANY_ROUNDS):
        expect(trouble.or_(page.locator(f'.result[data-round="{number}"]'))).to_be_visible(timeout=TIMEOUT)
        if trouble.count():
            break
        guest.get_ready()
    gateway = own_table.gateway
    restart(own_table, page)
    assert own_table.gateway == gateway
    page.unroute(OPEN_HAND)
    expect(page.locator(".board [data-place]")).to_have_count(13, timeout=TIMEOUT)
    guest.arrange()
    guest.expect_result(number)
    assert page.evaluate(LOADED) is True


def test_sealed_texas_is_advised_and_settled_after_the_restart(own_table, invite) -> None:
    guest = invite("Lan", language="en")
    page = guest.page
    deal_sealed(guest, own_table, TEXAS)
    guest.decisions()
    restart(own_table, page)
    follow_advice(guest)
    assert page.evaluate(LOADED) is True


def test_page_loads_again_where_the_gateway_had_to_move(own_table, invite) -> None:
    """Another process has the gateway's port by then; the page may call no other address until it is loaded anew."""
    guest = invite("Lan", language="en")
    page = guest.page
    deal_sealed(guest, own_table, TEXAS)
    guest.decisions()
    before = own_table.gateway
    own_table.kill()
    with occupied(before):
        own_table.start()
        assert own_table.gateway != before
    page.wait_for_function(f"() => {LOADED} === undefined", timeout=TIMEOUT)
    follow_advice(guest)


def occupied(gateway: str) -> socket.socket:
    """Take the port of a gateway, once the referee that had it has stopped."""
    host, _, port = gateway.removeprefix("http://").partition(":")
    for _ in range(TIMEOUT // 50):
        try:
            return socket.create_server((host, int(port)))
        except OSError:
            time.sleep(0.05)
    message = f"{gateway} is still in use"
    raise AssertionError(message)
