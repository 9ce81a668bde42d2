"""The system's packages that ``.ci/run`` installs: each is known, and together they bring what other clients take."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.node_project import OLDEST
from tests.packages.wheelhouse import ROOT
from tests.smoke.test_smoke_clients import LANGUAGES

LISTED: Final = re.search(
    r"^packages=\((.*?)^\)", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)
EMPTY: Final = "Dir::State::status=/dev/null"
"""Makes apt count on nothing that is installed already."""
SECONDS: Final = 300


@pytest.fixture(scope="module")
def installed() -> set[str]:
    """Return what apt would install for the list of ``.ci/run`` on an empty machine; fail if it does not know one."""
    assert LISTED is not None
    packages = LISTED[1].split()
    apt = shutil.which("apt-cache")
    if apt is None:
        pytest.skip("the packages of .ci/run are not looked for: this is no Debian")
    known = subprocess.run([apt, "show", "git"], capture_output=True, check=False, timeout=SECONDS)
    if known.returncode:
        pytest.skip("the packages of .ci/run are not looked for: apt has no list of packages; run apt-get update")
    command = ["apt-get", "install", "--simulate", "--no-install-recommends", "-o", EMPTY, *packages]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    found = set(re.findall(r"^Inst (\S+)", done.stdout, re.MULTILINE))
    assert found >= set(packages)
    return found


@pytest.mark.parametrize("language", [name for name in LANGUAGES if name != "node"])
def test_list_brings_what_a_client_of_another_language_takes(language: str, installed: set[str]):
    """What this machine has besides, installed by hand, would let the client's tests pass here and nowhere else."""
    needs = LANGUAGES[language]
    paths = [Path(path) for path in map(shutil.which, needs.programs) if path is not None]
    paths += [Path(file) for file in needs.files if Path(file).exists()]
    if len(paths) < len(needs.programs) + len(needs.files):
        pytest.skip(f"the client's packages are not compared: not all is installed; {needs.install}")
    command = ["dpkg-query", "--search", *(str(path.resolve()) for path in paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    lines = [line.partition(": ") for line in done.stdout.splitlines()]
    owners = {path: {name.partition(":")[0] for name in names.split(", ")} for names, _, path in lines}
    assert len(owners) == len(paths)
    assert [path for path, packages in owners.items() if not packages & installed] == []


def test_text_of_a_missing_client_names_packages_of_the_list():
    assert LISTED is not None
    for name, language in LANGUAGES.items():
        _, command, packages = language.install.partition("apt-get install ")
        assert bool(command) == (name != "node")
        assert set(packages.split()) <= set(LISTED[1].split()), name


def test_set_up_brings_node_and_npm_where_there_are_none(tmp_path: Path):
    """The path has neither: both are those of the wheel, and recent enough for every package that names a version."""
    run = "import subprocess; from tests import node_project; node_project.offer_node(); "
    run += "[subprocess.run([tool, '--version'], check=True) for tool in ('node', 'npm')]"
    for tool in ("sh", "env"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or tool)
    command, path = [sys.executable, "-c", run], {"PATH": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=path, capture_output=True, text=True, check=False, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    node, npm = done.stdout.split()
    assert tuple(map(int, node.removeprefix("v").split(".")[:2])) >= OLDEST
    assert npm
    engines = [json.loads(path.read_text("utf-8")).get("engines", {}) for path in ROOT.glob("clients/*/package.json")]
    assert {one["node"] for one in engines} == {f">={'.'.join(map(str, OLDEST))}"}
