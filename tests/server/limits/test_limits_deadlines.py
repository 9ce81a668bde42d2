"""A call that nobody waits for any more begins nothing: its deadline passed, or it was given up."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import grpc
import pytest

from referee.server.process.app import Application
from referee.v1 import log_pb2, mau_binh_pb2, shuffler_pb2
from tests.driver.opening import open_round, opening
from tests.server.options import server_options

SECONDS: Final = 60
OPENED: Final = 4
"""The leaves of a new log."""


class SlowStore:
    """A watcher that holds the writer up, as a slow disk would, while ``hold`` is set; ``calls`` has how each ended."""

    def __init__(self) -> None:
        self.hold, self.held, self.go = threading.Event(), threading.Event(), threading.Event()
        self.calls: list[tuple[str, str]] = []

    def began(self, call: Any) -> None:  # noqa: ANN401 - a call
        """Nothing."""

    def ended(self, call: Any) -> None:  # noqa: ANN401 - a call
        """Its name and its code are kept."""
        self.calls.append((call.name, call.code))

    def probe(self, step: str) -> None:
        """Hold the batch that has begun."""
        if step == "BEGUN" and self.hold.is_set():
            self.held.set()
            assert self.go.wait(SECONDS)

    def committed(self, requests: int) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


def until(is_so: Callable[[], bool]) -> bool:
    """Whether it becomes so in time."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.02)
    return False


class Scene:
    """A server with a slow store, and a round in each state."""

    def __init__(self, app: Application, store: SlowStore, caller: Any) -> None:  # noqa: ANN401 - made by a fixture
        self.app, self.store, self.caller = app, store, caller
        self.opened = open_round(caller.shuffler, "opened")
        self.played = caller.play("played")
        self.seeds = [os.urandom(32) for _ in range(2)]
        name: dict[str, Any] = {"table_id": "opened", "round_number": 1}
        rounds = mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[self.played.request])
        self.calls: dict[str, tuple[Any, Any]] = {
            "open": (caller.shuffler.OpenRound, opening("new")),
            "contribute": (
                caller.shuffler.ContributeSeed,
                shuffler_pb2.ContributeSeedRequest(**name, seat=0, seed=self.seeds[0]),
            ),
            "deal": (caller.shuffler.DealRound, shuffler_pb2.DealRoundRequest(**name, client_seeds=self.seeds)),
            "abort": (
                caller.shuffler.AbortRound,
                shuffler_pb2.AbortRoundRequest(**name, reason=shuffler_pb2.ABORT_REASON_OPERATOR),
            ),
            "settle": (caller.referee.SettleRound, self.played.request),
            "settle many": (caller.referee.SettleRounds, rounds),
        }

    @property
    def size(self) -> int:
        """How many leaves the log has."""
        return int(self.caller.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint.splitlines()[1])

    def occupy(self) -> Any:  # noqa: ANN401 - a call
        """Start a call whose commit does not end."""
        self.store.hold.set()
        request = opening("first")
        call = self.caller.shuffler.OpenRound.future(request)
        assert self.store.held.wait(SECONDS)
        return call

    def release(self) -> None:
        """Let the store go on."""
        self.store.hold.clear()
        self.store.go.set()


@pytest.fixture
def scene(tmp_path: Path, caller_type) -> Iterator[Scene]:
    """Return the scene, on an empty folder."""
    store = SlowStore()
    settings = server_options(data=tmp_path, sweep=False, observers=[store])
    with Application(settings) as app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        try:
            yield Scene(app, store, caller_type(channel))
        finally:
            store.go.set()


CALLS: Final = ("open", "contribute", "deal", "abort", "settle", "settle many")


@pytest.mark.parametrize("how", ["deadline", "given up"])
@pytest.mark.parametrize("name", CALLS)
def test_call_that_is_over_before_its_commit_began_is_not_committed(scene, name, how):
    """It waits behind a commit that is stuck; when the store goes on nothing of it is written, and asking again is."""
    size = scene.size
    first = scene.occupy()
    method, request = scene.calls[name]
    call = method.future(request, timeout=0.5 if how == "deadline" else SECONDS)
    writer = scene.app.log.writer
    assert writer is not None
    assert until(lambda: writer.waiting == 1 or call.done())
    if how == "given up":
        call.cancel()
        assert until(lambda: "CANCELLED" in dict(scene.store.calls).values())
    else:
        with pytest.raises(grpc.RpcError) as caught:
            call.result(SECONDS)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert until(lambda: not scene.app.pool.running - 1)  # the first alone is at work
    scene.release()
    first.result(SECONDS)
    assert scene.size == size + 1
    method(request, timeout=SECONDS)
    is_end = name in {"abort", "settle", "settle many"}  # the seed follows by itself
    assert until(lambda: scene.size == size + 1 + (name != "contribute") + is_end)


def test_call_whose_commit_has_begun_is_committed_although_nobody_waits(scene):
    """Asked again it is answered with the first result."""
    size = scene.size
    scene.store.hold.set()
    method, request = scene.calls["open"]
    call = method.future(request, timeout=0.5)
    assert scene.store.held.wait(SECONDS)
    with pytest.raises(grpc.RpcError):
        call.result(SECONDS)
    scene.release()
    assert until(lambda: scene.size == size + 1)
    assert method(request).log_receipt.leaf_index == size
    assert scene.size == size + 1


def test_call_whose_deadline_passed_in_the_queue_is_not_begun(tmp_path, caller_type):
    """One thread, which a commit holds; behind it a call waits longer than its caller."""
    store = SlowStore()
    settings = server_options(data=tmp_path, sweep=False, observers=[store], threads=1)
    with Application(settings) as app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        caller = caller_type(channel)
        store.hold.set()
        first = caller.shuffler.OpenRound.future(opening("first"))
        assert store.held.wait(SECONDS)
        with pytest.raises(grpc.RpcError) as caught:
            open_round(caller.shuffler, "late", timeout=0.3)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert app.pool.waiting == 1
        store.hold.clear()
        store.go.set()
        first.result(SECONDS)
        assert int(caller.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint.splitlines()[1]) == OPENED + 1
