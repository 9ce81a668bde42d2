"""A store of an older schema, upgraded as the page on upgrading says.

``schema_1.sql`` has the tables as the last program of schema 1 made them. They are filled with the log of a round that
today's program played, since formats of leaves change until the first release.
"""

import shlex
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from structlog.testing import capture_logs

from referee.dealing.header import NO_KEY
from referee.dealing.leaf import OpenLeaf, parse
from referee.evidence.dsse import Envelope
from referee.server.clock import system_clock
from referee.server.process.app import Application
from referee.storage import Listed, Reader, SchemaVersionError, check_store
from referee.storage.postgres import open_postgres, open_postgres_reader
from referee.storage.round_index import EVERY, of_seat, of_table
from referee.storage.schema import VERSION
from referee.storage.sqlite import FILE_NAME, open_sqlite, open_sqlite_reader
from tests.command import referee
from tests.driver.driver import settle
from tests.driver.running import Running
from tests.server.options import server_options

PAGE: Final = Path(__file__).parents[2] / "referee/server/UPGRADING.md"
TABLES: Final = Path(__file__).with_name("schema_1.sql")
RULESET: Final = "ultimate_texas.casino"
OF_KEYS: Final = 3
"""KEY leaves of the upgraded log."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder of a server that played one round."""
    folder = tmp_path_factory.mktemp("played") / "data"
    with closing(Running(folder, origin="example.com/referee", clock=system_clock)) as server:
        settle(server.driver.play("upgraded", ruleset=RULESET, keyed=True))
    return folder


@pytest.fixture
def old(tmp_path: Path, played: Path) -> Path:
    """Return a data folder of schema 1, with its keys."""
    folder = tmp_path / "referee-data"
    folder.mkdir(mode=0o700)
    shutil.copytree(played / "keys", folder / "keys")
    with closing(sqlite3.connect(folder / FILE_NAME)) as made:
        made.executescript(TABLES.read_text(encoding="utf-8"))
        made.execute("ATTACH ? AS new", (str(played / FILE_NAME),))
        for (table,) in made.execute("SELECT name FROM main.sqlite_master WHERE type = 'table'").fetchall():
            columns = ", ".join(row[1] for row in made.execute(f"PRAGMA main.table_info({table})"))
            made.execute(f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM new.{table}")  # noqa: S608
        made.execute("UPDATE main.schema_version SET version = 1")
        made.commit()
    return folder


def listing_of(reader: Reader) -> list[list[Listed]]:
    """Return the rounds that a store lists, by scope: those of the table of its last round, and of each seat in it."""
    last, *_ = reader.listed(EVERY, since=0, before=(2**53, 0), count=9)
    header = parse(Envelope.parse(reader.leaf(last.index)).payload, OpenLeaf).header
    scopes = [EVERY, of_table(header.table_id), *[of_seat(key) for key in header.seat_keys if key != NO_KEY]]
    return [reader.listed(scope, since=0, before=(2**53, 0), count=9) for scope in scopes]


def leaves_of(folder: Path) -> int:
    """Return how many leaves a store of either schema has."""
    with closing(sqlite3.connect(folder / FILE_NAME)) as store:
        return int(store.execute("SELECT size FROM head").fetchone()[0])


def start(folder: Path) -> list[dict[str, Any]]:
    """Start a server on a folder, stop it, and return the log lines about the schema."""
    with capture_logs() as lines, Application(server_options(data=folder)):
        pass
    return [dict(line) for line in lines if line["event"] == "schema upgraded"]


def run_page(title: str) -> int:
    """Run the commands that a section of the page prints, in this folder; return how many there are."""
    section = PAGE.read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    commands = [line for line in section.splitlines() if line.startswith("$ ")]
    for line in commands:
        words = shlex.split(line.removeprefix("$ "))
        if words[0] == "referee":
            done = referee(*words[1:])
            assert done.returncode == 0, done.stderr
        else:
            subprocess.run(words, check=True, timeout=60)
    return len(commands)


def test_steps_of_the_page_upgrade_a_log_that_audits_clean(
    old: Path, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_sqlite_reader(played)) as reader:
        listing_of_the_played = listing_of(reader)
    assert all(listing_of_the_played)
    monkeypatch.chdir(old.parent)
    (line,) = start(old)
    assert (line["version_before"], line["version"]) == (1, VERSION)
    assert start(old) == []
    assert run_page("Steps") == 2
    with closing(open_sqlite_reader(old)) as reader:
        assert (reader.head().size, reader.head().roundless) == (leaves_of(old), OF_KEYS)
        assert listing_of(reader) == listing_of_the_played


def test_backup_of_the_old_schema_is_restored_as_the_page_says(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = old.parent
    monkeypatch.chdir(here)
    shutil.copy(old / FILE_NAME, here / "before.log")
    shutil.copytree(old / "keys", here / "keys")
    assert run_page("A backup of the old schema") == 3
    (line,) = start(here / "restored")
    assert line["version_before"] == 1
    assert referee("audit", here / "restored").returncode == 0


def test_readers_and_restore_refuse_the_old_schema_and_say_what_upgrades_it(old: Path) -> None:
    before = (old / FILE_NAME).read_bytes()
    with pytest.raises(SchemaVersionError, match=r"version 1, .*`referee serve` of this release upgrades it"):
        open_sqlite_reader(old)
    done = referee("restore", old / FILE_NAME, "--data", old.parent / "elsewhere")
    assert (done.returncode != 0, "upgrades it" in done.stderr) == (True, True)
    assert (old / FILE_NAME).read_bytes() == before


def test_upgrade_that_fails_changes_nothing(old: Path) -> None:
    with closing(sqlite3.connect(old / FILE_NAME)) as damaged:
        damaged.execute("ALTER TABLE mark RENAME TO elsewhere")
        damaged.commit()
    with pytest.raises(Exception, match="mark"):
        open_sqlite(old)
    with closing(sqlite3.connect(old / FILE_NAME)) as found:
        assert found.execute("SELECT version FROM schema_version").fetchall() == [(1,)]
        assert "roundless" not in [row[1] for row in found.execute("PRAGMA table_info(head)")]


@pytest.mark.parametrize("version", [1, 3])
def test_log_in_postgresql_is_upgraded_at_the_start(old: Path, postgres: Any, version: int) -> None:  # noqa: ANN401 - a fixture
    """Schema 3 lacks the counts of commits and the noted leaves, schema 1 two more columns and the index of rounds."""
    open_sqlite(old).close()
    url = postgres.make_schema(f"upgraded_{version}")
    done = referee("restore", old / FILE_NAME, "--database", url)
    assert done.returncode == 0, done.stderr
    missing = ["head DROP COLUMN commits, DROP COLUMN durable"]
    if version == 1:
        missing += ["head DROP COLUMN roundless", "round DROP COLUMN winner"]
        postgres.execute("DROP TABLE upgraded_1.listed")
    postgres.execute(f"DROP TABLE upgraded_{version}.noted")
    for column in missing:
        postgres.execute(f"ALTER TABLE upgraded_{version}.{column}")
    postgres.execute(f"UPDATE upgraded_{version}.schema_version SET version = {version}")  # noqa: S608 - of the test
    with pytest.raises(SchemaVersionError, match=f"version {version}"):
        open_postgres_reader(url)
    with closing(open_postgres(url)) as store:
        assert (store.found_version, store.head().roundless) == (version, OF_KEYS)
        assert (len(store.key_leaves()), len(store.start_leaves())) == (OF_KEYS, 1)
        assert check_store(store).size == leaves_of(old)
    with closing(open_postgres(url)) as store:
        assert store.found_version == VERSION
