"""Wheels of this tree and of the libraries installed here, and environments that install them without a network."""

import base64
import hashlib
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

from tests.once import copy_of_one

ROOT = Path(__file__).parents[2]
CLIENT = ROOT / "clients" / "python"


class Environment:
    """A virtual environment with nothing in it but what is installed from a folder of wheels."""

    def __init__(self, folder: Path, wheels: Path, *requirements: str) -> None:
        """Make the environment and install the requirements and what they depend on."""
        venv.create(folder, with_pip=False)
        self.python = folder / "bin" / "python"
        self.scripts = folder / "bin"
        offline = ("--no-index", "--no-cache-dir", "--no-compile", "--find-links", str(wheels))
        self._pip("install", "--quiet", *offline, *requirements)

    def installed(self) -> set[str]:
        """Return the names of everything that pip lists."""
        lines = self._pip("list", "--format", "freeze").splitlines()
        return {line.partition("==")[0].lower() for line in lines}

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run the environment's Python, isolated from this tree."""
        command = [str(self.python), "-I", *arguments]
        return subprocess.run(command, cwd=self.scripts, capture_output=True, text=True, timeout=240, check=False)

    def _pip(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(self.python)]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


def wheels_of_tree(factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheel of the referee and that of the client; the caller may add more."""
    return copy_of_one(factory, "wheels", _build)


def _build(folder: Path) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    options = ["--no-build-isolation", "--no-index", "--wheel-dir", str(folder), str(ROOT), str(CLIENT)]
    done = subprocess.run([*command, *options], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr


def repack(names: set[str], folder: Path) -> None:
    """Write the wheels of these installed distributions, and of all that they depend on, into the folder."""
    waiting, seen = list(names), set[str]()
    while waiting:
        wanted = Requirement(waiting.pop())
        if wanted.name.lower() in seen:
            continue
        seen.add(wanted.name.lower())
        found = distribution(wanted.name)
        _write_wheel(found, folder)
        waiting += [one for one in found.requires or () if _applies(Requirement(one), wanted.extras)]


def _applies(requirement: Requirement, extras: set[str]) -> bool:
    if requirement.marker is None:
        return True
    variables: dict[str, Any] = dict(default_environment())
    return any(requirement.marker.evaluate({**variables, "extra": extra}) for extra in ("", *extras))


def _write_wheel(found: Distribution, folder: Path) -> None:
    """Zip the files of an installed distribution, except what the installation added."""
    text = found.read_text("WHEEL") or ""
    tag = next(line.partition(": ")[2] for line in text.splitlines() if line.startswith(("Tag: py3", "Tag: cp")))
    info = next(Path(file).parts[0] for file in found.files or () if file.name == "WHEEL")
    added = {"RECORD", "INSTALLER", "REQUESTED", "direct_url.json"}
    lines = []
    with zipfile.ZipFile(folder / f"{info.removesuffix('.dist-info')}-{tag}.whl", "w") as archive:
        for file in found.files or ():
            if file.parts[0] == ".." or file.suffix == ".pyc" or (file.parts[0] == info and file.name in added):
                continue
            data = Path(str(file.locate())).read_bytes()
            archive.writestr(str(file), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{file},sha256={digest},{len(data)}\n")
        archive.writestr(f"{info}/RECORD", "".join([*lines, f"{info}/RECORD,,\n"]))
