"""``referee rounds export`` from every kind of place: the same rows, and errors that say what to do."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.log import CheckpointSigner
from referee.server.folder_lock import LeaderLock
from referee.server.process.app import Application
from referee.storage import Append, Writer
from referee.storage.sqlite import open_sqlite
from tests.audit import audit_tiles
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder, Table
from tests.cli.printing import printed
from tests.command import referee, refused
from tests.demo_log import DemoLog
from tests.rounds.rounds_log import rows_in
from tests.server.options import server_options
from tests.storage.postgres_server import PostgresServer, missing, running_postgres

NOWHERE = "postgresql://me:secret@127.0.0.1:1/none"


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    yield from running_postgres()


@pytest.fixture(scope="module")
def rows(demo_log: DemoLog, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the demo's log, exported from its folder."""
    out = tmp_path_factory.mktemp("rows")
    printed("rounds", "export", demo_log.data, "--out", out)
    return rows_in(out)


def test_json_says_what_was_written(demo_log: DemoLog, rows, tmp_path: Path):
    answer = json.loads(printed("rounds", "export", demo_log.data, "--out", tmp_path, "--json"))
    assert answer["rows"] == {table: len(found) for table, found in rows.items() if found}
    assert (answer["start"], answer["unread"], answer["running"]) == (0, [], 0)
    report = json.loads(printed("audit", demo_log.data, "--json"))
    assert (answer["size"], answer["root"]) == (report["size"], report["root"])


def test_audit_writes_the_same_rows_from_its_own_reading(demo_log: DemoLog, rows, tmp_path: Path):
    answer = json.loads(printed("audit", demo_log.data, "--tables", tmp_path, "--json"))
    assert answer["tables"]["rows"] == {table: len(found) for table, found in rows.items() if found}
    assert rows_in(tmp_path) == rows
    assert "no rows of leaves" in printed("audit", demo_log.data, "--tables", tmp_path)


def test_audit_of_other_leaves_than_the_log_signed_writes_no_row(tmp_path: Path):
    log = LogBuilder.of(Table(name="felt", ruleset_id="mau_binh.classic", seats=2), rounds=2)
    tiles, out = tmp_path / "tiles", tmp_path / "out"
    audit_tiles.publish(audit_tiles.files_of([*log.entries[:-1], log.entries[0]], log.checkpoint()), tiles)
    done = referee("audit", tiles, "--log-key", LOG.text, "--root-key", ROOT.text, "--tables", out)
    assert (done.returncode, "ROOT_MISMATCH" in done.stdout) == (1, True), done.stderr
    assert list(out.glob("rounds/**/*.parquet")) == []


def test_tiles_give_the_same_rows(demo_log: DemoLog, rows, keys: list[str], tmp_path: Path):
    tiles, out = tmp_path / "tiles", tmp_path / "out"
    printed("publish", tiles, "--data", demo_log.data)
    printed("rounds", "export", tiles, *keys, "--out", out)
    assert rows_in(out) == rows


def test_service_gives_the_same_rows(demo_log: DemoLog, rows, tmp_path: Path):
    with Application(server_options(data=demo_log.data, sweep=False)) as app:
        printed("rounds", "export", f"localhost:{app.port}", "--out", tmp_path)
    assert rows_in(tmp_path) == rows


@pytest.mark.skipif(bool(missing()), reason=missing() or "there is a server")
def test_postgresql_gives_the_same_rows(demo_log: DemoLog, rows, keys: list[str], postgres, tmp_path: Path):
    url = postgres.make_schema("rounds")
    backup = tmp_path / "backup.sqlite3"
    printed("backup", backup, "--data", demo_log.data)
    printed("restore", backup, "--data", demo_log.data, "--database", url)
    printed("rounds", "export", url, *keys, "--out", tmp_path / "out")
    assert rows_in(tmp_path / "out") == rows


def test_leaf_without_a_row_is_named_with_exit_code_1(tmp_path: Path):
    leaves = [*LogBuilder.founded().entries, b"{}"]
    store = open_sqlite(tmp_path / "data")
    with Writer(store, CheckpointSigner(LOG, key_name=LOG.name), origin=ORIGIN) as writer:
        writer.submit(*[Append(leaf=leaf) for leaf in leaves]).result()
    store.close()
    words = ("--log-key", LOG.text, "--root-key", ROOT.text, "--out", tmp_path / "out")
    done = referee("rounds", "export", tmp_path / "data", *words)
    assert done.returncode == 1
    assert "1 leaf gave no row; `referee audit` says what is wrong:\n  leaf 3: " in done.stdout


def test_two_exports_at_once_are_refused(demo_log: DemoLog, tmp_path: Path):
    lock = LeaderLock(tmp_path / "lock")
    assert lock.take()
    assert "another export to" in refused("rounds", "export", demo_log.data, "--out", tmp_path)
    lock.leave()
    printed("rounds", "export", demo_log.data, "--out", tmp_path)


@pytest.mark.parametrize(
    ("place", "error"),
    [("nowhere", "is no such place"), (NOWHERE, "give --log-key and --root-key"), ("127.0.0.1:1", "does not answer")],
)
def test_place_without_a_log_is_named(place: str, error: str, tmp_path: Path):
    assert error in refused("rounds", "export", place, "--out", tmp_path / "out")


def test_key_of_another_log_is_refused(demo_log: DemoLog, keys: list[str], tmp_path: Path):
    words = (demo_log.data, *keys[2:], "--log-key", LOG.text, "--out", tmp_path / "out")
    assert "checkpoint does not hold" in refused("rounds", "export", *words)


def test_out_that_is_no_folder_is_named(demo_log: DemoLog, tmp_path: Path):
    (tmp_path / "file").touch()
    message = refused("rounds", "export", demo_log.data, "--out", tmp_path / "file" / "below")
    assert str(tmp_path / "file") in message.replace("\n", "")
