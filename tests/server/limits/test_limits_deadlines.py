"""A call that nobody waits for any more begins nothing: its deadline passed, or it was given up."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.server.process.app import Application
from referee.v1 import mau_binh_pb2, shuffler_pb2
from tests.driver.driver import secrets_of
from tests.driver.messages import method_of, opening
from tests.driver.refusal import ending_of
from tests.server.observing import Quiet
from tests.server.processes import Caller, calling
from tests.waiting import until

SECONDS: Final = 60
OPEN: Final = "ShufflerService/OpenRound"
OPENED: Final = 4
"""The leaves of a new log."""


class SlowStore(Quiet):
    """A watcher that holds the writer up, as a slow disk would, while ``hold`` is set; ``calls`` has how each ended."""

    def __init__(self) -> None:
        self.hold, self.held, self.go = threading.Event(), threading.Event(), threading.Event()
        self.calls: list[tuple[str, str]] = []

    def ended(self, call: Any) -> None:  # noqa: ANN401 - a call
        """Its name and its code are kept."""
        self.calls.append((call.name, call.code))

    def probe(self, step: str) -> None:
        """Hold the batch that has begun."""
        if step == "BEGUN" and self.hold.is_set():
            self.held.set()
            assert self.go.wait(SECONDS)


class Scene:
    """A server with a slow store, and a round in each state."""

    def __init__(self, app: Application, store: SlowStore, caller: Caller) -> None:
        self.app, self.store, self.caller = app, store, caller
        caller.driver.open("opened")
        self.played = caller.driver.play("played")
        name: dict[str, Any] = {"round": {"table_id": "opened", "round_number": 1}}
        settle = mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=self.played.message)
        rounds = mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[settle])
        seeds = [secrets_of("opened", seat).seed for seat in range(2)]
        seed = shuffler_pb2.ContributeSeedRequest(**name, seat=0, seed=seeds[0])
        abort = shuffler_pb2.AbortRoundRequest(**name, reason=shuffler_pb2.ABORT_REASON_OPERATOR)
        requests: dict[str, tuple[str, Any]] = {
            "open": (OPEN, opening("new")),
            "contribute": ("ShufflerService/ContributeSeed", seed),
            "deal": ("ShufflerService/DealRound", shuffler_pb2.DealRoundRequest(**name, client_seeds=seeds)),
            "abort": ("ShufflerService/AbortRound", abort),
            "settle": ("MauBinhService/SettleRound", settle),
            "settle many": ("MauBinhService/SettleRounds", rounds),
        }
        self.calls: dict[str, tuple[Any, Any]] = {
            how: (method_of(caller.channel, method), request) for how, (method, request) in requests.items()
        }

    def occupy(self) -> Any:  # noqa: ANN401 - a call
        """Start a call whose commit does not end."""
        self.store.hold.set()
        call = method_of(self.caller.channel, OPEN).future(opening("first"))
        assert self.store.held.wait(SECONDS)
        return call

    def release(self) -> None:
        """Let the store go on."""
        self.store.hold.clear()
        self.store.go.set()


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    """Return the scene, on an empty folder."""
    store = SlowStore()
    with calling(data=tmp_path, sweep=False, observers=[store]) as (app, caller):
        try:
            yield Scene(app, store, caller)
        finally:
            store.go.set()


@pytest.mark.parametrize("how", ["deadline", "given up"])
@pytest.mark.parametrize("name", ["open", "contribute", "deal", "abort", "settle", "settle many"])
def test_call_that_is_over_before_its_commit_began_is_not_committed(scene, name, how):
    """It waits behind a commit that is stuck; when the store goes on nothing of it is written, and asking again is."""
    size = scene.caller.size
    first = scene.occupy()
    method, request = scene.calls[name]
    call = method.future(request, timeout=0.5 if how == "deadline" else SECONDS)
    writer = scene.app.log.writer
    assert writer is not None
    until(lambda: writer.waiting == 1 or call.done())
    if how == "given up":
        call.cancel()
        until(lambda: "CANCELLED" in dict(scene.store.calls).values())
    else:
        assert ending_of(call.result, SECONDS)[0] == "DEADLINE_EXCEEDED"
        assert until(lambda: not scene.app.pool.running - 1)  # the first alone is at work
    scene.release()
    first.result(SECONDS)
    assert scene.caller.size == size + 1
    method(request, timeout=SECONDS)
    is_end = name in {"abort", "settle", "settle many"}  # the seed follows by itself
    until(lambda: scene.caller.size == size + 1 + (name != "contribute") + is_end)


def test_call_whose_commit_has_begun_is_committed_although_nobody_waits(scene):
    """Asked again it is answered with the first result."""
    size = scene.caller.size
    scene.store.hold.set()
    method, request = scene.calls["open"]
    call = method.future(request, timeout=0.5)
    assert scene.store.held.wait(SECONDS)
    assert ending_of(call.result, SECONDS)[0] != "OK"
    scene.release()
    until(lambda: scene.caller.size == size + 1)
    assert method(request).log_receipt.leaf_index == size
    assert scene.caller.size == size + 1


def test_call_whose_deadline_passed_in_the_queue_is_not_begun(tmp_path):
    """One thread, which a commit holds; behind it a call waits longer than its caller."""
    store = SlowStore()
    with calling(data=tmp_path, sweep=False, observers=[store], threads=1) as (app, caller):
        store.hold.set()
        open_round = method_of(caller.channel, OPEN)
        first = open_round.future(opening("first"))
        assert store.held.wait(SECONDS)
        assert ending_of(open_round, opening("late"), timeout=0.3)[0] == "DEADLINE_EXCEEDED"
        assert app.pool.waiting == 1
        store.hold.clear()
        store.go.set()
        first.result(SECONDS)
        assert caller.size == OPENED + 1
