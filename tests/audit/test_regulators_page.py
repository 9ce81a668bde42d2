"""The page of what supervisors ask: made from its rows, whose tests and commands exist."""

import json
import shlex
import shutil
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cli.main import COMMANDS, load_command
from tests.audit.regulators import STATUSES, page, rows
from tests.command import referee
from tests.demo_log import DemoLog

ROOT: Final = Path(__file__).parents[2]
RULESET: Final = "ultimate_texas.casino"
UNRUN: Final = {
    "referee serve --data FOLDER": "serves until it is stopped",
    "referee serve --metrics 127.0.0.1:9090": "serves until it is stopped",
    "referee fairness-report": "deals for an hour",
    "referee-table": "serves until it is stopped, and belongs to another package",
}
"""Commands that a test of this page does not run, with the reason."""


def test_page_is_made_from_its_rows():
    """Renew it by ``python -m tests.audit.regulators > referee/audit/REGULATORS.md``."""
    assert (ROOT / "referee" / "audit" / "REGULATORS.md").read_text("utf-8") == page()


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["need"][:40])
def test_row_names_tests_and_a_command_that_exist(row: dict[str, Any]):
    assert row["status"] in STATUSES
    assert row["tests"]
    for name in row["tests"]:
        place = ROOT / name
        assert list(place.rglob("test_*.py")) if place.is_dir() else place.is_file(), name
    assert bool(row["command"]) == (row["status"] != "NOT")
    if row["command"]:
        program, *words = shlex.split(row["command"])
        assert program in {"referee", "referee-table"}
        assert program == "referee-table" or words[0] in COMMANDS
        options = [word for word in words if word.startswith("--")]
        assert not options or set(options) <= _options(words)


def test_commands_that_are_not_run_are_named_with_their_reason():
    for command, reason in UNRUN.items():
        print(f"{command}: {reason}")  # noqa: T201 - the reason is the point
    assert set(UNRUN) <= {row["command"] for row in rows()}


@pytest.fixture(scope="module")
def place(demo_log: DemoLog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the demo's log, and write a backup of it and a bundle of one round beside it."""
    folder = tmp_path_factory.mktemp("rows")
    shutil.copytree(demo_log.data, folder / "data")
    assert referee("backup", folder / "backup", "--data", folder / "data").returncode == 0
    table = tables_of(folder / "data")[0]
    assert referee("export", table, 1, "--data", folder / "data", "--out", folder / "round.json").returncode == 0
    (folder / "table").write_text(table, encoding="utf-8")
    return folder


def tables_of(data: Path) -> list[str]:
    """Return the tables of a log, by its audit."""
    found = json.loads(referee("audit", "--data", data, "--json").stdout)
    return sorted(found["tables"])


@pytest.mark.parametrize("command", sorted({row["command"] for row in rows()} - {"", *UNRUN}))
def test_command_of_a_row_runs_on_the_demos_log(command: str, place: Path, tmp_path: Path):
    """It ends with 0; `audit --installed` with 1 in a checkout, whose files no START names."""
    data = place / "data"
    values: dict[str, list[object]] = {
        "PLACE": [data],
        "TABLE": [(place / "table").read_text("utf-8")],
        "NUMBER": [1],
        "RULESET": [RULESET],
        "BUNDLE": [place / "round.json", *_keys(data)],
        "FILE": [place / "backup" if "restore" in command else tmp_path / "backup"],
        "FOLDER": [tmp_path / "new" if "--out" in command or "restore" in command else data],
    }
    words = [word for text in shlex.split(command)[1:] for word in values.get(text, [text])]
    done = referee(*words)
    is_checkout = "--installed" in words and "editable" in done.stdout
    assert done.returncode == is_checkout, done.stdout + done.stderr


def _keys(data: Path) -> list[str]:
    names = ("log", "root")
    return [text for name in names for text in (f"--{name}-key", (data / "keys" / f"{name}.pub").read_text().strip())]


def _options(words: list[str]) -> set[str]:
    """Return the options of a command, or of its subcommand."""
    command = load_command(words[0])
    command = getattr(command, "commands", {}).get(words[1], command)
    return {option for parameter in command.params for option in parameter.opts}
