"""The ``referee`` command run in this process: its output and exit code, without starting an interpreter each time."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog
from typer.testing import CliRunner

from referee.cli.main import app

PLAIN: Final[Mapping[str, str]] = {**os.environ, "COLUMNS": "160", "TERM": "dumb"}
"""Environment of a command whose output a test reads: a wide terminal without colours."""


@dataclass(frozen=True, slots=True)
class Done:
    """A command that ended; it has the fields of ``subprocess.CompletedProcess`` that tests read."""

    returncode: int
    stdout: str
    stderr: str


def referee(*arguments: object, **environment: str) -> Done:
    """Run the command on a wide plain terminal; an error that it does not handle is raised."""
    logging = structlog.get_config()
    try:
        ran = CliRunner().invoke(app, list(map(str, arguments)), env={**PLAIN, **environment}, catch_exceptions=False)
    finally:
        structlog.configure(**logging)
    return Done(ran.exit_code, ran.stdout, ran.stderr)


def refused(*arguments: object, **environment: str) -> str:
    """Run a command that is refused, with exit code 2; return what it says."""
    done = referee(*arguments, **environment)
    assert done.returncode == 2, done.stdout + done.stderr
    return done.stderr
