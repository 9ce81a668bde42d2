"""A game of the page is a folder with one registration; no other source of the page names a game."""

import json
import re

from referee.games import GAMES
from tests.web_table.web_table_packages import WEB

SRC = WEB / "src"
TITLES = {"mau_binh": "mậu binh", "tien_len": "tiến lên", "ultimate_texas": "texas"}


def folders() -> set[str]:
    """Return the folders of the page that register a game."""
    return {path.parent.name for path in SRC.glob("*/game.ts")}


def named_games(text: str) -> set[str]:
    """Return the games that a source names, in any spelling: ``mau_binh``, ``MauBinh``, "Mậu Binh"."""
    plain = text.lower()
    return {
        game
        for game in folders()
        if any(name in plain for name in (game, game.replace("_", ""), game.replace("_", " "), TITLES[game]))
    }


def test_each_built_in_game_has_a_folder_with_a_registration() -> None:
    assert folders() == set(GAMES) == set(TITLES)


def test_no_source_names_a_game_but_those_of_its_own_folder() -> None:
    sources = [path for path in SRC.rglob("*") if path.is_file()]
    assert len(sources) > 80
    for path in sources:
        folder = path.relative_to(SRC).parts[0]
        assert named_games(path.read_text("utf-8")) <= {folder} & folders(), path


def test_a_name_is_found_in_every_spelling() -> None:
    for text in ("round.mau_binh", "MauBinhTable", "Mậu Binh", "the Mau Binh board"):
        assert named_games(text) == {"mau_binh"}, text
    assert named_games("a shelf of games") == set()


def test_files_beside_the_sources_name_no_game_and_the_built_page_names_each() -> None:
    """A game's folder brings its title; the build writes it where a page says what it is before its script runs."""
    for name in ("index.html", "public/manifest.json", "package.json", "vite.config.ts"):
        assert named_games((WEB / name).read_text("utf-8")) == set(), name
    titles = [json.loads((SRC / game / "title.json").read_text("utf-8"))["vi"] for game in sorted(folders())]
    for name in ("index.html", "manifest.json"):
        assert ", ".join(titles) in (WEB / "dist" / name).read_text("utf-8"), name


def test_sources_import_a_game_folder_through_its_registration_alone() -> None:
    """The list of games finds registrations by their place; nothing else reaches into a game's folder."""
    for path in [*SRC.rglob("*.ts"), *SRC.rglob("*.svelte")]:
        for folder in re.findall(r'from "\.{1,2}/(\w+)/', path.read_text("utf-8")):
            assert folder not in folders() or path.parent.name == folder, path
