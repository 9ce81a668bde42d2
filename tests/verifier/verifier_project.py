"""The verifier's folder, and commands in it."""

import subprocess
from pathlib import Path
from typing import Final

PROJECT: Final = Path(__file__).parents[2] / "clients" / "verifier"
SECONDS: Final = 240


def run(*command: str, told: str = "") -> subprocess.CompletedProcess[str]:
    """A command of the project's folder, with its output."""
    return subprocess.run(
        command, cwd=PROJECT, input=told, capture_output=True, text=True, timeout=SECONDS, check=False
    )
