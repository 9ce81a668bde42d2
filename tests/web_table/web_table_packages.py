"""The page's pinned packages, installed for whoever needs them."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

WEB: Final = Path(__file__).parents[2] / "clients" / "web"


def installed(what: str) -> str:
    """The path of npm, once the packages are there; skips, saying what is not done, where that cannot be."""
    found = shutil.which("npm")
    if found is None or shutil.which("node") is None:
        pytest.skip(f"{what}: node is not on the path")
    if not (WEB / "node_modules" / ".package-lock.json").exists():
        done = run(found, "ci", "--no-audit")
        if done.returncode:
            pytest.skip(f"{what}: npm ci failed: {done.stderr.strip()[-300:]}")
    return found


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """A command of the project's folder, with its output."""
    return subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=280, check=False)
