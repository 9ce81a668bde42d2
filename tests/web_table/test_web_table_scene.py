"""A round is a scene: deal, instant win, banners, endings, sound; all of it off under reduced motion or when muted."""

import re
from typing import Any, Final

import pytest
from playwright.sync_api import expect

from tests.web_table.web_table_guest import PHONE, TIMEOUT, Guest
from tests.web_table.web_table_stage import (
    SIX_PAIRS,
    Stage,
    chop,
    dealt,
    ending,
    example,
    finished,
    instant_win,
    now,
    showdown,
)

pytestmark = pytest.mark.slow("drives a browser")

COUNT_SOUNDS: Final = """
  window.sounds = 0;
  window.peaks = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) { window.sounds += 1; return start.apply(this, when); };
  const ramp = AudioParam.prototype.linearRampToValueAtTime;
  AudioParam.prototype.linearRampToValueAtTime = function (value, ...when) {
    window.peaks.push(value);
    return ramp.apply(this, [value, ...when]);
  };
"""
SHIFTS: Final = """
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) window.shift += one.value;
  }).observe({type: 'layout-shift', buffered: true});
"""
"""Sums layout shifts, also those that follow an input."""
STEADY: Final = 0.1
"""The largest sum of layout shifts that Web Vitals call good."""


def enter(guest: Guest, url: str, first: dict[str, Any]) -> Stage:
    """Open the page on a scripted table."""
    guest.page.add_init_script(COUNT_SOUNDS + SHIFTS)
    stage = Stage(guest.page, first)
    guest.enter(url)
    expect(guest.page.locator(".room")).to_be_visible(timeout=TIMEOUT)
    return stage


def test_instant_win_is_shown_after_the_own_cards_sorted_into_what_makes_it(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = enter(guest, files, dealt("view.mau_binh.binding"))
    stage.show(instant_win())
    expect(page.locator(".scene .card")).to_have_count(13)
    expect(page.locator(".banner")).to_have_count(0)
    expect(page.locator(".banner")).to_contain_text("Lục phé bôn", timeout=TIMEOUT)
    group = page.locator(".scene .groups").get_by_role("img").first
    expect(group).to_have_accessible_name("át bích, át cơ")
    expect(page.locator(".scene .groups .row")).to_have_count(len(SIX_PAIRS))


def test_cards_fly_in_face_down_and_turn_over(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = enter(guest, files, dealt("view.mau_binh.seeding"))
    stage.show(dealt("view.mau_binh.playing"))
    page.wait_for_function("() => document.getAnimations().filter((one) => one.playState === 'running').length > 6")
    expect(page.locator(".board button > .back")).to_have_count(13)
    guest.wait_still()
    assert page.locator(".board button > .back").first.evaluate("one => getComputedStyle(one).opacity") == "0"


def test_sweep_has_a_banner_with_its_chi(files, invite) -> None:
    guest: Guest = invite("Lan")
    enter(guest, files, showdown())
    banner = guest.page.locator('.banner[data-kind="SWEEP"]')
    expect(banner).to_contain_text(re.compile(r"sập.* \+6 chi", re.IGNORECASE | re.DOTALL), timeout=TIMEOUT)


def test_foul_has_its_price_and_no_column_of_noughts(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    enter(guest, files, showdown(fouled=True))
    expect(page.locator('.banner[data-kind="FOUL"]')).to_contain_text("\N{MINUS SIGN}9 chi", timeout=TIMEOUT)
    seat = page.locator(".showdown .seat").nth(2)
    expect(seat.locator("h3")).to_contain_text("\N{MINUS SIGN}9.000")
    expect(seat.locator(".called").first).to_contain_text("binh lủng")
    assert not re.search(r"^0$", seat.inner_text(), re.MULTILINE)


def test_chop_has_a_banner_that_names_what_was_chopped_and_its_price(files, invite) -> None:
    guest: Guest = invite("Lan")
    enter(guest, files, chop())
    banner = guest.page.locator('.banner[data-kind="CHOP"]')
    expect(banner).to_contain_text("Chặt!", timeout=TIMEOUT)
    expect(banner).to_contain_text("2♠ của Máy An, ăn 6.000")


def test_last_play_is_seen_until_its_phase_ends(files, invite) -> None:
    """The phase alone decides: the page has no clock of its own for the end of a round."""
    guest: Guest = invite("Lan", language="en")
    page = guest.page
    stage = enter(guest, files, dealt("view.tien_len.turn"))
    stage.show(ending("tien_len"))
    last = example("view.tien_len.last")["last"]
    (winner,) = [seat["name"] for seat in last["seats"] if seat.get("winner")]
    expect(page.locator(".end h2")).to_contain_text(winner, timeout=TIMEOUT)
    expect(page.locator(".end .play.top .card")).to_have_count(len(last["trick"][-1]["cards"]))
    assert set(page.locator(".plate .score").all_inner_texts()) == {"0"}, "a plate shows the end before the scene"
    expect(page.locator(".result")).to_have_count(0)
    stage.show(finished("tien_len"))
    expect(page.locator(".result")).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(".end")).to_have_count(0)


def test_house_turns_its_cards_over(files, invite) -> None:
    guest: Guest = invite("Lan", language="en")
    page = guest.page
    stage = enter(guest, files, dealt("view.ultimate_texas.river"))
    view = ending("ultimate_texas")
    stage.show(view)
    house = page.locator(".end .house").get_by_role("img").first
    expect(house).to_have_accessible_name("2 cards face down", timeout=TIMEOUT)
    expect(page.locator(".end h2")).to_contain_text(view["last"]["house_value"]["name"]["en"], timeout=TIMEOUT)
    expect(house).not_to_have_accessible_name("2 cards face down")


@pytest.mark.parametrize("viewport", [None, PHONE], ids=["desktop", "phone"])
@pytest.mark.parametrize("game", ["tien_len", "ultimate_texas"])
def test_skipped_ending_leaves_the_way_on_and_little_jumps(files, invite, game: str, viewport) -> None:
    guest: Guest = invite("Lan", viewport=viewport)
    page = guest.page
    before = {"tien_len": "turn", "ultimate_texas": "river"}[game]
    stage = enter(guest, files, dealt(f"view.{game}.{before}"))
    stage.show(ending(game))
    expect(page.locator(".end .skip")).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    page.evaluate("window.shift = 0")
    page.locator(".skip").click()
    expect(page.locator(".result")).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    page.wait_for_timeout(300)
    assert page.evaluate("window.shift") < STEADY
    assert page.evaluate("document.activeElement !== document.body"), "the focus fell to the body"
    page.locator(".ready").click()
    assert any(one["name"] == "ready" for one in stage.sent)


def test_skipped_show_has_its_sums_at_once_and_is_reported_to_the_table(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    view = dealt("view.mau_binh.showdown")
    for at, chi in enumerate(view["round"]["mau_binh"]["showdown"]["chi"]):
        chi["start_time"] = now() + 5_000 * at
    stage = enter(guest, files, view)
    expect(page.locator(".showdown")).to_be_visible(timeout=TIMEOUT)
    page.keyboard.press("Escape")
    expect(page.locator('.showdown[data-stage="SUMMARY"]')).to_be_visible(timeout=TIMEOUT)
    (skip,) = [one for one in stage.sent if one["name"] == "skip"]
    assert skip["round_id"] == view["round"]["round_id"]
    expect(page.locator(".skip")).to_have_attribute("aria-disabled", "true")


@pytest.mark.parametrize("by", ["mute", "motion"])
def test_mute_and_reduced_motion_are_respected(files, invite, by: str) -> None:
    """Mute is remembered; reduced motion stops sound, shaking and every animation."""
    guest: Guest = invite("Lan", way="KEYS" if by == "motion" else "MOUSE")
    page = guest.page
    stage = enter(guest, files, dealt("view.mau_binh.seeding"))
    if by == "mute":
        page.locator("button.sound").click()
        page.reload()
        expect(page.locator("button.sound")).to_have_attribute("aria-pressed", "true", timeout=TIMEOUT)
    page.mouse.click(5, 5)
    stage.show(dealt("view.mau_binh.playing"))
    expect(page.locator(".board [data-card]")).to_have_count(13, timeout=TIMEOUT)
    if by == "motion":
        assert page.evaluate("document.documentElement.dataset.motion") == "still"
        assert page.evaluate("document.getAnimations().length") == 0
    stage.show(showdown())
    expect(page.locator(".banner")).to_be_visible(timeout=TIMEOUT)
    stage.show(finished("mau_binh"))
    expect(page.locator(".result")).to_be_visible(timeout=TIMEOUT)
    assert page.evaluate("window.sounds") == 0


def test_volume_has_a_hand_sized_slider_that_makes_every_sound_quieter(files, invite) -> None:
    """Dragged by the pointer and moved by keys, at real coordinates."""
    guest: Guest = invite("Lan")
    page = guest.page
    enter(guest, files, dealt("view.tien_len.turn"))
    guest.open_menu("settings")
    slider = page.locator('input[name="volume"]')
    box = slider.bounding_box()
    assert box is not None
    assert box["height"] >= 40
    assert box["width"] >= 120
    middle = box["y"] + box["height"] / 2
    page.mouse.click(box["x"] + box["width"] - 8, middle)
    loud = page.evaluate("Math.max(...window.peaks)")
    page.evaluate("window.peaks.length = 0")
    page.mouse.move(box["x"] + box["width"] - 8, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.3, middle, steps=8)
    page.mouse.up()
    dragged = float(slider.input_value())
    assert 0.1 <= dragged <= 0.5
    page.keyboard.press("ArrowLeft")
    assert float(slider.input_value()) == pytest.approx(dragged - 0.1)
    assert page.evaluate("Math.max(...window.peaks)") < loud / 2
    page.reload()
    guest.open_menu("settings")
    assert float(slider.input_value()) == pytest.approx(dragged - 0.1)


def test_last_ten_seconds_of_a_clock_sound_and_a_turn_is_in_the_title(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = enter(guest, files, dealt("view.tien_len.seeding"))
    page.mouse.click(5, 5)
    stage.show(dealt("view.tien_len.turn") | {"phase_end_time": now() + 9_000})
    expect(page.locator(".tien-len .countdown.short")).to_be_visible(timeout=TIMEOUT)
    expect(page).to_have_title(re.compile("Đến lượt bạn"))
    guest.wait_still()
    before = page.evaluate("window.sounds")
    page.wait_for_function(f"() => window.sounds > {before}", timeout=TIMEOUT)
    view = dealt("view.tien_len.turn")
    view["round"]["tien_len"]["turn"] = 1
    stage.show(view)
    expect(page).to_have_title("Referee", timeout=TIMEOUT)
