"""``referee odds``: what it prints, writes and refuses."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from referee.cli.main import app
from referee.games.ultimate_texas import UltimateTexasRules
from tests.builtin import rules_as


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["odds", *arguments], env={"COLUMNS": "200"})


@pytest.mark.parametrize(
    ("ruleset_id", "counted"), [("tien_len.mien_nam", "369,098,752"), ("mau_binh.classic", "5,680,540,008")]
)
def test_wins_at_the_deal_are_printed_for_people_and_programs(ruleset_id: str, counted: str):
    result = run(ruleset_id)
    assert (result.exit_code, counted in result.output) == (0, True)
    written = json.loads(run(ruleset_id, "--json").stdout)
    assert counted.replace(",", "") in {str(one["wins"]) for one in written["chances"]}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("mau_binh.nonesuch",), "nonesuch"),
        (("mau_binh.classic", "--svg", "picture.svg"), "Ultimate Texas"),
        (("tien_len.mien_nam", "--recount"), "Ultimate Texas"),
        (("ultimate_texas.casino", "--svg", "no/such/folder/odds.svg"), "No such file"),
    ],
)
def test_unanswerable_question_ends_with_2(arguments: tuple[str, ...], words: str):
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.output


def test_shipped_ruleset_shows_what_was_counted_when_the_release_was_made():
    from referee.lab.odds.ultimate_texas.figures import Figures  # noqa: PLC0415 - as below
    from referee.rulesets import get  # noqa: PLC0415 - as below

    figures = Figures.counted(rules_as(UltimateTexasRules, get("ultimate_texas.casino")))
    assert figures is not None
    result = run("ultimate_texas.casino")
    assert (result.exit_code, "--recount" in result.output, "2.184971 %" in result.output) == (0, True, True)
    assert run("ultimate_texas.casino", "--json").stdout.strip() == figures.write().decode()


@pytest.mark.exhaustive("counts every deal")
@pytest.mark.whole("until then the command's other games are counted and its refusals shown")
@pytest.mark.timeout(3600)
def test_house_ruleset_gets_a_table_that_a_server_reads(tmp_path: Path):
    """A paytable of one's own: a flush of the Blind at 2 to 1 in place of 3 to 2 is worth more to the seat."""
    from referee.advice.ultimate_texas.preflop import PreflopTables  # noqa: PLC0415 - no other test here waits for numpy
    from referee.lab.odds.ultimate_texas.figures import Figures  # noqa: PLC0415 - as above
    from referee.rulesets import get, load_folder  # noqa: PLC0415 - as above

    text = get("ultimate_texas.casino").source.decode().replace("ultimate_texas.casino", "ultimate_texas.house")
    (tmp_path / "house.toml").write_text(text.replace('odds = "3/2"', 'odds = "2/1"'), encoding="utf-8")
    folder = str(tmp_path)
    result = run(
        *("ultimate_texas.house", "--rulesets", folder, "--workers", "2", "--table", folder),
        *("--json", "--svg", str(tmp_path / "odds.svg")),
    )
    assert result.exit_code == 0
    rules = rules_as(UltimateTexasRules, load_folder(tmp_path).get("ultimate_texas.house"))
    assert PreflopTables.with_folder(tmp_path).table_for(rules) is not None
    casino = Figures.counted(rules_as(UltimateTexasRules, get("ultimate_texas.casino")))
    assert casino is not None
    assert 0 < Figures.read(result.stdout.strip().encode()).house_edge < casino.house_edge
    assert (tmp_path / "odds.svg").read_text(encoding="utf-8").startswith("<svg")
