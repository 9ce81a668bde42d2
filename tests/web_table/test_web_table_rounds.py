"""Whole rounds: by mouse, touch and keys, in both languages, watched, sealed, from two tabs and across kills."""

import json
import re

import pytest
from playwright.sync_api import expect
from referee_client import Card

from referee.v1 import card_pb2
from tests.table.table_process import audit, table_process
from tests.web_table.web_table_guest import RULESETS, TIMEOUT, Guest, until
from tests.web_table.web_table_stage import Stage

pytestmark = pytest.mark.slow("drives a browser")

RULESET = RULESETS["mau_binh"]
WARNING = ".notices .notice.warn"


@pytest.mark.parametrize("game", RULESETS)
def test_people_play_a_round_each_in_their_own_way_and_one_watches(table, invite, game: str) -> None:
    """By mouse, touch and keys alone, from the door to proof and replay.

    Who watches sees no hand before the end, and takes a seat then; who leaves finds a way back.
    """
    guests = [invite("Mouse", language="en"), invite("Chạm", way="TOUCH"), invite("Phím", way="KEYS", language="en")]
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
    for guest in guests if game == "mau_binh" else ():
        before = guest.places()
        guest.swap(0, 10)
        assert guest.places() == [before[10], *before[1:10], before[0], *before[11:]], guest.name
    guests[0].play(game, number, *guests[1:])
    for guest in (*guests, watcher):
        guest.expect_result(number)
        assert guest.nets() == guests[0].nets()
    assert guests[0].nets().keys() == {guest.name for guest in guests}
    guests[0].press(guests[0].page.locator(".ready"))  # from now on a clock runs that may cost the others' seats
    expect(guests[1].page.locator(".foot .countdown")).to_be_visible(timeout=TIMEOUT)
    watcher.press(watcher.page.locator(".foot .seat"))
    expect(watcher.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)
    watcher.open_menu("leave")
    watcher.press(watcher.page.locator(f'[data-room="{room}"] .button'))
    expect(watcher.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)
    page = guests[2].page
    guests[2].open_menu("history")
    guests[2].press(page.locator("dialog li .button").first)
    expect(page.locator("dialog #step")).to_be_visible(timeout=TIMEOUT)
    steps = int(page.locator("dialog #step").get_attribute("max") or "0")
    said = {page.locator("dialog .event").inner_text()}
    for at in range(steps):  # what each step says is tested with the page
        guests[2].press(page.locator("dialog .steps .button").nth(1))
        expect(page.locator("dialog .steps .number")).to_have_text(f"{at + 1}/{steps}")
        said.add(page.locator("dialog .event").inner_text())
    assert len(said) >= 4


@pytest.mark.parametrize("game", ["mau_binh", "ultimate_texas"])
def test_sealed_hand_never_passes_the_table_server_and_is_asked_for_until_it_comes(table, invite, game: str) -> None:
    guest: Guest = invite("Kín")
    asked: list[str] = []
    hand: list[str] = []

    def refuse(route) -> None:
        asked.append(route.request.url)
        if len(asked) < 3:
            route.abort()
            return
        answer = route.fetch()
        hand.extend(Card(card_pb2.Card.Value(name)).text for name in answer.json()["hand"]["cards"])
        route.fulfill(response=answer)

    stage = Stage(guest.page)
    guest.page.route(re.compile(r"ShufflerService/OpenHand$"), refuse)
    guest.host(table.url, RULESETS[game], bots=1, sealed=True)
    number = guest.deal()
    until(guest.page, lambda: hand, "the hand does not come")
    assert len(hand) == (13 if game == "mau_binh" else 2)
    if game == "mau_binh":
        expect(guest.page.locator(".arrange .hint")).to_contain_text("để mở trang này và giữ mạng")
    suggest = guest.page.locator(".felt .buttons .button:has(.idea)")
    guest.press(suggest)
    expect(suggest).to_be_enabled(timeout=TIMEOUT)
    guest.play(game, number)
    guest.expect_result(number)
    assert stage.of("suggest") == []
    last = max(at for at, frame in enumerate(stage.shown) if frame.get("phase") == "PLAYING")
    seen = [frame | {"last": None} for frame in stage.shown[: last + 1]]  # hands of the round before are known to all
    frames = [json.dumps(frame) for frame in [*seen, *[one for one in stage.sent if one.get("name") != "open"]]]
    assert any('"commit"' in frame or '"decide"' in frame for frame in frames)
    assert [card for card in hand for frame in frames if f'"{card}"' in frame] == []


def test_arrangement_on_screen_is_handed_in_as_it_changes_and_is_in_every_tab(table, invite) -> None:
    """Also in the same tab after it was loaded again, and in the one that takes the seat back."""
    guest: Guest = invite("Lan")
    guest.host(table.url, RULESET, bots=1)
    guest.deal()
    as_dealt = guest.places()
    guest.page.locator(".arrange .buttons .button").first.click()
    expect(guest.page.locator(".hint.kept")).to_contain_text("hết giờ thì tính cách xếp này", timeout=TIMEOUT)
    arranged = guest.places()
    guest.page.reload()
    assert guest.places() == arranged
    assert guest.page.locator(".arrange .main").is_enabled()
    second = guest.page.context.new_page()
    second.goto(table.url)
    assert Guest(second, "Lan", "MOUSE").places() == arranged != as_dealt
    expect(guest.page.locator(".notice.warn")).to_contain_text("cửa sổ khác", timeout=TIMEOUT)
    guest.page.locator(".notice.warn .button").click()
    expect(second.locator(".notice.warn")).to_contain_text("cửa sổ khác", timeout=TIMEOUT)


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_round_is_settled_once_after_either_process_was_killed(tmp_path, invite, *, sealed: bool) -> None:
    """The referee, then both; afterwards the log has each round once and passes its audit."""
    guest: Guest = invite("Lan", language="en")
    page = guest.page
    with table_process(tmp_path) as table:
        guest.host(table.url, RULESET, bots=1, sealed=sealed)
        number = guest.deal()
        table.kill_referee()
        page.locator(".arrange .buttons .button").first.click()
        guest.arrange()
        guest.expect_result(number)
        number = guest.deal(after=number)
        table.kill_all()
        expect(page.locator(WARNING)).to_contain_text("Nothing is lost", timeout=TIMEOUT)
        table.start()
        expect(page.locator(WARNING)).to_have_count(0, timeout=2 * TIMEOUT)
        guest.arrange()
        guest.expect_result(number)
        guest.open_menu("history")
        expect(page.locator("dialog li")).to_have_count(number, timeout=TIMEOUT)
    audit(tmp_path / "referee")
