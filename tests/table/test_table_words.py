"""Words of the table: one glossary for all games, and no game named elsewhere."""

import itertools
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import referee_table
from referee_table.games import GAMES
from referee_table.law import Law, entry, named
from referee_table.words import SHARED, read_words, with_names

from referee import games

SRC: Final = Path(referee_table.__file__).parent
FOLDER: Final = Path(__file__).parents[2] / "referee" / "rulesets"
DATA: Final = {path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
WORDS: Final = {game: read_words(SRC / game) for game in GAMES}
SPELLINGS: Final = {
    "mau_binh": r"mau[_ ]?binh|mậu binh",
    "tien_len": r"tien[_ ]?len|tiến lên",
    "ultimate_texas": r"ultimate[_ ]?texas|texas|hold'em",
}


def named_games(text: str) -> set[str]:
    """Return the games that a source names, in any spelling."""
    return {game for game, names in SPELLINGS.items() if re.search(names, text, re.IGNORECASE)}


def law(data: Mapping[str, Any]) -> Law:
    """Return a law of a ruleset's data, without a referee."""
    words = WORDS[data["game"]]
    return Law(
        data["id"], data["game"], data["bet_unit"], 2, 4, b"", data, words, {"names": named(words, data["names"])}
    )


def test_no_module_outside_its_folder_names_a_game() -> None:
    """Each game of the referee is a folder with one play, which one module lists."""
    assert {path.parent.name for path in SRC.glob("*/play.py")} == set(GAMES) == set(SPELLINGS) == set(games.GAMES)
    modules = [path for path in SRC.rglob("*.py") if path.name != "games.py"]
    assert len(modules) > 30
    for path in modules:
        assert named_games(path.read_text("utf-8")) <= {path.parent.name}, path


def test_every_name_of_a_ruleset_is_in_the_words_and_no_other() -> None:
    """By its code: spelled alike, or listed as a spelling that is replaced; shared are the codes of two games."""
    users: dict[tuple[str, str], set[str]] = {}
    for data in DATA.values():
        for table, names in data["names"].items():
            for code, given in names.items():
                users.setdefault((table, code), set()).add(data["game"])
                found = entry(WORDS[data["game"]], table, code)
                assert found is not None, f"{data['game']}.{table}.{code}"
                known = {found["vi"], found["en"], *found.get("also", ())}
                assert set(given.values()) <= known, (table, code, given)
    tables = {table for table, _ in users}
    for game, words in {"": SHARED, **WORDS}.items():
        for table in tables & words.keys():
            for code in words[table]:
                using = users.get((table, code), set())
                assert len(using) > 1 if not game else game in using, (game, table, code)
                assert not game or code not in SHARED.get(table, {}), (game, table, code)


def test_one_spelling_for_each_hand_of_all_games_but_what_a_house_invented() -> None:
    """What drifted: cù lũ, thùng and thú are the same in Mậu Binh and in Ultimate Texas."""
    words = [law(data).shown["names"] for data in DATA.values()]
    categories = [names["category"] for names in words if "category" in names]
    assert len(categories) == 5
    for code, vi in (("FULL_HOUSE", "cù lũ"), ("FLUSH", "thùng"), ("TWO_PAIR", "thú"), ("PAIR", "đôi")):
        assert {one[code]["vi"] for one in categories} == {vi}
    assert {names["chi"]["BACK"]["vi"] for names in words if "chi" in names} == {"chi đầu"}
    own, usual = {"vi": "cùng màu", "en": "flush"}, {"vi": "một đôi", "en": "pair"}
    shown = named(WORDS["mau_binh"], {"category": {"FLUSH": own, "PAIR": usual}})["category"]
    assert shown == {"FLUSH": own, "PAIR": usual | {"vi": "đôi"}}


def test_chi_in_words_of_the_referee_are_called_as_the_page_calls_them() -> None:
    text = {"vi": "Binh lủng: chi 2 mạnh hơn chi 1.", "en": "Foul: the middle is stronger than the back."}
    spelled = law(DATA["mau_binh.classic"]).respelled(text)
    assert spelled == text | {"vi": "Binh lủng: chi giữa mạnh hơn chi đầu."}


def test_no_text_of_the_referee_names_a_seat_by_its_number() -> None:
    """Of all words that a page can be sent."""
    kinds = [tomllib.loads(path.read_text("utf-8")).values() for path in sorted(FOLDER.glob("texts/*.toml"))]
    words = [
        text[language] for table in itertools.chain(*kinds) for text in table.values() for language in ("vi", "en")
    ]
    said = [with_names(one.replace("{seat}", "1"), ["An", "Lan"]) for one in words]
    assert [one for one in said if re.search(r"(ghế|seat|chỗ)s? 1\b", one, re.IGNORECASE)] == []
    assert sum("Lan" in one for one in said) > 20
