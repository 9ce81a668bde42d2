"""What is PostgreSQL's own: settings that would lose commits, connections that are cut, and servers that come back."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from structlog.testing import capture_logs

from referee.log import SlotKey, Stage
from referee.storage import (
    Append,
    Contribution,
    NotFoundedError,
    StoreBusyError,
    StoreError,
    Writer,
    back_up,
    check_store,
    open_reader,
    open_store,
    restore,
)
from referee.storage.postgres import open_postgres, open_postgres_reader
from referee.storage.record import OutcomeUnknownError
from referee.storage.sqlite import open_sqlite
from tests.storage.cutting_proxy import Cut, CuttingProxy
from tests.storage.log_bench import Bench

Server: TypeAlias = Any  # both are fixtures, and have their classes in conftest and beside it


@pytest.fixture
def proxy(postgres: Server) -> Iterator[CuttingProxy]:
    """Run a relay to the server."""
    relay = CuttingProxy(postgres.port)
    yield relay
    relay.close()


@pytest.mark.parametrize("setting", ["synchronous_commit", "fsync", "full_page_writes"])
def test_server_that_would_lose_commits_is_refused(postgres: Server, schema: str, setting: str):
    """Refused when the store is opened; and when the setting is changed under a store, for its next connection."""
    url = postgres.url(schema)
    postgres.execute(f"ALTER SYSTEM SET {setting} = off")
    postgres.execute("SELECT pg_reload_conf()")
    try:
        deadline = time.monotonic() + 10
        while postgres.execute(f"SHOW {setting}") != [("off",)]:
            assert time.monotonic() < deadline
        with pytest.raises(StoreError, match=f"lose commits.*{setting}"):
            open_postgres(url)
    finally:
        postgres.execute(f"ALTER SYSTEM RESET {setting}")
        postgres.execute("SELECT pg_reload_conf()")
    while postgres.execute(f"SHOW {setting}") != [("on",)]:
        assert time.monotonic() < deadline
    open_postgres(url).close()


def test_log_is_backed_up_into_a_file_while_it_is_written(
    postgres: Server, schema: str, bench: Bench, tmp_path: Path
) -> None:
    """The copy is the log at one moment, proved, and is what ``restore`` reads."""
    url = postgres.url(schema)
    with bench.writing(open_postgres(url)) as (_, writer):
        for number in range(5):
            writer.append(Append(leaf=b"leaf %d" % number))
        head = back_up(tmp_path, tmp_path / "copy.log", database=url)
        writer.append(Append(leaf=b"later"))
        assert head.size == 5
    restore(tmp_path / "copy.log", tmp_path / "again")
    with closing(open_sqlite(tmp_path / "again")) as again:
        assert again.leaves(0, 9) == [b"leaf %d" % number for number in range(5)]
        assert again.head() == head


def test_reader_changes_nothing_and_needs_a_log(postgres: Server, schema: str, bench: Bench):
    """No tables are made for it, no log is founded, and writing through it is impossible."""
    url = postgres.url(schema)
    with pytest.raises(StoreError):
        open_postgres_reader(url)
    assert postgres.execute("SELECT count(*) FROM pg_tables WHERE schemaname = %s", schema) == [(0,)]
    open_postgres(url).close()
    with pytest.raises(NotFoundedError):
        open_postgres_reader(url)
    with bench.writing(open_postgres(url)) as (_, writer):
        writer.append(Append(leaf=b"0"))
    with closing(open_postgres_reader(url)) as reader:
        assert check_store(reader).size == 1
        with pytest.raises(StoreError, match="read-only"):
            reader._rows("DELETE FROM leaf")  # noqa: SLF001 - no public way tries to write


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("postgresql://u:secret@127.0.0.1:1/x", "cannot be used"),
        ("mysql://u:secret@127.0.0.1/x", "postgresql://user@host"),
        ("u:secret", "postgresql://user@host"),
        ("postgresql://u:secret@127.0.0.1:port/x", "no URL"),
        ("postgresql+psycopg2://u:secret@127.0.0.1/x", "no store for"),
    ],
)
def test_database_that_cannot_be_used_is_said_without_its_password(tmp_path: Path, url: str, words: str):
    for opening in (open_store, open_reader):
        with pytest.raises(StoreError, match=words) as refused:
            opening(tmp_path, database=url)
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize("through", ["leaf", "step", "seed"])
@pytest.mark.parametrize(("cut", "happened"), [("BEFORE", False), ("MUTE", False), ("AFTER", True)])
def test_commit_that_was_not_answered_is_looked_up(  # noqa: PLR0913, PLR0917 - fixtures, and a case in three words
    postgres: Server,
    schema: str,
    proxy: CuttingProxy,
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    cut: Cut,
    happened: bool,  # noqa: FBT001 - a parameter of the test
    through: str,
):
    """What happened is answered as such and is in the log once; what did not is refused, and may be asked for again."""
    if cut == "MUTE":  # the database notices by itself, after this time
        monkeypatch.setattr("referee.storage.postgres._SILENCE_MS", 4_000)
    with bench.writing(open_postgres(postgres.url(schema, port=proxy.port))) as (store, writer):
        writer.append(bench.append("OPEN", "before"))

        def ask() -> object:
            match through:
                case "leaf":
                    return writer.append(Append(leaf=b"a leaf without a step")).receipt.index
                case "step":
                    logged = writer.append(bench.append("DEAL", "before"))
                    bench.verify(logged.leaf, logged.receipt)
                    return logged.receipt.index
                case _:
                    return writer.contribute(Contribution(key=SlotKey("before", 1), seat=0, seed=bytes(32))).seat

        proxy.befalls = cut
        if happened:
            answer = ask()
        else:
            with pytest.raises(StoreError, match="nothing was appended") as refused:
                ask()
            assert not isinstance(refused.value, OutcomeUnknownError)
            assert store.head().size == 1
            assert store.contributions(SlotKey("before", 1)) == ()
            answer = ask()
        assert proxy.has_cut.is_set()
        assert answer == (0 if through == "seed" else 1)
        assert check_store(store).size == (1 if through == "seed" else 2)
        assert len(store.contributions(SlotKey("before", 1))) == (through == "seed")
        assert writer.append(Append(leaf=b"later")).receipt.index == check_store(store).size - 1


def test_commit_is_unknown_where_the_store_does_not_come_back(postgres: Server, schema: str, bench: Bench):
    """Nothing is claimed either way; when the store is back the step is answered as it happened."""
    relay = CuttingProxy(postgres.port)
    with bench.writing(open_postgres(postgres.url(schema, port=relay.port), timeout=0.3)) as (store, writer):
        relay.befalls = "AFTER"
        future = writer.submit(bench.append("OPEN"))
        relay.has_cut.wait(10)
        relay.close()
        with pytest.raises(OutcomeUnknownError):
            future.result(20)
    with bench.writing(open_postgres(postgres.url(schema))) as (store, writer):
        assert writer.append(bench.append("OPEN")).is_repeat
        assert check_store(store).size == 1


def test_lookup_waits_for_the_transaction_that_it_asks_about(postgres: Server, schema: str, bench: Bench):
    """The connection is gone and the server still commits: a reader must not see the head of before.

    A second transaction does not begin before the first has ended, which is why a lookup is one.
    """
    url = postgres.url(schema)
    with closing(open_postgres(url)) as store, closing(open_postgres(url)) as other:
        with Writer(store, bench.signer, origin=bench.origin) as writer:
            writer.append(Append(leaf=b"0"))
        seen: list[int] = []

        def look() -> None:
            with other.transaction() as transaction:
                seen.append(transaction.head.size)

        looking = threading.Thread(target=look)
        with store.transaction() as transaction:
            before = transaction.head.size
            looking.start()
            looking.join(0.3)
            assert seen == []
        looking.join(10)
        assert seen == [before]


SWEEP = pytest.mark.slow("kills processes again and again")
OTHER_STEPS = [pytest.param(step, marks=SWEEP) for step in ("BEGUN", "JUDGED", "SIGNED")]


@pytest.mark.parametrize("step", [*OTHER_STEPS, "WRITTEN", "COMMITTED"])
def test_server_that_crashes_at_any_step_leaves_a_whole_log(postgres: Server, schema: str, bench: Bench, step: str):
    """``immediate`` is a crash: no connection is notified, and the server recovers from its own write-ahead log."""
    url = postgres.url(schema)
    crashing = threading.Event()

    def probe(reached: str) -> None:
        if reached == step and crashing.is_set():
            crashing.clear()
            postgres.stop("immediate")
            postgres.start()

    with bench.writing(open_postgres(url, timeout=30), probe=probe) as (store, writer):
        opened = writer.append(bench.append("OPEN"))
        crashing.set()
        if step == "COMMITTED":
            assert not writer.append(bench.append("DEAL")).is_repeat
        else:
            with pytest.raises(StoreError):
                writer.append(bench.append("DEAL"))
            assert store.head().size == 1
            assert not writer.append(bench.append("DEAL")).is_repeat
        assert store.leaf(opened.receipt.index) == opened.leaf
        state = store.round(SlotKey("t", 1))
        assert state is not None
        assert state.stage is Stage.DEALT
        assert check_store(store).size == 2


def _play_on(url: str, table: str, bench: Bench, answered: dict[bytes, int], done: threading.Event) -> None:
    """Round after round at a table, asking again whatever was refused, until it is done."""
    with bench.writing(open_postgres(url, timeout=30)) as (_, writer):
        number, previous = 0, bytes(32)
        while not done.is_set():
            number += 1
            for kind in ("OPEN", "DEAL", "SETTLE"):
                logged = None
                while logged is None:
                    with suppress(StoreError):
                        logged = writer.append(bench.append(kind, table, number, previous=previous))
                answered[logged.leaf] = logged.receipt.index
            assert logged is not None
            previous = logged.receipt.leaf_hash


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_writers_live_through_a_restart_of_the_server(postgres: Server, schema: str, bench: Bench, how: str):
    """Two writers append while it stops and starts three times; each leaf is there once, at the index answered."""
    url, done = postgres.url(schema), threading.Event()
    answered: dict[bytes, int] = {}
    threads = [threading.Thread(target=_play_on, args=(url, table, bench, answered, done)) for table in "ab"]
    for thread in threads:
        thread.start()
    for size in (20, 60, 100):
        while len(answered) < size:
            time.sleep(0.01)
        postgres.stop(how)
        postgres.start()
    while len(answered) < 140:
        time.sleep(0.01)
    done.set()
    for thread in threads:
        thread.join(60)
    with closing(open_postgres_reader(url)) as reader:
        assert check_store(reader).size == len(answered)
        assert {leaf: index for index, leaf in enumerate(reader.iterate())} == answered


def test_cut_connections_are_made_anew(postgres: Server, schema: str, proxy: CuttingProxy, bench: Bench):
    """Between appends and between reads nobody notices."""
    with bench.writing(open_postgres(postgres.url(schema, port=proxy.port))) as (store, writer):
        for n in range(5):
            assert writer.append(Append(leaf=b"%d" % n)).receipt.index == n
            proxy.cut()
            assert store.head().size == n + 1
            assert store.leaf(n) == b"%d" % n
            proxy.cut()


def test_writer_that_falls_silent_is_cut_off_and_the_others_go_on(
    postgres: Server, schema: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
):
    """A stopped process holds the head's lock no longer than the server lets it, and its late commit is refused."""
    url = postgres.url(schema)
    monkeypatch.setattr("referee.storage.postgres._SILENCE_MS", 2_000)
    written, go = threading.Event(), threading.Event()

    def fall_silent(step: str) -> None:
        if step == "WRITTEN":
            written.set()
            go.wait()

    with closing(open_postgres(url, timeout=5)) as store, closing(open_postgres(url)) as other:
        silent = Writer(store, bench.signer, origin=bench.origin, probe=fall_silent)
        future = silent.submit(Append(leaf=b"silent"))
        assert written.wait(20)
        with Writer(other, bench.signer, origin=bench.origin) as writer:
            assert writer.append(Append(leaf=b"brisk")).receipt.index == 0
        go.set()
        with pytest.raises(StoreError):
            future.result(20)
        assert silent.append(Append(leaf=b"silent")).receipt.index == 1
        silent.close()
        assert list(store.iterate()) == [b"brisk", b"silent"]


@pytest.mark.parametrize("cut", ["HALF", "PARSED", "GONE"])
def test_silent_holder_behind_a_proxy_is_ended_by_the_next_writer_and_named(  # noqa: PLR0913, PLR0917 - fixtures
    postgres: Server, schema: str, proxy: CuttingProxy, bench: Bench, monkeypatch: pytest.MonkeyPatch, cut: Cut
):
    """The proxy keeps its connection to the database, and in the middle of a message no timeout of it runs."""
    monkeypatch.setattr("referee.storage.postgres._SILENCE_MS", 600_000)
    monkeypatch.setattr("referee.storage.postgres._LOCK_MS", 200)
    monkeypatch.setattr("referee.storage.postgres_waits.SILENCE_SECONDS", 0.5)
    with bench.writing(open_postgres(postgres.url(schema, port=proxy.port))) as (_, silent):
        proxy.befalls = cut
        lost = silent.submit(Append(leaf=b"silent"))
        assert proxy.has_cut.wait(20)
        holders = "SELECT pid FROM pg_stat_activity WHERE xact_start IS NOT NULL AND client_addr IS NOT NULL"
        ((pid,),) = postgres.execute(holders)
        with capture_logs() as lines, bench.writing(open_postgres(postgres.url(schema))) as (_, writer):
            assert writer.append(Append(leaf=b"brisk")).receipt.index == 0
        (line,) = [line for line in lines if line["event"] == "silent holder of the log ended"]
        assert (line["address"], line["process"], line["waits_for"]) == ("127.0.0.1", pid, "ClientRead")
        with pytest.raises(StoreError):
            lost.result(20)
        assert silent.append(Append(leaf=b"silent")).receipt.index == 1


def test_silent_client_without_another_writer_is_ended_by_the_database(
    postgres: Server, schema: str, proxy: CuttingProxy, bench: Bench, monkeypatch: pytest.MonkeyPatch
):
    """Between two statements its timeout runs, also after many rows: they are one statement."""
    monkeypatch.setattr("referee.storage.postgres._SILENCE_MS", 500)
    with bench.writing(open_postgres(postgres.url(schema, port=proxy.port))) as (_, silent):
        proxy.befalls = "GONE"
        with pytest.raises(StoreError):
            silent.append(Append(leaf=b"silent"), timeout=60)
        assert silent.append(Append(leaf=b"silent")).receipt.index == 0


def test_held_lock_is_busy_and_nothing_is_appended(
    postgres: Server, schema: str, bench: Bench, monkeypatch: pytest.MonkeyPatch
):
    """The error names who holds it: a client that is not silent for long enough to be ended."""
    url = postgres.url(schema)
    monkeypatch.setattr("referee.storage.postgres._LOCK_MS", 200)
    monkeypatch.setattr("referee.storage.postgres._BUSY_SECONDS", 0.5)
    monkeypatch.setattr("referee.storage.postgres_waits.SILENCE_SECONDS", 60)
    with (
        closing(open_postgres(url)) as store,
        closing(open_postgres(url)) as other,
        Writer(store, bench.signer, origin=bench.origin) as writer,
    ):
        with other.transaction():
            holder = r"at the database's own machine, process [0-9]+, idle in transaction .* Client:ClientRead"
            with pytest.raises(StoreBusyError, match=holder):
                writer.append(Append(leaf=b"while it is held"))
            assert store.head().size == 0  # readers are not held up
        assert writer.append(Append(leaf=b"afterwards")).receipt.index == 0


def test_programs_that_make_one_log_at_once_make_it_once(postgres: Server, schema: str, bench: Bench):
    """Tables, founding and the first leaves, by six at a time."""
    url = postgres.url(schema)
    indexes: list[int] = []

    def begin(number: int) -> None:
        with bench.writing(open_postgres(url)) as (_, writer):
            indexes.append(writer.append(Append(leaf=b"%d" % number)).receipt.index)

    threads = [threading.Thread(target=begin, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(indexes) == list(range(6))
    with closing(open_postgres_reader(url)) as reader:
        assert check_store(reader).size == 6


def test_missing_driver_is_said_by_its_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"pip install '\.\[postgres\]'"):
        open_postgres("postgresql://u@127.0.0.1:1/x")
