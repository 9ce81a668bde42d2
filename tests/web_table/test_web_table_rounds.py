"""Whole rounds: by mouse, touch and keys, in both languages, watched, sealed, from two tabs and across kills."""

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.web_table.web_table_guest import RULESETS, TIMEOUT, Guest
from tests.web_table.web_table_servers import RefereeProcess, TableProcess, free_address

pytestmark = pytest.mark.slow("drives a browser")

RULESET = RULESETS["mau_binh"]
WARNING = ".notices .notice.warn"


@pytest.fixture
def apart(browser: Browser, tmp_path: Path) -> Iterator[tuple[RefereeProcess, TableProcess]]:  # noqa: ARG001 - skips first
    """Start a referee, and a table server that connects to its address."""
    listen = free_address()
    with contextlib.ExitStack() as stack:
        referee = RefereeProcess(tmp_path / "referee", origin=f"http://{listen}")
        stack.callback(referee.stop)
        options = ("--referee", referee.listen, "--gateway", f"http://{referee.web}")
        table = TableProcess(tmp_path / "table", *options, listen=listen)
        stack.callback(table.stop)
        yield referee, table


@pytest.mark.parametrize("game", RULESETS)
def test_people_play_a_round_each_in_their_own_way_and_one_watches(table, invite, game: str) -> None:
    """By mouse, touch and keys alone, from the door to proof and replay; who watches sees no hand before the end."""
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
    page = guests[2].page
    guests[2].open_menu("history")
    guests[2].press(page.locator("dialog li .button").first)
    expect(page.locator("dialog #step")).to_be_visible(timeout=TIMEOUT)
    steps = int(page.locator("dialog #step").get_attribute("max") or "0")
    said = {page.locator("dialog .event").inner_text()}
    for at in range(steps):
        guests[2].press(page.locator("dialog .steps .button").nth(1))
        expect(page.locator("dialog .steps .number")).to_have_text(f"{at + 1}/{steps}")
        said.add(page.locator("dialog .event").inner_text())
    assert len(said) >= 4
    assert not [text for text in said if re.search(r"null|undefined|NaN|#\d|\{", text)]


def test_sealed_hand_never_passes_the_table_server_and_is_asked_for_until_it_comes(table, invite) -> None:
    guest: Guest = invite("Kín")
    frames: list[str] = []
    asked: list[str] = []

    def refuse(route) -> None:
        asked.append(route.request.url)
        route.continue_() if len(asked) > 2 else route.abort()

    def take(data: str) -> None:
        frames.append(json.dumps(json.loads(data) | {"last": None}))  # hands of the round before are known to all

    def listen(socket) -> None:
        socket.on("framereceived", take)
        socket.on("framesent", take)

    guest.page.on("websocket", listen)
    guest.page.route(re.compile(r"ShufflerService/OpenHand$"), refuse)
    guest.host(table.url, RULESET, bots=1, sealed=True)
    number = guest.deal()
    hand = guest.places()
    assert len(asked) > 2
    expect(guest.page.locator(".arrange .hint")).to_contain_text("để mở trang này và giữ mạng")
    guest.arrange()
    guest.expect_result(number)
    assert any('"commit"' in frame for frame in frames)
    playing = [at for at, frame in enumerate(frames) if '"PLAYING"' in frame]
    shown = re.compile(r'"phase":\s*"(OPENING|SHOWDOWN|ENDING|LOBBY)"')
    end = next(at for at, frame in enumerate(frames) if shown.search(frame) and at > playing[-1])
    assert [card for card in hand for frame in frames[:end] if f'"{card}"' in frame] == []


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


def test_clock_for_being_ready_is_shown_and_who_sits_out_finds_a_way_back(table, invite) -> None:
    host, guest = invite("An"), invite("Bình")
    room = host.host(table.url, RULESET)
    guest.join(table.url, room)
    host.press(host.page.locator(".ready"))
    expect(guest.page.locator(".foot .countdown")).to_be_visible(timeout=TIMEOUT)
    expect(guest.page.locator(".foot")).to_contain_text("nghỉ ván này")
    guest.page.locator(".foot .seat").click(timeout=TIMEOUT)
    expect(guest.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)
    guest.open_menu("leave")
    guest.page.locator(f'[data-room="{room}"] .button').click(timeout=TIMEOUT)
    expect(guest.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_round_is_settled_once_after_either_process_was_killed(apart, invite, *, sealed: bool) -> None:
    """The referee, then the table server; afterwards the log has each round once and passes its audit."""
    referee, table = apart
    guest: Guest = invite("Lan", language="en")
    page = guest.page
    guest.host(table.url, RULESET, bots=1, sealed=sealed)
    number = guest.deal()
    referee.kill()
    page.locator(".arrange .buttons .button").first.evaluate("button => button.click()")
    # a sealed page asks the gateway itself, unless the table server has noticed first, for its bot
    said = "did not answer|The referee cannot be reached" if sealed else "The referee cannot be reached"
    expect(page.locator("body")).to_contain_text(re.compile(said), timeout=TIMEOUT)
    expect(page.locator(".room")).to_have_attribute("data-phase", "PLAYING")
    referee.start()
    expect(page.locator(WARNING)).to_have_count(0, timeout=TIMEOUT)
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
    audit = referee.audit()
    assert audit.returncode == 0, audit.stdout
