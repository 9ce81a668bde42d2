"""Loading: nothing unknown, nothing missing, nothing hidden, and no two texts under one id and version."""

import hashlib
import re
import tomllib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.games import GAMES
from referee.rulesets import Ruleset, RulesetError, UnknownRulesetError, get, load_builtin, load_folder, parse_ruleset
from referee.rulesets.ruleset import RulesetHeader
from referee.rulesets.shape import spelled_out

BUILTIN = [pytest.param(ruleset, id=ruleset.id) for ruleset in load_builtin()]
CLASSIC = get("mau_binh.classic").source
SOURCES = re.compile(r"00[0-4]_[0-9a-f]{16}\.txt")


def own_tables(ruleset: Ruleset) -> dict[str, Any]:
    """Return a file's data without the keys that every game's rulesets have."""
    data = tomllib.loads(ruleset.source.decode())
    return {key: value for key, value in data.items() if key not in RulesetHeader.__struct_fields__}


def edited(old: str, new: str, *, source: bytes = CLASSIC) -> bytes:
    text = source.decode()
    assert text.count(old) >= 1
    return text.replace(old, new, 1).encode()


def tables_in(data: object) -> Iterator[dict[str, Any]]:
    """Yield all tables of parsed TOML, the whole first."""
    if isinstance(data, dict):
        yield data
    members = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    for member in list(members):
        yield from tables_in(member)


def refusal(source: bytes) -> RulesetError:
    with pytest.raises(RulesetError) as caught:
        parse_ruleset(source, file="house.toml")
    assert caught.value.file == "house.toml"
    return caught.value


@pytest.mark.parametrize("ruleset", BUILTIN)
def test_dumping_a_ruleset_gives_what_was_read(ruleset: Ruleset) -> None:
    """Header and rules written out again are the file's data, without a key more or less."""
    data = tomllib.loads(ruleset.source.decode())
    header = {key: data[key] for key in RulesetHeader.__struct_fields__}
    own = spelled_out(ruleset.rules, schema=data["schema"])
    assert isinstance(own, dict)
    dumped = header | msgspec.json.decode(msgspec.json.encode(own))
    assert data == dumped
    assert msgspec.json.decode(msgspec.json.encode({"title": ruleset.title, "names": ruleset.names})) == {
        "title": data["title"],
        "names": data["names"],
    }


@pytest.mark.parametrize("ruleset", BUILTIN)
def test_digest_is_the_sha256_of_the_file(ruleset: Ruleset) -> None:
    assert ruleset.digest == hashlib.sha256(ruleset.source).digest()
    assert load_builtin().of_digest(ruleset.digest) is ruleset


@pytest.mark.parametrize("ruleset", BUILTIN)
def test_every_key_is_needed(ruleset: Ruleset) -> None:
    """Without any one of its keys, at any depth, a file is no ruleset or another one; none has a default."""
    data = tomllib.loads(ruleset.source.decode())
    rules_type = GAMES[ruleset.game].rules_type
    own = own_tables(ruleset)
    paths = key_paths(own)
    assert len(paths) > 20
    for path in paths:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(without(own, path), rules_type)
    for key in RulesetHeader.__struct_fields__:
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(
                {name: data[name] for name in RulesetHeader.__struct_fields__ if name != key}, RulesetHeader
            )


@pytest.mark.parametrize("ruleset", BUILTIN)
def test_no_table_takes_another_key(ruleset: Ruleset) -> None:
    """The types refuse it by themselves, whatever is reported about a file before they read it."""
    own, rules_type = own_tables(ruleset), GAMES[ruleset.game].rules_type
    msgspec.convert(own, rules_type)
    tables = list(tables_in(own))
    assert len(tables) > 5
    for table in tables:
        table["more"] = 1
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(own, rules_type)
        del table["more"]


@pytest.mark.parametrize("ruleset", BUILTIN)
def test_every_payout_is_whole_at_one_bet_unit(ruleset: Ruleset) -> None:
    payouts = list(ruleset.rules.payouts)
    assert payouts
    assert all((Fraction(payout) * ruleset.bet_unit).denominator == 1 for payout in payouts)


@pytest.mark.parametrize("ruleset", BUILTIN)
def test_every_table_quotes_a_source_text(ruleset: Ruleset) -> None:
    data = tomllib.loads(ruleset.source.decode())
    quoted = [table for table in tables_in(data) if "source" in table]
    assert len(quoted) > 10
    assert all(SOURCES.fullmatch(str(table["source"])) and str(table["quote"]).strip() for table in quoted)


def test_builtin_rulesets_are_the_six() -> None:
    assert {ruleset.id: ruleset.version for ruleset in load_builtin()} == {
        "mau_binh.chi_2020": "1.0.0",
        "mau_binh.classic": "1.0.0",
        "mau_binh.maubinh_com": "1.0.0",
        "tien_len.mien_nam": "1.0.0",
        "ultimate_texas.casino": "1.0.0",
        "ultimate_texas.two_plus_three": "1.0.0",
    }


@pytest.mark.parametrize(
    ("old", "new", "line_of", "words"),
    [
        ("bet_unit = 1\n", "bet_unit = 1\nbet_units = 2\n", "bet_units = 2", "unknown field `bet_units`"),
        ("[foul]\n", '[foul]\ncolour = "red"\n', 'colour = "red"', "unknown field `colour`"),
        ("units = 5\n", "units = 5.0\n", "units = 5.0", "Expected `int`, got `float`"),
        ("units = 5\n", "units = -5\n", "units = -5", ">= 1"),
        (
            'category = "FULL_HOUSE"',
            'category = "FULLHOUSE"',
            'category = "FULLHOUSE"',
            "'FULLHOUSE' is not allowed; write one of HIGH_CARD, ",
        ),
        ('kind = "FLAT"', 'kind = "FLATTER"', 'kind = "FLATTER"', "FLATTER"),
        ('game = "mau_binh"', 'game = "whist"', 'game = "whist"', "unknown; known are mau_binh"),
        ('version = "1.0.0"', 'version = "1.0"', 'version = "1.0"', "matching regex"),
        ('version = "1.0.0"', 'version = "1.0.0\\n"', 'version = "1.0.0\\n"', "matching regex"),
        ('id = "mau_binh.classic"', 'id = "../classic"', 'id = "../classic"', "matching regex"),
        ("minimum = 2\n", "minimum = = 2\n", "minimum = = 2", "not TOML"),
        ('PAIR = { vi = "đôi", en = "pair" }\n', "", "[names.category]", "names lacks category.PAIR"),
        (
            "[names.walkover]\n",
            "[names.walkover]\nLATE = {vi='muộn', en='late'}\n",
            "LATE = {vi='muộn', en='late'}",
            "LATE",
        ),
        ('version = "1.0.0"\n', 'version = "1.0.0"\nversion = "1.0.0"\n', None, "not TOML"),
    ],
)
def test_bad_line_is_named(old: str, new: str, line_of: str | None, words: str) -> None:
    source = edited(old, new)
    error = refusal(source)
    assert words in error.reason
    if line_of is not None:
        assert error.line is not None
        assert source.decode().splitlines()[error.line - 1] == line_of
        assert str(error).startswith(f"house.toml, line {error.line}: ")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('game = "mau_binh"\n', "", "missing required field `game`"),
        ("place = 2\n", "place = 3\n", "from strong to weak"),
        ('pattern = "DRAGON"', 'pattern = "SUITED_DRAGON"', "more than once"),
        (
            'chi = "MIDDLE"\ncategory = "FOUR_OF_A_KIND"',
            'chi = "BACK"\ncategory = "FOUR_OF_A_KIND"',
            "names FOUR_OF_A_KIND in the BACK more than once",
        ),
        ('quote = "Số người chơi: 2 ~ 4 người"', 'quote = ""', "length >= 1"),
        ("maximum = 4", "maximum = 5", "<= 4"),
        ("minimum = 2\nmaximum = 4", "minimum = 4\nmaximum = 2", "more than seats.maximum"),
        ("shortest_seconds = 90", "shortest_seconds = 89", "89 to 3600 seconds, but its clocks need 90"),
        ('category = "FULL_HOUSE"', 'category = "FOUR_ACES"', "does not list"),
        ('chi = "MIDDLE"\ncategory = "FULL_HOUSE"', 'chi = "FRONT"\ncategory = "FULL_HOUSE"', "does not list"),
        ('  "STRAIGHT_FLUSH",\n]', "]", "does not list STRAIGHT_FLUSH"),
        ('vi = "đôi", en = "pair"', 'vi = "", en = "pair"', "length >= 1"),
        ('[four_aces_sweep]\nkind = "NONE"', '[four_aces_sweep]\nkind = "BACK_BECOMES_WORTH"\nunits = 80', "FOUR_ACES"),
    ],
)
def test_contradiction_is_refused(old: str, new: str, words: str) -> None:
    assert words in str(refusal(edited(old, new)))


def test_four_aces_sweep_must_be_worth_more() -> None:
    source = edited("units = 80", "units = 20", source=get("mau_binh.maubinh_com").source)
    assert "no more than FOUR_ACES are worth" in str(refusal(source))


def test_id_that_does_not_begin_with_its_game_is_refused() -> None:
    """A deal's layout and leader go by the id in the header, so it must name the game."""
    found = refusal(edited('id = "mau_binh.classic"', 'id = "tien_len.classic"'))
    assert "must begin with its game, mau_binh." in found.reason
    assert CLASSIC.decode().splitlines()[(found.line or 0) - 1].startswith("id = ")


def test_text_that_is_not_utf_8_is_refused() -> None:
    error = refusal(b'id = "a"\n# \xff\n')
    assert (error.reason, error.line) == ("not UTF-8 text", 2)


def test_unknown_ruleset_is_an_error() -> None:
    with pytest.raises(UnknownRulesetError, match=r"the id 'mau_binh\.none'"):
        get("mau_binh.none")
    with pytest.raises(UnknownRulesetError, match=r"version '9\.0\.0'"):
        get("mau_binh.classic", "9.0.0")
    with pytest.raises(UnknownRulesetError, match="digest 00"):
        load_builtin().of_digest(bytes(32))


def test_house_file_is_added_to_the_builtin_ones(tmp_path: Path) -> None:
    (tmp_path / "house.toml").write_bytes(edited("mau_binh.classic", "mau_binh.house"))
    (tmp_path / "notes.txt").write_text("not read")
    catalogue = load_folder(tmp_path)
    assert len(catalogue) == len(load_builtin()) + 1
    assert catalogue.get("mau_binh.house").rules == get("mau_binh.classic").rules
    assert catalogue.get("mau_binh.classic") is get("mau_binh.classic")


def test_latest_version_goes_by_numbers(tmp_path: Path) -> None:
    for version in ("1.2.0", "1.10.0"):
        (tmp_path / f"{version}.toml").write_bytes(edited('version = "1.0.0"', f'version = "{version}"'))
    catalogue = load_folder(tmp_path)
    assert catalogue.get("mau_binh.classic").version == "1.10.0"
    assert catalogue.get("mau_binh.classic", "1.0.0") is get("mau_binh.classic")
    assert [r.version for r in catalogue if r.id == "mau_binh.classic"] == ["1.0.0", "1.2.0", "1.10.0"]


def test_released_ruleset_cannot_change(tmp_path: Path) -> None:
    """Other bytes under a built-in id and version are refused, be it a comment; the same bytes are the same."""
    (tmp_path / "copy.toml").write_bytes(CLASSIC)
    assert len(load_folder(tmp_path)) == len(load_builtin())
    (tmp_path / "other.toml").write_bytes(CLASSIC + b"# a note\n")
    with pytest.raises(RulesetError, match=r"other\.toml, line 6: mau_binh\.classic 1\.0\.0 is already a built-in"):
        load_folder(tmp_path)


def test_two_house_files_cannot_share_an_identity(tmp_path: Path) -> None:
    house = edited("mau_binh.classic", "mau_binh.house")
    (tmp_path / "a.toml").write_bytes(house)
    (tmp_path / "b.toml").write_bytes(house + b"\n")
    with pytest.raises(RulesetError, match=r"b\.toml, line 6: mau_binh\.house 1\.0\.0 is already .*a\.toml"):
        load_folder(tmp_path)


def key_paths(data: object) -> list[tuple[object, ...]]:
    """Return the path of every key in tables, at any depth, through lists too."""
    if isinstance(data, dict):
        return [path for key, value in data.items() for path in [(key,), *((key, *rest) for rest in key_paths(value))]]
    if isinstance(data, list):
        return [(index, *rest) for index, value in enumerate(data) for rest in key_paths(value)]
    return []


def without(data: object, path: tuple[object, ...]) -> object:
    """Return the data without the key at a path."""
    first, *rest = path
    if isinstance(data, dict):
        if not rest:
            return {key: value for key, value in data.items() if key != first}
        return {key: without(value, tuple(rest)) if key == first else value for key, value in data.items()}
    assert isinstance(data, list)
    return [without(value, tuple(rest)) if index == first else value for index, value in enumerate(data)]
