"""A stranger's machine: the tracked files in an empty folder, and an environment in which nothing was installed."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 900
"""What one command may take on a busy machine that downloads everything."""
MAKE: Final = shutil.which("make") or "make"
_REGISTRIES: Final = re.compile(
    r"((https?|no|all)_proxy|pip_\w+|uv_\w+|\w*ssl_cert_file|\w*ca_bundle|node_extra_ca_certs)", re.IGNORECASE
)
"""Names of the variables that say how packages are reached; no other variable of this process is passed on."""


def clone(folder: Path) -> Path:
    """Copy every tracked or new file of this tree into the folder, as a clone would have it; return the folder.

    A change that is not committed yet is tested too.
    """
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no clone is made: {ROOT} is not a working tree of git: {done.stderr.strip()}")
    for name in filter(None, done.stdout.split("\0")):
        source, target = ROOT / name, folder / name
        if source.is_symlink() or source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    return folder


def environment(home: Path) -> dict[str, str]:
    """Return the variables of a stranger with an empty home: a path without this environment, and pip's settings."""
    own = {Path(sys.prefix).resolve(), Path(os.environ.get("VIRTUAL_ENV", sys.prefix)).resolve()}
    inherited = [Path(sys.base_prefix) / "bin", *map(Path, os.environ.get("PATH", os.defpath).split(os.pathsep))]
    path = [str(one) for one in inherited if not any(prefix in one.resolve().parents for prefix in own)]
    home.mkdir(parents=True, exist_ok=True)
    cache = subprocess.run(
        [sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True, check=True, timeout=SECONDS
    ).stdout.strip()
    settings = Path.home() / ".config" / "pip" / "pip.conf"
    return {
        **{name: value for name, value in os.environ.items() if _REGISTRIES.fullmatch(name)},
        **({"PIP_CONFIG_FILE": str(settings)} if settings.exists() and "PIP_CONFIG_FILE" not in os.environ else {}),
        "PIP_CACHE_DIR": cache,
        "HOME": str(home),
        "PATH": os.pathsep.join(dict.fromkeys(path)),
    }


def make(folder: Path, *arguments: str, variables: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run make in a clone and return its output."""
    return subprocess.run(
        [MAKE, *arguments],
        cwd=folder,
        env=dict(variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
