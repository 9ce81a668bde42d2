"""Where one lost: the result puts one's own choices beside the best, asks until they are there, and says why not."""

from typing import Any, Final

import pytest
from playwright.sync_api import Locator, expect

from tests.web_table.web_table_guest import TIMEOUT, Guest
from tests.web_table.web_table_stage import Stage, example

pytestmark = pytest.mark.slow("drives a browser")

QUESTIONS: Final = 3
"""How often the page has to ask."""
RIVER: Final = {
    "number": 8,
    "own": {"street": "RIVER", "decision": "FOLD"},
    "best": {"street": "RIVER", "decision": "PLAY_1X"},
    "cost_minor": 4500,
    "error_minor": 1,
}
PAIR: Final = {
    "number": 3,
    "own": {"action": "PASS", "reasons": []},
    "best": {
        "action": "PLAY",
        "kind": "PAIR",
        "name": {"vi": "đôi", "en": "pair"},
        "cards": ["8S", "8D"],
        "reasons": [],
    },
    "cost_minor": 250,
    "error_minor": 90,
}


def asked(guest: Guest, url: str, game: str, found: dict[str, Any]) -> tuple[Stage, Locator]:
    """Open the last round's review at a server that finds this after some questions."""
    view = example(f"view.{game}.last")
    stage = Stage(guest.page, view)

    def answer(_command: dict[str, Any]) -> dict[str, Any]:
        is_ready = stage.names().count("review") >= QUESTIONS
        return {"is_ready": True, **found} if is_ready else {"is_ready": False}

    stage.answers["review"] = answer
    guest.enter(url)
    lost = guest.page.locator(".result details").last
    expect(lost).to_be_visible(timeout=TIMEOUT)
    assert "review" not in stage.names()
    lost.locator("summary").click()
    return stage, lost


@pytest.mark.parametrize(
    ("game", "choice", "said"),
    [
        ("ultimate_texas", RIVER, (("Fold", "4,500 (4.5 stakes)"), 0)),
        ("tien_len", PAIR, (("Passes", "Pair", "250 (0.3 stakes)", "90"), 1)),
    ],
)
def test_choices_are_beside_the_best_with_what_they_cost(
    table, invite, game: str, choice: dict[str, Any], said: tuple[tuple[str, ...], int]
) -> None:
    """The page asks until the referee has looked; amounts are in money and in stakes of the room."""
    words, pictures = said
    guest = invite("Lan", language="en")
    other = choice | {"number": 1, "cost_minor": 100}
    found = {"valued": 3, "cost_minor": choice["cost_minor"] + 100, "choices": [choice, other]}
    stage, lost = asked(guest, table.url, game, found)
    expect(lost.locator("li")).to_have_count(2, timeout=TIMEOUT)
    assert stage.names().count("review") == QUESTIONS
    assert [one.get_attribute("data-cost") for one in lost.locator("li").all()] == [str(choice["cost_minor"]), "100"]
    first = lost.locator("li").first
    assert [one for one in words if one not in first.inner_text()] == []
    assert first.get_by_role("img").count() == pictures
    assert f"{found['cost_minor']:,}" in lost.inner_text()


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ({"valued": 2, "cost_minor": 0, "choices": []}, "none was worse than the best"),
        ({"valued": 0, "cost_minor": 0, "choices": []}, "no value for your choices"),
    ],
)
def test_no_fault_and_no_advice_are_two_things(table, invite, found: dict[str, Any], said: str) -> None:
    guest = invite("Lan", language="en")
    _, lost = asked(guest, table.url, "mau_binh", found)
    expect(lost.locator("[role=status]").first).to_contain_text(said, timeout=TIMEOUT)


def test_arrangements_are_drawn_whole_beside_each_other(table, invite) -> None:
    """Both have their three rows, front first, each with its name."""
    guest = invite("Lan", language="vi")
    suggestions = example("done.mau_binh.suggest")["result"]["suggestions"]
    choice = {"number": 2, "own": suggestions[1], "best": suggestions[0], "cost_minor": 900, "error_minor": 20}
    found = {"valued": 1, "cost_minor": 900, "choices": [choice]}
    _, lost = asked(guest, table.url, "mau_binh", found)
    expect(lost.locator("li .part")).to_have_count(6, timeout=TIMEOUT)
    names = [one.inner_text() for one in lost.locator("li .part small").all()]
    expected = [one["values"][at]["name"]["vi"] for one in (choice["own"], choice["best"]) for at in (2, 1, 0)]
    assert [name.casefold() for name in names] == [name.casefold() for name in expected]
