"""Something between page and referee is gone for a while, or lies: it is told, and each round is played once."""

import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.web_table.web_table_guest import PATIENCE, Guest
from tests.web_table.web_table_referee import RefereeProcess, free_address
from tests.web_table.web_table_server import TableProcess

pytestmark = pytest.mark.slow("drives a browser")

WEB = Path(__file__).parents[2] / "clients" / "web"
RULESET = "mau_binh.maubinh_com"
OPTIONS = ("--bot-ms", "40", "--brisk")
OPEN_HAND = re.compile(r"ShufflerService/OpenHand$")


@pytest.fixture
def apart(browser, tmp_path: Path) -> Iterator[tuple[RefereeProcess, TableProcess]]:
    """A referee, and a table server that is told where it runs."""
    del browser  # nothing is started where there is no browser
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


def suggestion(page: Page) -> None:
    """Asks the referee for an arrangement."""
    page.locator(".arrange .buttons .button").first.click()


def expect_result(guest: Guest, number: int) -> None:
    """The round's result is shown, sums to nothing and is proved."""
    expect(guest.page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * PATIENCE)
    assert sum(guest.nets().values()) == 0
    guest.expect_verified()


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_killed_referee_is_told_waited_for_and_the_round_is_settled_once(apart, invite, *, sealed: bool) -> None:
    """The referee and its gateway are dead while the table server stays; the log has each round once, and holds."""
    referee, table = apart
    guest = invite("Lan", language="en")
    page = guest.page
    guest.enter(table.url)
    guest.open_room(RULESET, bots=1, sealed=sealed)
    number = guest.deal()
    referee.kill()
    warning = page.locator(".notices .notice.warn")
    page.locator(".arrange .buttons .button").first.evaluate("button => button.click()")
    if sealed:  # asked past the table server, which knows of nothing
        expect(page.locator(".arrange")).to_contain_text("did not answer", timeout=PATIENCE)
    else:
        expect(warning).to_contain_text("The referee cannot be reached", timeout=PATIENCE)
    expect(page.locator(".room")).to_have_attribute("data-phase", "PLAYING")
    referee.start()
    expect(warning).to_have_count(0, timeout=PATIENCE)
    suggestion(page)
    expect(page.locator(".verdict.good")).to_be_visible(timeout=PATIENCE)
    page.locator(".arrange .main").click()
    expect_result(guest, number)
    settled = referee.transcripts()
    assert len(settled) == number
    assert len({one.round_id for one in settled}) == number
    page.locator("nav .button").nth(2).click()
    expect(page.locator("dialog li")).to_have_count(number, timeout=PATIENCE)
    audit = referee.audit()
    assert audit.returncode == 0, audit.stdout


def test_sealed_hand_that_the_gateway_does_not_give_is_asked_for_until_it_does(table, invite) -> None:
    guest = invite("Lan", language="en")
    page = guest.page
    page.route(OPEN_HAND, lambda route: route.abort())
    guest.enter(table.url)
    guest.open_room(RULESET, bots=1, sealed=True)
    guest.get_ready()
    expect(page.locator(".calm .bad")).to_contain_text("The referee did not answer", timeout=PATIENCE)
    page.unroute(OPEN_HAND)
    expect(page.locator(".board [data-place]")).to_have_count(13, timeout=PATIENCE)
    suggestion(page)
    expect(page.locator(".verdict.good")).to_be_visible(timeout=PATIENCE)
    page.locator(".arrange .main").click()
    expect_result(guest, 1)


def test_browser_without_network_says_so_at_once_and_does_afterwards_what_was_asked(table, invite) -> None:
    guest = invite("Lan", language="en")
    page = guest.page
    guest.enter(table.url)
    guest.open_room(RULESET, bots=1)
    number = guest.deal()
    page.context.set_offline(True)
    warning = page.locator(".notices .notice.warn")
    expect(warning).to_contain_text("Nothing is lost", timeout=PATIENCE)
    suggestion(page)
    expect(page.locator(".arrange .buttons .button").first).to_be_disabled()
    page.context.set_offline(False)
    expect(warning).to_have_count(0, timeout=PATIENCE)
    expect(page.locator(".arrange .buttons .button").first).to_be_enabled(timeout=PATIENCE)
    expect(page.locator(".verdict.good")).to_be_visible(timeout=PATIENCE)
    page.locator(".arrange .main").click()
    expect_result(guest, number)


def test_certificate_of_another_deal_turns_the_badge_red(table, invite) -> None:
    """Somebody between page and gateway shows a hand with a certificate that the referee never signed."""
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
    guest.enter(table.url)
    guest.open_room(RULESET, bots=1, sealed=True)
    number = guest.deal()
    suggestion(page)
    expect(page.locator(".arrange")).to_contain_text("did not answer", timeout=PATIENCE)
    page.locator(".arrange .main").click()
    expect(page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * PATIENCE)
    badge = page.locator(".badge").first
    expect(badge).to_have_attribute("data-state", "FAILED", timeout=PATIENCE)
    expect(badge).to_contain_text("CERTIFICATES")
