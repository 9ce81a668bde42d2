"""A round that is shown: its seat makes a link and a picture, and a stranger sees the round and its proof."""

import re
import struct
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.web_table.test_web_table_alone import finish
from tests.web_table.web_table_guest import TIMEOUT, Guest

pytestmark = pytest.mark.slow("drives a browser")

RULESETS: Final = ("mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino")
PAINTED: Final = """() => { const one = document.querySelector('.show-round canvas');
  const data = one.getContext('2d').getImageData(0, 0, one.width, one.height).data;
  const found = new Set();
  for (let at = 0; at < data.length; at += 4) found.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
  return found.size > 50; }"""
"""Whether the picture has many colours: a canvas on which nothing was drawn has one."""


def share(guest: Guest, *, has_names: bool) -> str:
    """Make a link to the round that the table shows; return it."""
    page = guest.page
    guest.expect_verified()
    page.locator(".result .show").first.click()
    if has_names:
        page.locator(".show-round input").check()
    page.locator(".show-round .main").click()
    link = page.locator(".show-round a")
    expect(link).to_be_visible(timeout=TIMEOUT)
    page.wait_for_function(PAINTED, timeout=TIMEOUT)
    return link.get_attribute("href") or ""


def save(page: Page, folder: Path) -> bytes:
    """Save the picture; return its file."""
    with page.expect_download() as waiting:
        page.locator(".show-round .save").click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path.read_bytes()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_stranger_sees_a_round_without_names_step_by_step_with_its_proof(
    table, invite, tmp_path: Path, ruleset: str
) -> None:
    """Nothing on the page names who played; the badge is green and the link to the verify page leads there."""
    lan, stranger = invite("Lan Anh", language="en"), invite("", language="en")
    lan.host(table.url, ruleset, bots=2)
    number = lan.deal()
    finish(lan, ruleset)
    nets = lan.nets()
    link = share(lan, has_names=False)
    picture = save(lan.page, tmp_path)
    assert picture.startswith(b"\x89PNG")
    wide, high = struct.unpack(">II", picture[16:24])
    assert (wide, high) == (1080, 150 + 250 * (len(nets) + (ruleset == RULESETS[2])) + 230)
    page = stranger.page
    page.goto(link)
    expect(page.locator(".result li[data-net]")).to_have_count(len(nets), timeout=TIMEOUT)
    shown = {int(one.get_attribute("data-net") or "") for one in page.locator(".result li[data-net]").all()}
    assert shown == set(nets.values())
    stranger.expect_verified()
    content = page.content()
    assert "Lan Anh" not in content
    assert not [name for name in nets if name in content]
    assert re.search(r"Seat \d", page.locator(".result").inner_text())
    forward = page.locator(".steps .button").nth(1)
    while forward.is_enabled():
        forward.click()
    page.locator("main > p a").first.click()
    expect(page.locator("main .badge")).to_have_attribute("data-state", "VERIFIED", timeout=TIMEOUT)
    assert f"round={number}" in page.url
    expect(lan.page.locator(".room")).to_be_visible()


def test_link_with_names_has_them_and_its_maker_keeps_the_seat(table, invite) -> None:
    """The maker opens the link in a second tab of the same browser: the table is not taken over by it."""
    lan = invite("Lan Anh", language="en")
    lan.host(table.url, RULESETS[2], bots=1)
    lan.deal()
    finish(lan, RULESETS[2])
    link = share(lan, has_names=True)
    tab = lan.page.context.new_page()
    tab.goto(link)
    expect(tab.locator('.result li[data-name="Lan Anh"]')).to_be_visible(timeout=TIMEOUT)
    lan.page.keyboard.press("Escape")
    lan.get_ready()
    assert lan.wait_dealt(2) or lan.nets()


@pytest.mark.parametrize(("language", "said"), [("en", "no round at this link"), ("vi", "Không có ván nào")])
def test_link_that_was_never_made_says_so(table, invite, language: str, said: str) -> None:
    page = invite("", language=language).page
    page.goto(f"{table.url}?share={'0' * 8 + 'f' * 32}")
    over = {"en": "This link is over", "vi": "đã hết hạn"}
    expect(page.locator("[role=alert]")).to_contain_text(over[language], timeout=TIMEOUT)
    page.goto(f"{table.url}?share={'f' * 40}")
    expect(page.locator("[role=alert]")).to_contain_text(said, timeout=TIMEOUT)
