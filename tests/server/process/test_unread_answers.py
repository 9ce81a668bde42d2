"""Peers that read nothing: HTTP/2 with a window of 0, on every method. Others are served, and the server stops.

Where a server waits for its peers, and what keeps others from waiting too:

| place | bound |
|---|---|
| `Health.Watch` | no thread; the newest status of each watcher is sent when the peer has room |
| request of a call | no thread until it has arrived, and the oldest that is awaited gives way if too many are |
| answer of a call | gRPC keeps it; large ones are bounded by bytes and time (`tests/server/limits`) |
| streams of reflection | a thread each, which the oldest gives up when another one needs it |
| answers of the gateway | an event loop; bounded by bytes and time (`tests/web/test_gateway_rude.py`) |
| `Health.Watch` through the gateway | the same, and the service's watchers are ended when it stops |
| drain | whatever is unanswered is cancelled after the grace; watchers at once |
"""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from referee_client import open_channel

from referee.server.process.app import Application
from referee.server.process.health import CONNECTION_WATCHERS, NOT_SERVING, SERVING
from referee.server.settings.limits import LimitSettings
from referee.service import pool, transport
from referee.v1 import log_pb2, log_pb2_grpc
from tests.chaos.frames import DATA, PREFACE, dial, headers, message, next_frame, settings
from tests.chaos.ledger import CHANNEL
from tests.driver.messages import METHODS
from tests.server.options import server_options
from tests.waiting import until

SECONDS: Final = 60
CHECK: Final = "/grpc.health.v1.Health/Check"
WATCH: Final = "/grpc.health.v1.Health/Watch"
GET_KEYS: Final = "/referee.v1.LogService/GetKeys"
REFLECTION: Final = [
    f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo" for version in ("v1", "v1alpha")
]
EVERY: Final = [
    *(f"/{method.containing_service.full_name}/{method.name}" for method in METHODS.values()),
    CHECK,
    WATCH,
    *REFLECTION,
]
NEVER: Final = LimitSettings(
    keepalive_seconds=86_400, keepalive_timeout_seconds=3_600, request_seconds=3_600, answer_seconds=86_400
)
"""Bounds that are not reached: a call that waits for the peer waits for ever."""


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Application]:
    """Run a server with one turn, none of whose bounds in time are reached."""
    with Application(server_options(data=tmp_path, threads=1, limits=NEVER, drain_grace=0.0, sweep=False)) as app:
        yield app


def unread(app: Application, methods: list[str], *, is_last: bool = True) -> socket.socket:
    """Open a connection that has no room for any byte of an answer, and call the methods on it."""
    made = dial(f"127.0.0.1:{app.port}")
    calls = [
        headers(method, stream=stream) + message(b"", stream=stream, is_last=is_last)
        for stream, method in zip(range(1, 2 * len(methods), 2), methods, strict=True)
    ]
    made.sendall(PREFACE + settings(window=0) + b"".join(calls))
    return made


def serves_others(app: Application, stack: ExitStack) -> grpc.Channel:
    """Assert that others are served: health, calls and reflection; return their channel."""
    channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{app.port}", CHANNEL))
    health = health_pb2_grpc.HealthStub(channel)
    for _ in range(20):
        assert health.Check(health_pb2.HealthCheckRequest(), timeout=SECONDS).status == SERVING
        assert log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest(), timeout=SECONDS).origin
    return channel


def close(app: Application) -> None:
    """Stop the server; fail if it does not stop."""
    closing = threading.Thread(target=app.close, daemon=True)
    closing.start()
    closing.join(SECONDS)
    assert not closing.is_alive(), "the server waits for a peer that reads nothing"


@pytest.mark.parametrize("method", EVERY, ids=[name.removeprefix("/") for name in EVERY])
def test_peer_that_reads_nothing_keeps_nobody_waiting(app: Application, method: str) -> None:
    """It calls a method as often as a connection may, and more often than there are threads for streams."""
    with ExitStack() as stack:
        stack.enter_context(unread(app, [method] * 32))
        if method == WATCH:
            until(lambda: app.health.watchers == CONNECTION_WATCHERS)
        serves_others(app, stack)
        app.health.pause((), "a test")
        app.health.serve(())
        close(app)


def test_peer_that_calls_every_method_and_reads_nothing_keeps_nobody_waiting(app: Application) -> None:
    with ExitStack() as stack:
        stack.enter_context(unread(app, EVERY * 4))
        stack.enter_context(unread(app, EVERY * 4, is_last=False))
        serves_others(app, stack)
        close(app)


@pytest.mark.parametrize("method", [WATCH, CHECK, GET_KEYS])
def test_calls_whose_request_never_comes_keep_no_call_out(
    app: Application, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """There are more of them than may be awaited; the oldest gives way to each further call."""
    monkeypatch.setattr(pool, "PRESSED_SECONDS", 3_600)
    count = app.pool.queue + 8
    with ExitStack() as stack:
        peer = stack.enter_context(dial(f"127.0.0.1:{app.port}"))
        begun = [headers(method, stream=stream) for stream in range(1, 2 * count, 2)]
        peer.sendall(PREFACE + settings() + b"".join(begun))
        until(lambda: app.pool.waiting >= app.pool.queue)
        serves_others(app, stack)


def test_watcher_gets_the_newest_status_once_it_has_room(app: Application) -> None:
    """Other watchers get each change meanwhile."""
    with ExitStack() as stack:
        peer = stack.enter_context(unread(app, [WATCH]))
        until(lambda: app.health.watchers == 1)
        channel = serves_others(app, stack)
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest(), timeout=SECONDS)
        assert next(watch).status == SERVING
        for _ in range(3):
            app.health.pause((), "a test")
            assert next(watch).status == NOT_SERVING
            app.health.serve(())
            assert next(watch).status == SERVING
        app.health.pause((), "a test")
        assert next(watch).status == NOT_SERVING
        peer.sendall(settings(window=65_535))
        read: list[bytes] = []
        while len(read) < 2:
            kind, body = next_frame(peer)
            read += [body] if kind == DATA else []
        assert [health_pb2.HealthCheckResponse.FromString(body[5:]).status for body in read] == [SERVING, NOT_SERVING]
        watch.cancel()


def test_watchers_of_a_connection_are_bounded(app: Application) -> None:
    """One more is answered that the method is not served; by the protocol of health its client calls all the same."""
    with grpc.insecure_channel(f"127.0.0.1:{app.port}", CHANNEL) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        watches = [stub.Watch(health_pb2.HealthCheckRequest()) for _ in range(CONNECTION_WATCHERS)]
        assert [next(watch).status for watch in watches] == [SERVING] * CONNECTION_WATCHERS
        with pytest.raises(grpc.RpcError) as refused:
            next(stub.Watch(health_pb2.HealthCheckRequest()))
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
        watches.pop().cancel()
        until(lambda: app.health.watchers == CONNECTION_WATCHERS - 1)
        assert next(stub.Watch(health_pb2.HealthCheckRequest())).status == SERVING


def test_watchers_of_all_connections_are_bounded(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client with the service config, whose watcher is one too many, makes its calls."""
    monkeypatch.setattr("referee.server.process.health.WATCHERS", 1)
    with ExitStack() as stack:
        stack.enter_context(unread(app, [WATCH]))
        until(lambda: app.health.watchers == 1)
        channel = stack.enter_context(open_channel(f"127.0.0.1:{app.port}"))
        assert log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest(), timeout=SECONDS).origin


def test_watch_is_not_served_where_grpc_cannot_send_without_waiting(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with another release of gRPC: no thread waits for a watcher then either."""
    monkeypatch.setattr(transport, "_BEHAVIORS", frozenset())
    with ExitStack() as stack:
        stub = health_pb2_grpc.HealthStub(serves_others(app, stack))
        with pytest.raises(grpc.RpcError) as refused:
            next(stub.Watch(health_pb2.HealthCheckRequest()))
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


def reflected(channel: grpc.Channel) -> Callable[[], object]:
    """Return a question to reflection."""
    asked = reflection_pb2.ServerReflectionRequest(list_services="")
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    return lambda: next(stub.ServerReflectionInfo(iter([asked]), timeout=SECONDS)).list_services_response.service


def test_streams_that_nobody_reads_give_their_threads_to_others(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "STREAM_SECONDS", 0)
    with ExitStack() as stack:
        stack.enter_context(unread(app, REFLECTION * pool.STREAMS))
        until(lambda: app.pool.streaming.under_way >= pool.STREAMS)
        ask = reflected(serves_others(app, stack))
        assert all(ask() for _ in range(2 * pool.STREAMS))
        close(app)
