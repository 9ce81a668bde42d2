"""The JSON Schema and the page of fields say what the loader does."""

import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from referee.cli.main import app
from referee.games import GAMES
from referee.rulesets import Ruleset, load_builtin
from referee.rulesets.catalogue import EXAMPLES
from referee.rulesets.reference import field_page, json_schema

PAGE = Path(__file__).parents[2] / "referee" / "rulesets" / "FIELDS.md"
BUILTIN = [pytest.param(ruleset, id=ruleset.id) for ruleset in load_builtin()]


@pytest.mark.parametrize("ruleset", BUILTIN)
def test_a_shipped_ruleset_meets_the_json_schema_of_its_game(ruleset: Ruleset) -> None:
    schema = json_schema(ruleset.game)
    jsonschema.Draft202012Validator.check_schema(schema)
    data = tomllib.loads(ruleset.source.decode())
    jsonschema.validate(data, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**data, "bet_unit": 0}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**data, "colour": "red"}, schema)


def test_the_page_of_fields_is_the_one_that_the_types_give() -> None:
    """Otherwise run: referee rulesets fields > referee/rulesets/FIELDS.md."""
    builtin = [game for game in GAMES if any(ruleset.game == game for ruleset in load_builtin())]
    assert PAGE.read_text(encoding="utf-8") == field_page(builtin)


@pytest.mark.parametrize("command", ["schema", "fields"])
def test_a_game_that_does_not_exist_lists_the_ones_that_do(command: str) -> None:
    answered = CliRunner().invoke(app, ["rulesets", command, "whist"])
    assert answered.exit_code != 0
    assert all(game in answered.output.replace("\n", " ") for game in GAMES)


def test_check_prints_in_how_many_of_100_hands_an_allowed_fault_pays(tmp_path: Path) -> None:
    """The classic sheet's flat foul: as the table of best play has it, in one or two hands, at any number of seats."""
    builtin = load_builtin().get("mau_binh.classic").source.decode()
    (tmp_path / "builtin.toml").write_text(builtin, "utf-8")
    text = (EXAMPLES / "mau_binh.house_example.toml").read_text("utf-8")
    before, _, after = text.partition('kind = "MULTIPLIED"\n')
    without = before + 'kind = "NONE"\n' + after.split("\n", 2)[2]
    lines = [line for line in without.split("\n") if not line.startswith(("WINNER_SWEEP =", "COMPENSATION ="))]
    (tmp_path / "house.toml").write_text("\n".join(lines), "utf-8")
    answered = CliRunner().invoke(app, ["rulesets", "check", str(tmp_path)])
    assert answered.exit_code == 0, answered.output
    said = re.findall(
        r"mau_binh\.house_example: at ([234]) seats a foul on purpose pays in ([0-9.]+) of 100 hands, by the words of"
        r" foul\.allowed_by",
        " ".join(answered.output.split()),
    )
    assert [seats for seats, _ in said] == ["2", "3", "4"]
    assert all(0.5 <= float(count) <= 3 for _, count in said), said


def test_check_reports_every_fault_of_every_file(tmp_path: Path) -> None:
    source = load_builtin().get("tien_len.mien_nam").source.decode().replace("tien_len.mien_nam", "tien_len.house")
    (tmp_path / "a.toml").write_text(source.replace("minimum = 2", "minimum = 1").replace("units = 9", "units = -9"))
    (tmp_path / "b.toml").write_text(source.replace('chain = "LAST_', 'chain = "FIRST_'))
    answered = CliRunner().invoke(app, ["rulesets", "check", str(tmp_path)])
    text = " ".join(answered.output.split())
    assert answered.exit_code != 0
    assert text.count("a.toml, line") == 2
    assert "write one of LAST_VICTIM_PAYS_ALL, EACH_VICTIM_PAYS" in text
