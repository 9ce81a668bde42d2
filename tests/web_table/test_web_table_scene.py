"""A round is a scene: deal, lit cards, sound; all of it off under reduced motion or when muted; and what asks first."""

import re
from typing import Final

import pytest
from playwright.sync_api import Position, WebSocketRoute, expect

from tests.web_table.web_table_guest import TIMEOUT, Guest, box_of, until
from tests.web_table.web_table_stage import (
    Message,
    Stage,
    dealt,
    done,
    example,
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
NOTICE_MS: Final = 15_000
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


@pytest.mark.parametrize("by", ["nothing", "mute", "motion"])
def test_mute_and_reduced_motion_are_respected(files, invite, by: str) -> None:
    """Cards fly in face down and turn over, with sounds; mute is remembered, reduced motion stops sound and motion."""
    guest: Guest = invite("Lan", still=by == "motion")
    page = guest.page
    stage = enter(guest, files, dealt("view.mau_binh.seeding"))
    if by == "mute":
        page.locator("button.sound").click()
        page.reload()
        expect(page.locator("button.sound")).to_have_attribute("aria-pressed", "true", timeout=TIMEOUT)
    page.mouse.click(5, 5)
    stage.show(dealt("view.mau_binh.playing"))
    expect(page.locator(".board [data-card]")).to_have_count(13, timeout=TIMEOUT)
    if by == "nothing":
        page.wait_for_function("() => document.getAnimations().filter((one) => one.playState === 'running').length > 6")
        expect(page.locator(".board button > .back")).to_have_count(13)
        guest.wait_still()
        assert page.locator(".board button > .back").first.evaluate("one => getComputedStyle(one).opacity") == "0"
    elif by == "motion":
        assert page.evaluate("document.getAnimations().length") == 0
    stage.show(showdown())
    expect(page.locator(".banner")).to_be_visible(timeout=TIMEOUT)
    stage.show(finished("mau_binh"))
    expect(page.locator(".result")).to_be_visible(timeout=TIMEOUT)
    assert (page.evaluate("window.sounds") > 0) == (by == "nothing")


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


def test_only_cards_of_legal_plays_are_lit_and_cards_are_named(files, invite) -> None:
    """By a word too where a card is not lit; a hand that wins at the deal is read from its highest rank down."""
    guest: Guest = invite("Lan")
    view = dealt("view.tien_len.turn")
    hand, legal = view["round"]["hand"], view["round"]["tien_len"]["legal"]
    legal["plays"] = [{"name": FOUL["text"], "cards": [hand[-1]]}]
    stage = enter(guest, files, view)
    cards = guest.page.locator(".hand [data-card]").all()
    lit = [card.get_attribute("data-card") for card in cards if "lit" in (card.get_attribute("class") or "").split()]
    named = [card for card in cards if "không đánh được" not in (card.get_attribute("aria-label") or "")]
    assert lit == [card.get_attribute("data-card") for card in named] == [hand[-1]]
    for card in cards:
        card.click()
    expect(guest.page.locator(".tien-len .buttons .main")).to_be_disabled()
    stage.show(instant_win() | {"ruleset": "mau_binh.classic"})
    expect(guest.page.locator(".scene .won .row")).to_have_accessible_name(re.compile("^át cơ, át bích, già rô"))


def test_foul_is_marked_from_the_first_and_asked_about_once(files, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = enter(guest, files, dealt("view.mau_binh.playing"), check=done({"violations": [FOUL], "value_names": []}))
    expect(page.locator(".verdict.bad")).to_contain_text("3♥ K♦", timeout=TIMEOUT)
    guest.wait_still()
    page.locator(".arrange .main").click()
    expect(page.locator("dialog")).to_contain_text("thua hết các nhà không lủng")
    assert not [command for command in stage.sent if command.get("is_final")]
    page.locator("dialog .ends .button").last.click()
    expect(page.locator(".arrange .main")).to_be_disabled()
    assert [command["name"] for command in stage.sent if command.get("is_final")] == ["arrange"]


class LateStage(Stage):
    """A table server that asks for a signature before it has answered the last word of the seat."""

    def _take(self, message: Message, server: WebSocketRoute | None) -> None:
        if message.get("is_final") and not any(one.get("is_final") for one in self.sent):
            self.sent.append(message)
            view = dealt("view.mau_binh.playing")
            view["round"]["mau_binh"] |= {"sign_now": True, "takes_signed": True, "is_final": True}
            view["persons"][1]["name"] = "Đã xong"
            self.show(view)
        else:
            super()._take(message, server)


def test_last_word_stays_the_last_when_the_request_to_sign_it_comes_before_its_answer(files, invite) -> None:
    guest: Guest = invite("Lan")
    view = dealt("view.mau_binh.playing")
    view["round"]["mau_binh"] |= {"sign_now": False, "takes_signed": False}
    stage = LateStage(guest.page, view)
    guest.enter(files)
    guest.wait_still()
    guest.press(guest.page.locator(".arrange .buttons .button").nth(1))
    expect(guest.page.locator(".hint.kept")).to_be_visible(timeout=TIMEOUT)
    guest.press(guest.page.locator(".arrange .main"))
    expect(guest.page.locator(".others")).to_contain_text("Đã xong", timeout=TIMEOUT)
    last = stage.of("arrange")[1]
    stage.send(done({"is_held": True}) | {"id": last["id"]})
    until(guest.page, lambda: len(stage.of("arrange")) > 2, "what was handed in is not signed")
    assert [one["is_final"] for one in stage.of("arrange")] == [False, True, True]


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


def test_notice_goes_by_itself_and_by_its_button(files, invite) -> None:
    guest: Guest = invite("Lan")
    guest.page.clock.install()
    stage, notice = enter(guest, files, dealt("view.tien_len.turn")), guest.page.locator(".notices .notice")
    for leave in (lambda: guest.page.clock.run_for(NOTICE_MS), lambda: notice.get_by_role("button").click()):
        stage.send(example("notice"))
        expect(notice).to_be_visible(timeout=TIMEOUT)
        leave()
        expect(notice).to_have_count(0)


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
