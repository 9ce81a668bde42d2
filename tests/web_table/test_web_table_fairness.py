"""Nobody is punished for the interface: what is on screen counts, clocks are seen, every place says what it is."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import referee.rulesets
from tests.web_table.conftest import WEB
from tests.web_table.web_table_guest import TIMEOUT, Guest
from tests.web_table.web_table_referee import RefereeProcess, free_address
from tests.web_table.web_table_server import TableProcess
from tests.web_table.web_table_stage import Stage, dealt, example

pytestmark = pytest.mark.slow("drives a browser")

RULESET = "mau_binh.maubinh_com"
QUICK = "mau_binh.quick"
SHIPPED = Path(referee.rulesets.__file__).parent
FOUL = {
    "code": "FOULED_MIDDLE",
    "text": {"vi": "Binh lủng: chi giữa (3H KD) mạnh hơn chi đầu (TC 2S).", "en": "Fouled: (3H KD) beats (TC 2S)."},
}


@pytest.fixture
def quick(browser, tmp_path: Path) -> Iterator[TableProcess]:
    """Start a table whose house ruleset gives fifty seconds to arrange, enough for advice on a busy machine."""
    del browser
    house = tmp_path / "house"
    house.mkdir()
    text = (SHIPPED / "mau_binh.classic.toml").read_text(encoding="utf-8").replace("mau_binh.classic", QUICK)
    text = re.sub(r"(\[clocks\.arranging\]\nseconds = )\d+", r"\g<1>50", text)
    (house / f"{QUICK}.toml").write_text(text, encoding="utf-8")
    listen = free_address()
    referee_process = RefereeProcess(
        tmp_path / "referee", origin=f"http://{listen}", options=("--rulesets", str(house))
    )
    options = ("--referee", referee_process.listen, "--gateway", f"http://{referee_process.web}")
    table = TableProcess(
        tmp_path / "table", page=WEB / "dist", options=(*options, "--bot-ms", "40", "--brisk"), listen=listen
    )
    try:
        yield table
    finally:
        table.stop()
        referee_process.stop()


def cards_of(page: Page) -> list[str]:
    """Return the thirteen cards that lie on the board: back, middle, front."""
    cards = page.locator(".board [data-place]")
    expect(cards).to_have_count(13, timeout=TIMEOUT)
    shown = {int(one.get_attribute("data-place") or ""): one.get_attribute("data-card") or "" for one in cards.all()}
    return [shown[place] for place in range(13)]


@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_arrangement_on_screen_counts_when_time_runs_out(quick, invite, *, sealed: bool) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    guest.host(quick.url, QUICK, bots=1, sealed=sealed)
    number = guest.deal()
    page.locator(".arrange .buttons .button").first.click()
    expect(page.locator(".verdict.good")).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(".hint.kept")).to_contain_text("Bàn đã giữ", timeout=TIMEOUT)
    assert page.locator(".arrange .main").is_enabled()
    expect(page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=TIMEOUT)
    own = page.locator(f'.result li[data-name="{guest.name}"]')
    expect(own).not_to_contain_text("binh lủng")
    expect(own).not_to_contain_text("để như đã chia")


def test_second_tab_goes_on_with_the_arrangement_of_the_first(table, invite) -> None:
    guest: Guest = invite("Lan")
    guest.host(table.url, RULESET, bots=1)
    guest.deal()
    as_dealt = cards_of(guest.page)
    guest.page.locator(".arrange .buttons .button").first.click()
    expect(guest.page.locator(".hint.kept")).to_contain_text("Bàn đã giữ", timeout=TIMEOUT)
    arranged = cards_of(guest.page)
    second = guest.page.context.new_page()
    second.goto(table.url)
    assert cards_of(second) == arranged != as_dealt


def test_clock_for_being_ready_is_shown_and_who_is_sent_out_has_a_way_back(table, invite) -> None:
    host, guest = invite("An"), invite("Bình")
    room = host.host(table.url, RULESET)
    guest.join(table.url, room)
    host.get_ready()
    clock = guest.page.locator(".foot .countdown")
    expect(clock).to_be_visible(timeout=TIMEOUT)
    expect(guest.page.locator(".foot")).to_contain_text("bị mời ra")
    expect(guest.page.get_by_role("button", name="Nghỉ ván này")).to_be_visible()
    expect(clock).to_have_class(re.compile("short"), timeout=TIMEOUT)
    back = guest.page.get_by_role("button", name="Trở lại bàn")
    expect(back).to_be_visible(timeout=TIMEOUT)
    back.click()
    expect(guest.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)


def test_foul_is_marked_from_the_first_and_asked_about_once(invite, table) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = Stage(page, dealt("view.mau_binh.playing"))
    stage.answers["check"] = lambda _command: {"violations": [FOUL], "is_acceptable": True, "values": []}
    guest.enter(table.url)
    cards_of(page)
    guest.wait_still()
    expect(page.locator(".verdict.bad")).to_contain_text("3♥ K♦")
    page.locator('.board [data-place="0"]').click()
    page.locator('.board [data-place="12"]').click()
    verdict = page.locator(".verdict.bad")
    expect(verdict).to_contain_text("3♥ K♦")
    expect(verdict).not_to_contain_text(re.compile(r"\b[2-9TJQKA][SCDH]\b"))
    page.locator(".arrange .main").click()
    dialog = page.locator("dialog")
    expect(dialog).to_contain_text("binh lủng")
    assert [one for one in stage.sent if one["name"] == "arrange" and one["is_final"]] == []
    dialog.get_by_role("button", name="Xếp lại").click()
    page.locator(".arrange .main").click()
    page.get_by_role("button", name="Vẫn nộp").click()
    expect(page.locator(".arrange .main")).to_contain_text("Đã nộp bài", timeout=TIMEOUT)
    assert len([one for one in stage.sent if one["name"] == "arrange" and one["is_final"]]) == 1


def test_fifth_person_sees_that_it_only_watches(table, invite) -> None:
    host = invite("Ánh Dương")
    room = host.host(table.url, RULESET)
    others = [invite(name) for name in ("Bình", "Chi", "Dũng")]
    for guest in others:
        guest.join(table.url, room)
    fifth: Guest = invite("Em")
    fifth.enter(table.url)
    join = fifth.page.locator(".rooms li", has_text="Ánh Dương").get_by_role("button")
    expect(join).to_have_accessible_name("Bàn đủ người, vào xem Ánh Dương")
    join.click()
    expect(fifth.page.locator(".foot .state")).to_contain_text("bạn đang xem", timeout=TIMEOUT)
    expect(fifth.page.locator(".ready")).to_have_count(0)
    expect(fifth.page.locator(".mine .note")).to_contain_text("đang xem")


@pytest.mark.parametrize("is_known", [True, False], ids=["returning", "new"])
def test_dead_invitation_says_so(table, invite, *, is_known: bool) -> None:
    guest: Guest = invite("Lan")
    if is_known:
        guest.enter(table.url)
        expect(guest.page.locator(".tile").first).to_be_visible(timeout=TIMEOUT)
    guest.page.goto("about:blank")
    guest.page.goto(f"{table.url}#nosuchroom")
    expect(guest.page.locator("body")).to_contain_text("Lời mời này không còn", timeout=TIMEOUT)


def test_invitation_says_who_invites_to_what_before_a_name_is_given(table, invite) -> None:
    host, guest = invite("An"), invite("Bình")
    room = host.host(table.url, RULESET)
    guest.page.goto(f"{table.url}#{room}")
    preview = guest.page.locator(".preview")
    expect(preview).to_contain_text("An mời bạn", timeout=TIMEOUT)
    expect(preview).to_contain_text("maubinh.com")
    expect(preview).to_contain_text("100")
    guest.page.locator("#name").fill("Bình")
    guest.page.locator("form .main").click()
    expect(guest.page.locator(".room")).to_be_visible(timeout=TIMEOUT)


def test_name_can_be_changed_and_emoji_and_bidi_names_keep_their_plate(table, invite) -> None:
    guest: Guest = invite("👨‍👩‍👧 \u05d3\u05e0\u05d4 rất là dài")
    page = guest.page
    guest.host(table.url, RULESET, bots=1)
    plate = page.locator(".mine .plate")
    expect(plate.locator(".face")).to_have_text("👨‍👩‍👧")
    box, score = plate.bounding_box(), plate.locator(".score").bounding_box()
    assert box is not None
    assert score is not None
    assert box["width"] <= 400
    assert box["y"] <= score["y"] <= box["y"] + box["height"]
    page.locator("nav .button").nth(3).click()
    page.locator("#own-name").fill("Hoa")
    page.locator("#own-name").press("Enter")
    expect(plate).to_have_attribute("data-person", "Hoa", timeout=TIMEOUT)
    page.reload()
    expect(page.locator(".mine .plate")).to_have_attribute("data-person", "Hoa", timeout=TIMEOUT)


def test_quick_play_is_one_tap(table, invite) -> None:
    guest: Guest = invite("Lan")
    guest.enter(table.url)
    guest.page.locator(".quick").click()
    guest.wait_dealt()


def test_host_pauses_and_sends_a_guest_away(table, invite) -> None:
    host, guest = invite("An"), invite("Bình")
    room = host.host(table.url, RULESET)
    guest.join(table.url, room)
    expect(guest.page.locator(".host")).to_have_count(0)
    host.page.locator(".pause").click()
    expect(guest.page.locator(".foot")).to_contain_text("tạm nghỉ", timeout=TIMEOUT)
    host.page.get_by_role("button", name="Mời Bình ra").click()
    expect(host.page.get_by_role("button", name="Mời Bình ra thật?")).to_be_visible()
    expect(guest.page.locator(".tile")).to_have_count(0)
    host.page.get_by_role("button", name="Mời Bình ra thật?").click()
    expect(guest.page.locator(".tile").first).to_be_visible(timeout=TIMEOUT)


def test_example_of_the_lobby_is_drawn(table, invite) -> None:
    """The page draws what the protocol's document shows."""
    guest: Guest = invite("Lan")
    stage = Stage(guest.page, example("lobby"))
    guest.enter(table.url)
    expect(guest.page.locator(".rooms li")).to_have_count(len(stage.first["rooms"]), timeout=TIMEOUT)
