"""The page's pinned packages, installed on first use."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests import node_project
from tests.node_project import install

WEB: Final = Path(__file__).parents[2] / "clients" / "web"


def installed(what: str) -> str:
    """Install the packages and return the path of npm; skip, saying what is not tested, if that is not possible."""
    if why := install(WEB):
        pytest.skip(f"{what}: {why}")
    return "npm"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the project's folder and return its output."""
    return node_project.run(WEB, *command)
