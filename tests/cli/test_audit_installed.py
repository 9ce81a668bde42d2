"""``referee audit --installed``: the files of this program against those that the log's STARTs name."""

import json
from pathlib import Path

import pytest

from referee.log.installed import InstalledFiles
from referee.server.process.app import Application
from tests.cli.printing import printed
from tests.command import referee
from tests.server.options import server_options

WHEEL = InstalledFiles("0.1.0", "ab" * 32)
EDITED = InstalledFiles("0.1.0", "cd" * 32, ("referee/money.py",))


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write the log of a server that ran from a wheel."""
    monkeypatch.setattr("referee.server.process.start_leaf.installed_files", lambda: WHEEL)
    Application(server_options(data=tmp_path)).close()
    return tmp_path


def test_the_same_files_are_named_by_a_start(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.audit.installed_files", lambda: WHEEL)
    page = data / "page.html"
    text = printed("audit", "--data", data, "--installed", "--html", page)
    assert WHEEL.digest in page.read_text(encoding="utf-8")
    assert f"judged from leaf 3 at referee: version 0.1.0, files {WHEEL.digest}" in text
    assert "named by the START at leaf 3" in text


def test_edited_files_are_listed_and_end_with_one(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.audit.installed_files", lambda: EDITED)
    done = referee("audit", "--data", data, "--installed")
    assert (done.returncode, "not as installed: referee/money.py" in done.stdout) == (1, True)
    assert "no START of this log names these files" in done.stdout
    report = json.loads(referee("audit", "--data", data, "--installed", "--json").stdout)
    assert (report["installed"]["digest"], report["installed"]["named_by"]) == (EDITED.digest, None)
    assert [one["start"]["package"] for one in report["starts"]] == [WHEEL.digest]


def test_checkout_is_named_by_no_start(tmp_path: Path) -> None:
    Application(server_options(data=tmp_path)).close()
    done = referee("audit", "--data", tmp_path, "--installed")
    assert (done.returncode, "installed here: version 0.1.0, files editable" in done.stdout) == (1, True)
