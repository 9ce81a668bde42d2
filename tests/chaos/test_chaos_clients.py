"""Calls that are begun and not finished take no turn from others, and are not waited for for ever."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import grpc
import pytest
import structlog

from referee.server.process.app import Application
from referee.server.settings.limits import LimitSettings
from referee.service import pool
from referee.v1 import log_pb2, log_pb2_grpc
from tests.chaos.frames import HEADERS, PREFACE, RST_STREAM, await_end, dial, headers, message, settings
from tests.chaos.ledger import CHANNEL
from tests.server.options import server_options
from tests.waiting import until

HALF = 64
"""Many more than there are turns."""
Serve: TypeAlias = Callable[[float], Application]
GET_KEYS = "/referee.v1.LogService/GetKeys"


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[float], Application]]:
    """Start a server with two workers, which waits for a request for so many seconds."""
    with structlog.testing.capture_logs(), contextlib.ExitStack() as stack:

        def start(seconds: float) -> Application:
            limits = LimitSettings(request_seconds=seconds)
            made = Application(server_options(data=tmp_path, threads=2, limits=limits))
            return stack.enter_context(made)

        yield start


def half_calls(app: Application, count: int) -> list[socket.socket]:
    """Open connections, each with a call that has sent ten of its message's thousand bytes."""
    made = []
    for _ in range(count):
        made.append(dial(f"127.0.0.1:{app.port}"))
        made[-1].sendall(PREFACE + settings() + headers(GET_KEYS, stream=1) + message(bytes(1000), stream=1, sent=10))
    return made


def test_calls_whose_message_never_comes_keep_nobody_waiting(serve: Serve) -> None:
    """All are there before a whole call comes, and the first of them are waited for for an hour."""
    app = serve(3600)
    with contextlib.ExitStack() as stack:
        for one in half_calls(app, HALF):
            stack.enter_context(one)
        until(lambda: app.pool.waiting >= HALF // 2)
        channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{app.port}", CHANNEL))
        answer = log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest(), timeout=120)
        assert answer.origin
        assert app.pool.waiting > 0, "some are there all the while"


@pytest.mark.parametrize("threads", [0, HALF], ids=["known server", "another server"])
def test_messages_that_are_awaited_hold_no_thread(serve: Serve, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """Where gRPC's server is another than the known one, each holds one, and a whole call is answered all the same."""
    if threads:
        monkeypatch.setattr(pool, "receive", lambda _args, _ready: None)
    app, before = serve(3600), count_threads()
    with contextlib.ExitStack() as stack:
        for one in half_calls(app, HALF):
            stack.enter_context(one)
        until(lambda: app.pool.waiting == HALF)
        assert count_threads() - before == threads
        channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{app.port}", CHANNEL))
        assert log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest(), timeout=60).origin
    until(lambda: app.pool.waiting == 0)


def count_threads() -> int:
    """Count the threads on which calls are answered."""
    return sum(thread.name.startswith("call_") for thread in threading.enumerate())


def test_calls_whose_message_never_comes_are_cut_off(serve: Serve) -> None:
    """Each gets its refusal on its connection, which stays open; afterwards nothing waits."""
    app = serve(0.5)
    with contextlib.ExitStack() as stack:
        made = [stack.enter_context(one) for one in half_calls(app, 12)]
        assert {await_end(one, stream=1) for one in made} <= {HEADERS, RST_STREAM}
        until(lambda: app.pool.waiting == 0)


def test_call_that_is_whole_has_a_turn_and_gives_it_back(serve: Serve) -> None:
    """Many more calls than there are turns, many times over: no turn is lost."""
    app = serve(60)
    with grpc.insecure_channel(f"127.0.0.1:{app.port}", CHANNEL) as channel:
        stub = log_pb2_grpc.LogServiceStub(channel)
        for _ in range(20):
            calls = [stub.GetKeys.future(log_pb2.GetKeysRequest(), timeout=60) for _ in range(16)]
            assert all(call.result().origin for call in calls)
    until(lambda: app.pool.waiting == app.pool.running == 0)
