"""Databases for servers: one PostgreSQL server for the tests of a module, and an empty schema for each test."""

import uuid
from collections.abc import Iterator

import pytest

from tests.storage.postgres_server import PostgresServer, running_postgres


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL server of this module's own, which its tests may stop and start."""
    yield from running_postgres()


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    """Return the URL of an empty schema."""
    return postgres.make_schema(f"test_{uuid.uuid4().hex}")


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str | None:
    """Return the URL of an empty schema, or None for the data folder."""
    return None if request.param == "sqlite" else str(request.getfixturevalue("url"))
