"""A database file that was cut short or overwritten: every command that opens it says so, without a traceback."""

import os
import shutil
import socket
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from referee.storage import open_reader, open_sqlite_reader
from tests.command import Done, referee
from tests.demo_log import DemoLog
from tests.storage.postgres_server import PostgresServer, running_postgres

FILE: Final = "log.sqlite3"
CUTS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "half": lambda data: data[: len(data) // 2],
    "not at a page": lambda data: data[: len(data) * 3 // 4 - 777],
    "one page": lambda data: data[:2048],
    "its header": lambda data: data[:100],
    "ten bytes": lambda data: data[:10],
    "zeros": lambda data: bytes(len(data)),
    "noise": lambda data: data[: len(data) // 8] + os.urandom(len(data) * 3 // 4) + data[len(data) * 7 // 8 :],
}


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server for this module."""
    yield from running_postgres()


@pytest.fixture(scope="module")
def whole(demo_log: DemoLog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder whose log is one file, with nothing beside it, and no root key to distract."""
    folder = tmp_path_factory.mktemp("whole")
    assert referee("backup", folder / "copy", "--data", demo_log.data).returncode == 0
    shutil.copytree(demo_log.data / "keys", folder / "data" / "keys")
    shutil.copy(folder / "copy", folder / "data" / FILE)
    return folder / "data"


def commands(data: Path, table: str) -> list[list[object]]:
    """List the commands that open the log of a data folder."""
    there = ["--data", data]
    return [
        ["serve", *there, "--listen", "127.0.0.1:0"],
        ["audit", *there],
        ["replay", table, *there],
        ["export", table, *there],
        ["backup", data / "new backup", *there],
        ["restore", data / FILE, "--data", data / "elsewhere"],
        ["publish", data / "tiles", *there],
        ["keys", "rotate", "referee", *there],
        ["doctor", *there],
    ]


@pytest.mark.parametrize("cut", CUTS)
def test_cut_file_is_refused_by_every_command_that_opens_it(whole: Path, tmp_path: Path, cut: str) -> None:
    """An error that a command does not handle would be raised here."""
    table = "demo.mau_binh.classic"
    assert referee("replay", table, "--data", whole).returncode == 0
    for number in range(len(commands(whole, table))):
        data = tmp_path / str(number)
        shutil.copytree(whole, data)
        (data / FILE).write_bytes(CUTS[cut]((whole / FILE).read_bytes()))
        done: Done = referee(*commands(data, table)[number])
        said = " ".join((done.stdout + done.stderr).split())
        assert done.returncode != 0, (number, said)
        assert "Traceback" not in said
        assert "backup" in said or "damaged" in said, (number, said)


@pytest.mark.parametrize("lost", ["position = 20", "position >= 0"])
def test_log_that_lacks_leaves_is_called_damaged_by_every_command_that_reads_it(
    whole: Path, tmp_path: Path, lost: str
) -> None:
    """The database itself is sound, so that the log alone can notice."""
    table = "demo.mau_binh.classic"
    for number, command in enumerate(commands(whole, table)):
        if command[0] in {"serve", "doctor", "replay", "export"}:
            continue  # they read other leaves
        data = tmp_path / str(number)
        shutil.copytree(whole, data)
        with closing(sqlite3.connect(data / FILE)) as database:
            database.execute(f"DELETE FROM leaf WHERE {lost}")  # noqa: S608 - the test's own words
            database.commit()
        done = referee(*commands(data, table)[number])
        assert done.returncode != 0, command[0]
        assert "damaged" in done.stderr, (command[0], done.stderr)


def test_empty_file_is_named_as_such(tmp_path: Path) -> None:
    (tmp_path / FILE).touch()
    done = referee("audit", "--data", tmp_path)
    assert done.returncode == 2
    assert f"{tmp_path / FILE} is empty: it holds no log" in done.stderr


@pytest.mark.parametrize("key", ["--listen", "--web", "--metrics"])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_address_in_use_is_named_with_its_setting(
    tmp_path: Path, key: str, workers: str, capfd: pytest.CaptureFixture[str]
) -> None:
    names = {"--listen": "serve.listen", "--web": "web.listen", "--metrics": "telemetry.metrics"}
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        others = [] if key == "--listen" else ["--listen", "127.0.0.1:0"]
        done = referee("serve", "--data", tmp_path / "data", "--workers", workers, key, address, *others)
    said = " ".join((done.stderr + "".join(capfd.readouterr())).split())
    assert done.returncode != 0
    assert f"{names[key]} {address}: Address already in use" in said
    assert "use another one" in said


def test_witness_names_the_address_that_is_in_use(tmp_path: Path, demo_log: DemoLog) -> None:
    key = (demo_log.data / "keys" / "log.pub").read_text().strip()
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = referee("witness", "--data", tmp_path / "w", "--listen", address, "--log", key)
    assert done.returncode == 2
    assert f"--listen {address}: Address already in use" in done.stderr


def test_cut_state_of_a_witness_is_refused(tmp_path: Path, demo_log: DemoLog) -> None:
    key = (demo_log.data / "keys" / "log.pub").read_text().strip()
    folder = tmp_path / "w"
    folder.mkdir(mode=0o700)
    (folder / "witness.sqlite3").write_bytes(b"SQLite format 3\0" + bytes(500))
    done = referee("witness", "--data", folder, "--listen", "127.0.0.1:0", "--log", key)
    assert done.returncode == 2
    assert "witness.sqlite3 cannot be opened" in done.stderr


def test_log_in_a_database_is_backed_up_by_flag_and_by_variable(
    whole: Path, tmp_path: Path, postgres: PostgresServer
) -> None:
    """The copy is the same log as a file; nothing is left beside it."""
    url = postgres.make_schema(f"test_{uuid.uuid4().hex}")
    assert referee("restore", whole / FILE, "--data", tmp_path / "x", "--database", url).returncode == 0
    by_flag = referee("backup", tmp_path / "by flag", "--database", url, "--json")
    assert (by_flag.returncode, by_flag.stderr) == (0, "")
    assert referee("backup", tmp_path / "by variable", REFEREE_LOG_DATABASE=url).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"by flag", "by variable"}
    assert referee("restore", tmp_path / "by flag", "--data", tmp_path / "again").returncode == 0
    with closing(open_sqlite_reader(tmp_path / "again")) as again, closing(open_reader(whole, database=url)) as stored:
        assert again.head() == stored.head()
        assert list(again.iterate()) == list(stored.iterate())
        assert again.cosigned(0, 10, quorate=False) == stored.cosigned(0, 10, quorate=False)
    away = referee("backup", tmp_path / "away", REFEREE_LOG_DATABASE="postgresql://u@127.0.0.1:1/x")
    assert away.returncode == 2
    assert "the database cannot be used" in away.stderr
