"""The verifier built from its sources in a folder of one's own, so that whoever else builds it is not in the way."""

import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

PROJECT: Final = Path(__file__).parents[2] / "clients" / "verifier"
SECONDS: Final = 240


def built_verifier(folder: Path) -> Path:
    """Build the verifier's command line in the folder; skip if Node, npm or its packages are missing.

    Packages that are installed whole beside the sources are used; otherwise they are installed in the folder.
    """
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            pytest.skip(f"the bundle is not given to the verifier: {tool} is not on the path")
    copy = folder / "verifier"
    shutil.copytree(PROJECT, copy, ignore=shutil.ignore_patterns("node_modules", "dist", "build"))
    if (PROJECT / "node_modules" / ".package-lock.json").exists():  # written last by npm
        (copy / "node_modules").symlink_to(PROJECT / "node_modules")
    else:
        installed = _run(copy, "npm", "ci", "--no-audit")
        if installed.returncode:
            pytest.skip(f"the bundle is not given to the verifier: npm ci failed: {installed.stderr.strip()[-300:]}")
    built = _run(copy, "npm", "run", "build")
    assert built.returncode == 0, built.stdout + built.stderr
    return copy / "dist" / "cli.js"


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False)
