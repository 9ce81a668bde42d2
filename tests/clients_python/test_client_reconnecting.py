"""A server that is away and comes back: the first call made then is answered, by its own attempts."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from referee_client import UnavailableError, open_aio_channel, open_channel, service_config
from referee_client.channel import RECONNECTING

from referee.server.process.app import Application
from referee.v1 import log_pb2, log_pb2_grpc
from tests.chaos.proxy import Pair, Relay
from tests.server.options import server_options

ATTEMPTS: Final = 6
"""After so many attempts to connect gRPC's own pause is ten seconds, much longer than the attempts of a call last."""
TRIES: Final = 100
CLIENTS: Final = Path(__file__).parents[2] / "clients"
ASKED: Final = log_pb2.GetKeysRequest()


class Outage(Relay):
    """A relay through which nothing passes while its server is away."""

    def __init__(self, target: int) -> None:
        self.is_away, self.attempts = True, set[Pair]()
        super().__init__(target)

    def forward(self, data: bytes, pair: Pair, *, is_asking: bool) -> bytes | None:
        """Pass a chunk on, or count the attempt and end its connection."""
        if self.is_away:
            self.attempts.add(pair)
            return None
        return super().forward(data, pair, is_asking=is_asking)


@pytest.fixture
def outage(tmp_path: Path) -> Iterator[Outage]:
    """Run a server, and a relay to it that lets nothing pass yet."""
    with Application(server_options(data=tmp_path, sweep=False)) as app, closing(Outage(app.port)) as relay:
        yield relay


def outlast(outage: Outage, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - an answer
    """Call until there were enough attempts to connect; then the server is back: return the answer of one more call."""
    for _ in range(TRIES):
        if len(outage.attempts) >= ATTEMPTS:
            break
        with pytest.raises(UnavailableError):
            ask()
    outage.is_away = False
    return ask()


def test_first_call_after_an_outage_is_answered(outage: Outage) -> None:
    with open_channel(f"127.0.0.1:{outage.port}") as channel:
        stub = log_pb2_grpc.LogServiceStub(channel)
        assert outlast(outage, lambda: stub.GetKeys(ASKED)).origin


def test_first_call_after_an_outage_is_answered_over_asyncio(outage: Outage) -> None:
    with asyncio.Runner() as runner:
        channel = open_aio_channel(f"127.0.0.1:{outage.port}")
        stub: Any = log_pb2_grpc.LogServiceStub(channel)  # which is asyncio's here

        async def ask() -> Any:  # noqa: ANN401 - an answer
            return await stub.GetKeys(ASKED)

        assert outlast(outage, lambda: runner.run(ask())).origin
        runner.run(channel.close())


def test_attempts_of_a_call_outlast_the_pause_of_its_channel() -> None:
    """GRPC makes each pause up to a fifth shorter or longer."""
    (policy,) = (one["retryPolicy"] for one in json.loads(service_config())["methodConfig"] if "retryPolicy" in one)
    first, longest = (float(policy[name].removesuffix("s")) for name in ("initialBackoff", "maxBackoff"))
    grown = [first * policy["backoffMultiplier"] ** number for number in range(policy["maxAttempts"] - 1)]
    assert (
        0.8 * sum(min(longest, pause) for pause in grown)
        > 1.2 * dict(RECONNECTING)["grpc.max_reconnect_backoff_ms"] / 1000
    )


@pytest.mark.parametrize("page", ["README.md", "smoke/ruby/smoke.rb"])
def test_page_names_the_arguments_of_the_client(page: str) -> None:
    text = (CLIENTS / page).read_text(encoding="utf-8")
    assert RECONNECTING
    assert [name for name, value in RECONNECTING if f'"{name}" => {value}' not in text] == []
