"""Outages and lies between page, table server and referee: the page shows them, and each round is played once."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.web_table.conftest import QUICK
from tests.web_table.web_table_guest import MANY_ROUNDS, RULESETS, TIMEOUT, until
from tests.web_table.web_table_packages import WEB
from tests.web_table.web_table_referee import RefereeProcess, free_address
from tests.web_table.web_table_server import TableProcess

pytestmark = pytest.mark.slow("drives a browser")

RULESET = RULESETS["mau_binh"]
OPEN_HAND = re.compile(r"ShufflerService/OpenHand$")


@pytest.fixture
def apart(browser, tmp_path: Path) -> Iterator[tuple[RefereeProcess, TableProcess]]:
    """Start a referee, and a table server that connects to its address."""
    del browser  # skips before starting anything if there is no browser
    listen = free_address()
    referee = RefereeProcess(tmp_path / "referee", origin=f"http://{listen}")
    try:
        options = ("--referee", referee.listen, "--gateway", f"http://{referee.web}", *QUICK)
        table = TableProcess(tmp_path / "table", page=WEB / "dist", options=options, listen=listen)
        try:
            yield referee, table
        finally:
            table.stop()
    finally:
        referee.stop()


def ask_suggestion(page: Page) -> None:
    """Ask the referee for an arrangement."""
    page.locator(".arrange .buttons .button").first.click()


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_round_is_settled_once_after_the_referee_was_killed(apart, invite, *, sealed: bool) -> None:
    """Only the table server survives; afterwards the log has each round once and passes its audit."""
    referee, table = apart
    guest = invite("Lan", language="en")
    page = guest.page
    guest.host(table.url, RULESET, bots=1, sealed=sealed)
    number = guest.deal()
    referee.kill()
    warning = page.locator(".notices .notice.warn")
    page.locator(".arrange .buttons .button").first.evaluate("button => button.click()")
    if sealed:  # the page asks the gateway itself, unless the table server has noticed first, for its bot
        either = re.compile("did not answer|The referee cannot be reached")
        expect(page.locator("body")).to_contain_text(either, timeout=TIMEOUT)
    else:
        expect(warning).to_contain_text("The referee cannot be reached", timeout=TIMEOUT)
    expect(page.locator(".room")).to_have_attribute("data-phase", "PLAYING")
    referee.start()
    expect(warning).to_have_count(0, timeout=TIMEOUT)
    guest.arrange()
    guest.expect_result(number)
    settled = referee.transcripts()
    assert len(settled) == number
    assert len({one.round_id for one in settled}) == number
    guest.open_menu("history")
    expect(page.locator("dialog li")).to_have_count(number, timeout=TIMEOUT)
    audit = referee.audit()
    assert audit.returncode == 0, audit.stdout


def test_sealed_hand_is_requested_until_the_gateway_answers(table, invite) -> None:
    guest = invite("Lan", language="en")
    page = guest.page
    page.route(OPEN_HAND, lambda route: route.abort())
    guest.host(table.url, RULESET, bots=1, sealed=True)
    trouble = page.locator(".calm .bad")
    for number in range(1, MANY_ROUNDS):
        guest.get_ready()
        expect(trouble.or_(page.locator(f'.result[data-round="{number}"]'))).to_be_visible(timeout=TIMEOUT)
        if trouble.count():
            break
    expect(trouble).to_contain_text("The referee did not answer")
    page.unroute(OPEN_HAND)
    expect(page.locator(".board [data-place]")).to_have_count(13, timeout=TIMEOUT)
    guest.arrange()
    guest.expect_result(number)


def test_offline_browser_says_so_and_sends_the_request_once_online(table, invite) -> None:
    guest = invite("Lan", language="en")
    page = guest.page
    guest.host(table.url, RULESET, bots=1)
    number = guest.deal()
    page.context.set_offline(True)
    warning = page.locator(".notices .notice.warn")
    expect(warning).to_contain_text("Nothing is lost", timeout=TIMEOUT)
    ask_suggestion(page)
    expect(page.locator(".arrange .buttons .button").first).to_be_disabled()
    page.context.set_offline(False)
    expect(warning).to_have_count(0, timeout=TIMEOUT)
    expect(page.locator(".arrange .buttons .button").first).to_be_enabled(timeout=TIMEOUT)
    expect(page.locator(".verdict.good")).to_be_visible(timeout=TIMEOUT)
    page.locator(".arrange .main").click()
    guest.expect_result(number)


def test_certificate_of_another_deal_turns_the_badge_red(table, invite) -> None:
    """An attacker between page and gateway changes the certificate that comes with a hand."""
    guest = invite("Lan", language="en")
    page = guest.page

    def tamper(route: Route) -> None:
        answer = route.fetch().json()
        envelope = json.loads(base64.b64decode(answer["certificate"]))
        payload = json.loads(base64.b64decode(envelope["payload"]))
        payload["deck_root"] = "00" * 32
        envelope["payload"] = base64.b64encode(json.dumps(payload, separators=(",", ":")).encode()).decode()
        answer["certificate"] = base64.b64encode(json.dumps(envelope, separators=(",", ":")).encode()).decode()
        route.fulfill(body=json.dumps(answer), content_type="application/json")

    page.route(OPEN_HAND, tamper)
    guest.host(table.url, RULESET, bots=1, sealed=True)
    number = guest.deal()
    ask_suggestion(page)
    expect(page.locator(".arrange")).to_contain_text("did not answer", timeout=TIMEOUT)
    page.locator(".arrange .main").click()
    expect(page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * TIMEOUT)
    badge = page.locator(".badge").first
    expect(badge).to_have_attribute("data-state", "FAILED", timeout=TIMEOUT)
    expect(badge).to_contain_text("CERTIFICATES")


def places(page: Page) -> list[str]:
    """Return the thirteen cards that the page shows, each with its place."""
    cards = page.locator(".board [data-place]")
    expect(cards).to_have_count(13, timeout=TIMEOUT)
    return [f"{one.get_attribute('data-place')}{one.get_attribute('data-card')}" for one in cards.all()]


def test_reloaded_page_keeps_the_seat_and_the_order_of_the_cards(table, invite) -> None:
    guest = invite("Lan", language="vi")
    guest.host(table.url, RULESET, bots=1)
    guest.deal()
    guest.page.locator(".arrange .buttons .button").nth(1).click()
    left = places(guest.page)
    guest.page.reload()
    assert places(guest.page) == left


def test_lost_connection_is_shown_and_the_round_continues_after_it(table, invite) -> None:
    """The page tries again by itself, each time later, and when its button is pressed."""
    guest = invite("Lan", language="en")
    sockets: list[WebSocketRoute] = []
    refused: list[WebSocketRoute] = []
    is_away = False

    def carry(socket: WebSocketRoute) -> None:
        if is_away:
            refused.append(socket)
            socket.close()
            return
        socket.connect_to_server()
        sockets.append(socket)

    guest.page.route_web_socket(re.compile("/api/stream"), carry)
    guest.host(table.url, RULESET, bots=1)
    number = guest.deal()
    is_away = True
    sockets[-1].close()
    warning = guest.page.locator(".notices .notice.warn")
    expect(warning).to_contain_text("Nothing is lost", timeout=TIMEOUT)
    until(guest.page, lambda: len(refused) >= 4, "the page does not try again")
    expect(warning).to_contain_text("Nothing is lost", timeout=TIMEOUT)
    tried = len(refused)
    warning.get_by_role("button").click()  # while nothing answers, so that the notice cannot go before the press
    until(guest.page, lambda: len(refused) > tried, "the page does not try again")
    is_away = False
    expect(warning).to_have_count(0, timeout=TIMEOUT)
    guest.arrange()
    guest.expect_result(number)


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_round_is_finished_once_after_a_restart_of_the_server(own_table, invite, *, sealed: bool) -> None:
    """The referee that it had started is killed with it; the page that was open goes on by itself."""
    guest = invite("Lan", language="en")
    guest.host(own_table.url, RULESET, bots=1, sealed=sealed)
    number = guest.deal()
    guest.arrange()
    guest.expect_result(number)
    number = guest.deal(after=number)
    own_table.kill_all()
    expect(guest.page.locator(".notices .notice.warn").first).to_contain_text("Nothing is lost", timeout=TIMEOUT)
    own_table.start()
    expect(guest.page.locator(".notices .notice.warn")).to_have_count(0, timeout=2 * TIMEOUT)
    guest.arrange()
    guest.expect_result(number)
    guest.open_menu("history")
    expect(guest.page.locator("dialog li")).to_have_count(number, timeout=TIMEOUT)


@pytest.mark.parametrize("minutes", [7, -11])
def test_wrong_clock_is_shown_and_countdowns_follow_the_table_server(table, invite, minutes: int) -> None:
    guest = invite("Lan", language="en")
    guest.page.add_init_script("const now = Date.now.bind(Date); Date.now = () => now() + " + f"{minutes} * 60_000;")
    guest.host(table.url, RULESET, bots=1)
    expect(guest.page.locator(".notices")).to_contain_text(f"{abs(minutes)} minutes")
    guest.deal()
    timer = guest.page.locator(".arrange .countdown")
    expect(timer).to_have_text(re.compile(r"1:[0-3]\d"), timeout=TIMEOUT)
