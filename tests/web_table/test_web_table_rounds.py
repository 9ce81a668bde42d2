"""Whole rounds: by mouse, touch and keys, in both languages, watched, alone; nobody is punished for the interface."""

import json
import random
import re
import time
from collections.abc import Callable
from typing import Final

import pytest
from playwright.sync_api import expect

from referee.cards import Card, parse_card
from referee.games.mau_binh import MauBinhRules
from referee.hands import Ranking
from tests.builtin import rules_as
from tests.web_table.web_table_guest import QUIET, RULESETS, TIMEOUT, Guest, Way, until
from tests.web_table.web_table_stage import Stage, dealt, now

pytestmark = pytest.mark.slow("drives a browser")

RULESET: Final = RULESETS["mau_binh"]
TEXAS: Final = RULESETS["ultimate_texas"]
LONGEST: Final = 240
"""Seconds in which a round is over, on a busy machine too."""
FOUL: Final = {
    "code": "FOULED_MIDDLE",
    "text": {"vi": "Binh lủng: chi giữa (3H KD) mạnh hơn chi đầu (TC 2S).", "en": "Fouled: (3H KD) beats (TC 2S)."},
}


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
    guest.tab_to(guest.page.locator('.board [tabindex="0"]'))
    row, column = (0, place - 10 + 1) if place > 9 else (1, place - 5) if place > 4 else (2, place)
    for key in ["ArrowDown"] * 2 + ["ArrowLeft"] * 4 + ["ArrowRight"] * column + ["ArrowUp"] * (2 - row):
        guest.page.keyboard.press(key)


def arrange(guest: Guest) -> None:
    """Lay out thirteen cards, by hand and by suggestion, and hand them in."""
    before = places(guest)
    swap(guest, 0, 10)
    assert places(guest) == [before[10], *before[1:10], before[0], *before[11:]], guest.name
    guest.arrange()


def decide(guest: Guest) -> None:
    """Check while that is free, and bet once on the river."""
    buttons = guest.page.locator('[data-decision="CHECK"]:enabled, [data-decision="PLAY_1X"]:enabled')
    if buttons.count():
        guest.press(buttons.first)


def play(guests: list[Guest], game: str, number: int) -> None:
    """Make every guest's choices until the round is over."""
    step: Callable[[Guest], object] = {"tien_len": Guest.shed, "ultimate_texas": decide}.get(game, arrange)
    if game == "mau_binh":
        for guest in guests:
            arrange(guest)
    end = time.monotonic() + LONGEST
    result = f'.result[data-round="{number}"]'
    while not guests[0].page.locator(result).count() and time.monotonic() < end:
        for guest in guests:
            if game != "mau_binh" and guest.phase == "PLAYING":
                step(guest)
            guest.page.wait_for_timeout(50)


@pytest.mark.parametrize("game", RULESETS)
def test_people_play_a_round_each_in_their_own_way_and_one_watches(table, invite, game: str) -> None:
    """By mouse, by touch and by keys alone, from the door to the proof; who watches sees no hand before the end."""
    guests = [invite("Mouse", language="en"), invite("Chạm", way="TOUCH"), invite("Phím", way="KEYS")]
    room = guests[0].host(table.url, RULESETS[game])
    for guest in guests[1:]:
        guest.join(table.url, room)
    watcher: Guest = invite("Em")
    watcher.join(table.url, room)
    watcher.press(watcher.page.locator(".foot .out"))
    expect(watcher.page.locator(".foot .seat")).to_be_visible(timeout=TIMEOUT)
    number = guests[0].deal(*guests[1:])
    expect(watcher.page.locator(".watching")).to_contain_text("ngồi xem", timeout=TIMEOUT)
    assert watcher.page.locator(".board [data-card], .hand [data-card]").count() == 0
    expect(watcher.page.locator(".felt .countdown").first).to_be_visible(timeout=TIMEOUT)
    play(guests, game, number)
    for guest in (*guests, watcher):
        guest.expect_result(number)
        assert guest.nets() == guests[0].nets()
    assert guests[0].nets().keys() == {guest.name for guest in guests}


@pytest.mark.parametrize("way", ["KEYS", "TOUCH"])
def test_round_is_played_alone_from_the_door_to_the_replay(table, invite, way: Way) -> None:
    guest: Guest = invite("Lan", way=way, language="en")
    page = guest.page
    guest.host(table.url, TEXAS, bots=1)
    number = guest.deal()
    play([guest], "ultimate_texas", number)
    guest.expect_result(number)
    guest.open_menu("history")
    guest.press(page.locator("dialog li .button").first)
    steps = int(page.locator("dialog #step").get_attribute("max") or "0")
    seen = {page.locator("dialog .event").inner_text()}
    for at in range(steps):
        guest.press(page.locator("dialog .steps .button").nth(1))
        expect(page.locator("dialog .steps .number")).to_have_text(f"{at + 1}/{steps}")
        seen.add(page.locator("dialog .event").inner_text())
    assert len(seen) >= 2
    assert not [text for text in seen if re.search(r"null|undefined|NaN|#\d|\{", text)]


def is_fouled(cards: list[str]) -> bool:
    """Return whether the rules, evaluated in this process, call the arrangement fouled."""
    rules = rules_as(MauBinhRules, RULESET)
    ranking = Ranking.of(rules.ranking.rules)
    hand: list[Card] = [parse_card(text) for text in cards]
    back, middle, front = ranking.five(hand[:5]), ranking.five(hand[5:10]), ranking.three(hand[10:])
    return ranking.is_fouled(back=back, middle=middle, front=front)


def test_page_warns_of_a_foul_exactly_where_the_rules_find_one(table, invite) -> None:
    guest: Guest = invite("Lan")
    guest.host(table.url, RULESET, bots=1)
    guest.deal()
    draw = random.Random(20)  # noqa: S311 - which cards change places
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
            expect(shown).to_contain_text(re.compile("lủng" if fouled else "hợp lệ"))
        if len(seen) > 1:
            break
    assert seen == {True, False}


def test_only_cards_of_legal_plays_are_highlighted(table, invite) -> None:
    """The label of a card that is not highlighted says so too; cards that form no legal play cannot be played."""
    guest: Guest = invite("Lan")
    guest.host(table.url, RULESETS["tien_len"], bots=1)
    guest.deal()
    expect(guest.page.locator(".state .turn")).to_be_visible(timeout=TIMEOUT)
    hand = guest.page.locator(".hand [data-card]")
    lit = ["lit" in (card.get_attribute("class") or "").split() for card in hand.all()]
    named = ["không đánh được" not in (card.get_attribute("aria-label") or "") for card in hand.all()]
    assert lit == named
    for card in hand.all():
        card.click()
    expect(guest.page.locator(".tien-len .buttons .main")).to_be_disabled()


def test_sealed_hand_never_passes_the_table_server(table, invite) -> None:
    guest: Guest = invite("Kín")
    frames: list[str] = []

    def take(data: str) -> None:
        frames.append(json.dumps(json.loads(data) | {"last": None}))  # hands of the round before are known to all

    def listen(socket) -> None:
        socket.on("framereceived", take)
        socket.on("framesent", take)

    guest.page.on("websocket", listen)
    guest.host(table.url, RULESET, bots=1, sealed=True)
    number = guest.deal()
    hand = places(guest)
    expect(guest.page.locator(".arrange .hint")).to_contain_text("để mở trang này và giữ mạng")
    guest.arrange()
    guest.expect_result(number)
    assert any('"commit"' in frame for frame in frames)
    playing = [at for at, frame in enumerate(frames) if '"PLAYING"' in frame]
    shown = re.compile(r'"phase":\s*"(OPENING|SHOWDOWN|ENDING|LOBBY)"')
    until = next(at for at, frame in enumerate(frames) if shown.search(frame) and at > playing[-1])
    assert [card for card in hand for frame in frames[:until] if f'"{card}"' in frame] == []


def test_arrangement_on_screen_is_handed_in_as_it_changes_and_is_in_every_tab(table, invite) -> None:
    guest: Guest = invite("Lan")
    guest.host(table.url, RULESET, bots=1)
    guest.deal()
    as_dealt = places(guest)
    guest.page.locator(".arrange .buttons .button").first.click()
    expect(guest.page.locator(".hint.kept")).to_contain_text("hết giờ thì tính cách xếp này", timeout=TIMEOUT)
    arranged = places(guest)
    assert guest.page.locator(".arrange .main").is_enabled()
    second = guest.page.context.new_page()
    second.goto(table.url)
    assert places(Guest(second, "Lan", "MOUSE")) == arranged != as_dealt
    expect(guest.page.locator(".notice.warn")).to_contain_text("cửa sổ khác", timeout=TIMEOUT)
    guest.page.locator(".notice.warn .button").click()
    expect(second.locator(".notice.warn")).to_contain_text("cửa sổ khác", timeout=TIMEOUT)


def test_clock_for_being_ready_is_shown_and_who_sits_out_finds_a_way_back(table, invite) -> None:
    host, guest = invite("An"), invite("Bình")
    room = host.host(table.url, RULESET)
    guest.join(table.url, room)
    host.get_ready()
    clock = guest.page.locator(".foot .countdown")
    expect(clock).to_be_visible(timeout=TIMEOUT)
    expect(guest.page.locator(".foot")).to_contain_text("nghỉ ván này")
    back = guest.page.locator(".foot .seat")
    expect(back).to_be_visible(timeout=TIMEOUT)
    back.click()
    expect(guest.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)
    guest.open_menu("leave")
    way = guest.page.locator(f'[data-room="{room}"] .button')
    expect(way).to_be_visible(timeout=TIMEOUT)
    way.click()
    expect(guest.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)


def test_foul_is_marked_from_the_first_and_asked_about_once(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = Stage(page, dealt("view.mau_binh.playing"))
    stage.answers["check"] = lambda _command: {"violations": [FOUL], "values": []}
    guest.enter(files)
    guest.wait_still()
    verdict = page.locator(".verdict.bad")
    expect(verdict).to_contain_text("3♥ K♦")
    expect(verdict).not_to_contain_text(re.compile(r"\b[2-9TJQKA][SCDH]\b"))
    page.locator(".arrange .main").click()
    expect(page.locator("dialog")).to_contain_text("thua hết các nhà không lủng")
    assert not [one for one in stage.sent if one.get("is_final")]
    page.locator("dialog .ends .button").last.click()
    expect(page.locator(".arrange .main")).to_be_disabled()
    assert [one["name"] for one in stage.sent if one.get("is_final")] == ["arrange"]


def test_back_asks_before_it_leaves_a_round(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = Stage(page, dealt("view.tien_len.turn"))
    guest.enter(files)
    expect(page.locator(".tien-len")).to_be_visible(timeout=TIMEOUT)
    page.go_back()
    expect(page.locator("dialog")).to_contain_text("Rời phòng bây giờ?", timeout=TIMEOUT)
    page.locator("dialog .ends .main").click()
    assert "leave" not in [one["name"] for one in stage.sent]
    page.go_back()
    page.locator("dialog .ends .button").last.click()
    until(page, lambda: "leave" in [one["name"] for one in stage.sent], "the page does not leave")


def test_focus_stays_on_the_felt_when_its_scene_changes(files, invite) -> None:
    guest: Guest = invite("Lan", way="KEYS")
    page = guest.page
    stage = Stage(page, dealt("view.ultimate_texas.preflop"))
    guest.enter(files)
    guest.tab_to(page.locator('[data-decision="CHECK"]'))
    for view, shown in (
        ("view.ultimate_texas.river", '[data-decision="PLAY_1X"]'),
        ("view.ultimate_texas.last", ".end"),
    ):
        stage.show(dealt(view) | {"phase_end_time": now() + 60_000})
        expect(page.locator(shown)).to_be_visible(timeout=TIMEOUT)
        page.evaluate(QUIET)
        assert page.evaluate("document.querySelector('.room').contains(document.activeElement)")


def test_rules_screen_shows_the_ruleset_with_cards_and_words(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    guest.enter(table.url)
    for ruleset in RULESETS.values():
        page.locator(".cell", has=page.locator(f'[data-ruleset="{ruleset}"]')).locator("button.help").click()
        expect(page.locator("dialog section").nth(2)).to_be_visible(timeout=TIMEOUT)
        assert page.locator('dialog dd [role="img"]').count() >= 7
        assert not re.search(r"\b[2-9TJQKA][SCDH]\b", page.locator("dialog").inner_text())
        page.keyboard.press("Escape")
