"""A server that deals what it is given, shared by the tests of a file, and one client to it."""

from collections.abc import Iterator
from itertools import count

import pytest
from referee_client import Client
from referee_harness import Clock, Harness

from tests.clients_python.lying_server import Liar

_TABLES = count(1)


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    """Run a server whose clock does not move."""
    with Harness(clock=Clock(is_running=False)) as running:
        yield running


@pytest.fixture
def client(harness: Harness) -> Iterator[Client]:
    """Return a blocking client."""
    harness.reset()
    with Client(harness.grpc, timeout=60) as made:
        yield made


@pytest.fixture
def table() -> str:
    """Return the name of a table that no other test has."""
    return f"table-{next(_TABLES)}"


@pytest.fixture
def liar(harness: Harness, client: Client, table: str) -> Liar:
    """One whose table is dealt hands that stand as they are, and pay."""
    harness.script({"vector": "mau_binh/settlement#value-front-three-M"}, table_id=table)
    return Liar(harness, client, table)
