"""What brings people back: a device's scores over rooms, and tables that stay; both after a reload and a restart."""

import re
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.web_table.shifts import MEASURING
from tests.web_table.test_web_table_access import axe as axe  # noqa: PLC0414 - a fixture of this module too
from tests.web_table.test_web_table_access import expect_accessible
from tests.web_table.test_web_table_alone import finish
from tests.web_table.test_web_table_steady import STEADY
from tests.web_table.web_table_guest import TIMEOUT, Guest
from tests.web_table.web_table_stage import Stage, dealt, example

pytestmark = pytest.mark.slow("drives a browser")

TEXAS: Final = "ultimate_texas.casino"
MAU_BINH: Final = "mau_binh.maubinh_com"
SIZES: Final[dict[str, ViewportSize]] = {
    "desktop": {"width": 1280, "height": 720},
    "tablet": {"width": 768, "height": 1024},
    "phone": {"width": 390, "height": 844},
}
SHIFTED: Final = "window.shifts.filter(({isOwn}) => !isOwn).reduce((sum, {value}) => sum + value, 0)"
"""Sum of the layout shifts that no input explains."""


def play_round(guest: Guest) -> int:
    """Play a round of Ultimate Texas at a new table; return its net."""
    guest.open_room(TEXAS, bots=0)
    guest.deal()
    finish(guest, TEXAS)
    return guest.nets()[guest.name]


def rows(page: Page, *, table: int) -> Locator:
    """Return the rows of a table of the scores: 0 in all, 1 by game, 2 by room."""
    return page.locator(".device-scores table").nth(table).locator("tbody tr")


def numbers(row: Locator) -> list[str]:
    """Return the numbers of a row: rounds, won, best, worst, and the sum."""
    return [cell.inner_text().strip() for cell in row.locator("td").all()]


def signed(minor: int) -> str:
    """Return an amount as an English page writes it."""
    sign = "+" if minor > 0 else "\N{MINUS SIGN}" if minor < 0 else ""
    return f"{sign}{abs(minor):,}"


def leave(page: Page) -> None:
    """Leave the table between rounds."""
    page.locator("nav .button").nth(4).click()
    expect(page.locator(".tile").first).to_be_visible(timeout=TIMEOUT)


def test_scores_outlive_reload_room_and_killed_table_and_are_deleted_by_a_button(own_table, invite) -> None:
    lan = invite("Lan", language="en")
    page = lan.page
    lan.enter(own_table.url)
    page.locator("header .scores").click()
    expect(page.locator(".device-scores")).to_contain_text("no round yet", timeout=TIMEOUT)
    expect(page.locator(".device-scores .forget")).to_have_count(0)
    page.keyboard.press("Escape")
    nets = [play_round(lan)]
    leave(page)
    nets.append(play_round(lan))
    own_table.kill_all()
    own_table.start()
    page.reload()
    expect(page.locator(".room")).to_be_visible(timeout=TIMEOUT)
    page.locator("nav .button").nth(1).click()
    page.locator("dialog .mine").click()
    expect(rows(page, table=2)).to_have_count(2, timeout=TIMEOUT)
    whole = ["2", str(sum(net > 0 for net in nets)), *map(signed, (max(nets), min(nets), sum(nets)))]
    assert numbers(rows(page, table=0).first) == whole
    assert numbers(rows(page, table=1).first) == whole
    assert [numbers(row)[-1] for row in rows(page, table=2).all()] == [signed(net) for net in reversed(nets)]
    other = invite("Lan", language="en")
    other.enter(own_table.url)
    other.page.locator("header .scores").click()
    expect(other.page.locator(".device-scores")).to_contain_text("no round yet", timeout=TIMEOUT)
    page.locator(".device-scores .forget").click()
    page.locator(".device-scores .ends .button").nth(1).click()
    expect(page.locator(".device-scores")).to_contain_text("no round yet", timeout=TIMEOUT)
    assert list((own_table.folder / "rooms" / "scores").iterdir()) == []


@pytest.mark.parametrize("language", ["vi", "en"])
@pytest.mark.parametrize("size", SIZES)
def test_scores_are_accessible_and_steady(table, invite, axe, size: str, language: str) -> None:
    """In the lobby and in a room, with and without the question before deleting; with pictures kept if asked."""
    lan = invite("Lan Anh", language=language, viewport=SIZES[size])
    page = lan.page
    page.add_init_script(MEASURING)
    lan.enter(table.url)
    play_round(lan)
    leave(page)
    page.locator("header .scores").click()
    expect(rows(page, table=2)).to_have_count(1, timeout=TIMEOUT)
    expect_accessible(page, axe, "the scores of a device")
    page.locator(".device-scores .forget").click()
    expect_accessible(page, axe, "the question before deleting")
    page.wait_for_timeout(700)
    assert page.evaluate(SHIFTED) < STEADY


def own_row(page: Page, room: str) -> Locator:
    """Return the row of a kept table in the lobby of a member."""
    return page.locator(f'.own li[data-room="{room}"]')


def open_kept(page: Page) -> Locator:
    """Open the panel of the table that the page is at; return it."""
    page.locator("nav .button").nth(1).click()
    page.locator("dialog[open] .kept").click()
    return page.locator("dialog[open] .kept-table")


def expect_members(panel: Locator, rounds: list[dict[str, int]]) -> None:
    """Expect the members' scores to be those of the rounds, each as the nets by name."""
    expect(panel.locator("tbody tr")).to_have_count(len(rounds[0]), timeout=TIMEOUT)
    for name in rounds[0]:
        nets = [made[name] for made in rounds]
        whole = [str(len(nets)), str(sum(net > 0 for net in nets)), *map(signed, (max(nets), min(nets), sum(nets)))]
        row = panel.locator("tbody tr", has=panel.page.locator("th", has_text=name))
        expect(row.locator("td")).to_have_text(whole, timeout=TIMEOUT)


def expect_pair(panel: Locator, net: int) -> None:
    """Expect what An and Bình have paid each other in all: ``net`` is An's."""
    pair = panel.locator("ul[aria-label] > li bdi:first-child").locator("..")
    if net == 0:
        expect(pair).to_have_count(0)
        return
    payer, payee = ("An", "Bình") if net < 0 else ("Bình", "An")
    expect(pair.locator("bdi")).to_have_text([payer, payee], timeout=TIMEOUT)
    expect(pair.locator("b")).to_have_text(signed(abs(net)).removeprefix("+"))


def play_together(guests: list[Guest], number: int) -> dict[str, int]:
    """Play a round of Mậu Binh; return the nets by name, which both pages show."""
    for guest in guests:
        guest.get_ready()
    if all(guest.wait_dealt(number) for guest in guests):
        for guest in guests:
            guest.arrange()
    for guest in guests:
        expect(guest.page.locator(f'.result[data-round="{number}"]')).to_be_visible(timeout=2 * TIMEOUT)
    nets = guests[0].nets()
    assert guests[1].nets() == nets
    return nets


def expect_own(guest: Guest, room: str, score: int, *, members: str = "An, Bình") -> None:
    """Expect the lobby to show a table of the guest with its members, the host first, and the guest's own score."""
    row = own_row(guest.page, room)
    expect(row).to_contain_text(members, timeout=TIMEOUT)
    expect(row).to_contain_text(re.compile(rf"(?<![\d,]){re.escape(signed(score))}(?![\d,])"))


def test_kept_table_is_played_at_over_a_restart_handed_over_and_closed(own_table, invite) -> None:
    """Two people come back by the list and by the link; all that the page shows are the sums of their rounds."""
    an, binh = guests = [invite(name, language="en") for name in ("An", "Bình")]
    room = an.host(own_table.url, MAU_BINH)
    binh.enter(f"{own_table.url}#{room}")
    expect(binh.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)
    panel = open_kept(binh.page)
    expect(panel.locator(".main")).to_have_count(0)
    binh.page.keyboard.press("Escape")
    open_kept(an.page).locator(".main").click()
    expect(an.page.locator("dialog[open] tbody tr")).to_have_count(1, timeout=TIMEOUT)
    an.page.keyboard.press("Escape")
    open_kept(binh.page).locator(".ends .main").click()
    expect(binh.page.locator("dialog[open] tbody tr")).to_have_count(2, timeout=TIMEOUT)
    binh.page.keyboard.press("Escape")
    rounds = [play_together(guests, 1)]
    for guest in guests:
        leave(guest.page)
        expect_own(guest, room, rounds[0][guest.name])

    own_table.kill_all()
    own_table.start()
    for guest in guests:
        guest.page.reload()
        expect_own(guest, room, rounds[0][guest.name])
    own_row(an.page, room).locator(".main").click()
    binh.page.goto(f"{own_table.url}#{room}")
    binh.page.reload()
    for guest in guests:
        expect(guest.page.locator(".ready")).to_be_visible(timeout=TIMEOUT)
    panel = open_kept(binh.page)
    expect_members(panel, rounds)
    expect_pair(panel, rounds[0]["An"])
    panel.locator("li button").first.click()
    expect(panel.locator("#step")).to_be_visible(timeout=TIMEOUT)
    expect(panel.locator(".table .seat")).to_have_count(2)
    binh.page.keyboard.press("Escape")

    rounds.append(play_together(guests, 2))
    panel = open_kept(an.page)
    expect_members(panel, rounds)
    expect_pair(panel, sum(nets["An"] for nets in rounds))
    panel.locator("select").select_option(label="Bình")
    panel.locator(".hand-over").click()
    expect(panel.locator(".unkeep")).to_have_count(0, timeout=TIMEOUT)
    for guest in guests:
        guest.page.keyboard.press("Escape")
        leave(guest.page)
        expect_own(guest, room, sum(nets[guest.name] for nets in rounds), members="Bình, An")
    own_row(binh.page, room).locator(".look").click()
    closing = binh.page.locator("dialog[open] .unkeep")
    closing.click()
    closing.click()
    for guest in guests:
        expect(own_row(guest.page, room)).to_have_count(0, timeout=TIMEOUT)


def test_open_panel_asks_again_only_when_something_changed(table, invite) -> None:
    """A view follows every answer, so a panel that asks at each view would ask without end."""
    guest: Guest = invite("An", language="en")
    view = dealt("view.mau_binh.lobby")
    stage = Stage(guest.page, view)
    stage.answers["members"] = lambda _command: example("done.members")["result"]
    stage.answers["history"] = lambda _command: {"rounds": []}
    guest.enter(table.url)
    panel = open_kept(guest.page)
    expect(panel.locator("tbody tr").first).to_be_visible(timeout=TIMEOUT)
    for _ in range(3):
        stage.show(view)
        guest.wait_still()
    assert stage.names().count("members") == 1
    stage.show(view | {"persons": view["persons"][:1]})
    for _ in range(TIMEOUT // 100):
        if stage.names().count("members") == 2:
            return
        guest.page.wait_for_timeout(100)
    raise AssertionError("the panel did not ask who is at the table now")
