"""What every command loads before it does anything."""

import subprocess
import sys
from typing import Final

import pytest

from referee.cli.main import COMMANDS, load_command

HEAVY: Final = {"numpy", "scipy", "fsspec", "jinja2", "aiohttp", "psycopg", "opentelemetry"}


def test_help_loads_nothing_that_only_some_commands_need() -> None:
    """The names of all modules that the interpreter loads, as it reports them itself."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "referee", "--help"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "typer" in loaded
    assert loaded & HEAVY == set()


LOADED_BY: Final = """
import sys
from referee.cli import main
sys.argv = ["referee", "rulesets", "list"]
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


def test_a_command_loads_only_its_own_module() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED_BY], capture_output=True, text=True, timeout=120, check=True)
    loaded = set(done.stderr.split())
    assert "referee.cli.rulesets" in loaded
    assert loaded & {"referee.cli.serve", "referee.cli.audit", "grpc", "sqlalchemy", "numpy"} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_each_command_with_its_own_first_line(name: str) -> None:
    assert COMMANDS[name].help == load_command(name).get_short_help_str(400)
