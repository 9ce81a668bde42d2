"""Faults of a file all at once, and fields that a later schema adds."""

from typing import Annotated

import msgspec
import pytest

from referee.games import GAMES
from referee.games.tables import since
from referee.rulesets import Ruleset, RulesetError, get, load_builtin, load_examples, parse_ruleset
from referee.rulesets import ruleset as reading
from referee.rulesets.shape import FileFault, faults_of, members_of, newest_schema, spelled_out
from tests.rulesets.growing import Bell, grown

CLASSIC = get("mau_binh.classic").source.decode()
EXAMPLES = load_examples()
BUILTIN = [pytest.param(ruleset, id=ruleset.id) for ruleset in load_builtin()]


class Clock(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of the first schema; ``warning`` came with the second, ``bell`` with the third."""

    seconds: Annotated[int, msgspec.Meta(ge=1, le=60)]
    warning: Annotated[int, msgspec.Meta(ge=0), since(2)] = 10
    bell: Annotated[Bell, since(3)] = Bell(seconds=5)


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table with another in it."""

    clocks: tuple[Clock, ...]
    name: str


def test_every_fault_of_a_file_is_reported_with_its_line() -> None:
    """Three mistakes far apart come together, in the order of lines."""
    source = CLASSIC.replace("seconds = 60", "seconds = 0", 1)
    source = source.replace('category = "FULL_HOUSE"', 'category = "FULLHOUSE"', 1)
    source = source.replace("bet_unit = 1", 'bet_unit = "one"', 1)
    with pytest.raises(RulesetError) as caught:
        parse_ruleset(source.encode(), file="house.toml")
    lines = source.splitlines()
    where = [lines[line - 1] for line, _ in caught.value.faults if line is not None]
    assert where == ['bet_unit = "one"', "seconds = 0", 'category = "FULLHOUSE"']
    assert str(caught.value).count("house.toml, line ") == len(where)


@pytest.mark.parametrize(
    ("data", "schema", "faults"),
    [
        ({"seconds": 30}, 1, []),
        ({"seconds": 30, "warning": 3}, 2, []),
        ({"seconds": 30, "warning": 3, "bell": {"seconds": 1}}, 3, []),
        ({"seconds": 30}, 2, [FileFault(("warning",), "missing required field `warning`")]),
        (
            {"seconds": 30, "warning": 3},
            1,
            [FileFault(("warning",), "field `warning` belongs to schema 2; this file says schema = 1")],
        ),
        (
            {"seconds": 30, "warning": 3, "bell": {"seconds": 0}},
            3,
            [FileFault(("bell", "seconds"), "Expected `int` >= 1, found 0")],
        ),
    ],
)
def test_a_field_belongs_to_its_schema_and_later_ones(
    data: dict[str, object], schema: int, faults: list[FileFault]
) -> None:
    assert faults_of(data, Clock, schema=schema) == faults


def test_an_older_file_means_the_default_and_is_written_without_the_field() -> None:
    data = {"clocks": [{"seconds": 30}], "name": "x"}
    assert faults_of(data, Table, schema=1) == []
    made = msgspec.convert(data, Table)
    assert made.clocks[0].warning == 10
    assert spelled_out(made, schema=1) == data
    assert spelled_out(made, schema=2) == {"clocks": [{"seconds": 30, "warning": 10}], "name": "x"}
    assert newest_schema(Table) == 3


@pytest.mark.parametrize("ruleset", BUILTIN)
def test_a_ruleset_keeps_its_digest_and_rules_when_its_game_gains_fields(
    ruleset: Ruleset, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field in the rules' own table and a whole new table: the shipped file means what it meant."""
    monkeypatch.setattr(reading, "GAMES", {ruleset.game: grown(GAMES[ruleset.game])})
    again = parse_ruleset(ruleset.source, file="shipped.toml")
    assert again.digest == ruleset.digest
    assert isinstance(ruleset.rules, msgspec.Struct)
    members = [member.name for member in members_of(type(ruleset.rules))]
    assert members
    assert [getattr(again.rules, name) for name in members] == [getattr(ruleset.rules, name) for name in members]
    example = next(one for one in EXAMPLES if one.game == ruleset.game and one.id.endswith("_example"))
    newest = newest_schema(type(example.rules))
    was, now = b"schema = %d" % newest, b"schema = %d" % (newest + 1)
    newer = example.source.replace(was, now, 1)
    with pytest.raises(RulesetError) as caught:
        parse_ruleset(newer, file="newer.toml")
    assert [reason for _, reason in caught.value.faults] == [
        "missing required field `bell`",
        "missing required field `gong`",
    ]
    assert parse_ruleset(newer.replace(now, now + b"\ngong = 1\nbell = { seconds = 2 }", 1), file="newer")


def test_a_schema_that_this_release_does_not_know_is_refused() -> None:
    source = CLASSIC.replace("schema = 1", "schema = 9", 1)
    with pytest.raises(RulesetError, match="schema 9 is unknown; this release reads 1 to 3"):
        parse_ruleset(source.encode(), file="house.toml")
