"""Words of the table: one glossary for all games, rules written from a ruleset's data, and names that do not break."""

import itertools
import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from referee_table.games import GAMES
from referee_table.glossary import SHARED, Glossary, entry, named, terms
from referee_table.instant import groups_of
from referee_table.laws import Law
from referee_table.names import MOST_CHARACTERS, clean_name, is_changed
from referee_table.rulebook import difference, rules_of

from referee.cards import DECK, parse_cards
from referee.games.mau_binh.instant_win import patterns_of
from tests.randomness import random_from

FOLDER = Path(__file__).parents[2] / "referee" / "rulesets"
DATA = {path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
RULESETS = sorted(DATA)


def law(data: Mapping[str, Any]) -> Law:
    """Return a law of a ruleset's data, without a referee."""
    shown = {"title": data["title"], "names": named(GAMES[data["game"]].glossary, data["names"])}
    return Law(data["id"], data["game"], data["bet_unit"], 2, 4, data, shown)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_name_of_a_ruleset_is_in_the_glossary(ruleset: str) -> None:
    """By its code: spelled alike, or listed as a spelling that the glossary's replaces."""
    data = DATA[ruleset]
    assert data["names"]
    for table, names in data["names"].items():
        for code, given in names.items():
            found = entry(GAMES[data["game"]].glossary, table, code)
            assert found is not None, f"{data['game']}.{table}.{code}"
            known = {found["vi"], found["en"], *found.get("also", ())}
            assert set(given.values()) <= known, f"{table}.{code}: {given} is not among {sorted(known)}"


def codes_of(glossary: Glossary) -> set[tuple[str, str]]:
    """Return the tables and codes of a glossary, without its terms."""
    return {(table, code) for table, words in glossary.items() if table != "terms" for code in words}


def test_glossary_has_no_code_that_no_ruleset_has() -> None:
    """A game's glossary has codes of its rulesets, and the shared one such as two games have; none is in both."""
    games: dict[tuple[str, str], set[str]] = {}
    for data in DATA.values():
        for table, names in data["names"].items():
            for code in names:
                games.setdefault((table, code), set()).add(data["game"])
    shared = codes_of(SHARED)
    assert [code for code in shared if len(games.get(code, ())) < 2] == []
    for game in {data["game"] for data in DATA.values()}:
        own = codes_of(GAMES[game].glossary)
        assert [code for code in own if game not in games.get(code, ()) or code in shared] == []


def test_one_spelling_for_each_hand_of_all_games() -> None:
    """What drifted: cù lũ, thùng and thú are the same in Mậu Binh and in Ultimate Texas."""
    words = {name: law(data).shown["names"] for name, data in DATA.items()}
    categories = [names["category"] for names in words.values() if "category" in names]
    assert len(categories) == 5
    for code, vi in (("FULL_HOUSE", "cù lũ"), ("FLUSH", "thùng"), ("TWO_PAIR", "thú"), ("PAIR", "đôi")):
        assert {one[code]["vi"] for one in categories} == {vi}
    chi = [names["chi"]["BACK"]["vi"] for names in words.values() if "chi" in names]
    assert set(chi) == {"chi đầu"}


def test_house_names_that_the_glossary_does_not_know_stay() -> None:
    given = {"category": {"FLUSH": {"vi": "cùng màu", "en": "flush"}, "PAIR": {"vi": "một đôi", "en": "pair"}}}
    assert named(GAMES["mau_binh"].glossary, given)["category"] == {
        "FLUSH": {"vi": "cùng màu", "en": "flush"},
        "PAIR": {"vi": "đôi", "en": "pair"},
    }


def test_every_term_is_explained_in_both_languages() -> None:
    for game, codes in (("mau_binh", {"FOUL", "SWEEP", "STAKE"}), ("tien_len", {"CHOP", "THOI", "STAKE"})):
        assert codes <= terms(game, GAMES[game].glossary).keys()
    for code, term in SHARED["terms"].items():
        assert len(term["games"]) > 1, code
    for game in {data["game"] for data in DATA.values()}:
        for code, term in terms(game, GAMES[game].glossary).items():
            assert all(term["means"][language] for language in ("vi", "en")), code


@pytest.mark.parametrize("ruleset", RULESETS)
def test_rules_show_every_number_of_the_ruleset(ruleset: str) -> None:
    """Each price, value and odds of the data is in a row; nothing has to be known of the ruleset beforehand."""
    data = DATA[ruleset]
    rules = rules_of(law(data))
    written = [row["value"]["en"] for section in rules["sections"] for row in section["rows"]]
    units = [one["units"] for one in [*data.get("instant_wins", ()), *data.get("values", {}).get("special", ())]]
    prices = [
        value
        for name in ("chop_prices", "leftover_prices")
        for value in data.get(name, {}).values()
        if type(value) is int
    ]
    odds = [one["odds"].replace("/", " : ") for name in ("blind", "trips") for one in data.get(name, ())]
    expected = [f"{one} stake" if one == 1 else f"{one} stakes" for one in units + prices] + odds
    assert expected
    for one in set(expected):
        assert written.count(one) >= expected.count(one), one
    assert all(set(row["label"]) == {"vi", "en"} for section in rules["sections"] for row in section["rows"])
    assert "quote" not in json.dumps(rules)


def test_house_variant_is_written_from_its_own_data() -> None:
    data = json.loads(json.dumps(DATA["mau_binh.classic"]))
    data["sweep"], data["foul"] = {"kind": "NONE"}, {"kind": "LOSES_CHI"}
    data["instant_wins"][0]["units"] = 77
    sections = {one["code"]: one["rows"] for one in rules_of(law(data))["sections"]}
    assert "77 stakes" in [row["value"]["en"] for row in sections["INSTANT_WINS"]]
    assert "no sweep" in [row["value"]["en"] for row in sections["SWEEPS"]]


def test_sentences_of_the_three_mau_binh_rulesets_differ() -> None:
    alike = [data for data in DATA.values() if data["game"] == "mau_binh"]
    sentences = [difference(data, alike) for data in alike]
    assert len(alike) == 3
    for language in ("vi", "en"):
        assert len({one[language] for one in sentences if one}) == 3
    assert all(difference(data, [data]) for data in DATA.values())


def test_hand_that_wins_at_the_deal_is_grouped_into_what_makes_it() -> None:
    """Random hands of the patterns with groups, found by the law; each group is what it is shown as."""
    shuffled = random_from(15)
    deck, found = [card.text for card in DECK], dict.fromkeys(("THREE_FLUSHES", "SIX_PAIRS", "THREE_STRAIGHTS"), 0)
    for _ in range(60_000):
        cards = shuffled.sample(deck, 13)
        for pattern in patterns_of(parse_cards(" ".join(cards))):
            groups = groups_of(pattern.value, cards)
            assert sorted(itertools.chain(*groups)) == sorted(cards)
            if pattern.value == "THREE_FLUSHES":
                assert [len(group) for group in groups] == [5, 5, 3]
                assert all(len({card[1] for card in group}) == 1 for group in groups)
            if pattern.value == "SIX_PAIRS":
                assert all(len({card[0] for card in group}) == 1 for group in groups)
            if pattern.value in found:
                found[pattern.value] += 1
    assert found["THREE_FLUSHES"] > 100
    assert found["SIX_PAIRS"] > 50


def test_three_straights_are_found_with_the_ace_low_and_high() -> None:
    cards = ["AS", "2D", "3C", "4H", "5S", "TD", "JC", "QH", "KS", "AD", "AC", "2C", "3D"]
    groups = groups_of("THREE_STRAIGHTS", cards)
    assert [sorted(card[0] for card in group) for group in groups[2:]] == [["2", "3", "A"]]
    assert {len(group) for group in groups} == {5, 3}


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("👩‍👩‍👧‍👦 Nhà", "👩‍👩‍👧‍👦 Nhà"),
        ("🇻🇳🇻🇳", "🇻🇳🇻🇳"),
        ("👍🏽!", "👍🏽!"),
        ("Nguye\u0302\u0303n", "Nguyễn"),
        ("a\u202eb\u2066c\u200bd", "abcd"),
        ("a\u200db", "ab"),
        ("\u0301\u0302An", "An"),
        ("\x1b[31mAn\x07", "[31mAn"),
    ],
)
def test_names_keep_emoji_and_lose_controls(typed: str, name: str) -> None:
    assert clean_name(typed) == name


def test_long_names_are_cut() -> None:
    """No joiner is left at the end, and piled-up marks are cut to a few."""
    family = "👩‍👩‍👧‍👦"
    assert len(clean_name(family * 30)) <= MOST_CHARACTERS
    assert not clean_name(family * 30).endswith("\u200d")
    assert is_changed(family * 30, clean_name(family * 30))
    assert len(clean_name("a" + "\u0336" * 200)) <= 6
