"""Behaviour of the page when something fails: it says what happened and continues, and plays nothing twice."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from tests.web_table.web_table_guest import TIMEOUT, Guest

pytestmark = pytest.mark.slow("drives a browser")

WEB = Path(__file__).parents[2] / "clients" / "web"
RULESET = "mau_binh.classic"
TEXAS = "ultimate_texas.casino"


def places(page: Page) -> list[str]:
    """Return the thirteen cards that the page shows, each with its place."""
    cards = page.locator(".board [data-place]")
    expect(cards).to_have_count(13, timeout=TIMEOUT)
    return [f"{one.get_attribute('data-place')}{one.get_attribute('data-card')}" for one in cards.all()]


def finish_round(guest: Guest, number: int = 1) -> None:
    """Play a round of Mậu Binh with the arrangement that the referee suggests."""
    if guest.wait_dealt(number):
        guest.press(guest.page.locator(".arrange .buttons .button").first)
        expect(guest.page.locator(".verdict.good")).to_be_visible()
        guest.press(guest.page.locator(".arrange .main"))
    expect(guest.page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * TIMEOUT)


def test_reloaded_page_keeps_the_seat_and_the_order_of_the_cards(table, invite) -> None:
    guest = invite("Lan", language="vi")
    guest.host(table.url, RULESET, bots=1)
    guest.deal()
    guest.page.locator(".arrange .buttons .button").nth(1).click()
    left = places(guest.page)
    guest.page.reload()
    assert places(guest.page) == left


def test_second_tab_takes_the_seat_and_the_first_says_so(table, invite) -> None:
    guest = invite("Lan", language="en")
    guest.host(table.url, RULESET, bots=1)
    second = guest.page.context.new_page()
    second.goto(table.url)
    expect(second.locator(".room")).to_be_visible(timeout=TIMEOUT)
    notice = guest.page.locator(".notices .notice.warn")
    expect(notice).to_contain_text("another window")
    notice.get_by_role("button").click()
    expect(second.locator(".notices .notice.warn")).to_contain_text("another window")
    expect(guest.page.locator(".notices .notice.warn")).to_have_count(0)
    guest.get_ready()
    finish_round(guest)


def test_lost_connection_is_shown_and_the_round_continues_after_it(table, invite) -> None:
    """The page tries again by itself, each time later; once it waits for seconds, its button is quicker."""
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
    while len(refused) < 4:
        expect(warning).to_contain_text("Nothing is lost", timeout=TIMEOUT)
        guest.page.wait_for_timeout(100)
    expect(warning).to_be_visible(timeout=TIMEOUT)
    is_away = False
    warning.get_by_role("button").click()
    expect(warning).to_have_count(0, timeout=TIMEOUT)
    finish_round(guest, number)
    assert sum(guest.nets().values()) == 0


def test_round_is_finished_once_after_a_restart_of_the_server(own_table, invite) -> None:
    guest = invite("Lan", language="en")
    guest.host(own_table.url, RULESET, bots=1)
    guest.get_ready()
    finish_round(guest)
    before = guest.nets()
    guest.get_ready()
    guest.wait_dealt(2)
    own_table.kill_all()
    expect(guest.page.locator(".notices .notice.warn").first).to_contain_text("Nothing is lost", timeout=TIMEOUT)
    own_table.start()
    expect(guest.page.locator(".notices .notice.warn")).to_have_count(0, timeout=2 * TIMEOUT)
    finish_round(guest, 2)
    guest.page.locator("nav .button").nth(2).click()
    rounds = guest.page.locator("dialog li")
    expect(rounds).to_have_count(2, timeout=TIMEOUT)
    assert sum(before.values()) == 0


@pytest.mark.parametrize("minutes", [7, -11])
def test_wrong_clock_is_shown_and_countdowns_follow_the_table_server(table, invite, minutes: int) -> None:
    guest = invite("Lan", language="en")
    guest.page.add_init_script("const now = Date.now.bind(Date); Date.now = () => now() + " + f"{minutes} * 60_000;")
    guest.host(table.url, "mau_binh.maubinh_com", bots=1)
    expect(guest.page.locator(".notices")).to_contain_text(f"{abs(minutes)} minutes")
    guest.deal()
    timer = guest.page.locator(".arrange .countdown")
    expect(timer).to_have_text(re.compile(r"1:[0-3]\d"), timeout=TIMEOUT)


@pytest.mark.parametrize("language", ["vi", "en"])
def test_tampered_bundle_turns_the_badge_red_and_names_the_check(table, invite, language: str) -> None:
    guest = invite("Lan", language=language)

    def tamper(route: Route) -> None:
        bundle = route.fetch().json()
        proof = next(leaf["proof"] for leaf in reversed(bundle["leaves"]) if leaf["proof"])
        proof[0] = ("1" if proof[0].startswith("0") else "0") + proof[0][1:]
        route.fulfill(body=json.dumps(bundle), content_type="application/json")

    guest.page.route("**/api/bundles/**", tamper)
    guest.host(table.url, RULESET, bots=1)
    guest.get_ready()
    finish_round(guest)
    badge = guest.page.locator(".badge")
    expect(badge).to_have_attribute("data-state", "FAILED", timeout=TIMEOUT)
    expect(badge).to_contain_text("TREE")
    badge.click()
    failed = guest.page.locator('dialog li[data-outcome="FAILED"]')
    expect(failed.locator("code").first).to_have_text("TREE")
    assert "rgb(179, 38, 30)" in badge.evaluate("one => getComputedStyle(one).backgroundColor")


def test_payouts_that_the_referee_did_not_sign_turn_the_badge_red(table, invite) -> None:
    """The page does not trust the table server: it compares the payouts shown with the payouts signed."""
    guest = invite("Lan", language="en")

    def forge(socket) -> None:
        server = socket.connect_to_server()

        def pass_on(message: str) -> None:
            shown = json.loads(message)
            if last := shown.get("last"):
                transfers = last.setdefault("transfers", [])
                if not transfers:  # the round was a push
                    transfers.append({"payer": 0, "payee": 1, "amount_minor": 0, "reason": "ANTE"})
                transfers[0]["amount_minor"] += 1
            socket.send(json.dumps(shown))

        server.on_message(pass_on)

    guest.page.route_web_socket(re.compile("/api/stream"), forge)
    guest.host(table.url, TEXAS, bots=1)
    guest.get_ready()
    guest.bet()
    guest.wait_phase("LOBBY")
    badge = guest.page.locator(".badge")
    expect(badge).to_have_attribute("data-state", "FAILED", timeout=TIMEOUT)
    expect(badge).to_contain_text("SHOWN_RESULT")
