"""Environments of their own for the peers: a virtual environment and one npm folder each, their packages pinned.

Only pip and npm are used, as they are set up on the machine. A package that cannot be installed is reported with the
last line of what its installer said; nothing is installed into the project's own environment.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import tests

SECONDS: Final = 300
PIP: Final = {
    "eval7": "eval7==0.1.11",
    "pokerkit": "pokerkit==0.7.7",
    "rlcard": "rlcard==1.2.0",
    "pymerkle": "pymerkle==7.0.0",
    "open_spiel": "open_spiel==2.0.2",
}
NPM: Final = {
    "boardgame": ("boardgame.io@0.50.2", "socket.io-client@4.8.4", "node-persist@3.1.3"),
    "colyseus": (
        "@colyseus/core@0.16.26",
        "@colyseus/ws-transport@0.16.5",
        "@colyseus/schema@3.0.76",
        "colyseus.js@0.16.22",
    ),
}


def make_python(folder: Path) -> Path:
    """Make a virtual environment that also sees the project's packages; return its Python."""
    _run([sys.executable, "-m", "venv", str(folder)])
    python = folder / "bin" / "python"
    purelib = _run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
    ours = next(path for path in sys.path if path.endswith("site-packages"))
    tree = Path(tests.__path__[0]).parent
    # its own packages come first; the project's follow, with those that are installed from the tree
    Path(purelib, "project.pth").write_text(f"{tree}\nimport site; site.addsitedir({ours!r})\n", encoding="utf-8")
    return python


def install_python(python: Path, peer: str) -> str:
    """Install a peer; return why it could not be, or an empty string."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    if peer == "rlcard":  # which is published as source alone
        command = command[:-2]
    return _installed([*command, PIP[peer]])


def install_node(folder: Path, peer: str) -> str:
    """Install a peer's packages into a folder; return why they could not be, or an empty string."""
    if shutil.which("npm") is None:
        return "npm is not on the path"
    folder.mkdir()
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    shutil.copy(Path(__file__).parent / f"{peer}.cjs", folder)
    return _installed(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", *NPM[peer]], folder)


def _installed(command: Sequence[str], folder: Path | None = None) -> str:
    try:
        _run(command, folder)
    except subprocess.CalledProcessError as error:
        lines = [line for line in error.stderr.splitlines() if "rror" in line] or ["no reason was given"]
        return lines[-1].removeprefix("ERROR: ").strip()
    except subprocess.TimeoutExpired:
        return f"{command[0]} took more than {SECONDS} s"
    return ""


def _run(command: Sequence[str], folder: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, capture_output=True, text=True, timeout=SECONDS
    ).stdout
