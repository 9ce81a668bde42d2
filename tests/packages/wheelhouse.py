"""The tree's own distributions as they are released, the libraries they need as wheels, and environments of both."""

import base64
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Mapping
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any, Final

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from packaging.markers import default_environment
from packaging.requirements import Requirement

from tests.once import made_once

ROOT: Final = Path(__file__).parents[2]
DISTRIBUTIONS: Final[Mapping[str, Path]] = {
    "referee": ROOT,
    "referee-client": ROOT / "clients" / "python",
    "referee-harness": ROOT / "clients" / "harness",
    "referee-table": ROOT / "clients" / "table",
}
"""Each distribution of this tree and its folder."""


class Environment:
    """A virtual environment with nothing in it but what is installed from a folder of wheels."""

    def __init__(self, folder: Path, wheels: Path, *requirements: str) -> None:
        """Make the environment and install the requirements and what they depend on."""
        venv.create(folder, with_pip=False)
        self.scripts = folder / "bin"
        self.python = self.scripts / "python"
        self._uv(
            "install", "--no-index", "--cache-dir", str(wheels / ".cache"), "--find-links", str(wheels), *requirements
        )

    def installed(self) -> set[str]:
        """Return the names of everything that is installed."""
        lines = self._uv("list", "--format", "freeze", "--no-cache").splitlines()
        return {line.partition("==")[0].lower() for line in lines}

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the environment's Python, isolated from this tree."""
        return self.command("python", "-I", *arguments, **environment)

    def command(self, name: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command that was installed, in a folder outside this tree."""
        return subprocess.run(
            [str(self.scripts / name), *arguments],
            cwd=self.scripts.parent,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
            env={**os.environ, **environment},
        )

    def _uv(self, verb: str, *arguments: str) -> str:
        command = [str(Path(sys.executable).parent / "uv"), "pip", verb, "--no-config", "--offline", "--quiet"]
        command += ["--python", str(self.python), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


def artefacts(factory: pytest.TempPathFactory) -> Path:
    """Return the folder with the sdist of each distribution and the wheel that this sdist builds; change nothing."""
    return made_once(factory, "artefacts", _build)


def wheels_for(factory: pytest.TempPathFactory, *requirements: str) -> Path:
    """Return a folder with every wheel that an installation of the requirements takes; change nothing."""
    built = artefacts(factory)

    def collect(folder: Path) -> None:
        folder.mkdir()
        for wheel in built.glob("*.whl"):
            (folder / wheel.name).hardlink_to(wheel)
        _repack(requirements, folder)

    name = hashlib.sha256(" ".join(sorted(set(requirements))).encode()).hexdigest()[:16]  # a file's name is short
    return made_once(factory, f"wheels-{name}", collect)


def _build(folder: Path) -> None:
    for project in DISTRIBUTIONS.values():
        build(project, folder)


def build(project: Path, folder: Path) -> None:
    """Build the sdist of a project, and from nothing but that sdist the wheel."""
    (sdist,) = SdistBuilder(str(project)).build(directory=str(folder))
    with tempfile.TemporaryDirectory() as empty:
        with tarfile.open(sdist) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11 has it from 3.11.4
            archive.extractall(empty)  # noqa: S202 - the lines above built it
        (unpacked,) = Path(empty).iterdir()
        (_,) = WheelBuilder(str(unpacked)).build(directory=str(folder), versions=["standard"])


def _repack(requirements: tuple[str, ...], folder: Path) -> None:
    """Write the wheels of installed libraries that the requirements depend on, at any depth, into the folder."""
    waiting, seen = list(requirements), set[str]()
    while waiting:
        wanted = Requirement(waiting.pop())
        if str(wanted) in seen:
            continue
        found = distribution(wanted.name)
        if wanted.name not in DISTRIBUTIONS and not seen & {wanted.name}:
            _write_wheel(found, folder)
        seen |= {str(wanted), wanted.name}
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
