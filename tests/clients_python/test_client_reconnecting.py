"""A server that is away and comes back: the first call made then is answered, by its own attempts, and so is a move."""

import asyncio
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest
from referee_client import (
    Card,
    Client,
    Terms,
    TienLenRound,
    UnavailableError,
    open_aio_channel,
    open_channel,
    service_config,
)
from referee_client.channel import RECONNECTING
from referee_harness import Harness

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

    def __init__(self, target: int, *, lasts: int | None = None) -> None:
        """With ``lasts``, each absence ends with so many attempts, and it begins when a test says so."""
        self.is_away, self.attempts, self._lasts = lasts is None, set[Pair](), lasts
        super().__init__(target)

    def forward(self, data: bytes, pair: Pair, *, is_asking: bool) -> bytes | None:
        """Pass a chunk on, or count the attempt and end its connection."""
        if self.is_away:
            self.attempts.add(pair)
            self.is_away = self._lasts is None or len(self.attempts) < self._lasts
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


@pytest.mark.parametrize("page", ["README.md", "CRASHES.md"])
def test_sample_of_the_page_goes_on_through_a_restart(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another server runs on the log at the third move, and answers after the move was tried in vain."""
    text = (CLIENTS / "python" / page).read_text(encoding="utf-8")
    sample = next(one for one in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "client.tien_len" in one)
    moves, play = itertools.count(1), TienLenRound.play

    with Harness() as harness, closing(Outage(int(harness.grpc.rpartition(":")[2]), lasts=3)) as outage:

        def played(game: TienLenRound, seat: int, cards: Sequence[Card]) -> Any:  # noqa: ANN401 - an answer
            if next(moves) == 3:
                outage.is_away = True
                outage.cut()
                harness.restart()
            return play(game, seat, cards)

        monkeypatch.setattr(TienLenRound, "play", played)
        monkeypatch.chdir(tmp_path)
        exec(compile(sample.replace("127.0.0.1:50051", f"127.0.0.1:{outage.port}"), page, "exec"), {})  # noqa: S102 - the page's own
        assert len(outage.attempts) == 3
    assert next(moves) > 3
    assert "[" in capsys.readouterr().out


def test_move_to_a_server_that_stays_away_ends_with_the_timeout() -> None:
    with (
        Harness() as harness,
        closing(Outage(int(harness.grpc.rpartition(":")[2]), lasts=10**6)) as outage,
        Client(f"127.0.0.1:{outage.port}", timeout=60) as client,
    ):
        game = client.tien_len(Terms(table="t", ruleset="tien_len.mien_nam", seats=2, stake=10))
        game.open()
        game.deal()
        options = game.plays()
        client._session.timeout = 0.5  # noqa: SLF001 - the steps before have as long as they need
        outage.is_away = True
        outage.cut()
        with pytest.raises(UnavailableError):
            game.play(options.turn, [Card(number) for number in options.plays[0].cards])
        assert outage.attempts
        outage.is_away, client._session.timeout = False, 60  # noqa: SLF001
        assert game.play(options.turn, [Card(number) for number in options.plays[0].cards]).event_number == 1


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
