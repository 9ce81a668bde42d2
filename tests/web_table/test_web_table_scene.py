"""A round is a scene: deal, instant win, banners, chips, sound; all of it off under reduced motion or when muted."""

import copy
import re
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.web_table.web_table_guest import TIMEOUT, Guest
from tests.web_table.web_table_stage import Stage, dealt, example, now, shifted

pytestmark = pytest.mark.slow("drives a browser")

COUNT_SOUNDS: Final = """
  window.sounds = 0;
  window.flown = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) { window.sounds += 1; return start.apply(this, when); };
  new MutationObserver((changes) => {
    for (const {addedNodes} of changes) for (const one of addedNodes)
      if (one.classList?.contains('chip') || one.classList?.contains('confetti')) window.flown += 1;
  }).observe(document, {childList: true, subtree: true});
"""
SIX_PAIRS: Final = [["AS", "AH"], ["KS", "KD"], ["9C", "9H"], ["7S", "7D"], ["4C", "4H"], ["2S", "2D"], ["JC"]]


def instant_win(*, from_ms: int = 1_500) -> dict[str, Any]:
    """Return a view of a round that the player's own hand wins at the deal."""
    view = dealt("view.mau_binh.playing")
    view["phase"] = "SHOWDOWN"
    view["scene_until"] = now() + 6_000
    view["round"]["hand"] = sorted(card for group in SIX_PAIRS for card in group)
    view["round"]["mau_binh"]["instant_wins"] = [
        {
            "seat": 0,
            "pattern": "SIX_PAIRS",
            "name": {"vi": "lục phé bôn", "en": "six pairs"},
            "units": 6,
            "groups": SIX_PAIRS,
            "from_time": now() + from_ms,
        }
    ]
    return view


def showdown(*, fouled: bool = False) -> dict[str, Any]:
    """Return a view of a showdown whose chi are all counted; the first seat sweeps, or the last seat fouls."""
    view = copy.deepcopy(example("view.mau_binh.showdown"))
    shown = view["round"]["mau_binh"]["showdown"]
    view["round"]["mau_binh"]["showdown"] = shown = shifted(shown, by=now() - shown["summary_time"] - 500)
    shown["summary"][0]["added_units"] = 0 if fouled else 6
    shown["summary"][2]["fouled"] = fouled
    return view


def finished() -> dict[str, Any]:
    """Return the view after a round that the player won, without its proof."""
    view = copy.deepcopy(example("view.mau_binh.last"))
    view["last"].pop("proof", None)
    for seat, net in enumerate((8_000, -7_000, -1_000)):
        view["last"]["seats"][seat] |= {"net_minor": net, "winner": net > 0}
    paid = ((1, 0, 6_000), (2, 0, 2_000), (1, 2, 1_000))
    view["last"]["transfers"] = [
        {"payer": payer, "payee": payee, "amount_minor": minor, "reason": "BACK"} for payer, payee, minor in paid
    ]
    return view


def enter(guest: Guest, url: str, first: dict[str, Any]) -> Stage:
    """Open the page on a scripted table."""
    guest.page.add_init_script(COUNT_SOUNDS)
    stage = Stage(guest.page, first)
    guest.enter(url)
    expect(guest.page.locator(".room")).to_be_visible(timeout=TIMEOUT)
    return stage


def tones(page: Page) -> int:
    """Return how many tones the page has played."""
    return int(page.evaluate("window.sounds"))


def test_instant_win_is_shown_after_the_own_cards_sorted_into_what_makes_it(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = enter(guest, table.url, dealt("view.mau_binh.binding"))
    stage.show(instant_win())
    own = page.locator(".scene .own .card")
    expect(own).to_have_count(13)
    expect(page.locator(".banner")).to_have_count(0)
    expect(page.locator(".result")).to_have_count(0)
    expect(page.locator(".banner")).to_contain_text("Lục phé bôn", timeout=TIMEOUT)
    groups = page.locator(".scene .group")
    expect(groups).to_have_count(len(SIX_PAIRS))
    first = groups.first.get_by_role("img")
    expect(first).to_have_accessible_name("át bích, át cơ")


def test_cards_fly_in_face_down_and_turn_over(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = enter(guest, table.url, dealt("view.mau_binh.seeding"))
    stage.show(dealt("view.mau_binh.playing"))
    page.wait_for_function("() => document.getAnimations().filter((one) => one.playState === 'running').length > 6")
    expect(page.locator(".board button > .back")).to_have_count(13)
    guest.wait_still()
    assert page.locator(".board button > .back").first.evaluate("one => getComputedStyle(one).opacity") == "0"


@pytest.mark.parametrize(("kind", "text"), [("SWEEP", "hầm|sập"), ("FOUL", "binh lủng")])
def test_sweep_and_foul_have_a_banner(table, invite, kind: str, text: str) -> None:
    guest: Guest = invite("Lan")
    enter(guest, table.url, showdown(fouled=kind == "FOUL"))
    banner = guest.page.locator(f'.banner[data-kind="{kind}"]')
    expect(banner).to_contain_text(re.compile(text, re.IGNORECASE), timeout=TIMEOUT)


def test_chop_has_a_banner_that_names_what_was_chopped_and_its_price(table, invite) -> None:
    guest: Guest = invite("Lan")
    view = dealt("view.tien_len.turn")
    game = view["round"]["tien_len"]
    two = {"seat": 1, "action": "PLAY", "cards": ["2S"], "kind": "SINGLE", "name": {"vi": "rác", "en": "single"}}
    bomb = ["9S", "9C", "9D", "9H"]
    quad = {"seat": 2, "action": "PLAY", "cards": bomb, "kind": "QUAD", "name": {"vi": "tứ quý", "en": "quad"}}
    quad["chops"] = {"seat": 1, "cards": ["2S"], "name": {"vi": "heo đen", "en": "black two"}, "amount_minor": 6000}
    game |= {"trick": [two, quad], "to_beat": {name: quad[name] for name in ("seat", "kind", "name", "cards")}}
    enter(guest, table.url, view)
    banner = guest.page.locator('.banner[data-kind="CHOP"]')
    expect(banner).to_contain_text("Chặt!", timeout=TIMEOUT)
    expect(banner).to_contain_text("2♠, giá 6.000")


def test_result_moves_chips_with_sound_and_a_win_is_a_moment(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = enter(guest, table.url, showdown())
    page.mouse.click(5, 5)
    stage.show(finished())
    expect(page.locator(".result .won")).to_be_visible(timeout=TIMEOUT)
    page.wait_for_function("() => window.flown > 4 && window.sounds > 0", timeout=TIMEOUT)
    expect(page.locator(".pairs li")).to_have_count(3)
    for payer, payee, minor in ((1, 0, 6000), (2, 0, 2000), (1, 2, 1000)):
        expect(page.locator(f'.pairs li[data-payer="{payer}"][data-payee="{payee}"]')).to_have_attribute(
            "data-minor", str(minor)
        )


def ended(game: str) -> dict[str, Any]:
    """Return the view after a round of a game that has just ended, without its proof."""
    view = copy.deepcopy(example(f"view.{game}.last"))
    view["last"].pop("proof", None)
    return view


def test_last_play_of_tien_len_is_seen_before_its_result(table, invite) -> None:
    """It lies on the felt with the name of who is out of cards, and gives way to the result by itself."""
    guest: Guest = invite("Lan", language="en")
    page = guest.page
    stage = enter(guest, table.url, dealt("view.tien_len.turn"))
    stage.show(ended("tien_len"))
    last = example("view.tien_len.last")["last"]
    (winner,) = [seat["name"] for seat in last["seats"] if seat.get("winner")]
    expect(page.locator(".end h2")).to_contain_text(winner, timeout=TIMEOUT)
    expect(page.locator(".end .play.top .card")).to_have_count(len(last["trick"][-1]["cards"]))
    expect(page.locator(".result")).to_have_count(0)
    expect(page.locator(".result")).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(".end")).to_have_count(0)


def test_round_that_ends_with_three_of_spades_names_it_big(table, invite) -> None:
    guest: Guest = invite("Lan")
    view = ended("tien_len")
    name = {"vi": "kết 3 bích", "en": "a seat went out with the three of spades"}
    view["last"] |= {"ending": "LAST_THREE_OF_SPADES", "ending_name": name}
    stage = enter(guest, table.url, dealt("view.tien_len.turn"))
    stage.show(view)
    expect(guest.page.locator(".end .big")).to_have_text("Kết 3 bích", timeout=TIMEOUT)


def test_dealers_cards_turn_over_before_the_result(table, invite) -> None:
    guest: Guest = invite("Lan", language="en")
    page = guest.page
    stage = enter(guest, table.url, dealt("view.ultimate_texas.river"))
    view = ended("ultimate_texas")
    stage.show(view)
    house = page.locator(".end .house").get_by_role("img").first
    expect(house).to_have_accessible_name("2 cards face down", timeout=TIMEOUT)
    expect(page.locator(".end h2")).to_contain_text(view["last"]["house_value"]["name"]["en"], timeout=TIMEOUT)
    expect(house).not_to_have_accessible_name("2 cards face down")


@pytest.mark.parametrize("by", ["click", "key", "next round", "reload", "motion"])
def test_end_of_a_round_gives_way_at_once(table, invite, by: str) -> None:
    """A click or a key skips it and the next round replaces it; a page that comes back or is still never has it."""
    guest: Guest = invite("Lan", way="KEYS" if by == "motion" else "MOUSE")
    page = guest.page
    stage = enter(guest, table.url, dealt("view.tien_len.turn"))
    stage.first = ended("tien_len")
    page.clock.install()  # from here on it would be shown for ever
    if by == "reload":
        page.reload()
    else:
        stage.show(ended("tien_len"))
    if by in {"click", "key", "next round"}:
        expect(page.locator(".end")).to_be_visible(timeout=TIMEOUT)
    if by == "click":
        page.locator(".end .pile").click()
    elif by == "key":
        page.keyboard.press("Escape")
    elif by == "next round":
        stage.show(dealt("view.tien_len.turn"))
        expect(page.locator(".tien-len")).to_be_visible(timeout=TIMEOUT)
        return
    expect(page.locator(".result")).to_be_visible(timeout=TIMEOUT)
    expect(page.locator(".end")).to_have_count(0)


@pytest.mark.parametrize("by", ["mute", "motion"])
def test_mute_and_reduced_motion_are_respected(table, invite, by: str) -> None:
    """Mute is remembered; reduced motion stops sound, shaking, chips and every animation."""
    guest: Guest = invite("Lan", way="KEYS" if by == "motion" else "MOUSE")
    page = guest.page
    stage = enter(guest, table.url, dealt("view.mau_binh.seeding"))
    if by == "mute":
        page.locator(".tools button.sound").click()
        page.reload()
        expect(page.locator(".tools button.sound")).to_have_attribute("aria-pressed", "true", timeout=TIMEOUT)
    page.mouse.click(5, 5)
    stage.show(dealt("view.mau_binh.playing"))
    expect(page.locator(".board [data-card]")).to_have_count(13, timeout=TIMEOUT)
    if by == "motion":
        assert page.evaluate("document.getAnimations().length") == 0
    stage.show(showdown())
    expect(page.locator(".banner")).to_be_visible(timeout=TIMEOUT)
    stage.show(finished())
    expect(page.locator(".result .won")).to_be_visible(timeout=TIMEOUT)
    page.wait_for_timeout(300)
    assert tones(page) == 0
    assert (page.evaluate("window.flown") == 0) == (by == "motion")


def test_last_ten_seconds_of_a_clock_sound(table, invite) -> None:
    guest: Guest = invite("Lan")
    stage = enter(guest, table.url, dealt("view.mau_binh.seeding"))
    guest.page.mouse.click(5, 5)
    stage.show(dealt("view.mau_binh.playing") | {"deadline": now() + 9_000})
    expect(guest.page.locator(".arrange .countdown.short")).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    before = tones(guest.page)
    guest.page.wait_for_function(f"() => window.sounds > {before}", timeout=TIMEOUT)


def test_quick_phrase_is_seen_over_the_plate_of_who_said_it(table, invite) -> None:
    first, second = invite("An"), invite("Bình", language="en")
    room = first.host(table.url, "mau_binh.maubinh_com")
    second.join(table.url, room)
    first.page.locator(".talk > .button").click()
    first.page.locator('[data-phrase="NICE_HAND"]').click()
    plate = second.page.locator('.plate[data-person="An"]')
    expect(plate.locator(".said")).to_have_text("Nice hand!", timeout=TIMEOUT)
    first.page.locator(".talk > .button").click()
    first.page.locator('[data-phrase="CLAP"]').click()
    expect(plate.locator(".said.emote")).to_contain_text("claps", timeout=TIMEOUT)
    expect(plate.locator(".said")).to_have_count(0, timeout=TIMEOUT)


def test_turn_is_in_the_title(table, invite) -> None:
    guest: Guest = invite("Lan")
    stage = enter(guest, table.url, dealt("view.tien_len.turn"))
    expect(guest.page).to_have_title(re.compile("Đến lượt bạn"), timeout=TIMEOUT)
    view = dealt("view.tien_len.turn")
    view["round"]["tien_len"]["turn"] = 1
    stage.show(view)
    expect(guest.page).to_have_title("Referee", timeout=TIMEOUT)
