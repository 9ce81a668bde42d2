"""Calls that are begun and not finished take no thread and no turn from others."""

import contextlib
import threading
from pathlib import Path

import grpc
import pytest

from referee.server.process.app import Application
from referee.server.settings.limits import LimitSettings
from referee.service import pool
from referee.v1 import log_pb2, log_pb2_grpc
from tests.chaos.frames import PREFACE, dial, headers, message, settings
from tests.chaos.ledger import CHANNEL
from tests.server.options import server_options
from tests.waiting import until

HALF = 64
"""Many more than there are turns."""
GET_KEYS = "/referee.v1.LogService/GetKeys"


@pytest.mark.parametrize("threads", [0, HALF], ids=["known server", "another server"])
@pytest.mark.usefixtures("quiet_calls")
def test_messages_that_are_awaited_hold_no_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    """Where gRPC's server is another than the known one, each holds one, and a whole call is answered all the same."""
    if threads:
        monkeypatch.setattr(pool, "receive", lambda _args, _ready: None)
    with Application(server_options(data=tmp_path, threads=2, limits=LimitSettings(request_seconds=3600))) as app:
        before = count_threads()
        with contextlib.ExitStack() as stack:
            for _ in range(HALF):  # ten of a message's thousand bytes
                peer = stack.enter_context(dial(f"127.0.0.1:{app.port}"))
                part = message(bytes(1000), stream=1, sent=10)
                peer.sendall(PREFACE + settings() + headers(GET_KEYS, stream=1) + part)
            until(lambda: app.pool.waiting == HALF)
            assert count_threads() - before == threads
            channel = stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{app.port}", CHANNEL))
            assert log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest(), timeout=60).origin
        until(lambda: app.pool.waiting == app.pool.running == 0)


def count_threads() -> int:
    """Count the threads on which calls are answered."""
    return sum(thread.name.startswith("call_") for thread in threading.enumerate())
