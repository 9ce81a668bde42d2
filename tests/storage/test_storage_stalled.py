"""A commit that does not return is trouble like one that fails, and the watch that says so waits for nothing."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from referee.server.process.write_watch import WriteWatch
from referee.storage import Append, Writer, WriteTrouble
from referee.storage.sqlite import FILE_NAME, open_sqlite
from tests.storage.log_bench import Bench
from tests.storage.test_storage_trouble import breakable
from tests.waiting import until

Ask = Callable[[Writer], None]


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


def append(writer: Writer) -> None:
    writer.submit(Append(leaf=b"one"))


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
