"""Advice in processes of its own: judging goes on while all are busy, and a process is free once no caller waits."""

import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import psutil
import pytest
from bai_cao.hand import Hand, hand_of

from referee.advice.process import AdviceFaultError
from referee.cards import parse_cards
from referee.server.limits import advising
from referee.server.limits.advising import NICENESS, AdvicePool, ProcessEndedError
from referee.server.process.app import Application
from referee.server.settings.advice import AdviceSettings
from referee.service.call import CallEndedError
from referee.v1 import log_pb2, log_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from tests.driver.refusal import refusal_of
from tests.server.observing import Methods
from tests.server.options import server_options
from tests.server.processes import Caller
from tests.waiting import until

SECONDS: Final = 60
FOR_EVER: Final = b"3600"
"""Seconds that a process is busy, unless something stops it."""
SLEEP: Final = "/tests.Advice/Sleep"
OPEN: Final = "/tests.Advice/Open"
PID: Final = "/tests.Advice/Pid"


@contextmanager
def serving(
    folder: Path,
    *,
    threads: int = 8,
    drain_grace: float = 10,
    **advice: Any,  # noqa: ANN401 - settings of advice
) -> Iterator[tuple[Application, grpc.Channel]]:
    """Start a server with these settings of advice, one process by default, and dial it.

    It has methods that compute something in an advice process.
    """
    settings = AdviceSettings(**{"processes": 1, "seconds": 3600} | advice)
    options = server_options(data=folder, sweep=False, threads=threads, drain_grace=drain_grace, advice=settings)
    app = Application(options)
    compute = app.advice.compute
    functions: dict[str, Callable[[bytes], bytes]] = {
        SLEEP: lambda request: b"%s" % str(compute(time.sleep, float(request))).encode(),
        OPEN: lambda request: b"%d" % compute(os.open, request.decode(), os.O_RDONLY),
        PID: lambda _request: b"%d" % compute(os.getpid),
    }
    app.add_handler(Methods(functions))
    with app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        yield app, channel


def begin(channel: grpc.Channel, method: str, request: bytes, *, timeout: float | None = None) -> Any:  # noqa: ANN401
    """Begin a call."""
    call: Any = channel.unary_unary(method)
    return call.future(request, timeout=timeout)


def ask(channel: grpc.Channel, method: str, request: bytes = b"") -> bytes:
    """Return the answer of a call."""
    answer: bytes = begin(channel, method, request, timeout=SECONDS).result()
    return answer


def refused(channel: grpc.Channel, method: str, request: bytes = b"") -> tuple[str, str, bool]:
    """Status code and reason of a refused call, and whether it says when to ask again."""
    refusal = refusal_of(ask, channel, method, request)
    return refusal.code, refusal.reason, refusal.retry_seconds > 0


def test_judging_goes_on_while_all_processes_and_places_are_taken(tmp_path):
    """On a server with one thread: calls that wait for advice do not hold it."""
    with serving(tmp_path, threads=1, processes=2, queue=3, calls_at_once=8) as (app, channel):
        caller = Caller(channel)
        busy = [begin(channel, SLEEP, FOR_EVER) for _ in range(5)]
        until(lambda: (app.advice.running, app.advice.waiting) == (2, 3))
        table = caller.play("judged")
        caller.accept(table)
        assert caller.referee.SettleRound(table.request, timeout=SECONDS).log_receipt.leaf
        assert [call.done() for call in busy] == [False] * 5
        assert refused(channel, PID) == ("RESOURCE_EXHAUSTED", "ADVICE_BUSY", True)
        assert caller.log.GetKeys(log_pb2.GetKeysRequest(), timeout=SECONDS).log_key


def test_call_that_is_given_up_frees_its_process(tmp_path):
    with serving(tmp_path) as (app, channel):
        before = ask(channel, PID)
        call = begin(channel, SLEEP, FOR_EVER)
        until(lambda: app.advice.running == 1)
        call.cancel()
        until(lambda: app.advice.running == 0)
        assert not psutil.pid_exists(int(before))
        assert ask(channel, PID) != before


def test_call_whose_deadline_passes_frees_its_process(tmp_path):
    with serving(tmp_path) as (app, channel):
        call = begin(channel, SLEEP, FOR_EVER, timeout=1)
        assert call.exception().code() is grpc.StatusCode.DEADLINE_EXCEEDED
        until(lambda: app.advice.running == 0)
        assert ask(channel, PID)


def test_call_that_is_given_up_while_it_waits_never_begins(tmp_path):
    with serving(tmp_path) as (app, channel):
        before = ask(channel, PID)
        first = begin(channel, SLEEP, b"2")
        until(lambda: app.advice.running == 1)
        second = begin(channel, SLEEP, FOR_EVER)
        until(lambda: app.advice.waiting == 1)
        second.cancel()
        until(lambda: app.advice.waiting == 0)
        assert first.result(SECONDS) == b"None"
        assert ask(channel, PID) == before


def test_short_computation_that_is_given_up_costs_no_process(tmp_path, monkeypatch):
    """It ends by itself before anything looks whether to stop it."""
    monkeypatch.setattr(advising, "_LOOK_SECONDS", SECONDS)
    with serving(tmp_path) as (app, channel):
        before = ask(channel, PID)
        call = begin(channel, SLEEP, b"0.3")
        until(lambda: app.advice.running == 1)
        call.cancel()
        assert ask(channel, PID) == before


def test_given_up_call_counts_against_its_caller_until_it_ends(tmp_path, monkeypatch):
    """Nothing looks whether to stop the computation here, which goes on until the test lets it end."""
    monkeypatch.setattr(advising, "_LOOK_SECONDS", 3600)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with serving(tmp_path / "data", processes=2, calls_at_once=1) as (app, channel):
        call = begin(channel, OPEN, str(fifo).encode())
        until(lambda: app.advice.running == 1)
        call.cancel()
        assert refused(channel, PID) == ("RESOURCE_EXHAUSTED", "TOO_MANY_CALLS", True)
        os.close(os.open(fifo, os.O_WRONLY))
        until(lambda: app.advice.running == 0)
        assert ask(channel, PID)


def test_computation_beyond_its_time_is_stopped(tmp_path):
    with serving(tmp_path, seconds=0.5) as (app, channel):
        assert refused(channel, SLEEP, FOR_EVER) == ("DEADLINE_EXCEEDED", "ADVICE_TOO_LONG", False)
        assert (app.advice.running, app.advice.pids) == (0, [])


def test_killed_process_is_reported_and_replaced(tmp_path):
    with serving(tmp_path) as (app, channel):
        pid = int(ask(channel, PID))
        call = begin(channel, SLEEP, FOR_EVER)
        until(lambda: app.advice.running == 1)
        psutil.Process(pid).kill()
        assert call.exception(SECONDS).code() is grpc.StatusCode.UNAVAILABLE
        assert int(ask(channel, PID)) != pid


def test_process_killed_while_idle_is_replaced_unnoticed(tmp_path):
    with serving(tmp_path) as (app, channel):
        pid = int(ask(channel, PID))
        process = psutil.Process(pid)
        process.kill()
        until(lambda: not psutil.pid_exists(pid))  # what forked it has seen that it ended
        assert int(ask(channel, PID)) != pid
        assert len(app.advice.pids) == 1


def test_server_that_stops_leaves_no_process(tmp_path):
    """Not of idle ones, and not of calls that nobody gave up."""
    with serving(tmp_path, drain_grace=0.1, processes=2) as (app, channel):  # nothing here waits for the calls
        ask(channel, PID)
        busy = begin(channel, SLEEP, FOR_EVER)
        until(lambda: app.advice.running == 1)
        ask(channel, PID)
        pids = app.advice.pids
        assert len(pids) == 2
    assert busy.exception(SECONDS) is not None
    assert [psutil.pid_exists(pid) for pid in pids] == [False, False]


def test_processes_start_with_the_first_question_that_needs_one(tmp_path):
    with serving(tmp_path, processes=3) as (app, channel):
        log_pb2_grpc.LogServiceStub(channel).GetKeys(log_pb2.GetKeysRequest())
        assert app.advice.pids == []
        assert len({ask(channel, PID) for _ in range(4)}) == len(app.advice.pids) == 1


def test_advice_is_given_where_no_file_can_be_written(tmp_path, monkeypatch):
    """As in a container with a read-only root: no socket can be made for the process that forks the others."""

    def nowhere() -> str:
        raise FileNotFoundError

    monkeypatch.setattr("tempfile.gettempdir", nowhere)
    with serving(tmp_path) as (app, channel):
        assert int(ask(channel, PID)) == app.advice.pids[0]


def count_sleeps() -> int:
    """Compute until the process has slept three times; return how often it had after a minute at most."""
    begun = os.times().elapsed
    asleep = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    while (slept := resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - asleep) < 3:
        if os.times().elapsed - begun > SECONDS:
            break
    return slept


def test_process_leaves_its_core_now_and_then_while_it_computes(pool):
    """A server on the same core would else wait for the system's next tick, whatever the priorities."""
    assert pool.compute(count_sleeps) >= 3


@pytest.fixture
def pool(monkeypatch) -> Iterator[AdvicePool]:
    """Return a pool of one process that notices nothing until its function returns."""
    monkeypatch.setattr(advising, "_LOOK_SECONDS", 3600)
    made = AdvicePool(AdviceSettings(processes=1, calls_at_once=3, queue=2, seconds=3600))
    yield made
    for pid in made.pids:
        psutil.Process(pid).kill()  # what it computes would hold up its end
    made.close()


def submit(pool: AdvicePool, function: Callable[..., object], *args: object) -> "Future[Any]":
    """Ask on a thread of its own."""
    found: Future[Any] = Future()

    def run() -> None:
        try:
            found.set_result(pool.compute(function, *args))
        except Exception as error:  # noqa: BLE001 - whatever comes is looked at
            found.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return found


def held_up(pool: AdvicePool, folder: Path) -> tuple["Future[Any]", Callable[[], None]]:
    """Occupy the pool's process; return what it computes and the function that lets it end."""
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    first = submit(pool, os.open, str(fifo), os.O_RDONLY)
    until(lambda: pool.running == 1)
    return first, lambda: os.close(os.open(fifo, os.O_WRONLY))


def test_questions_are_answered_in_their_order(pool, tmp_path):
    first, go = held_up(pool, tmp_path)
    earlier = submit(pool, time.time_ns)
    until(lambda: pool.waiting == 1)
    later = submit(pool, time.time_ns)
    until(lambda: pool.waiting == 2)
    go()
    assert earlier.result(SECONDS) <= later.result(SECONDS)
    assert first.done()


def test_question_that_waits_too_long_for_a_process_is_refused(tmp_path, pool):
    first, go = held_up(pool, tmp_path)
    pool._settings = AdviceSettings(processes=1, seconds=0.2)  # noqa: SLF001 - the first had more time
    with pytest.raises(RefusedError) as caught:
        pool.compute(os.getpid)
    assert caught.value.reason == ErrorReason.ERROR_REASON_ADVICE_BUSY
    go()
    assert isinstance(first.result(SECONDS), int)


def test_error_of_a_function_has_its_traceback(pool):
    with pytest.raises(AdviceFaultError, match=r"(?s)Traceback.*ValueError: invalid literal"):
        pool.compute(int, "x")
    assert pool.compute(int, "7") == 7


def test_process_runs_at_a_lower_priority(pool):
    assert pool.compute(os.nice, 0) == min(19, os.nice(0) + NICENESS)


def test_closed_pool_takes_no_question():
    pool = AdvicePool(AdviceSettings(processes=1))
    assert pool.compute(len, "four") == 4
    busy = submit(pool, time.sleep, 3600)
    until(lambda: pool.running == 1)
    pool.close()
    assert isinstance(busy.exception(SECONDS), CallEndedError | ProcessEndedError)
    with pytest.raises(RefusedError):
        pool.compute(len, "four")


def test_many_callers_share_one_process_without_mixing_answers():
    pool = AdvicePool(AdviceSettings(processes=1, queue=64, calls_at_once=64))
    with ThreadPoolExecutor(16) as callers:
        found = list(callers.map(lambda number: pool.compute(str, number), range(200)))
    pool.close()
    assert found == [str(number) for number in range(200)]


def test_function_of_another_package_is_computed(pool):
    """A game of an installed package has its advice computed as the built-in ones have."""
    assert pool.compute(hand_of, parse_cards("AS 2H KD")) is Hand.POINTS_3
