"""A log in a PostgreSQL that replicates: nothing that was answered is lost when the standby takes over.

A real primary and a real standby. The standby is away by being stopped; a commit then waits for it.
"""

import uuid
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from referee.log import SlotKey, Stage
from referee.server.doctor import CheckLevel
from referee.server.doctor.commit import check_commit
from referee.server.process.opening import open_reporting
from referee.service.status import refusal_of
from referee.storage import Append, Contribution, StoreBusyError, StoreError, Writer, check_store, trouble_of
from referee.storage.postgres import open_postgres, open_postgres_reader
from referee.storage.record import StandbyAwayError, StoreAwayError
from referee.v1.error_reason_pb2 import ErrorReason
from tests.storage.log_bench import Bench
from tests.storage.postgres_server import STANDBY, USER, PostgresServer
from tests.storage.replicating import Pair, replicating
from tests.waiting import until

KEY = SlotKey("t", 1)


@pytest.fixture(scope="module")
def lasting_pair() -> Iterator[Pair]:
    """Run servers that no test takes apart."""
    with replicating() as running:
        yield running


@pytest.fixture
def lasting(lasting_pair: Pair) -> Pair:
    """Return these servers with a schema of the test's own."""
    return lasting_pair.with_schema()


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Run servers that the test may take apart."""
    with replicating() as running:
        yield running.with_schema()


def asked(writer: Writer, request: Append | Contribution) -> Future[Any]:
    """Ask for a leaf or a seed."""
    return writer.submit_seed(request) if isinstance(request, Contribution) else writer.submit(request)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let readers in doubt wait half a second for a commit."""
    monkeypatch.setattr("referee.storage.certainty.WAIT_SECONDS", 0.5)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "how", ["pg_cancel_backend", pytest.param("pg_terminate_backend", marks=pytest.mark.slow("starts two databases"))]
)
def test_commit_whose_wait_is_ended_is_acknowledged_by_nobody(pair: Pair, bench: Bench, how: str) -> None:
    """A seed and a leaf, asked for on one server and again on another; each then is lost, since the standby takes over.

    The commit is ended, and the one that looks whether it happened. Until the failover everybody can see what it wrote.
    """
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(open_postgres(pair.url))) for _ in range(2)]
        writers = [stack.enter_context(Writer(store, bench.signer, origin=bench.origin)) for store in stores]
        acknowledged = writers[0].append(bench.append("OPEN"))
        writers[0].contribute(Contribution(key=KEY, seat=1, seed=bytes(32)))
        pair.standby.stop()
        for request in (Contribution(key=KEY, seat=0, seed=bytes(32)), bench.append("DEAL")):
            for writer in writers:
                answer = asked(writer, request)
                pair.end_waits(how, answer)
                with pytest.raises(StoreError, match=r"commit was (not )?answered") as refused:
                    answer.result()
                if how == "pg_cancel_backend":
                    assert "pg_terminate_backend" in trouble_of(refused.value).remedy
                    assert "with a warning" in str(refused.value)
        with closing(open_postgres_reader(pair.url)) as seen:
            assert (seen.head().size, len(seen.contributions(KEY))) == (2, 2)
            for store in stores:
                for read in (store.head, lambda: store.leaf(1), lambda: store.round(KEY), lambda: store.marks(KEY)):  # noqa: B023 - called here
                    with pytest.raises(StoreBusyError, match="not known to be durable"):
                        read()
        served = stack.enter_context(closing(open_postgres_reader(pair.url, is_certain=True)))
        with pytest.raises(StoreBusyError, match="not known to be durable"):
            served.head()
        pair.primary.stop("immediate")
    pair.standby.start()
    pair.standby.promote()
    with bench.writing(open_postgres(pair.standby.url(pair.schema))) as (store, writer):
        assert store.leaf(acknowledged.receipt.index) == acknowledged.leaf
        assert [given.seat for given in store.contributions(KEY)] == [1]
        assert check_store(store).size == 1
        assert not writer.append(bench.append("DEAL")).is_repeat


def test_doubt_ends_with_a_clean_commit_of_any_server(lasting: Pair, bench: Bench) -> None:
    """The standby is back: a reader commits once itself, and another server's commit covers what was in doubt."""
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(open_postgres(lasting.url))) for _ in range(2)]
        writers = [stack.enter_context(Writer(store, bench.signer, origin=bench.origin)) for store in stores]
        lasting.standby.stop()
        answer = asked(writers[0], bench.append("OPEN"))
        lasting.end_waits("pg_cancel_backend", answer)
        with pytest.raises(StandbyAwayError):
            answer.result()
        lasting.standby.start()
        lasting.wait_connected()
        state = stores[1].round(KEY)
        assert state is not None
        again = writers[0].append(bench.append("OPEN"))
        assert again.is_repeat
        assert bench.verify(again.leaf, again.receipt).size == 1
        stores[0].touch()
    with closing(open_postgres_reader(lasting.url, is_certain=True)) as served:
        assert served.head().size == 1


def test_reader_is_certain_at_once_where_no_standby_is_synchronous(postgres: PostgresServer, bench: Bench) -> None:
    """It makes no commit of its own: what is seen is durable there."""
    url = postgres.make_schema(f"test_{uuid.uuid4().hex}")
    with bench.writing(open_postgres(url)) as (_, writer), closing(open_postgres(url)) as other:
        writer.append(bench.append("OPEN"))
        before = counted(postgres, url)
        assert other.head().size == 1
        assert other.round(KEY) is not None
        assert counted(postgres, url) == before


def test_commit_that_waits_for_its_standby_is_named_and_ended_by_nobody(
    lasting: Pair, bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By the server's own watch, by another writer that waits behind it, and by the doctor beside both."""
    monkeypatch.setattr("referee.storage.writer.STALL_SECONDS", 0.2)
    monkeypatch.setattr("referee.server.doctor.commit.STALL_SECONDS", 2)
    monkeypatch.setattr("referee.storage.postgres._LOCK_MS", 200)
    monkeypatch.setattr("referee.storage.postgres._BUSY_SECONDS", 1.0)
    monkeypatch.setattr("referee.storage.postgres_waits.SILENCE_SECONDS", 0.1)
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(open_postgres(lasting.url))) for _ in range(2)]
        writers = [stack.enter_context(Writer(store, bench.signer, origin=bench.origin)) for store in stores]
        lasting.standby.stop()
        try:
            answer = asked(writers[0], bench.append("OPEN"))
            until(lasting.waiting, "no commit waits")
            (pid,) = lasting.waiting()
            writers[0].explain()
            until(lambda: writers[0].trouble, "a commit that waits is no trouble")
            trouble = writers[0].trouble
            assert trouble is not None
            assert (trouble.kind, "pg_terminate_backend" in trouble.remedy) == ("STANDBY", True)
            assert f"session {pid} of" in trouble.cause
            assert "IPC:SyncRep" in trouble.cause
            assert f"synchronous_standby_names is '{STANDBY}', and connected are: none" in trouble.cause
            with pytest.raises(StoreBusyError, match=f"process {pid}, active .* waits for IPC:SyncRep"):
                asked(writers[1], bench.append("OPEN", "u")).result(60)
            (found,) = check_commit(tmp_path, lasting.url)
            assert (found.level, "SyncRep" in found.measured) == (CheckLevel.FAIL, True)
            assert "pg_terminate_backend" in found.remedy
            assert pid in lasting.waiting()
        finally:
            lasting.standby.start()
        assert answer.result(60)[0].receipt.index == 0
        until(lambda: writers[0].trouble is None, "the trouble is not over")
        lasting.wait_connected()
        until(lambda: [one.level for one in check_commit(tmp_path, lasting.url)] == [CheckLevel.OK])


def test_settings_that_lose_rounds_in_a_failover_are_noted(lasting: Pair, bench: Bench, tmp_path: Path) -> None:
    """They start, with one line for the operator, which the doctor says too."""
    with bench.writing(open_postgres(lasting.url)):
        pass
    for name, value, words in (
        ("synchronous_commit", "local", "synchronous_commit is local"),
        ("synchronous_standby_names", "", "of 1 replicas none is synchronous"),
    ):
        lasting.primary.set(name, value)
        with capture_logs() as lines:
            open_reporting(tmp_path, lasting.url, is_first=True).close()
            open_reporting(tmp_path, lasting.url, is_first=False).close()
        (line,) = lines
        assert (line["log_level"], line["event"]) == ("warning", "log not safe in a failover")
        assert line["note"].startswith(words)
        _, found = check_commit(tmp_path, lasting.url)
        assert (found.check, found.level, found.measured[: len(words)]) == ("replication", CheckLevel.WARN, words)
        lasting.primary.set(name, {"synchronous_commit": "on"}.get(name, STANDBY))
    lasting.wait_connected()
    with closing(open_reporting(tmp_path, lasting.url, is_first=True)) as store:
        assert store.notes == []


def test_failover_is_followed_and_a_read_of_the_old_primary_is_made_again(pair: Pair, bench: Bench) -> None:
    """The old primary lives on, read-only: a connection to it that idles in a reader is behind."""
    url = pair.primary.both(pair.schema, pair.standby)
    with bench.writing(open_postgres(url, timeout=60)) as (store, writer):
        writer.append(bench.append("OPEN"))
        assert store.head().size == 1
        pair.standby.promote()
        pair.primary.set("default_transaction_read_only", "on")
        pair.primary.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'COMMIT'")
        assert not writer.append(bench.append("DEAL")).is_repeat
        state = store.round(KEY)
        assert state is not None
        assert state.stage is Stage.DEALT
    with pytest.raises(StoreAwayError, match="default_transaction_read_only on: name the primary, or list all hosts"):
        open_postgres(pair.url)
    hosts = "".join(f"host=127.0.0.1:{server.port}&" for server in (pair.primary, pair.standby))
    form = f"postgresql+psycopg://{USER}@/postgres?{hosts}options=-csearch_path%3D{pair.schema}"
    with closing(open_postgres(form)) as store:
        assert store.head().size == 2
    with closing(open_postgres_reader(pair.url, is_certain=True)) as behind:
        behind._certainty.returned(2, 2)  # type: ignore[union-attr] # noqa: SLF001 - what it would have read of the new one
        with pytest.raises(StoreAwayError, match="has 1 leaves of the log, and 2 are durable: it is behind") as refused:
            behind.round(SlotKey("another", 1))
        refusal = refusal_of(refused.value)
        assert refusal is not None
        assert refusal.reason == ErrorReason.ERROR_REASON_LOG_BUSY


def counted(server: PostgresServer, url: str) -> list[tuple[object, ...]]:
    """Return the count of commits that change nothing a reader sees."""
    return server.execute(f"SELECT openings FROM {url.rpartition('%3D')[2]}.schema_version")  # noqa: S608 - of the test
