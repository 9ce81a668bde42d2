"""The page of what supervisors ask: made from its rows, whose tests and commands exist."""

import shlex
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cli.main import COMMANDS, load_command
from tests.audit.regulators import STATUSES, page, rows

ROOT: Final = Path(__file__).parents[2]


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


def _options(words: list[str]) -> set[str]:
    """Return the options of a command, or of its subcommand."""
    command = load_command(words[0])
    command = getattr(command, "commands", {}).get(words[1], command)
    return {option for parameter in command.params for option in parameter.opts}
