"""Backups of a log in PostgreSQL, by the commands that the operator's page prints."""

import os
import shlex
import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from referee.server.process.app import Application
from referee.storage import open_reader
from tests.command import referee
from tests.server.options import server_options

PAGE: Final = Path(__file__).parents[2] / "referee/server/README.md"
LEAVES: Final = 4
"""Those that name the keys of a new log."""


@pytest.fixture
def log(tmp_path: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch) -> str:  # noqa: ANN401 - a fixture
    """Return the URL of a log in a database of its own, made by a server that is stopped."""
    monkeypatch.chdir(tmp_path)
    url = database(postgres, f"log_{os.getpid()}_{tmp_path.name}")
    Application(server_options(data=Path("referee-data"), database=url)).start().close()
    return url


def database(postgres: Any, name: str) -> str:  # noqa: ANN401 - a fixture
    """Make a database and return its URL."""
    postgres.execute(f'CREATE DATABASE "{name}"')
    return f"postgresql://referee@/{name}?host={postgres.folder}&port={postgres.port}"


def check(folder: str, url: str | None) -> None:
    """Audit a restored log, and read its size."""
    place = ["--database", url] if url else []
    done = referee("audit", *([] if url else [folder]), *place)
    assert done.returncode == 0, done.stdout + done.stderr
    with closing(open_reader(Path(folder), database=url)) as reader:
        assert reader.head().size == LEAVES


def test_backup_of_a_database_is_restored_into_a_file_and_another_database(log: str, postgres: Any) -> None:  # noqa: ANN401
    """The page's two commands; ``--database`` names where the log is, or shall be."""
    for command in ("referee backup copy.log --data referee-data", "referee restore copy.log --data elsewhere"):
        assert f"$ {command}\n" in PAGE.read_text(encoding="utf-8")
    assert referee("backup", "copy.log", "--data", "referee-data", "--database", log).returncode == 0
    assert referee("restore", "copy.log", "--data", "elsewhere").returncode == 0
    shutil.copytree("referee-data/keys", "elsewhere/keys")
    check("elsewhere", None)
    other = database(postgres, f"other_{os.getpid()}")
    assert referee("restore", "copy.log", "--data", "referee-data", "--database", other).returncode == 0
    check("referee-data", other)


def test_dump_by_postgresql_is_restored_as_the_page_says(log: str, postgres: Any) -> None:  # noqa: ANN401 - a fixture
    if shutil.which("pg_dump") is None:
        pytest.skip("pg_dump is not installed (apt-get install postgresql-client)")
    other = database(postgres, f"dumped_{os.getpid()}")
    page = PAGE.read_text(encoding="utf-8")
    for command in ("pg_dump --format=custom --file=copy.dump URL", "pg_restore --dbname=OTHER_URL copy.dump"):
        assert f"`{command}`" in page
        words = [word.replace("OTHER_URL", other).replace("URL", log) for word in shlex.split(command)]
        subprocess.run(words, check=True, timeout=60)
    check("referee-data", other)
