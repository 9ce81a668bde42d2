"""What every command loads before it does anything."""

import subprocess
import sys
from typing import Final

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
