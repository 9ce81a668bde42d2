"""The table server is killed in the middle of a sealed round, and an open page plays the round to its end."""

import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

import referee.rulesets
from tests.web_table.conftest import WEB
from tests.web_table.web_table_guest import MANY_ROUNDS, TIMEOUT, Guest
from tests.web_table.web_table_server import TableProcess

pytestmark = pytest.mark.slow("drives a browser")

SHIPPED: Final = Path(referee.rulesets.__file__).parent
RULESET: Final = "mau_binh.slow"
TEXAS: Final = "ultimate_texas.slow"
SLOW: Final = {RULESET: ("mau_binh.classic", "arranging"), TEXAS: ("ultimate_texas.casino", "street")}
"""House rulesets whose clock outlasts a restart on a busy machine, each with what it is a copy of and the clock."""
OPEN_HAND = re.compile(r"ShufflerService/OpenHand$")
LOADED = "window.isOldPage"
"""Whether a page is the one that was open before the restart."""


@pytest.fixture
def own_table(browser, tmp_path: Path, monkeypatch) -> Iterator[TableProcess]:
    """Start a table that the test may kill, and whose rulesets give much time."""
    del browser  # skips before starting anything if there is no browser
    house = tmp_path / "house"
    house.mkdir()
    for name, (shipped, clock) in SLOW.items():
        text = (SHIPPED / f"{shipped}.toml").read_text(encoding="utf-8").replace(shipped, name)
        text = re.sub(rf"(\[clocks\.{clock}\]\nseconds = )\d+", r"\g<1>600", text)
        text = re.sub(r"(shortest_seconds = )\d+", r"\g<1>2400", text)
        text = re.sub(r"(longest_seconds = )\d+", r"\g<1>86400", text)
        (house / f"{name}.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv("REFEREE_SERVE_RULESETS", str(house))
    running = TableProcess(tmp_path / "table", page=WEB / "dist", options=("--bot-ms", "40", "--brisk"))
    yield running
    running.stop()


def deal_sealed(guest: Guest, table: TableProcess, ruleset: str) -> None:
    """Seat a guest at a sealed table and start its first round."""
    guest.enter(table.url)
    guest.open_room(ruleset, bots=0 if ruleset == TEXAS else 1, sealed=True)
    guest.page.evaluate(f"{LOADED} = true")
    guest.get_ready()


def restart(table: TableProcess, page: Page) -> None:
    """Kill the table server and start it again, while the page is open."""
    table.kill_server()
    expect(page.locator(".notices .notice.warn")).to_contain_text("Nothing is lost", timeout=TIMEOUT)
    table.start()
    expect(page.locator(".notices .notice.warn")).to_have_count(0, timeout=TIMEOUT)


def arrange(guest: Guest, number: int) -> None:
    """Ask the referee's gateway for an arrangement, hand it in and wait for the proved result."""
    page = guest.page
    page.locator(".arrange .buttons .button").first.click()
    expect(page.locator(".verdict.good")).to_be_visible(timeout=TIMEOUT)
    page.locator(".arrange .main").click()
    expect(page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * TIMEOUT)
    assert sum(guest.nets().values()) == 0
    guest.expect_verified()


def test_sealed_hand_that_was_open_is_played_after_the_restart(own_table, invite) -> None:
    guest = invite("Lan", language="en")
    deal_sealed(guest, own_table, RULESET)
    number = 1 if guest.wait_dealt(1) else guest.deal(after=1)
    restart(own_table, guest.page)
    arrange(guest, number)
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
    arrange(guest, number)
    assert page.evaluate(LOADED) is True


def test_sealed_texas_is_advised_and_settled_after_the_restart(own_table, invite) -> None:
    guest = invite("Lan", language="en")
    page = guest.page
    deal_sealed(guest, own_table, TEXAS)
    buttons = page.locator(".texas .buttons .button")
    expect(buttons).to_have_count(4, timeout=TIMEOUT)
    restart(own_table, page)
    buttons.last.click()
    expect(page.locator(".worth")).to_have_count(3, timeout=TIMEOUT)
    buttons.nth(1).click()
    guest.wait_phase("LOBBY")
    guest.expect_verified()
    assert page.evaluate(LOADED) is True


def test_page_loads_again_where_the_gateway_had_to_move(own_table, invite) -> None:
    """Another process has the gateway's port by then; the page may call no other address until it is loaded anew."""
    guest = invite("Lan", language="en")
    page = guest.page
    deal_sealed(guest, own_table, TEXAS)
    buttons = page.locator(".texas .buttons .button")
    expect(buttons).to_have_count(4, timeout=TIMEOUT)
    before = own_table.gateway
    own_table.kill_server()
    with occupied(before):
        own_table.start()
        assert own_table.gateway != before
    page.wait_for_function(f"() => {LOADED} === undefined", timeout=TIMEOUT)
    expect(buttons).to_have_count(4, timeout=TIMEOUT)
    guest.wait_still()
    buttons.last.click()
    expect(page.locator(".worth")).to_have_count(3, timeout=TIMEOUT)
    buttons.nth(1).click()
    guest.wait_phase("LOBBY")
    guest.expect_verified()


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
