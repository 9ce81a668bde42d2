"""A whole round of Tiến Lên in four browsers: by mouse, touch, keys and typed commands, in both languages."""

import time

import pytest
from playwright.sync_api import expect

from tests.web_table.web_table_guest import TIMEOUT, Guest, end_alike, seat_four

RULESET = "tien_len.mien_nam"
LONGEST = 200
"""Seconds in which a round is over, on a busy machine too."""
STATE = """() => ({
  phase: document.querySelector('.room')?.dataset.phase,
  turn: document.querySelector('.state .turn') !== null,
  waits: document.querySelectorAll('.tien-len .buttons .button')[2]?.disabled,
  leads: document.querySelectorAll('.tien-len .buttons .button')[0]?.disabled,
  choices: [...document.querySelectorAll('main.text li')].map((one) => one.textContent.trim())
    .find((text) => text.startsWith('You may')),
})"""
"""What a guest's page shows, read in one call."""


def play(guest: Guest) -> bool:
    """Lead the weakest card, or play the suggestion, if it is the guest's turn; return whether it was."""
    page = guest.page
    state = page.evaluate(STATE)
    if state["phase"] != "PLAYING":
        return False
    if guest.way == "TEXT":
        if state.get("choices") is None:
            return False
        first = state["choices"].partition(":")[2].split(",")[0].strip()
        cards = first.replace("♠", "S ").replace("♣", "C ").replace("♦", "D ").replace("♥", "H ")
        guest.type_command("pass" if first == "Pass" else f"play {cards}")
        page.wait_for_timeout(150)
        return True
    if not state["turn"] or state["waits"]:
        return False
    passes, go, suggest = (page.locator(".tien-len .buttons .button").nth(at) for at in range(3))
    if state["leads"]:  # who leads may not pass
        pick_up(guest)
    else:
        guest.press(suggest)
        expect(page.locator(".state svg.idea")).to_be_visible()
        expect(suggest).to_be_enabled()
    guest.press(go if go.is_enabled() else passes)
    return True


def pick_up(guest: Guest) -> None:
    """Select the weakest card."""
    first = guest.page.locator(".hand [data-card]").first
    if guest.way == "KEYS":
        guest.tab_to(guest.page.locator('.hand [tabindex="0"]'))
        guest.page.keyboard.press("Home")
        guest.page.keyboard.press("Space")
    else:
        guest.press(first)
    expect(first).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow("drives a browser")
def test_four_people_play_a_round_each_in_their_own_way(table, invite) -> None:
    guests = seat_four(invite, table.url, RULESET)
    for guest in guests:
        guest.get_ready()
    guests[0].wait_dealt()
    moves = 0
    end = time.monotonic() + LONGEST
    while guests[0].phase == "PLAYING" and time.monotonic() < end:
        moves += sum(play(guest) for guest in guests)
    nets = end_alike(guests)
    assert sum(nets.values()) == 0
    assert moves > 0 or max(nets.values()) > 0


def test_only_cards_of_legal_plays_are_highlighted(table, invite) -> None:
    """The label of a card that is not highlighted says so too; cards that form no legal play cannot be played."""
    guest = invite("Lan", language="vi")
    guest.host(table.url, RULESET, bots=1)
    guest.deal()
    expect(guest.page.locator(".state .turn")).to_be_visible(timeout=TIMEOUT)
    hand = guest.page.locator(".hand [data-card]")
    lit = ["lit" in (card.get_attribute("class") or "").split() for card in hand.all()]
    named = ["không đánh được" not in (card.get_attribute("aria-label") or "") for card in hand.all()]
    assert lit == named
    leads = guest.page.locator(".tien-len .buttons .button").first.is_disabled()
    assert all(lit) or not leads
    for card in hand.all():
        card.click()
    expect(guest.page.locator(".tien-len .buttons .main")).to_be_disabled()
