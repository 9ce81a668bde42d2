"""A commit that does not return is trouble like one that fails, and the watch that says so waits for nothing."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path

import pytest

from referee.server.process.write_watch import WriteWatch
from referee.storage import Append, Logged, Writer, WriteTrouble
from referee.storage.postgres import _NETWORK, open_postgres
from referee.storage.sqlite import FILE_NAME, open_sqlite
from tests.storage.log_bench import Bench
from tests.storage.postgres_server import PostgresServer
from tests.storage.test_storage_trouble import breakable
from tests.waiting import until

Ask = Callable[[Writer], object]


class Gate:
    """A step of a store that waits while it is closed."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self._open.set()

    def __call__(self) -> None:
        """Wait until the gate is open."""
        assert self._open.wait(60)

    def close(self) -> None:
        """Let nothing pass."""
        self._open.clear()

    def open(self) -> None:
        """Let everything pass."""
        self._open.set()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a commit count as trouble at once."""
    monkeypatch.setattr("referee.storage.writer.STALL_SECONDS", 0.2)
    for name in ("IDLE_SECONDS", "RETRY_SECONDS", "_EXPLAIN_SECONDS"):
        monkeypatch.setattr(f"referee.server.process.write_watch.{name}", 0.0)


@pytest.fixture
def gate() -> Iterator[Gate]:
    """Return a gate, which is opened at the end."""
    made = Gate()
    yield made
    made.open()


def append(writer: Writer) -> Future[tuple[Logged, ...]]:
    return writer.submit(Append(leaf=b"one"))


def prove(writer: Writer) -> None:
    writer.prove_soon()


def reported(writer: Writer) -> tuple[WriteWatch, list[WriteTrouble | None]]:
    """Return a watch that the test lets look, and what it reports."""
    changes: list[WriteTrouble | None] = []
    return WriteWatch(writer, on_change=changes.append), changes


@pytest.mark.parametrize("ask", [append, prove])
def test_commit_that_hangs_is_reported_until_it_returns(tmp_path: Path, bench: Bench, gate: Gate, ask: Ask) -> None:
    """Of a request and of an idle server's own commit; each look returns, so that the report comes."""
    with bench.writing(breakable(tmp_path, gate)) as (_, writer):
        watch, changes = reported(writer)
        gate.close()
        ask(writer)

        def kind() -> str:
            watch.look()
            return watch.trouble.kind if watch.trouble is not None else ""

        until(lambda: kind() == "STALLED", "a commit that hangs is no trouble")
        until(lambda: watch.trouble is not None and "the disk has not forced" in watch.trouble.cause and kind())
        assert writer.batch_seconds > 0
        gate.open()
        until(lambda: not kind(), "the trouble is not over")
        assert changes[0] is not None
        assert changes[1:] == [None]


@contextmanager
def crashed(postgres: PostgresServer) -> Iterator[None]:
    """Stop the server for the block, as a crash does."""
    postgres.stop("immediate")
    try:
        yield
    finally:
        postgres.start()


@pytest.mark.parametrize(
    ("taken", "kind", "why"),
    [(PostgresServer.frozen, "STALLED", "connection timeout expired"), (crashed, "AWAY", "No such file or directory")],
    ids=["frozen", "crashed"],
)
def test_frozen_database_is_another_trouble_than_one_that_is_away(  # noqa: PLR0913 - two cases, and what they need
    *,
    postgres: PostgresServer,
    schema: str,
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    taken: Callable[[PostgresServer], AbstractContextManager[None]],
    kind: str,
    why: str,
) -> None:
    """While one batch is under way, which is appended once the database is back."""
    monkeypatch.setitem(_NETWORK, "connect_timeout", 2)  # the driver's least
    with bench.writing(open_postgres(postgres.url(schema), timeout=60)) as (_, writer):
        append(writer).result(60)
        watch, changes = reported(writer)
        with taken(postgres):
            answer = append(writer)

            def is_explained() -> bool:
                watch.look()
                trouble = watch.trouble
                return trouble is not None and "has not begun" in trouble.cause and why in trouble.cause

            until(is_explained, "the trouble has no cause")
            assert watch.trouble is not None
            assert (watch.trouble.kind, answer.done()) == (kind, False)
        assert answer.result(60)[0].receipt.index == 1
        until(lambda: writer.trouble is None, "the trouble is not over")
        watch.look()
        assert changes[-1] is None
        until(lambda: "write-cause" not in {thread.name for thread in threading.enumerate()}, "a question does not end")


def test_lock_of_another_process_is_named_before_the_wait_for_it_ends(tmp_path: Path, bench: Bench) -> None:
    with bench.writing(open_sqlite(tmp_path, busy_timeout_ms=60_000)) as (_, writer):
        watch, _ = reported(writer)
        with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            writer.prove_soon()

            def is_named() -> bool:
                watch.look()
                trouble = watch.trouble
                return trouble is not None and trouble.kind == "BUSY" and "another process has held" in trouble.cause

            until(is_named, "the lock is not named")
        until(lambda: writer.trouble is None)


def test_writer_that_closes_does_not_wait_for_a_commit_that_hangs(
    tmp_path: Path, bench: Bench, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.storage.writer.GRACE_SECONDS", 0.1)
    monkeypatch.setattr("referee.storage.store.WAIT_SECONDS", 0.1)
    store = breakable(tmp_path, gate)
    writer = Writer(store, bench.signer, origin=bench.origin)
    gate.close()
    answer = writer.submit(Append(leaf=b"one"))
    writer.close()
    store.close()
    assert not answer.done()
    gate.open()
    assert answer.result(60)[0].receipt.index == 0
