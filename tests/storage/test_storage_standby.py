"""A log in a PostgreSQL that replicates: nothing that was answered is lost when the standby takes over.

A real primary and a real standby. The standby is away by being stopped; a commit then waits for it.
"""

import uuid
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import Any

import pytest

from referee.log import SlotKey
from referee.storage import Append, Contribution, StoreBusyError, StoreError, Writer, check_store, trouble_of
from referee.storage.postgres import open_postgres, open_postgres_reader
from referee.storage.record import StandbyAwayError
from tests.storage.log_bench import Bench
from tests.storage.postgres_server import STANDBY, PostgresServer, missing
from tests.waiting import until

KEY = SlotKey("t", 1)


@dataclass
class Pair:
    """A primary with a synchronous standby, and the schema of a log."""

    primary: PostgresServer
    standby: PostgresServer
    schema: str

    @property
    def url(self) -> str:
        """URL of the log on the primary."""
        return self.primary.url(self.schema)

    def waiting(self) -> list[int]:
        """Return the sessions whose commit waits for the standby."""
        rows = self.primary.execute("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        return [int(str(row[0])) for row in rows]

    def end_waits(self, how: str, answer: Future[Any]) -> None:
        """End every wait for the standby by a function of the database, until there is an answer."""
        ended = set[int]()

        def end() -> bool:
            for pid in self.waiting():
                self.primary.execute(f"SELECT {how}(%s)", pid)
                ended.add(pid)
            return bool(ended) and answer.done()

        until(end, "the commit has not ended")


@pytest.fixture
def pair() -> Iterator[Pair]:
    """Run both servers; the primary waits for the standby, which is connected."""
    if why := missing():
        pytest.skip(why)
    with ExitStack() as stack:
        primary = PostgresServer()
        stack.callback(primary.close)
        standby = PostgresServer(primary=primary)
        stack.callback(standby.close)
        primary.set("synchronous_standby_names", STANDBY)
        until(
            lambda: primary.execute("SELECT sync_state FROM pg_stat_replication") == [("sync",)], "the standby is away"
        )
        schema = f"test_{uuid.uuid4().hex}"
        primary.make_schema(schema)
        yield Pair(primary, standby, schema)


def asked(writer: Writer, request: Append | Contribution) -> Future[Any]:
    """Ask for a leaf or a seed."""
    return writer.submit_seed(request) if isinstance(request, Contribution) else writer.submit(request)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let readers in doubt wait half a second for a commit."""
    monkeypatch.setattr("referee.storage.certainty.PATIENCE_SECONDS", 0.5)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("how", ["pg_cancel_backend", "pg_terminate_backend"])
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
                with pytest.raises(StoreError, match="a commit was not answered") as refused:
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


def test_doubt_ends_with_a_clean_commit_of_any_server(pair: Pair, bench: Bench) -> None:
    """The standby is back: a reader commits once itself, and another server's commit covers what was in doubt."""
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(open_postgres(pair.url))) for _ in range(2)]
        writers = [stack.enter_context(Writer(store, bench.signer, origin=bench.origin)) for store in stores]
        pair.standby.stop()
        answer = asked(writers[0], bench.append("OPEN"))
        pair.end_waits("pg_cancel_backend", answer)
        with pytest.raises(StandbyAwayError):
            answer.result()
        pair.standby.start()
        state = stores[1].round(KEY)
        assert state is not None
        again = writers[0].append(bench.append("OPEN"))
        assert again.is_repeat
        assert bench.verify(again.leaf, again.receipt).size == 1
        stores[0].touch()
    with closing(open_postgres_reader(pair.url, is_certain=True)) as served:
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


def counted(server: PostgresServer, url: str) -> list[tuple[object, ...]]:
    """Return the count of commits that change nothing a reader sees."""
    return server.execute(f"SELECT openings FROM {url.rpartition('%3D')[2]}.schema_version")  # noqa: S608 - of the test
