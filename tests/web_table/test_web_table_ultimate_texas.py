"""A whole round of Ultimate Texas Hold'em in four browsers: by mouse, touch, keys and typed commands."""

import re
import time

import pytest
from playwright.sync_api import expect

from tests.web_table.web_table_guest import TIMEOUT, Guest, end_alike, seat_four

RULESET = "ultimate_texas.casino"
LONGEST = 240
"""Seconds in which a round is over, on a busy machine too."""


def decide(guest: Guest, *, last: bool) -> None:
    """Make a decision with the guest's own input device: the first on offer, or the last before the suggestion."""
    if guest.way == "TEXT":
        line = guest.page.locator("main.text li", has_text="You may")
        if line.count() > 0:
            guest.type_command("check" if "check" in line.inner_text() else "bet 1x")
        return
    buttons = guest.page.locator(".texas .buttons .button")
    count = int(buttons.evaluate_all("all => all.filter((one) => !one.disabled).length"))
    if count > 1:
        guest.press(buttons.nth(count - 2 if last else 0))


@pytest.mark.slow("drives a browser")
def test_four_people_play_a_round_each_in_their_own_way(table, invite) -> None:
    guests = seat_four(invite, table.url, RULESET)
    guests[0].page.locator('select[name="trips"]').select_option("1")
    for guest in guests:
        guest.get_ready()
    for guest in guests:
        guest.wait_phase("PLAYING")
    expect(guests[0].page.locator(".bet.on")).to_have_count(3)
    end = time.monotonic() + LONGEST
    while "PLAYING" in (guest.phase for guest in guests) and time.monotonic() < end:
        for guest in guests:
            decide(guest, last=guest.way == "TOUCH")
            guest.page.wait_for_timeout(60)
    end_alike(guests)


def test_advice_marks_one_best_decision_and_values_each(table, invite) -> None:
    guest = invite("Ann", language="en")
    guest.host(table.url, RULESET, sealed=True)
    guest.get_ready()
    buttons = guest.page.locator(".texas .buttons .button")
    expect(buttons).to_have_count(4, timeout=TIMEOUT)
    guest.press(buttons.last)
    expect(guest.page.locator(".worth")).to_have_count(3, timeout=TIMEOUT)
    worth = [
        int(re.sub(r"[^\d-]", "", one.replace("\N{MINUS SIGN}", "-")))
        for one in guest.page.locator(".worth").all_inner_texts()
    ]
    best = guest.page.locator(".texas .buttons .best")
    expect(best).to_have_count(1)
    at = next(at for at in range(3) if "best" in (buttons.nth(at).get_attribute("class") or "").split())
    assert worth[at] == max(worth)
