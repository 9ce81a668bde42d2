"""A database server that goes away and comes back, acted out on SQLite: connections are closed behind the store's back.

What a real server does is in ``test_storage_postgres``; these tests need none.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from referee.storage import Append, Store, StoreError
from referee.storage.record import Contribution, OutcomeUnknownError
from referee.storage.sqlite import open_sqlite
from tests.storage.log_bench import Bench


class Server:
    """A store whose server can be cut off; it counts the connections that were made."""

    def __init__(self, folder: Path) -> None:
        self._plain = open_sqlite(folder)
        self.connected = 0
        event.listen(self._plain._engine, "connect", self._count)  # noqa: SLF001 - the engine that the store uses

    def _count(self, *_: object) -> None:
        self.connected += 1

    def open(self, **flavor: Any) -> Store:  # noqa: ANN401 - what a flavor takes
        """Return the store; a connection that was closed counts as a server that is away."""
        engine, plain = self._plain._engine, self._plain._flavor  # noqa: SLF001 - the same store, of another flavor
        changed: dict[str, Any] = {"is_gone": is_closed, "timeout": 0.2, **flavor}
        return Store(engine, replace(plain, **changed))


def is_closed(error: Exception) -> bool:
    return "closed" in str(error)


def cut(*connections: Any) -> None:  # noqa: ANN401 - SQLAlchemy's connections
    assert connections
    for connection in connections:
        connection.driver_connection.close()


@pytest.fixture
def server(tmp_path: Path, bench: Bench) -> Server:
    """Return a server that holds a log of one leaf."""
    made = Server(tmp_path)
    with bench.writing(made.open()) as (_, writer):
        writer.append(Append(leaf=b"before"))
    return made


def test_read_on_a_lost_connection_is_made_on_a_new_one(server: Server) -> None:
    with closing(server.open()) as store:
        assert store.leaf(0) == b"before"
        cut(*store._idle)  # noqa: SLF001 - as a server would, unasked
        assert store.leaf(0) == b"before"


def test_append_on_a_lost_connection_is_made_on_a_new_one(server: Server, bench: Bench) -> None:
    with bench.writing(server.open()) as (store, writer):
        writer.append(Append(leaf=b"one"))
        cut(store._connection)  # noqa: SLF001 - as above
        assert writer.append(Append(leaf=b"two")).receipt.index == 2
    with closing(server.open()) as store:
        assert store.leaves(0, 9) == [b"before", b"one", b"two"]


def test_read_that_fails_for_itself_loses_no_connection(server: Server) -> None:
    with closing(server.open()) as store:
        before = server.connected
        for _ in range(2):
            with pytest.raises(StoreError, match="could not be read: no such table"):
                store._rows("SELECT * FROM nowhere")  # noqa: SLF001 - no public way reads nonsense
        assert store.leaf(0) == b"before"
        assert server.connected == before + 1


def test_server_that_stays_away_is_an_error_of_the_store(server: Server, bench: Bench) -> None:
    def refuse(*_: object) -> None:
        raise sqlite3.OperationalError("closed for today")

    with bench.writing(server.open()) as (store, writer):
        assert store.leaf(0) == b"before"
        event.listen(store._engine, "do_connect", refuse)  # noqa: SLF001 - the server's side
        cut(store._connection, *store._idle)  # noqa: SLF001 - as above
        for ask in (lambda: store.leaf(0), lambda: writer.append(Append(leaf=b"lost"))):
            with pytest.raises(StoreError, match="closed for today") as refused:
                ask()
            assert not isinstance(refused.value, OutcomeUnknownError)
        event.remove(store._engine, "do_connect", refuse)  # noqa: SLF001 - it is back
        assert writer.append(Append(leaf=b"after")).receipt.index == 1


def failing(flavor: str, message: str) -> dict[str, Callable[..., None]]:
    """Return a flavor's step that raises the driver's error."""

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError(message)

    return {flavor: fail}


@pytest.mark.parametrize(("message", "is_unknown"), [("closed meanwhile", True), ("disk I/O error", False)])
def test_only_a_commit_that_lost_its_server_is_unknown(server: Server, message: str, *, is_unknown: bool) -> None:
    with closing(server.open(**failing("commit", message))) as store:
        with pytest.raises(StoreError, match=message) as refused, store.transaction():
            pass
        assert isinstance(refused.value, OutcomeUnknownError) == is_unknown


def test_server_that_goes_away_before_the_commit_has_written_nothing(server: Server, bench: Bench) -> None:
    seed = Contribution(key=bench.step("OPEN", "t", 1).key, seat=0, seed=bytes(32))
    with closing(server.open()) as store:

        def lose() -> None:
            with store.transaction() as transaction:
                transaction.contribute([seed])
                cut(store._connection)  # noqa: SLF001 - as above
                transaction.contributions(seed.key)

        with pytest.raises(StoreError, match="could not be written") as refused:
            lose()
        assert not isinstance(refused.value, OutcomeUnknownError)
        assert store.contributions(seed.key) == ()


def test_failures_of_compacting_and_filling_are_errors_of_the_store(server: Server) -> None:
    def pour(connection: Connection) -> None:
        connection.exec_driver_sql("INSERT INTO nowhere VALUES (1)")

    with closing(server.open(**failing("compact", "disk I/O error"))) as store:
        with pytest.raises(StoreError, match="could not be compacted: disk I/O error"):
            store.compact()
        with pytest.raises(StoreError, match="could not be filled: no such table"):
            store.fill(pour)
