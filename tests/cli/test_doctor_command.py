"""``referee doctor``: what it prints, and what it ends with."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from referee.cli.main import app
from referee.server.process.app import Application
from tests.server.options import server_options


def doctor(*arguments: str, **environ: str) -> Result:
    """Run the command in this process."""
    environ = {"COLUMNS": "400", "TERM": "dumb", **environ}
    return CliRunner().invoke(app, ["doctor", "--set", "serve.listen=127.0.0.1:0", *arguments], env=environ)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder that a server has founded."""
    with Application(server_options(data=tmp_path / "data")):
        return tmp_path / "data"


def test_it_ends_with_nothing_where_a_server_can_serve(data: Path) -> None:
    done = doctor("--data", str(data))
    assert done.exit_code == 0, done.stdout
    for words in ("configuration", "2 of", "store", "4 leaves hash to the head", "keys", "clock", "machine", " well"):
        assert words in done.stdout
    assert "✗" not in done.stdout


def test_it_ends_with_one_and_says_what_to_do_where_something_failed(data: Path) -> None:
    path = data / "keys" / "log.key"
    path.chmod(0o644)
    done = doctor("--set", f"log.data={data}")
    assert done.exit_code == 1
    assert f"→ run: chmod 600 {path}" in done.stdout
    assert "1 failed" in done.stdout


def test_keys_without_a_log_are_asked_for_their_database(data: Path) -> None:
    """A log in PostgreSQL is not created in the folder at the first start."""
    (data / "log.sqlite3").unlink()
    done = doctor("--data", str(data))
    assert "is created at the first start" not in done.stdout
    assert "name the right place" in " ".join(done.stdout.split())
    away = "postgresql://u:secret@127.0.0.1:1/x"
    for done in (
        doctor("--data", str(data), "--database", away),
        doctor("--data", str(data), REFEREE_LOG_DATABASE=away),
    ):
        assert done.exit_code == 1
        assert "the database cannot be used" in " ".join(done.stdout.split())
        assert "log.sqlite3" not in done.stdout


def test_json_has_the_same_findings(data: Path) -> None:
    given = json.loads(doctor("--set", f"log.data={data}", "--json").stdout)
    assert given["ok"] is True
    assert {one["group"] for one in given["checks"]} == {"configuration", "store", "keys", "clock", "machine"}
    assert all(set(one) == {"group", "check", "level", "measured", "remedy"} for one in given["checks"])
    (data / "keys" / "log.key").unlink()
    done = doctor("--set", f"log.data={data}", "--json")
    given = json.loads(done.stdout)
    assert (done.exit_code, given["ok"]) == (1, False)
    assert [one["check"] for one in given["checks"] if one["level"] == "FAIL"] == ["log"]


def test_configuration_that_is_wrong_is_all_that_it_reports(tmp_path: Path) -> None:
    file = tmp_path / "referee.toml"
    file.write_text("[serve]\nthredas = 1\nqueue = 0\n")
    done = doctor("--config", str(file), "--json")
    checks = json.loads(done.stdout)["checks"]
    assert done.exit_code == 1
    assert [one["group"] for one in checks] == ["configuration"] * 2
    assert [one["check"] for one in checks] == [f"{file}, line 2: serve.thredas", f"{file}, line 3"]
    assert checks[0]["remedy"] == "did you mean threads?"
