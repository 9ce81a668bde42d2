"""Stores to hold to the contract, a writer on one of them, and a database server where one is installed."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.storage import Store, Writer
from referee.storage.postgres import open_postgres, open_postgres_reader
from referee.storage.sqlite import open_sqlite, open_sqlite_reader
from tests.storage.log_bench import ORIGIN, Bench, Place
from tests.storage.postgres_server import PostgresServer, running_postgres


@pytest.fixture(scope="session")
def bench() -> Bench:
    """Return the signer and shortcuts for appends."""
    return Bench()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Run a PostgreSQL server for the tests; skip with a reason if none is installed."""
    yield from running_postgres()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Return an empty place for each kind of store. A new kind is one more parameter."""
    folder = tmp_path / "data"
    if request.param == "sqlite":
        return Place(str(folder), lambda: open_sqlite(folder), lambda: open_sqlite_reader(folder))
    url = request.getfixturevalue("postgres").make_schema(f"test_{uuid.uuid4().hex}")
    return Place(url, lambda: open_postgres(url), lambda: open_postgres_reader(url))


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    """Open a store in an empty place."""
    opened = place.open()
    yield opened
    opened.close()


@pytest.fixture
def writer(store: Store, bench: Bench) -> Iterator[Writer]:
    """Open a writer on the store, which makes a log in it."""
    with Writer(store, bench.signer, origin=ORIGIN) as running:
        yield running


@pytest.fixture
def schema(postgres: PostgresServer) -> str:
    """Make an empty schema and return its name."""
    name = f"test_{uuid.uuid4().hex}"
    postgres.make_schema(name)
    return name
