"""Words of the table: one glossary for all games, rules written from a ruleset's data, and no game named elsewhere."""

import itertools
import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import referee_table
from referee_table.games import GAMES
from referee_table.law import Law, entry, named
from referee_table.rulebook import difference
from referee_table.winners import groups_of
from referee_table.words import SHARED, read_words, with_names

from referee import games
from referee.cards import parse_cards
from referee.games.mau_binh.instant_win import patterns_of
from tests.randomness import random_from

SRC: Final = Path(referee_table.__file__).parent
FOLDER: Final = Path(__file__).parents[2] / "referee" / "rulesets"
EXAMPLES: Final = {path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("examples/*.toml"))}
DATA: Final = {path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
WORDS: Final = {game: read_words(SRC / game) for game in GAMES}
SPELLINGS: Final = {
    "mau_binh": r"mau[_ ]?binh|mậu binh",
    "tien_len": r"tien[_ ]?len|tiến lên",
    "ultimate_texas": r"ultimate[_ ]?texas|texas|hold'em",
}
KNOBS: Final = {
    "mau_binh": [
        "the house takes 5 % of what is won, rounded down, at most 2 stakes",
        "all three chi won from everybody: paid 2 times",
    ],
    "tien_len": [
        "no card played: 26 stakes, where that is more than the cards left",
        "a seat that left pays 2 times for cards left or the 3♠",
        "without one, who was dealt the lowest card, which the first play holds",
    ],
    "ultimate_texas": ["100 to 5000", "50 to 2500"],
}
"""What rules of the examples of a house say, by game."""


def named_games(text: str) -> set[str]:
    """Return the games that a source names, in any spelling."""
    return {game for game, names in SPELLINGS.items() if re.search(names, text, re.IGNORECASE)}


def law(data: Mapping[str, Any]) -> Law:
    """Return a law of a ruleset's data, without a referee."""
    words = WORDS[data["game"]]
    shown = {"title": data["title"], "names": named(words, data["names"])}
    return Law(data["id"], data["game"], data["bet_unit"], 2, 4, data, words, shown)


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


@pytest.mark.parametrize("data", [*DATA.values(), *EXAMPLES.values()], ids=[*DATA, *EXAMPLES])
def test_rules_show_every_number_of_the_ruleset_in_both_languages(data: dict[str, Any]) -> None:
    """Each price, value and odds of the data is in a row; terms are explained."""
    rules = law(data).rules()
    rows = [row for section in rules["sections"] for row in section["rows"]]
    written = [row["value"]["en"] for row in rows]
    units = [one["units"] for one in [*data.get("instant_wins", ()), *data.get("values", {}).get("special", ())]]
    tables = [data.get(name, {}).values() for name in ("chop_prices", "leftover_prices")]
    units += [value for table in tables for value in table if type(value) is int]
    odds = [one["odds"].replace("/", " : ") for name in ("blind", "trips") for one in data.get(name, ())]
    expected = [f"{one} stake" if one == 1 else f"{one} stakes" for one in units] + odds
    assert expected
    assert [one for one in set(expected) if written.count(one) < expected.count(one)] == []
    texts = [row["label"] for row in rows] + [row["value"] for row in rows if "cards" not in row]
    texts += [term["means"] for term in rules["terms"]]
    assert len(rules["terms"]) > 4
    assert all(text["vi"] and text["en"] for text in texts)
    assert "{" not in json.dumps([text["vi"] + text["en"] for text in texts])
    if data in EXAMPLES.values():
        assert [knob for knob in KNOBS[data["game"]] if not any(knob in one for one in written)] == []


def test_chi_in_words_of_the_referee_are_called_as_the_page_calls_them() -> None:
    text = {"vi": "Binh lủng: chi 2 mạnh hơn chi 1.", "en": "Foul: the middle is stronger than the back."}
    spelled = law(DATA["mau_binh.classic"]).respelled(text)
    assert spelled == text | {"vi": "Binh lủng: chi giữa mạnh hơn chi đầu."}


def test_house_variant_is_written_from_its_own_data() -> None:
    data = json.loads(json.dumps(DATA["mau_binh.classic"]))
    data["sweep"], data["foul"] = {"kind": "NONE"}, {"kind": "LOSES_CHI"}
    data["instant_wins"][0]["units"] = 77
    sections = {one["code"]: one["rows"] for one in law(data).rules()["sections"]}
    assert "77 stakes" in [row["value"]["en"] for row in sections["INSTANT_WINS"]]
    assert "no sweep" in [row["value"]["en"] for row in sections["SWEEPS"]]
    alike = [law(data).rulebook() for data in DATA.values() if data["game"] == "mau_binh"]
    sentences = [difference(one, alike) for one in alike]
    assert [len({one[language] for one in sentences}) for language in ("vi", "en")] == [3, 3]
    assert all(difference(one, [one])["en"] for one in alike)


@pytest.mark.parametrize(
    ("pattern", "hand", "groups"),
    [
        ("SIX_PAIRS", "AS AH KS KD 9C 9H 7S 7D 4C 4H 2S 2D JC", "AA KK 99 77 44 22 J"),
        ("THREE_FLUSHES", "AS KS 9S 7S 4S AH QH 8H 5H 2H JC TC 3C", "A9K74 AQ852 JT3"),
        ("THREE_STRAIGHTS", "AS 2D 3C 4H 5S TD JC QH KS AD AC 2C 3D", "A2345 TJQKA A23"),
    ],
)
def test_hand_that_wins_at_the_deal_is_grouped_into_what_makes_it(pattern: str, hand: str, groups: str) -> None:
    """Whatever the order of its cards; the law finds the pattern in it, and each group is what it is shown as."""
    cards, order = hand.split(), random_from(15)
    assert pattern in {found.value for found in patterns_of(parse_cards(hand))}
    for _ in range(20):
        order.shuffle(cards)
        shown = groups_of(pattern, cards)
        assert sorted(itertools.chain(*shown)) == sorted(cards)
        assert sorted(sorted(card[0] for card in group) for group in shown) == sorted(map(sorted, groups.split()))


def test_no_text_of_the_referee_names_a_seat_by_its_number() -> None:
    """Of all words that a page can be sent."""
    kinds = [tomllib.loads(path.read_text("utf-8")).values() for path in sorted(FOLDER.glob("texts/*.toml"))]
    words = [
        text[language] for table in itertools.chain(*kinds) for text in table.values() for language in ("vi", "en")
    ]
    said = [with_names(one.replace("{seat}", "1"), ["An", "Lan"]) for one in words]
    assert [one for one in said if re.search(r"(ghế|seat|chỗ)s? 1\b", one, re.IGNORECASE)] == []
    assert sum("Lan" in one for one in said) > 20
