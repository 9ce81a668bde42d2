"""Outages and lies between page and referee: the page shows them, and each round is played once."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web_table.web_table_guest import MANY_ROUNDS, TIMEOUT
from tests.web_table.web_table_referee import RefereeProcess, free_address
from tests.web_table.web_table_server import TableProcess

pytestmark = pytest.mark.slow("drives a browser")

WEB = Path(__file__).parents[2] / "clients" / "web"
RULESET = "mau_binh.maubinh_com"
OPTIONS = ("--bot-ms", "40", "--brisk")
OPEN_HAND = re.compile(r"ShufflerService/OpenHand$")


@pytest.fixture
def apart(browser, tmp_path: Path) -> Iterator[tuple[RefereeProcess, TableProcess]]:
    """Start a referee, and a table server that connects to its address."""
    del browser  # skips before starting anything if there is no browser
    listen = free_address()
    referee = RefereeProcess(tmp_path / "referee", origin=f"http://{listen}")
    try:
        options = ("--referee", referee.listen, "--gateway", f"http://{referee.web}", *OPTIONS)
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
    page.locator("nav .button").nth(2).click()
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
