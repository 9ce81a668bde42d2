"""Commits on PostgreSQL: one answered with a warning is not done, and no statement of one is a pipeline."""

from collections.abc import Callable
from contextlib import closing
from typing import Any, TypeAlias

import pytest
from sqlalchemy import Connection

from referee.log import SlotKey
from referee.storage import Contribution, Cosigned, Store, check_store
from referee.storage.postgres import open_postgres
from referee.storage.record import StandbyAwayError
from tests.storage.log_bench import Bench

Server: TypeAlias = Any  # a fixture, whose class is beside it


_WARN_AT_COMMIT = """
    CREATE FUNCTION {0}.warn() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER warn AFTER INSERT OR UPDATE ON {0}.{1} DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION {0}.warn()
"""
"""A warning during COMMIT, as of a cancelled wait for a standby."""
COSIGNED: Cosigned = Cosigned(size=1, note=b"", is_quorate=False)
COMMITS: dict[str, tuple[str, Callable[[str, Store], object]]] = {
    "opening": ("schema_version", lambda url, _: open_postgres(url)),
    "founding": ("head", lambda _, store: store.found("log.example/2", b"")),
    "change": ("leaf", lambda _, store: insert(store)),
    "proof": ("schema_version", lambda _, store: store.touch()),
    "cosignature": ("cosigned", lambda _, store: store.keep_cosigned(1, lambda _: COSIGNED)),
    "copy": ("cosigned", lambda _, store: store.fill(pour)),
}


def pour(into: Connection) -> None:
    into.exec_driver_sql("INSERT INTO cosigned VALUES (2, '', 0)")


def insert(store: Store) -> None:
    with store.transaction() as transaction:
        transaction._cursor.execute("INSERT INTO leaf VALUES (0, '')")  # noqa: SLF001 - a change without a signer


@pytest.mark.parametrize("what", COMMITS)
def test_commit_that_is_answered_with_a_warning_is_not_done(postgres: Server, schema: str, what: str):
    """Of every commit that the store makes, and of a role that would hide warnings."""
    table, commit = COMMITS[what]
    url = f"{postgres.url(schema)}%20-cclient_min_messages%3Derror"
    with closing(open_postgres(url)) as store:
        if what != "founding":
            store.found("log.example/1", b"")
        postgres.execute(_WARN_AT_COMMIT.format(schema, table))
        with pytest.raises(StandbyAwayError, match="outcome is unknown: canceling wait for synchronous replication"):
            commit(url, store)


def test_no_statement_is_sent_as_a_pipeline(
    postgres: Server, schema: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
):
    """A round from its OPEN to its REVEAL, two in one batch, by every statement of a change and of a seed."""
    psycopg = pytest.importorskip("psycopg")

    def refuse(*_: object) -> None:
        pytest.fail("a pipeline: while its middle is missing no timeout of PostgreSQL runs")

    monkeypatch.setattr(psycopg.Cursor, "executemany", refuse)
    monkeypatch.setattr(psycopg.Connection, "pipeline", refuse)
    with bench.writing(open_postgres(postgres.url(schema))) as (store, writer):
        for kind in ("OPEN", "DEAL", "UNSEAL", "SETTLE-1", "REVEAL"):
            if kind == "DEAL":
                writer.contribute(Contribution(key=SlotKey("a", 1), seat=0, seed=bytes(32)))
            writer.submit(bench.append(kind, "a"), bench.append(kind, "b")).result(20)
        assert check_store(store).size == 10
