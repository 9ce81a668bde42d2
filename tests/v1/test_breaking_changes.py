"""``protos/breaking.py`` compares the protos with those of the newest release tag."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROTOS = Path(__file__).parents[2] / "protos"
FIELD = "  string game = 4;"
IDENTITY = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
UNSIGNED = ["-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"]


@pytest.fixture
def repository(tmp_path) -> Path:
    """Make a repository whose protos are ours, without a tag."""
    shutil.copytree(PROTOS, tmp_path / "protos")
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(repository: Path, *words: str) -> None:
    command = ["git", *IDENTITY, *UNSIGNED, *words]
    subprocess.run(command, cwd=repository, check=True, capture_output=True)


def commit(repository: Path) -> None:
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "protos")


def compare(repository: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(PROTOS / "breaking.py"), str(repository / "protos")]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)


def edit(repository: Path, old: str, new: str) -> None:
    """Replace a text that the common messages hold once."""
    path = repository / "protos" / "referee" / "v1" / "ruleset.proto"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def test_without_a_release_there_is_nothing_to_compare(repository):
    compared = compare(repository)
    assert compared.returncode == 0, compared.stderr
    assert "No release has been tagged" in compared.stdout


def test_a_field_that_changes_its_type_breaks_the_newest_release(repository):
    git(repository, "tag", "v0.9.0")
    edit(repository, FIELD, FIELD.replace("string", "bytes"))
    commit(repository)
    compared = compare(repository)
    assert compared.returncode != 0
    assert "changed type" in compared.stdout + compared.stderr
    assert "break what v0.9.0 promised" in compared.stdout
    git(repository, "tag", "v0.10.0")
    assert compare(repository).returncode == 0, "the newest release is v0.10.0, by number and not by letters"


def test_a_field_that_is_added_breaks_nothing(repository):
    git(repository, "tag", "v0.9.0")
    edit(repository, FIELD, f"{FIELD}\n  // Added.\n  string added_later = 99;")
    compared = compare(repository)
    assert compared.returncode == 0, compared.stdout + compared.stderr
    assert "keep what v0.9.0 promised" in compared.stdout
