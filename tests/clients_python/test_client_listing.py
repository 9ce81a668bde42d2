"""Lists of rounds by the Python client: what it asks for, page by page, and by the signature of a seat's key."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from referee_client import AsyncClient, Client, DeniedError, SeatSecrets, Terms
from referee_client.clock import now
from referee_harness import Harness

from referee.v1 import log_pb2

TERMS = Terms(table="listed.1", ruleset="mau_binh.classic", seats=2, stake=10)
KEY = bytes(range(32))


@pytest.fixture(scope="module")
def played() -> Any:  # noqa: ANN401 - a generator
    """Run a server on this machine's clock with an aborted and revealed round, and two that are only opened."""
    with Harness() as harness, Client(harness.grpc) as client:
        secrets = [SeatSecrets.make(0, private_key=KEY), SeatSecrets.make(1, keyed=True)]
        ended = client.mau_binh(TERMS, secrets=secrets)
        ended.open()
        ended.abort()
        ended.reveal()
        client.mau_binh(TERMS, secrets=secrets).open()
        client.mau_binh(replace(TERMS, table="other.1")).open()
        yield harness


def slots(listed: list[log_pb2.ListedRound]) -> list[tuple[str, int]]:
    """Return the tables and numbers of rounds."""
    return [(one.round.table_id, one.round.round_number) for one in listed]


def test_blocking_client_lists_rounds(played: Harness) -> None:
    with Client(played.grpc) as client:
        assert slots(client.rounds()) == [("other.1", 1), ("listed.1", 2), ("listed.1", 1)]
        assert slots(client.rounds(table="listed.1")) == [("listed.1", 2), ("listed.1", 1)]
        assert slots(client.rounds(table_prefix="other.")) == [("other.1", 1)]
        assert slots(client.rounds(end_time=10**12)) == []
        assert slots(client.rounds(most=2)) == [("other.1", 1), ("listed.1", 2)]
        stages = [one.stage for one in client.rounds(table="listed.1")]
        assert stages == [log_pb2.ROUND_STAGE_OPENED, log_pb2.ROUND_STAGE_REVEALED]


def test_key_lists_its_own_rounds(played: Harness) -> None:
    with Client(played.grpc) as client:
        found = client.own_rounds(KEY)
        assert slots(found) == [("listed.1", 2), ("listed.1", 1)]
        assert slots(client.own_rounds(KEY, start_time=10**12, end_time=now() + 60_000)) == slots(found)
        assert found == client.rounds(seat_key=bytes(found[1].revealed.header.seat_keys[0]))
        assert client.own_rounds(bytes(32)) == []


def test_pages_are_put_together(played: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee_client.listing._PAGE", 1)
    with Client(played.grpc) as client:
        assert slots(client.rounds()) == [("other.1", 1), ("listed.1", 2), ("listed.1", 1)]
        assert slots(client.own_rounds(KEY)) == [("listed.1", 2), ("listed.1", 1)]


def test_clock_that_is_an_hour_behind_is_refused(played: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee_client.listing.now", lambda: now() - 3_600_000)
    with Client(played.grpc) as client, pytest.raises(DeniedError, match="sign it anew"):
        client.own_rounds(KEY)


def test_client_for_asyncio_lists_the_same(played: Harness) -> None:
    async def ask() -> tuple[list[log_pb2.ListedRound], list[log_pb2.ListedRound]]:
        async with AsyncClient(played.grpc) as client:
            return await client.rounds(table="listed.1"), await client.own_rounds(KEY)

    listed, own = asyncio.run(ask())
    assert slots(listed) == slots(own) == [("listed.1", 2), ("listed.1", 1)]
