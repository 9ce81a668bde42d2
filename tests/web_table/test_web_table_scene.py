"""A round is a scene: deal, banners, endings, clocks, sound; all of it off under reduced motion or when muted."""

import re
from collections.abc import Callable
from functools import partial
from typing import Final

import pytest
from playwright.sync_api import Position, expect

from tests.web_table.web_table_guest import TIMEOUT, Guest, box_of, until
from tests.web_table.web_table_stage import (
    SIX_PAIRS,
    Message,
    Stage,
    chop,
    dealt,
    finished,
    instant_win,
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
LOUDEST: Final = "() => Math.max(...window.peaks.splice(0))"
FOUL: Final[Message] = {
    "code": "FOULED_MIDDLE",
    "text": {"vi": "Binh lủng: chi giữa (3H KD) mạnh hơn chi đầu (TC 2S).", "en": "Fouled: (3H KD) beats (TC 2S)."},
}


def enter(guest: Guest, url: str, first: Message, **answers: Message) -> Stage:
    """Open the page on a scripted table."""
    guest.page.add_init_script(COUNT_SOUNDS)
    stage = Stage(guest.page, first, **answers)
    guest.enter(url)
    expect(guest.page.locator(".room")).to_be_visible(timeout=TIMEOUT)
    return stage


def test_cards_fly_in_face_down_and_turn_over(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = enter(guest, files, dealt("view.mau_binh.seeding"))
    stage.show(dealt("view.mau_binh.playing"))
    page.wait_for_function("() => document.getAnimations().filter((one) => one.playState === 'running').length > 6")
    expect(page.locator(".board button > .back")).to_have_count(13)
    guest.wait_still()
    assert page.locator(".board button > .back").first.evaluate("one => getComputedStyle(one).opacity") == "0"


@pytest.mark.parametrize(
    ("view", "kind", "said"),
    [
        (instant_win, "INSTANT_WIN", "Lục phé bôn"),
        (showdown, "SWEEP", "sập.* +4 chi"),
        (partial(showdown, fouled=True), "FOUL", "Máy Bình \N{MINUS SIGN}6 chi"),
        (chop, "CHOP", "Chặt!.*2♠ của Máy An, ăn 6.000"),
    ],
)
def test_banner_says_what_the_table_would_shout(
    files, invite, view: Callable[[], Message], kind: str, said: str
) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    enter(guest, files, view())
    words = re.compile(said.replace("+", r"\+"), re.IGNORECASE | re.DOTALL)
    expect(page.locator(f'.banner[data-kind="{kind}"]')).to_contain_text(words, timeout=TIMEOUT)
    if kind == "INSTANT_WIN":
        expect(page.locator(".scene .groups").get_by_role("img").first).to_have_accessible_name("át bích, át cơ")
        expect(page.locator(".scene .groups .row")).to_have_count(len(SIX_PAIRS))
    if kind == "FOUL":
        seat = page.locator(".showdown .seat").nth(2)
        expect(seat.locator("h3")).to_contain_text("\N{MINUS SIGN}6.000")
        assert not re.search(r"^0$", seat.inner_text(), re.MULTILINE), "a column of noughts"


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
    assert by == "mute" or page.evaluate("document.getAnimations().length") == 0
    stage.show(showdown())
    expect(page.locator(".banner")).to_be_visible(timeout=TIMEOUT)
    stage.show(finished("mau_binh"))
    expect(page.locator(".result")).to_be_visible(timeout=TIMEOUT)
    assert page.evaluate("window.sounds") == 0


def test_settings_have_a_hand_sized_slider_of_the_volume_and_a_four_colour_deck(files, invite) -> None:
    """Dragged by the pointer and moved by keys, at real coordinates."""
    guest: Guest = invite("Lan")
    page = guest.page
    enter(guest, files, dealt("view.tien_len.turn"))
    guest.open_menu("settings")
    slider = page.locator('input[name="volume"]')
    box = box_of(slider)
    assert box["height"] >= 40
    assert box["width"] >= 120
    right: Position = {"x": box["width"] - 8, "y": box["height"] / 2}
    slider.click(position=right)
    loud = page.evaluate(LOUDEST)
    slider.drag_to(slider, source_position=right, target_position={"x": box["width"] * 0.3, "y": box["height"] / 2})
    dragged = float(slider.input_value())
    assert 0.1 <= dragged <= 0.5
    page.keyboard.press("ArrowLeft")
    assert float(slider.input_value()) == pytest.approx(dragged - 0.1)
    assert page.evaluate(LOUDEST) < loud
    suits = """['black', 'club', 'diamond', 'red'].map((suit) =>
      getComputedStyle(document.documentElement).getPropertyValue(`--suit-${suit}`))"""
    assert len(set(page.evaluate(suits))) == 2
    page.locator('input[name="four-colours"]').click()
    assert len(set(page.evaluate(suits))) == 4
    page.reload()
    guest.open_menu("settings")
    assert float(slider.input_value()) == pytest.approx(dragged - 0.1)


def test_only_cards_of_legal_plays_are_lit_and_named_so(files, invite) -> None:
    guest: Guest = invite("Lan")
    view = dealt("view.tien_len.turn")
    hand, legal = view["round"]["hand"], view["round"]["tien_len"]["legal"]
    legal["plays"] = [{"name": FOUL["text"], "cards": [hand[-1]]}]
    enter(guest, files, view)
    cards = guest.page.locator(".hand [data-card]").all()
    lit = [card.get_attribute("data-card") for card in cards if "lit" in (card.get_attribute("class") or "").split()]
    named = [card for card in cards if "không đánh được" not in (card.get_attribute("aria-label") or "")]
    assert lit == [card.get_attribute("data-card") for card in named] == [hand[-1]]
    for card in cards:
        card.click()
    expect(guest.page.locator(".tien-len .buttons .main")).to_be_disabled()


def test_foul_is_marked_from_the_first_and_asked_about_once(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    check: Message = {"type": "done", "result": {"violations": [FOUL], "value_names": []}}
    stage = enter(guest, files, dealt("view.mau_binh.playing"), check=check)
    expect(page.locator(".verdict.bad")).to_contain_text("3♥ K♦", timeout=TIMEOUT)
    guest.wait_still()
    page.locator(".arrange .main").click()
    expect(page.locator("dialog")).to_contain_text("thua hết các nhà không lủng")
    assert not [command for command in stage.sent if command.get("is_final")]
    page.locator("dialog .ends .button").last.click()
    expect(page.locator(".arrange .main")).to_be_disabled()
    assert [command["name"] for command in stage.sent if command.get("is_final")] == ["arrange"]


def test_back_asks_before_it_leaves_a_round(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = enter(guest, files, dealt("view.tien_len.turn"))
    page.go_back()
    expect(page.locator("dialog")).to_contain_text("Rời phòng bây giờ?", timeout=TIMEOUT)
    page.locator("dialog .ends .main").click()
    assert stage.of("leave") == []
    page.go_back()
    page.locator("dialog .ends .button").last.click()
    until(page, lambda: stage.of("leave"), "the page does not leave")


def test_lost_connection_has_one_steady_notice_until_it_is_back(files, invite) -> None:
    """The page tries again by itself, each time later, and when its button is pressed."""
    guest: Guest = invite("Lan", language="en")
    page = guest.page
    stage = enter(guest, files, dealt("view.tien_len.turn"))
    stage.cut()
    notice = page.locator(".notices .notice.warn")
    expect(notice).to_contain_text("Nothing is lost", timeout=TIMEOUT)
    page.evaluate("""() => {
      window.changes = 0;
      new MutationObserver((all) => (window.changes += all.length)).observe(
        document.querySelector('.notices'), {subtree: true, childList: true, characterData: true, attributes: true});
    }""")
    tried = stage.attempts
    until(page, lambda: stage.attempts >= tried + 3, "the page does not try again")
    tried = stage.attempts
    notice.get_by_role("button").click()
    until(page, lambda: stage.attempts > tried, "the button does not try again")
    assert page.evaluate("window.changes") == 0
    page.locator(".tien-len .button:has(.idea)").click()  # asked while nobody answers, and once they do
    assert stage.of("suggest") == []
    stage.is_away = False
    expect(notice).to_have_count(0, timeout=TIMEOUT)
    until(page, lambda: stage.of("suggest"), "what was asked meanwhile is not sent")
    assert len(stage.of("suggest")) == 1
