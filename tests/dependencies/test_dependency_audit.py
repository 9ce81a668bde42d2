"""What the audit of dependencies finds, and that the lock is one that an operator can install from."""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path
from typing import Final

import pytest

from tests.dependencies.audit import LOCK, ROOT, Installed, changed_files, faults, hashes_of, pins_of, plain
from tests.packages.wheelhouse import DISTRIBUTIONS

HASH: Final = "a" * 64
SOUND: Final = Installed("Some_Thing", "1.0")


def found(
    *installed: Installed, pins: str = "some-thing==1.0", lock: str = f"some-thing==1.0 \\\n --hash=sha256:{HASH}"
):
    """Return the faults."""
    return list(faults(installed, pins=pins_of(pins), lock=pins_of(lock), hashes=hashes_of(lock)))


def test_every_distribution_carries_the_licence_of_the_project():
    """Each folder that is built has a copy, because a distribution may take no file from above its own folder."""
    python = [ROOT / "pyproject.toml", *ROOT.glob("clients/*/pyproject.toml")]
    npm = [path for path in ROOT.glob("clients/*/package.json") if not json.loads(path.read_text()).get("private")]
    assert {path.parent for path in python} == set(DISTRIBUTIONS.values())
    assert len(npm) == 2
    for path in (*python, *npm):
        given = json.loads(path.read_text()) if path in npm else tomllib.loads(path.read_text())["project"]
        assert given["license"] == ("Apache-2.0 AND MIT" if given["name"] == "referee-table" else "Apache-2.0")
        assert (path.parent / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_distribution_that_is_pinned_and_whole_is_sound():
    assert found(SOUND) == []


@pytest.mark.parametrize(
    ("installed", "pins", "lock", "words"),
    [
        (SOUND, "", "", "constraints.txt does not pin it"),
        (SOUND, "some.thing==1.1", "", "constraints.txt pins 1.1"),
        (SOUND, "some_thing==1.0", f"some-thing==0.9 --hash=sha256:{HASH}", "requirements.lock has some-thing 0.9"),
        (SOUND, "some-thing==1.0", "some-thing==1.0", "no hash of some-thing"),
        (Installed("a", "1", ("a.py",)), "a==1", "", "a.py is not what was installed"),
    ],
)
def test_what_is_wrong_is_found(installed, pins, lock, words):
    """Alone, and in words that say what to do."""
    (given,) = found(installed, pins=pins, lock=lock)
    assert words in given


@pytest.mark.parametrize(
    ("options", "refused"),
    [
        ((), ""),
        (("--allow-only", "MIT;MIT License"), "not in allow-only licenses was found"),
    ],
)
def test_licences_of_what_is_installed_are_those_that_are_allowed(options, refused):
    """Exact expressions, listed in pyproject.toml; what is copyleft is named there, and no operator installs it."""
    command = [sys.executable, "-m", "piplicenses", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
    assert done.returncode == bool(refused), done.stderr
    assert refused in done.stderr
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pip-licenses"]
    locked = pins_of(LOCK.read_text(encoding="utf-8"))
    assert not {plain(name) for name in tool["ignore-packages"]} & set(locked)


@pytest.fixture
def distribution(tmp_path):
    """Return a distribution of two files and its record."""
    folder = tmp_path / "a-1.dist-info"
    folder.mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("")
    (folder / "METADATA").write_text("Metadata-Version: 2.4\nName: a\nVersion: 1\n")
    (folder / "RECORD").write_text(
        "a.py,sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q,6\n"
        "b.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
        "a-1.dist-info/RECORD,,\n"
    )
    return PathDistribution(folder), tmp_path


def test_file_that_was_changed_or_is_gone_is_found(distribution):
    """The hashes are those that ``sha256sum`` gives, in the record's own base64."""
    one, folder = distribution
    assert list(changed_files(one)) == []
    (folder / "b.py").write_text("import os\n")
    assert list(changed_files(one)) == ["b.py"]
    (folder / "a.py").unlink()
    assert list(changed_files(one)) == ["a.py", "b.py"]


def test_lock_has_everything_that_an_operator_may_install():
    """The libraries of the base and of each extra that serves, and none of development."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    locked = pins_of(LOCK.read_text(encoding="utf-8"))
    wanted = [*project["dependencies"]]
    for extra in ("cli", "server", "http", "postgres", "otel", "web"):
        wanted += [one for one in extras[extra] if not one.startswith("referee[")]
    assert {plain(re.split(r"[\[<>=]", one, maxsplit=1)[0].strip()) for one in wanted} <= set(locked)
    assert "pytest" not in locked


def test_every_pin_of_the_lock_has_hashes():
    text = LOCK.read_text(encoding="utf-8")
    assert {name: bool(held) for name, held in hashes_of(text).items()} == dict.fromkeys(pins_of(text), True)


def test_pip_takes_the_lock_and_refuses_a_file_with_another_hash(tmp_path: Path):
    """A wheel that is made here, offline: by its own hash it is installed, by another it is not."""
    wheel = tmp_path / "sample-1.0-py3-none-any.whl"
    metadata = "Metadata-Version: 2.1\nName: sample\nVersion: 1.0\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("sample.py", "")
        archive.writestr("sample-1.0.dist-info/METADATA", metadata)
        archive.writestr("sample-1.0.dist-info/WHEEL", tags)
        archive.writestr("sample-1.0.dist-info/RECORD", "sample.py,,\n")
    for held, code in ((hashlib.sha256(wheel.read_bytes()).hexdigest(), 0), (HASH, 1)):
        lock = tmp_path / "lock.txt"
        lock.write_text(f"sample==1.0 \\\n    --hash=sha256:{held}\n")
        command = [sys.executable, "-m", "pip", "install", "--require-hashes", "--no-index", "--no-cache-dir"]
        command += ["--find-links", str(tmp_path), "--target", str(tmp_path / "out"), "-r", str(lock)]
        done = subprocess.run(command, capture_output=True, timeout=120, check=False)
        assert done.returncode == code, done.stderr
