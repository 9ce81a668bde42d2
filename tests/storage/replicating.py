"""Two PostgreSQL servers, of which one follows the other synchronously."""

import uuid
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.storage.postgres_server import STANDBY, PostgresServer, missing
from tests.waiting import until


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

    def with_schema(self) -> "Pair":
        """Return the same servers with a new schema."""
        schema = f"test_{uuid.uuid4().hex}"
        self.primary.make_schema(schema)
        return Pair(self.primary, self.standby, schema)

    def wait_connected(self) -> None:
        """Wait until the primary waits for the standby, and the standby is there."""
        states = "SELECT sync_state FROM pg_stat_replication WHERE state = 'streaming'"
        until(lambda: self.primary.execute(states) == [("sync",)], "the standby is away")

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


@contextmanager
def replicating() -> Iterator[Pair]:
    """Run both servers for the block; the primary waits for the standby, which is connected."""
    if why := missing():
        pytest.skip(why)
    with ExitStack() as stack:
        primary = PostgresServer()
        stack.callback(primary.close)
        standby = PostgresServer(primary=primary)
        stack.callback(standby.close)
        primary.set("synchronous_standby_names", STANDBY)
        running = Pair(primary, standby, "")
        running.wait_connected()
        yield running
