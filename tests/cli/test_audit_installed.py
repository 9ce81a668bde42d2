"""``referee audit --installed``: the files of this program against those that the log's STARTs name."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.audit.installed import InstalledFiles
from referee.cli.main import app
from referee.server.process.app import Application
from tests.server.options import server_options

WHEEL = InstalledFiles("0.1.0", "ab" * 32)
EDITED = InstalledFiles("0.1.0", "cd" * 32, ("referee/money.py",))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the log of a server that ran from a wheel."""
    monkeypatch.setattr("referee.server.process.starting.installed_files", lambda: WHEEL)
    Application(server_options(data=tmp_path)).close()
    return tmp_path


def test_the_same_files_are_named_by_a_start(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.audit.installed_files", lambda: WHEEL)
    page = data / "page.html"
    done = CliRunner().invoke(app, ["audit", "--data", str(data), "--installed", "--html", str(page)])
    assert done.exit_code == 0
    assert WHEEL.digest in page.read_text(encoding="utf-8")
    assert f"judged from leaf 3 at referee: version 0.1.0, files {WHEEL.digest}" in done.output
    assert "named by the START at leaf 3" in done.output


def test_edited_files_are_listed_and_end_with_one(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.audit.installed_files", lambda: EDITED)
    done = CliRunner().invoke(app, ["audit", "--data", str(data), "--installed"])
    assert done.exit_code == 1
    assert "not as installed: referee/money.py" in done.output
    assert "no START of this log names these files" in done.output
    again = CliRunner().invoke(app, ["audit", "--data", str(data), "--installed", "--json"])
    report = json.loads(again.output)
    assert (report["installed"]["digest"], report["installed"]["named_by"]) == (EDITED.digest, None)
    assert [one["start"]["package"] for one in report["starts"]] == [WHEEL.digest]


def test_checkout_is_named_by_no_start(tmp_path: Path) -> None:
    Application(server_options(data=tmp_path)).close()
    done = CliRunner().invoke(app, ["audit", "--data", str(tmp_path), "--installed"])
    assert (done.exit_code, "installed here: version 0.1.0, files editable" in done.output) == (1, True)
