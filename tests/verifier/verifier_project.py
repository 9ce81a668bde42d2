"""The verifier's folder, and commands in it."""

import subprocess
from pathlib import Path
from typing import Final

from tests import node_project

PROJECT: Final = Path(__file__).parents[2] / "clients" / "verifier"
SECONDS: Final = 240


def run(*command: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command of the project's folder and return its output."""
    return node_project.run(PROJECT, *command, stdin=stdin)
