"""Where a log exists no keys are made: every command says that they are missing, and where they come from."""

import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.server.process.app import Application
from tests.command import referee
from tests.server.options import server_options
from tests.storage.postgres_server import PostgresServer, running_postgres

REMEDY: Final = "copy the keys folder"


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server for this module."""
    yield from running_postgres()


def began(data: Path, **more: Any) -> None:  # noqa: ANN401 - an option
    with Application(server_options(data=data, **more)):
        pass


def commands(data: Path) -> list[list[object]]:
    """Commands that would need keys, or make them."""
    return [
        ["serve", "--data", data, "--listen", "127.0.0.1:0"],
        ["serve", "--data", data, "--listen", "127.0.0.1:0", "--workers", "2"],
        ["keys", "--data", data],
        ["keys", "--make", "--data", data],
        ["keys", "rotate", "referee", "--data", data],
        ["keys", "revoke", "referee", "--data", data],
        ["doctor", "--data", data],
    ]


@pytest.mark.parametrize("number", range(len(commands(Path()))))
def test_no_keys_are_made_for_a_restored_log(tmp_path: Path, number: int, capfd: pytest.CaptureFixture[str]) -> None:
    """Backed up and restored elsewhere, as on a new machine; with the keys copied there it goes on."""
    data, again = tmp_path / "data", tmp_path / "again"
    began(data)
    assert referee("backup", tmp_path / "copy", "--data", data).returncode == 0
    restored = referee("restore", tmp_path / "copy", "--data", again)
    assert restored.returncode == 0
    assert "has no keys" in restored.stderr
    done = referee(*commands(again)[number])
    said = done.stdout + done.stderr + "".join(capfd.readouterr())
    assert done.returncode != 0
    assert "has no keys" in said
    assert REMEDY in " ".join(said.split())
    assert "damaged" not in said
    assert not (again / "keys").exists()
    shutil.copytree(data / "keys", again / "keys")
    began(again)


def test_no_keys_are_made_for_a_log_in_a_database(tmp_path: Path, postgres: PostgresServer) -> None:
    url = postgres.make_schema(f"test_{uuid.uuid4().hex}")
    began(tmp_path / "data", database=url)
    new = tmp_path / "new"
    for command in (["serve", "--listen", "127.0.0.1:0"], ["keys", "--make"], ["keys", "rotate", "log"]):
        done = referee(*command, "--data", new, REFEREE_LOG_DATABASE=url)
        assert done.returncode == 2
        assert "has no keys" in done.stderr
        assert REMEDY in done.stderr
    assert not (new / "keys").exists()
    assert referee("keys", "--make", "--data", new, REFEREE_LOG_DATABASE="postgresql://u@127.0.0.1:1/x").returncode == 0


def test_public_key_that_is_missing_is_named(tmp_path: Path) -> None:
    began(tmp_path / "data", root=tmp_path / "root.key")
    (tmp_path / "data" / "keys" / "root.pub").unlink()
    done = referee("serve", "--data", tmp_path / "data", "--listen", "127.0.0.1:0")
    assert done.returncode == 2
    assert "root.pub is missing; copy it from a backup of the keys" in done.stderr
