"""Every screen fits a laptop and a phone: main button in view, row labels beside rows, pages from their top."""

import re
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.web_table.web_table_guest import PHONE, TIMEOUT, Guest
from tests.web_table.web_table_stage import Stage, dealt, example

pytestmark = pytest.mark.slow("drives a browser")

LAPTOP: Final[ViewportSize] = {"width": 1280, "height": 720}
SIZES = pytest.mark.parametrize("viewport", [LAPTOP, PHONE], ids=["laptop", "phone"])
WIDTHS = (390, 600, 768, 900, 1024, 1280)


def expect_in_view(page: Page, target: Locator) -> None:
    """Check that an element is in the window without scrolling, and nothing else lies over its middle."""
    expect(target).to_be_visible(timeout=TIMEOUT)
    assert page.evaluate("scrollY") == 0
    box = target.bounding_box()
    assert box is not None
    height = page.evaluate("innerHeight")
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= height, f"{target} ends at {box['y'] + box['height']} of {height}"
    point = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    is_top = target.evaluate("(one, [x, y]) => one.contains(document.elementFromPoint(x, y))", point)
    assert is_top, f"something lies over {target}"


@SIZES
def test_main_button_of_the_lobby_is_in_view(table, invite, viewport) -> None:
    guest: Guest = invite("Lan", viewport=viewport)
    guest.enter(table.url)
    expect_in_view(guest.page, guest.page.locator(".quick"))
    guest.page.locator(".tile").last.click()
    guest.page.evaluate("scrollTo(0, 0)")
    expect_in_view(guest.page, guest.page.locator(".terms .main"))


@SIZES
@pytest.mark.parametrize(
    ("view", "target"),
    [
        ("view.mau_binh.lobby", ".ready"),
        ("view.mau_binh.playing", ".arrange .main"),
        ("view.mau_binh.last", ".ready"),
        ("view.tien_len.turn", ".tien-len .main"),
        ("view.tien_len.last", ".ready"),
        ("view.ultimate_texas.preflop", ".texas .buttons .main >> nth=-1"),
        ("view.ultimate_texas.flop", ".texas .buttons .main >> nth=-1"),
        ("view.ultimate_texas.river", ".texas .buttons .main >> nth=-1"),
        ("view.ultimate_texas.last", ".ready"),
    ],
)
def test_main_button_is_in_view(table, invite, viewport, view: str, target: str) -> None:
    guest: Guest = invite("Lan", viewport=viewport)
    Stage(guest.page, dealt(view) if example(view)["round"] else example(view))
    guest.enter(table.url)
    expect(guest.page.locator(target)).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    expect_in_view(guest.page, guest.page.locator(target))


@pytest.mark.parametrize("view", ["view.ultimate_texas.preflop", "view.tien_len.turn", "view.mau_binh.playing"])
def test_own_place_is_in_view_on_a_laptop(table, invite, view: str) -> None:
    guest: Guest = invite("Lan", viewport=LAPTOP)
    Stage(guest.page, dealt(view))
    guest.enter(table.url)
    expect(guest.page.locator(".mine .plate")).to_be_visible(timeout=TIMEOUT)
    guest.wait_still()
    expect_in_view(guest.page, guest.page.locator(".mine .plate"))


def test_row_labels_are_beside_their_rows_at_every_width(table, invite) -> None:
    guest: Guest = invite("Lan")
    page = guest.page
    stage = Stage(page, dealt("view.mau_binh.playing"))
    names = [{"category": "PAIR", "name": {"vi": f"tên {at}", "en": f"name {at}"}} for at in range(3)]
    stage.answers["check"] = lambda _command: {"violations": [], "is_acceptable": True, "values": names}
    guest.enter(table.url)
    expect(page.locator(".names strong").first).to_have_text("Tên 2", timeout=TIMEOUT)
    guest.wait_still()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        for at, place in enumerate((10, 5, 0)):
            card = page.locator(f'.board [data-place="{place}"]').bounding_box()
            label = page.locator(".names .name").nth(at)
            assert card is not None
            for part in (label.locator("span"), label.locator("strong")):
                box = part.bounding_box()
                assert box is not None
                middle = box["y"] + box["height"] / 2
                assert card["y"] - 34 <= middle <= card["y"] + card["height"], f"label {at} at {width}"
            assert re.search(f"Tên {2 - at}", label.inner_text())


def test_next_round_begins_at_the_top_of_the_page(table, invite) -> None:
    guest: Guest = invite("Lan", viewport=PHONE)
    stage = Stage(guest.page, example("view.tien_len.last"))
    guest.enter(table.url)
    expect(guest.page.locator(".result")).to_be_visible(timeout=TIMEOUT)
    guest.page.locator(".why summary").click()
    guest.page.evaluate("scrollTo(0, 400)")
    assert guest.page.evaluate("scrollY") > 0
    stage.show(dealt("view.tien_len.turn"))
    expect(guest.page.locator(".tien-len")).to_be_visible(timeout=TIMEOUT)
    assert guest.page.evaluate("scrollY") == 0


def test_host_chooses_how_bots_play_and_how_long_they_think(table, invite) -> None:
    """With the terms of a new room, and between rounds; the choice is the room's, so it is there after a reload."""
    guest: Guest = invite("Lan")
    guest.enter(table.url)
    page = guest.page
    guest.press(page.locator('.tile[data-ruleset="tien_len.mien_nam"]'))
    page.locator('.terms select[name="bots"]').select_option("0")
    expect(page.locator('.terms select[name="bot_level"]')).to_have_count(0)
    page.locator('.terms select[name="bots"]').select_option("2")
    page.locator('.terms select[name="bot_level"]').select_option("EASY")
    page.locator('.terms select[name="bot_pace"]').select_option("QUICK")
    guest.press(page.locator(".terms .main"))
    level, pace = (page.locator(f'.host select[name="{name}"]') for name in ("bot_level", "bot_pace"))
    expect(level).to_have_value("EASY", timeout=TIMEOUT)
    expect(pace).to_have_value("QUICK")
    level.select_option("STRONG")
    page.reload()
    expect(level).to_have_value("STRONG", timeout=TIMEOUT)
    expect(pace).to_have_value("QUICK")
