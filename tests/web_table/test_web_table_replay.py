"""The replay of a finished round says who led where somebody did, and has no word for what is not there."""

import re
from typing import Final

import pytest
from playwright.sync_api import expect

from tests.web_table.web_table_guest import TIMEOUT, Guest
from tests.web_table.web_table_stage import Stage, example

pytestmark = pytest.mark.slow("drives a browser")

GAMES: Final = ("mau_binh", "mau_binh.sealed", "tien_len", "ultimate_texas", "ultimate_texas.sealed")
NOTHING: Final = re.compile(r"null|undefined|NaN|#\d|\{")
"""What a text has where a value was missing."""
LEADS: Final = {"en": "leads", "vi": "đi trước"}


@pytest.mark.parametrize("language", ["en", "vi"])
@pytest.mark.parametrize("game", GAMES)
def test_each_step_of_a_replay_names_who_did_it(table, invite, game: str, language: str) -> None:
    guest: Guest = invite("Lan", language=language)
    page = guest.page
    replay = example(f"done.{game}.replay")["result"]
    stage = Stage(page, example(f"view.{game}.last"))
    stage.answers |= {
        "history": lambda _command: {"rounds": [stage.first["last"]]},
        "replay": lambda _command: replay,
    }
    guest.enter(table.url)
    page.locator("nav .button").nth(2).click()
    page.locator("dialog li .button").first.click()
    event = page.locator("dialog .event")
    expect(event).to_be_visible(timeout=TIMEOUT)
    first = event.inner_text()
    assert (LEADS[language] in first) == (game == "tien_len"), first
    forward = page.locator("dialog .steps .button").nth(1)
    texts = [first]
    for _ in replay["events"]:
        forward.click()
        texts.append(event.inner_text())
    assert len(texts) == len(replay["events"]) + 1
    assert [text for text in texts if NOTHING.search(text)] == []
