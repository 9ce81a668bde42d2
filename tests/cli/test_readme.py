"""What the README and the pages that it leads to print is run as it is printed; only addresses are others."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.server.process.app import Application
from tests.cli.printing import printed
from tests.command import PLAIN, referee
from tests.server.options import server_options

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = ("README.md", "referee/audit/README.md", "referee/server/README.md")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ELSEWHERE = {"https://log.example/1": "tiles"}
"""What a page names and a test has in another place."""
SECONDS = 90


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the README's two rounds were played by its own code, with what an auditor holds."""
    folder = tmp_path_factory.mktemp("house")
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) == 2
    with Application(server_options(data=folder / "referee-data")) as application:
        for code in blocks:
            here = code.replace("127.0.0.1:50051", f"127.0.0.1:{application.port}")
            done = subprocess.run(
                [sys.executable, "-c", here], capture_output=True, text=True, timeout=SECONDS, env=PLAIN, check=False
            )
            assert done.returncode == 0, done.stderr
            assert re.search(r"^leaf \d+", done.stdout, flags=re.MULTILINE)
    data = folder / "referee-data"
    printed("export", "table-1", 1, "--data", data, "--out", folder / "round.json")
    printed("publish", folder / "tiles", "--data", data)
    bundle = json.loads((folder / "round.json").read_bytes())
    (folder / "kept-checkpoint").write_text(bundle["checkpoint"], encoding="utf-8")
    return folder


def commands_of(page: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_a_page_runs_as_printed(page: str, house: Path, monkeypatch: pytest.MonkeyPatch):
    keys = json.loads(referee("keys", "--data", house / "referee-data", "--json").stdout)
    monkeypatch.chdir(house)
    monkeypatch.setenv("LOG_KEY", keys["log"])
    monkeypatch.setenv("ROOT_KEY", keys["root"])
    commands = commands_of(page)
    assert commands
    for command in commands:
        program = command.split()[0]
        if program == "pip":
            check_packages(command)
        elif program == "make":
            check_target(command.split()[1])
        elif program == "referee":
            run_here(command)
        else:
            done = subprocess.run(["/bin/bash", "-c", command], timeout=SECONDS, check=False)
            assert done.returncode == 0, command


def run_here(command: str) -> None:
    """Run a ``referee`` command of a page, in this process unless it serves; write what it redirects."""
    for named, there in ELSEWHERE.items():
        command = command.replace(named, there)
    words = [os.path.expandvars(word) for word in shlex.split(command)[1:]]
    if words[0] == "serve":
        assert next(served([*words, "--listen", "127.0.0.1:0"]))["event"] == "ready"
        return
    words, target = (words[:-2], words[-1]) if ">" in words else (words, None)
    text = printed(*words)
    if target is not None:
        Path(target).write_text(text, encoding="utf-8")


def served(words: list[str]) -> Iterator[dict[str, str]]:
    """Start a server and yield its first line, then stop it."""
    command = [sys.executable, "-m", "referee", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=PLAIN) as process:
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()
            process.wait(SECONDS)


def check_packages(command: str) -> None:
    """Check that a page installs folders of this tree, with extras that they have; no index has them."""
    folders = {".", "./clients/python", "./clients/harness"}
    names = [word for word in shlex.split(command, comments=True)[2:] if not word.startswith("-")]
    assert names
    for name in names:
        folder, _, extras = name.rstrip("]").partition("[")
        assert folder in folders, command
        assert set(filter(None, extras.split(","))) <= PROJECT["optional-dependencies"].keys(), command


def check_target(target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE), target


def test_the_two_commands_are_those_of_the_readme():
    targets = re.findall(r"^\$ make ([a-z]+)", README, flags=re.MULTILINE)
    assert targets == ["demo", "test"]


def test_the_readme_is_short_enough_to_be_read():
    assert len(README.split()) <= 950


def test_every_link_to_a_file_leads_somewhere():
    """No room of the map is missing."""
    pages = [ROOT / name for name in ("README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md")]
    assert [link for page in pages for link in broken_links(page)] == []


@pytest.mark.parametrize("folder", ["protos", "referee", "clients", "tests"])
def test_every_link_in_a_folders_pages_leads_somewhere(folder: str):
    pages = [page for page in (ROOT / folder).rglob("*.md") if "node_modules" not in page.parts]
    assert pages
    assert [link for page in pages for link in broken_links(page)] == []


def broken_links(page: Path) -> list[str]:
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    return [f"{page}: {link}" for link in links if "://" not in link and not (page.parent / link).exists()]


def test_the_python_version_is_the_one_the_package_asks_for():
    """The README promises no other than pyproject.toml does."""
    assert f"Python {PROJECT['requires-python'].removeprefix('>=')} or later" in README


def test_every_file_that_contributing_names_is_there():
    named = re.findall(r"`((?:referee|tests|clients|protos)/[\w./]+)`", CONTRIBUTING)
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_command_that_contributing_names_is_a_target():
    targets = set(re.findall(r"`make ([a-z-]+)`", CONTRIBUTING))
    assert targets >= {"check", "test", "test-rest", "protos"}
    for target in targets:
        check_target(target)
