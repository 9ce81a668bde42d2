"""The README's first call is run as it is printed, against a real server."""

import re
import tomllib
from pathlib import Path

import pytest

from referee.server.app import Application
from referee.server.options import ServerOptions

ROOT = Path(__file__).parents[2]
PAGES = ("CHANGELOG.md", "COMPATIBILITY.md", "CONTRIBUTING.md", "SECURITY.md")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_first_call_runs_as_printed(tmp_path, capsys):
    """A round is opened, dealt and settled by the printed code; only the port is another."""
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    with Application(ServerOptions(data=tmp_path, listen="127.0.0.1:0")) as application:
        code = code.replace("127.0.0.1:50051", f"127.0.0.1:{application.port}")
        exec(compile(code + "\nchannel.close()\n", "README.md", "exec"), {})  # noqa: S102 - the README's own code
    assert "proved under\nlocalhost/referee\n" in capsys.readouterr().out


def test_the_two_commands_are_targets_of_the_makefile():
    """``make demo`` and ``make test`` exist."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"^\$ make ([a-z]+)", README, flags=re.MULTILINE)
    assert targets == ["demo", "test"]
    for target in targets:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


def test_every_link_to_a_file_leads_somewhere():
    """No room of the map is missing."""
    assert broken_links(ROOT / "README.md") == []
    assert [link for name in PAGES for link in broken_links(ROOT / name)] == []


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
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"Python {project['requires-python'].removeprefix('>=')} or later" in README


def test_every_file_that_contributing_names_is_there():
    named = re.findall(r"`((?:referee|tests|clients|protos)/[\w./]+)`", CONTRIBUTING)
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_command_that_contributing_names_is_a_target():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"`make ([a-z-]+)`", CONTRIBUTING))
    assert targets >= {"check", "test", "test-rest", "protos"}
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
