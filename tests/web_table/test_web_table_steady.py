"""A round is steady under the eye: a hint or a choice moves no button, no card and no plate."""

import copy
from typing import Any, Final

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.web_table.browsing import guest_of
from tests.web_table.screenshots import chop
from tests.web_table.shifts import MEASURING, RULESETS, SIZES, round_of
from tests.web_table.test_web_table_room import expect_in_view
from tests.web_table.web_table_guest import LANDSCAPE, TIMEOUT, Guest
from tests.web_table.web_table_stage import Stage, dealt, example, now

pytestmark = pytest.mark.slow("drives a browser")

ALL_SIZES: Final[dict[str, ViewportSize]] = {
    **SIZES,
    "landscape": {"width": LANDSCAPE["width"], "height": LANDSCAPE["height"]},
}
BOXES: Final = """() => [...document.querySelectorAll(
    '.felt .button, .board [data-place], .hand button, .felt .slot, .mine .plate, .others .plate')].map((one) => {
  const {x, y, width, height} = one.getBoundingClientRect();
  return [one.dataset.card ?? one.textContent.trim().slice(0, 12), ...[x, y, width, height].map(Math.round)];
})"""
"""Where each button, card and plate of the table is."""
STEADY: Final = 0.1
"""The largest sum of layout shifts that Web Vitals call good; here a whole round stays under it."""
LONG: Final = {
    "vi": "Đánh lá này thì còn giữ được đôi heo để chặt về sau, và không ai còn lá nào lớn hơn.",
    "en": "This keeps the pair of twos for a chop later on, and nobody has a higher card left now.",
}
"""A reason as long as a referee gives."""


def places(page: Page) -> list[tuple[int, ...]]:
    """Return the box of each button, card and plate, in the order of the page."""
    return [tuple(box[1:]) for box in page.evaluate(BOXES)]


def suggestion(game: str) -> dict[str, Any]:
    """Return a referee's answer to a request for a hint, with a long reason."""
    result: dict[str, Any] = example(f"done.{game}")["result"]
    for one in result["suggestions"]:
        if "reasons" in one:
            one["reasons"][0]["text"] = LONG
    return result


@pytest.mark.parametrize("size", ALL_SIZES)
@pytest.mark.parametrize(
    "hint",
    [
        ("view.mau_binh.playing", "mau_binh.suggest", ".hint.kept"),
        ("view.tien_len.turn", "tien_len.suggest", ".state .idea"),
        ("view.ultimate_texas.preflop", "ultimate_texas.suggest.preflop", ".best"),
        ("view.ultimate_texas.flop", "ultimate_texas.suggest.flop", ".best"),
        ("view.ultimate_texas.river", "ultimate_texas.suggest.river", ".best"),
    ],
    ids=["mau_binh", "tien_len", "preflop", "flop", "river"],
)
def test_hint_moves_nothing(table, invite, size: str, hint: tuple[str, str, str]) -> None:
    view, answer, shown = hint
    guest: Guest = invite("Lan", viewport=ALL_SIZES[size])
    page = guest.page
    stage = Stage(page, dealt(view))
    stage.answers["suggest"] = lambda _command: suggestion(answer)
    guest.enter(table.url)
    button = page.locator(".felt .buttons .button:has(.idea)")
    expect(button).to_be_enabled(timeout=TIMEOUT)
    guest.wait_still()
    before = places(page)
    assert len(before) > 4
    button.click()
    expect(page.locator(shown).first).to_be_attached(timeout=TIMEOUT)
    guest.wait_still()
    assert sorted(places(page)) == sorted(before)


@pytest.mark.parametrize("size", ALL_SIZES)
def test_choice_of_cards_moves_nothing(table, invite, size: str) -> None:
    guest: Guest = invite("Lan", viewport=ALL_SIZES[size])
    page = guest.page
    Stage(page, dealt("view.tien_len.turn"))
    guest.enter(table.url)
    cards = page.locator(".hand [data-card]")
    expect(cards.first).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    before = places(page)
    for card in cards.all():
        card.click()
        guest.wait_still()
        assert places(page) == before


def test_phrases_and_the_pile_are_whole_on_a_phone_held_sideways(table, invite) -> None:
    guest: Guest = invite("Lan", viewport=ALL_SIZES["landscape"])
    page = guest.page
    Stage(page, chop())
    guest.enter(table.url)
    expect(page.locator(".pile .card").first).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    bar = page.locator(".room > header").bounding_box()
    assert bar is not None
    for card in page.locator(".pile .play.top .card").all():
        box = card.bounding_box()
        assert box is not None
        assert box["y"] >= bar["y"] + bar["height"]
    page.locator(".talk > .button").click()
    for button in page.locator(".talk .panel .button").all():
        button.scroll_into_view_if_needed()
        box = button.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= LANDSCAPE["width"]
        assert bar["height"] <= box["y"] <= LANDSCAPE["height"] - box["height"]


@pytest.mark.parametrize("size", ["desktop", "phone"])
@pytest.mark.parametrize("name", ["view.mau_binh.last", "view.tien_len.last", "view.ultimate_texas.last"])
def test_bar_under_a_result_is_low_and_leaves_the_reasons_in_view(table, invite, size: str, name: str) -> None:
    guest: Guest = invite("Lan", viewport=ALL_SIZES[size])
    page = guest.page
    view = example(name)
    mine = next(one for one in view["persons"] if one["person"] == view["you"])
    mine |= {"kick_time": now() + 30_000, "is_ready": False, "is_host": True}
    Stage(page, view)
    guest.enter(table.url)
    bar = page.locator(".foot")
    expect(bar).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    expect_in_view(page, page.locator(".result .why summary"))
    box = bar.bounding_box()
    assert box is not None
    assert box["height"] <= ALL_SIZES[size]["height"] / 5


@pytest.mark.parametrize("name", ["view.mau_binh.playing", "view.tien_len.turn", "view.ultimate_texas.flop"])
def test_watcher_sees_a_clock_and_cards_face_down(table, invite, name: str) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    view = dealt(name)
    view["round"]["you"] = None
    view["round"].pop("hand", None)
    watcher = copy.deepcopy(view["persons"][0]) | {"person": "watcher", "name": "Lan", "is_seated": False}
    view |= {"you": "watcher", "persons": [*view["persons"], watcher | {"is_host": False, "place": "WAITING"}]}
    Stage(page, view)
    guest.enter(table.url)
    expect(page.locator(".felt .countdown")).to_be_visible(timeout=TIMEOUT)
    if name == "view.mau_binh.playing":
        expect(page.locator(".felt .hands li")).to_have_count(len(view["round"]["seats"]))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", RULESETS)
def test_whole_round_shifts_little_that_no_input_explains(table, browser, game: str, size: str) -> None:
    guest = guest_of(browser, SIZES[size], MEASURING)
    try:
        measured = round_of(guest, game, table.url)
    finally:
        guest.page.context.close()
    assert measured.unexpected < STEADY, measured.largest
