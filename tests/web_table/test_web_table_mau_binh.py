"""Whole rounds of Mậu Binh in four browsers: by mouse, touch, keys and typed commands, in both languages."""

import json
import re

import pytest
from playwright.sync_api import expect

from referee.cards import Card, parse_card
from referee.games.mau_binh import MauBinhRules
from referee.hands import Ranking
from tests.builtin import rules_as
from tests.randomness import random_from
from tests.web_table.web_table_guest import MANY_ROUNDS, TIMEOUT, Guest, end_alike, seat_four

RULESET = "mau_binh.maubinh_com"


def places(guest: Guest) -> list[str]:
    """Return the thirteen cards that the page shows: back, middle, front."""
    cards = guest.page.locator(".board [data-place]")
    expect(cards).to_have_count(13, timeout=TIMEOUT)
    shown = {int(one.get_attribute("data-place") or ""): one.get_attribute("data-card") or "" for one in cards.all()}
    return [shown[place] for place in range(13)]


def swap(guest: Guest, one: int, other: int) -> None:
    """Swap two cards with the guest's own input device."""
    page = guest.page
    first, second = (page.locator(f'.board [data-place="{place}"]') for place in (one, other))
    match guest.way:
        case "MOUSE":
            start, end = first.bounding_box(), second.bounding_box()
            assert start is not None
            assert end is not None
            page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
            page.mouse.down()
            page.mouse.move(end["x"] + end["width"] / 2, end["y"] + end["height"] / 2, steps=12)
            page.mouse.up()
        case "TOUCH":
            first.tap()
            second.tap()
        case _:
            for place in (one, other):
                walk_to(guest, place)
                page.keyboard.press("Enter")


def walk_to(guest: Guest, place: int) -> None:
    """Move the focus to a card with the arrow keys: down to the back hand, left to its start, right, then up."""
    page = guest.page
    guest.tab_to(page.locator('.board [tabindex="0"]'))
    row, column = (0, place - 10 + 1) if place > 9 else (1, place - 5) if place > 4 else (2, place)
    for key in ["ArrowDown"] * 2 + ["ArrowLeft"] * 4 + ["ArrowRight"] * column + ["ArrowUp"] * (2 - row):
        page.keyboard.press(key)


def is_fouled(cards: list[str]) -> bool:
    """Return whether the rules, evaluated in this process, call the arrangement fouled."""
    rules = rules_as(MauBinhRules, RULESET)
    ranking = Ranking.of(rules.ranking.rules)
    hand: list[Card] = [parse_card(text) for text in cards]
    back, middle, front = ranking.five(hand[:5]), ranking.five(hand[5:10]), ranking.three(hand[10:])
    return ranking.is_fouled(back=back, middle=middle, front=front)


@pytest.mark.slow("drives a browser")
def test_four_people_play_a_round_each_in_their_own_way(table, invite) -> None:
    guests = seat_four(invite, table.url, RULESET)
    mouse, touch, keys, text = guests
    for number in range(1, MANY_ROUNDS):
        for guest in guests:
            guest.get_ready()
        if mouse.wait_dealt(number):
            break
    for guest in (mouse, touch, keys):
        before = places(guest)
        swap(guest, 0, 10)
        swap(guest, 4, 7)
        expected = list(before)
        expected[0], expected[10] = expected[10], expected[0]
        expected[4], expected[7] = expected[7], expected[4]
        assert places(guest) == expected, guest.name
        suggest, done = guest.page.locator(".arrange .buttons .button").first, guest.page.locator(".arrange .main")
        guest.press(suggest)
        expect(guest.page.locator(".verdict.good")).to_be_visible()
        expect(done).to_be_enabled()
        guest.press(done)
        expect(done).to_be_disabled()
    text.type_command("swap 1 13")
    text.type_command("suggest")
    typed = number + 2  # "ready" for each round, of which all but the last were won at the deal
    expect(text.page.locator(".answers li")).to_have_count(typed, timeout=TIMEOUT)
    text.type_command("done")
    assert sum(end_alike(guests).values()) == 0


def test_page_warns_of_a_foul_exactly_where_the_rules_find_one(table, invite) -> None:
    guest = invite("Lan", language="vi")
    guest.host(table.url, RULESET, bots=1)
    guest.deal()
    draw = random_from(20)
    seen = set()
    guest.page.locator(".arrange .buttons .button").first.click()
    expect(guest.page.locator(".verdict.good")).to_be_visible()
    for _ in range(60):
        one, other = draw.sample(range(13), 2)
        for _back in range(2):  # from the lawful arrangement, and back to it
            swap(guest, one, other)
            fouled = is_fouled(places(guest))
            seen.add(fouled)
            shown = guest.page.locator(".verdict.bad" if fouled else ".verdict.good")
            expect(shown).to_contain_text(re.compile("lủng" if fouled else "Đúng luật"))
        if len(seen) > 1:
            break
    assert seen == {True, False}


@pytest.mark.slow("drives a browser")
def test_sealed_hand_never_passes_the_table_server(table, invite) -> None:
    guest = invite("Kín", language="vi")
    frames: list[str] = []

    def take(data: str) -> None:
        frames.append(json.dumps(json.loads(data) | {"last": None}))  # hands of the round before are known to all

    def listen(socket) -> None:
        socket.on("framereceived", take)
        socket.on("framesent", take)

    guest.page.on("websocket", listen)
    guest.host(table.url, RULESET, bots=1, sealed=True)
    guest.deal()
    hand = places(guest)
    expect(guest.page.locator(".arrange .hint")).to_contain_text("để trang này mở và có mạng")
    guest.press(guest.page.locator(".arrange .buttons .button").first)
    expect(guest.page.locator(".verdict.good")).to_be_visible()
    guest.press(guest.page.locator(".arrange .main"))
    guest.wait_phase("OPENING", "SHOWDOWN", "LOBBY")
    seen = [frame for frame in frames if '"PLAYING"' in frame]
    assert any('"commit"' in frame for frame in frames)
    assert seen != []
    until = next(
        at
        for at, frame in enumerate(frames)
        if re.search(r'"phase":\s*"(OPENING|SHOWDOWN|LOBBY)"', frame) and at > frames.index(seen[-1])
    )
    assert [card for card in hand for frame in frames[:until] if f'"{card}"' in frame] == []
    guest.wait_phase("LOBBY")
    assert sum(guest.nets().values()) == 0
    guest.expect_verified()
