"""The page of what fits says what the interface of a game can do, and a reader of the README finds it."""

import inspect
import re
from dataclasses import fields
from pathlib import Path
from typing import Final

import pytest

from referee import games
from referee.cards import DECK
from referee.dealing.header import MAX_SEATS
from referee.games import GAMES, Game, Layout
from referee.games.game import LaterCards

ROOT: Final = Path(__file__).parents[2]
PAGE: Final = (ROOT / "referee" / "games" / "FITS.md").read_text(encoding="utf-8")
NAMES: Final = {
    *[field.name for kind in (Game, LaterCards) for field in fields(kind)],
    *inspect.signature(Layout.of).parameters,
    *vars(games),
    "LaterCards",
}
"""What an author finds in the interface."""


def test_readme_leads_to_the_page():
    assert "(referee/games/FITS.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_name_of_the_page_is_in_the_interface():
    named = re.findall(r"`([A-Za-z_]+)`", PAGE)
    assert len(named) > 5
    assert [name for name in named if name not in NAMES] == []


def test_every_game_of_the_referee_is_an_example_of_the_page():
    titles = [game.title for game in list(GAMES.values())[:3]]
    assert [title for title in titles if title not in PAGE] == []


def test_most_seats_and_cards_are_those_of_the_page():
    assert f"more than {MAX_SEATS} seats" in PAGE
    assert f"fewer than {len(DECK)} cards" in PAGE
    with pytest.raises(ValueError, match="cannot be dealt"):
        Layout.of(MAX_SEATS, hand_size=len(DECK) // MAX_SEATS + 1)
