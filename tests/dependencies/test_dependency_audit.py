"""What the audit of dependencies finds, and that the lock is one that an operator can install from."""

import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PathDistribution

import pytest
from packaging.utils import canonicalize_name

from tests.dependencies.audit import CONSTRAINTS, LOCK, ROOT, faults, pins_of
from tests.packages.wheelhouse import DISTRIBUTIONS

LOCKED = LOCK.read_text(encoding="utf-8")


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
    assert not {canonicalize_name(name) for name in tool["ignore-packages"]} & set(pins_of(LOCKED))


@pytest.fixture
def distribution(tmp_path):
    """Return a distribution of two files, whose recorded hashes are those that ``sha256sum`` gives, and its folder."""
    folder = tmp_path / "a-1.dist-info"
    folder.mkdir()
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").write_text("")
    (folder / "METADATA").write_text("Metadata-Version: 2.4\nName: A_b\nVersion: 1\n")
    (folder / "RECORD").write_text(
        "a.py,sha256=nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q,6\n"
        "b.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
        "a-1.dist-info/RECORD,,\n"
    )
    return PathDistribution(folder), tmp_path


def test_distribution_that_is_not_pinned_or_not_whole_is_found(distribution):
    """In words that say what to do."""
    one, folder = distribution
    assert list(faults([one], pins_of("a.b==1"))) == []
    (unpinned,) = faults([one], pins_of(""))
    (other,) = faults([one], pins_of("a-b==2"))
    assert ("make constraints" in unpinned, "constraints.txt pins 2" in other) == (True, True)
    (folder / "b.py").write_text("import os\n")
    (folder / "a.py").unlink()
    changed = list(faults([one], pins_of("a-b==1")))
    assert [line.partition(": ")[2] for line in changed] == [
        f"{file} is not what was installed" for file in ("a.py", "b.py")
    ]


def test_lock_has_everything_that_an_operator_may_install():
    """The libraries of the base and of each extra that serves, and none of development."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"]]
    for extra in ("cli", "server", "http", "postgres", "otel", "web"):
        wanted += [one for one in project["optional-dependencies"][extra] if not one.startswith("referee[")]
    names = {canonicalize_name(re.split(r"[\[<>=]", one, maxsplit=1)[0].strip()) for one in wanted}
    assert names <= set(pins_of(LOCKED))
    assert "pytest" not in pins_of(LOCKED)


def test_every_pin_of_the_lock_is_that_of_the_constraints_and_has_hashes():
    """If not, run ``make lock``."""
    pins = pins_of(CONSTRAINTS.read_text(encoding="utf-8"))
    locked = re.split(r"^(?=[A-Za-z0-9])", LOCKED, flags=re.MULTILINE)[1:]
    assert len(locked) == len(pins_of(LOCKED)) > 20
    for text in locked:
        ((name, version),) = pins_of(text).items()
        assert pins.get(name, version) == version
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", text), name
