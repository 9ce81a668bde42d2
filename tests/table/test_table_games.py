"""A game of the table server is a folder with one registration; no other module names a game."""

import re
from pathlib import Path
from typing import Final

import referee_table
from referee_table.games import GAMES
from referee_table.reading import commands

from referee import games

SRC: Final = Path(referee_table.__file__).parent
NAMES: Final = {
    "mau_binh": r"mau[_ ]?binh|mậu binh",
    "tien_len": r"tien[_ ]?len|tiến lên",
    "ultimate_texas": r"ultimate[_ ]?texas|texas|hold'em",
}
LIST: Final = "games.py"
"""The one module that lists the folders."""


def named_games(text: str) -> set[str]:
    """Return the games that a module names, in any spelling."""
    return {game for game, names in NAMES.items() if re.search(names, text, re.IGNORECASE)}


def test_each_game_of_the_referee_has_a_folder_with_a_registration() -> None:
    folders = {path.parent.name for path in SRC.glob("*/game.py")}
    assert folders == set(GAMES) == set(NAMES) == set(games.GAMES)


def test_no_module_outside_its_folder_names_a_game() -> None:
    modules = [path for path in SRC.glob("*.py") if path.name != LIST]
    assert len(modules) > 30
    assert {path.name: names for path in modules if (names := named_games(path.read_text("utf-8")))} == {}


def test_no_game_names_another() -> None:
    modules = [path for folder in GAMES for path in (SRC / folder).glob("*.py")]
    assert len(modules) >= 4 * len(GAMES)
    naming = {
        str(path.relative_to(SRC)): others
        for path in modules
        if (others := named_games(path.read_text("utf-8")) - {path.parent.name})
    }
    assert naming == {}


def test_a_name_is_found_in_every_spelling() -> None:
    assert named_games("MauBinhPlay of Mậu Binh") == {"mau_binh"}
    assert named_games("a round of Hold'em") == {"ultimate_texas"}
    assert named_games("a round") == set()


def test_commands_have_one_tag_each() -> None:
    tags = [str(one.__struct_config__.tag) for one in commands()]
    assert len(tags) == len(set(tags)) > 20
