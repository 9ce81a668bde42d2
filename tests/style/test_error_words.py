"""Errors of the system are said in words: no ``[Errno 30]``, no empty error, and what to do where that is known."""

import errno
import os
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

from referee.cli.main import app
from referee.evidence.printable import error_words

ROOT: Final = Path(__file__).parents[2]


def test_no_log_line_has_an_error_that_may_be_empty():
    lines = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in sorted((ROOT / "referee").rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if "error=str(" in line
    ]
    assert lines == []


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EMFILE])
def test_system_error_has_its_place_and_a_remedy_and_no_number(number):
    words = error_words(OSError(number, os.strerror(number), "/srv/referee"))
    assert words.startswith(f"/srv/referee: {os.strerror(number)}; ")
    assert "Errno" not in words


def test_error_without_a_text_is_named():
    assert [error_words(error) for error in (TimeoutError(), ValueError(""), OSError("away"))] == [
        "TimeoutError",
        "ValueError",
        "away",
    ]


def test_command_that_cannot_write_says_why_and_what_to_do(monkeypatch):
    """As on a read-only file system."""

    def refuse(path: Path, *_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    found = CliRunner().invoke(app, ["serve", "--data", "/srv/referee", "--listen", "127.0.0.1:0"])
    assert found.exit_code == 2
    assert "/srv/referee: Read-only file system; mount it for writing, or give another folder" in " ".join(
        found.output.split()
    )
