"""The page's pinned packages, installed for whoever needs them."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests import node_project
from tests.node_project import install

WEB: Final = Path(__file__).parents[2] / "clients" / "web"


def installed(what: str) -> str:
    """The path of npm, once the packages are there; skips, saying what is not done, where that cannot be."""
    if why := install(WEB):
        pytest.skip(f"{what}: {why}")
    return "npm"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the project's folder and return its output."""
    return node_project.run(WEB, *command)
