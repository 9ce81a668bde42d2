"""What the server takes on and how long it waits: each limit reached by real calls, and others served meanwhile."""

import gc
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from referee.server.process.app import Application, freeze_heap
from referee.server.settings.limits import LimitSettings
from referee.service import pool
from referee.service.pool import STREAMS
from referee.v1 import log_pb2, log_pb2_grpc, mau_binh_pb2, shuffler_pb2
from tests.driver.driver import play, settle
from tests.driver.messages import method_of
from tests.driver.refusal import ending_of, refusal_of
from tests.server.observing import Methods, uncollected
from tests.server.options import server_options
from tests.server.processes import calling
from tests.waiting import until

SECONDS: Final = 60
LARGE: Final = "/tests.Large/Answer"
KEYS: Final = "/referee.v1.LogService/GetKeys"


@contextmanager
def serving(folder: Path, *, threads: int = 8, queue: int = 256, **limits: Any) -> Iterator[Application]:  # noqa: ANN401
    """Start a server with these limits and a method that answers as many bytes as its request says."""
    settings = server_options(data=folder, sweep=False, threads=threads, queue=queue, limits=LimitSettings(**limits))
    app = Application(settings)
    app.add_handler(Methods({LARGE: lambda request: bytes(int(request))}))
    with app:
        yield app


def dial(app: Application) -> grpc.Channel:
    """Open a connection whose window does not grow, so that unread data stays with the server."""
    options = [
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.max_receive_message_length", -1),
        ("grpc.http2.bdp_probe", 0),
    ]
    return grpc.insecure_channel(f"127.0.0.1:{app.port}", [*options, ("grpc.max_send_message_length", -1)])


def ask(channel: grpc.Channel, method: str = KEYS, request: bytes = b"", **how: Any) -> tuple[str, str]:  # noqa: ANN401
    """How a call ends."""
    call: Any = channel.unary_unary(method)
    return ending_of(call, request, **{"timeout": 30} | how)


class HalfSent:
    """A call that began and whose request never comes."""

    def __init__(self, channel: grpc.Channel, method: str = KEYS) -> None:
        self._never = threading.Event()
        send: Any = channel.stream_unary(method)
        self.call = send.future(self._requests())

    def _requests(self) -> Iterator[bytes]:
        self._never.wait()
        yield from ()

    def ended(self) -> tuple[str, str]:
        """How the server ended it."""
        return ending_of(self.call.result, SECONDS)

    def close(self) -> None:
        """Abandon the call."""
        self._never.set()
        self.call.cancel()


def test_request_that_never_comes_frees_its_thread(tmp_path):
    """The one thread waits for half a call, and then for another; they are cancelled, and the next is answered."""
    with serving(tmp_path, threads=1, request_seconds=1) as app, dial(app) as idle, dial(app) as channel:
        halves = [HalfSent(idle) for _ in range(2)]
        until(lambda: app.pool.running + app.pool.waiting > 0)
        assert ask(channel, timeout=SECONDS) == ("OK", "")
        assert [half.ended() for half in halves] == [("CANCELLED", "")] * 2
        for half in halves:
            half.close()


def test_request_that_came_has_all_the_time_of_its_call(tmp_path):
    """The waiting time is for what has not arrived: work that takes longer goes on."""
    with holding(tmp_path, limits=LimitSettings(request_seconds=0.2, answer_seconds=0.2)) as (_, channel, held):
        call = begin(channel)
        until(lambda: held.begun == 1)
        time.sleep(1.5)
        held.go.set()
        assert call.result() == b"done"


def test_overload_is_said_without_waiting_for_the_request(tmp_path):
    """Callers who send half a call do not hold up the refusals of the others."""
    with holding(tmp_path, threads=1, queue=1) as (app, channel, held), dial(app) as idle:
        calls = [begin(channel)]
        until(lambda: held.begun == 1)
        calls.append(begin(channel))
        until(lambda: app.pool.is_full)
        halves = [HalfSent(idle) for _ in range(3)]
        assert [half.ended() for half in halves] == [("RESOURCE_EXHAUSTED", "OVERLOADED")] * 3
        assert ask(channel) == ("RESOURCE_EXHAUSTED", "OVERLOADED")
        held.go.set()
        assert [call.result() for call in calls] == [b"done"] * 2
        for half in halves:
            half.close()


def unread(channel: grpc.Channel, size: int) -> Any:  # noqa: ANN401 - a call
    """Start a call whose answer of this many bytes is not read."""
    method: Any = channel.unary_stream(LARGE)
    call = method(b"%d" % size)
    call.initial_metadata()
    return call


def test_answers_that_nobody_reads_are_bounded(tmp_path):
    """Past a megabyte of them a large answer is refused, a small one never; given up, their room is free again."""
    with serving(tmp_path, unread_bytes=1 << 20) as app, dial(app) as slow, dial(app) as channel:
        held = [unread(slow, 500_000) for _ in range(2)]
        assert ask(channel, LARGE, b"500000") == ("RESOURCE_EXHAUSTED", "OVERLOADED")
        assert ask(channel, LARGE, b"60000") == ("OK", "")
        held[0].cancel()
        until(lambda: ask(channel, LARGE, b"500000") == ("OK", ""))
        held[1].cancel()


def test_answer_that_nobody_reads_is_let_go_in_time(tmp_path):
    with serving(tmp_path, unread_bytes=1 << 20, answer_seconds=0.5) as app, dial(app) as slow, dial(app) as channel:
        held = unread(slow, 1_000_000)
        until(lambda: ask(channel, LARGE, b"500000") == ("OK", ""))
        assert ending_of(list, held)[0] == "CANCELLED"


def test_answer_larger_than_all_room_is_sent_if_nothing_else_is_unread(tmp_path):
    with serving(tmp_path, unread_bytes=1 << 20) as app, dial(app) as channel:
        assert ask(channel, LARGE, b"3000000") == ("OK", "")


def test_calls_at_once_count_until_their_answers_are_read(tmp_path):
    """Of one caller, an address here; the second is refused, and goes through once the first was given up."""
    with serving(tmp_path, calls_at_once=1) as app, dial(app) as slow, dial(app) as channel:
        held = unread(slow, 900_000)
        assert ask(channel) == ("RESOURCE_EXHAUSTED", "TOO_MANY_CALLS")
        held.cancel()
        until(lambda: ask(channel) == ("OK", ""))


class Held:
    """A method that waits for ``go``; ``begun`` counts the calls that it began."""

    METHOD: Final = "/tests.Held/Answer"

    def __init__(self) -> None:
        self.go = threading.Event()
        self.begun = 0

    def __call__(self, _request: bytes) -> bytes:
        """Answer once it may."""
        self.begun += 1
        assert self.go.wait(SECONDS)
        return b"done"


@contextmanager
def holding(folder: Path, **options: Any) -> Iterator[tuple[Application, grpc.Channel, Held]]:  # noqa: ANN401
    """Start a server with such a method and a channel to it; whatever waits is let go at the end."""
    held = Held()
    app = Application(server_options(data=folder, sweep=False, streams=10_000, **options))
    app.add_handler(Methods({Held.METHOD: held}))
    with app, dial(app) as channel:
        yield app, channel, held
        held.go.set()


def begin(channel: grpc.Channel) -> Any:  # noqa: ANN401 - a call
    """Begin a call of the method that waits."""
    call: Any = channel.unary_unary(Held.METHOD)
    return call.future(b"", timeout=SECONDS)


def one_refused(calls: list[Any]) -> Any:  # noqa: ANN401 - a call
    """Wait until one of the calls is refused with TOO_MANY_CALLS, whichever it is, and return it; the others wait."""
    until(lambda: any(call.done() for call in calls))
    (refused,) = (call for call in calls if call.done())
    assert ending_of(refused.result) == ("RESOURCE_EXHAUSTED", "TOO_MANY_CALLS")
    return refused


def test_calls_that_wait_for_their_turn_count_against_their_caller(tmp_path):
    with holding(tmp_path, threads=1, limits=LimitSettings(calls_at_once=2)) as (app, channel, held):
        calls = [begin(channel) for _ in range(3)]
        refused = one_refused(calls)
        until(lambda: (app.pool.running, app.pool.waiting) == (1, 1))
        held.go.set()
        assert [call.result() for call in calls if call is not refused] == [b"done"] * 2
        until(lambda: ask(channel) == ("OK", ""))


def test_call_that_was_given_up_counts_until_its_work_has_ended(tmp_path):
    with holding(tmp_path, limits=LimitSettings(calls_at_once=1)) as (_, channel, held):
        call = begin(channel)
        until(lambda: held.begun == 1)
        call.cancel()
        assert [ask(channel) for _ in range(20)] == [("RESOURCE_EXHAUSTED", "TOO_MANY_CALLS")] * 20
        held.go.set()
        until(lambda: ask(channel) == ("OK", ""))


def test_call_that_was_given_up_before_its_turn_never_begins(tmp_path):
    with holding(tmp_path, threads=1) as (app, channel, held):
        first = begin(channel)
        until(lambda: held.begun == 1)
        second = begin(channel)
        until(lambda: app.pool.waiting == 1)
        second.cancel()
        code, _ = ask(
            channel, "/tests.Held/None"
        )  # once it is answered, the server has read the cancellation before it
        assert code == "UNIMPLEMENTED"
        held.go.set()
        assert first.result() == b"done"
        until(lambda: app.pool.waiting == 0)
        assert ask(channel) == ("OK", "")
        assert held.begun == 1


def test_server_without_configuration_bounds_calls_of_one_caller(tmp_path):
    """As many as the default says; one more is refused, and another caller's place in the queue is not taken."""
    most = LimitSettings().calls_at_once
    assert 0 < most < server_options(data=tmp_path).configuration.serve.queue
    with holding(tmp_path) as (app, channel, _):
        calls = [begin(channel) for _ in range(most + 1)]
        one_refused(calls)
        until(lambda: app.pool.running + app.pool.waiting == most)
        assert not app.pool.is_full
        assert sum(call.done() for call in calls) == 1


def test_rate_is_refused_with_when_to_ask_again(tmp_path):
    """A burst, then a refusal with RetryInfo; after that time the caller is answered again."""
    with serving(tmp_path, calls_per_second=2, burst=3) as app, dial(app) as channel:
        get = log_pb2_grpc.LogServiceStub(channel).GetKeys
        seconds = refusal_of(lambda: [get(log_pb2.GetKeysRequest()) for _ in range(100)]).retry_seconds
        assert 0 < seconds <= 0.5
        time.sleep(seconds)
        assert ask(channel) == ("OK", "")


def test_too_large_message_is_refused_with_a_reason_up_to_transport_limit(tmp_path):
    """Beyond four times as much the transport cuts it off and can give none."""
    with serving(tmp_path, message_bytes=100_000) as app, dial(app) as channel:
        found = [ask(channel, KEYS, b"\x0a" + bytes(size - 1)) for size in (100_001, 400_000, 400_001)]
        assert found == [("RESOURCE_EXHAUSTED", "MESSAGE_TOO_LARGE")] * 2 + [("RESOURCE_EXHAUSTED", "")]
        assert ask(channel) == ("OK", "")


def test_metadata_beyond_the_limit_is_cut_off(tmp_path):
    """Without a reason; a token of the longest kind has room."""
    with serving(tmp_path, metadata_bytes=8192) as app, dial(app) as channel:
        assert ask(channel, metadata=[("x-more", "a" * 6000)]) == ("OK", "")
        code, reason = ask(channel, metadata=[("x-more", "a" * 9000)])
        assert (code in ("RESOURCE_EXHAUSTED", "INTERNAL"), reason) == (True, "")
        assert ask(channel) == ("OK", "")


def test_connections_are_bounded(tmp_path):
    """The one too many is closed, those that stand go on, and when one closes there is room again."""
    with serving(tmp_path, connections=2) as app, ExitStack() as open_ones:
        first, second = dial(app), open_ones.enter_context(dial(app))
        assert [ask(channel) for channel in (first, second)] == [("OK", "")] * 2
        with dial(app) as third:
            assert ask(third) == ("UNAVAILABLE", "")
        assert [ask(channel) for channel in (first, second)] == [("OK", "")] * 2
        first.close()

        def is_let_in() -> bool:
            with dial(app) as another:
                return ask(another) == ("OK", "")

        until(is_let_in)


def test_connection_of_age_is_replaced_without_a_failed_call(tmp_path):
    """Calls one behind the other, over many lives of the connection."""
    with serving(tmp_path, age_seconds=0.3) as app, dial(app) as channel:
        end, requests = time.monotonic() + 2, set()
        call: Any = channel.unary_unary(KEYS)
        while time.monotonic() < end:
            _, rpc = call.with_call(b"", timeout=30, wait_for_ready=True)
            requests.add(dict(rpc.trailing_metadata())["x-request-id"])
        assert len(requests) > 10


def test_streams_have_threads_of_their_own_and_end_in_time(tmp_path, monkeypatch):
    """As many as there are threads for them; one more is refused, calls go on, and after a while the streams end."""
    monkeypatch.setattr(pool, "STREAM_SECONDS", SECONDS)
    with serving(tmp_path, threads=1, answer_seconds=2) as app, dial(app) as idle, dial(app) as channel:
        never = threading.Event()

        def stream() -> Any:  # noqa: ANN401 - a call
            def asked() -> Iterator[reflection_pb2.ServerReflectionRequest]:
                yield reflection_pb2.ServerReflectionRequest(list_services="")
                never.wait()

            return reflection_pb2_grpc.ServerReflectionStub(idle).ServerReflectionInfo(asked())

        streams = [stream() for _ in range(STREAMS)]
        assert all(next(one).list_services_response.service for one in streams)
        assert ending_of(next, stream()) == ("RESOURCE_EXHAUSTED", "OVERLOADED")
        assert ask(channel) == ("OK", "")
        for one in streams:
            assert ending_of(list, one)[0] == "CANCELLED"
        never.set()
        until(app.pool.has_stream)


def test_calls_leave_nothing_for_the_collector(tmp_path):
    """What a call holds is free when it is over; were it held until the next collection, the transport would refuse."""
    with serving(tmp_path) as app, dial(app) as channel:
        assert ask(channel) == ("OK", "")
        with uncollected():
            found = [ask(channel) for _ in range(300)]
            found += [ask(channel, "/referee.v1.LogService/GetTableRound") for _ in range(300)]
    assert found == [("OK", "")] * 300 + [("INVALID_ARGUMENT", "MISSING_FIELD")] * 300


class Leaf:
    """Something that can be part of a cycle."""

    itself: "Leaf"


def test_objects_of_the_start_are_left_out_and_what_comes_later_is_collected() -> None:
    early = [Leaf() for _ in range(1000)]
    try:
        assert freeze_heap() >= len(early)
        assert len(gc.get_objects()) < len(early)
        later = Leaf()
        later.itself = later
        gone = weakref.ref(later)
        del later
        gc.collect()
        assert gone() is None
    finally:
        gc.unfreeze()


def test_refusals_leave_nothing_for_the_collector(tmp_path: Path) -> None:
    """Each would take one of its connection's streams until the next collection; after 32 there would be none."""
    with calling(data=tmp_path, queue=0, streams=32) as (_, caller), uncollected():
        get = partial(ending_of, caller.log.GetKeys, log_pb2.GetKeysRequest(), timeout=60)
        assert [get()[0] for _ in range(300)] == ["RESOURCE_EXHAUSTED"] * 300


def test_refused_settlements_and_aborts_leave_nothing_for_the_collector(tmp_path: Path) -> None:
    """An abort for another reason, and in a batch a settlement unlike the one on record and one of no round."""
    with calling(data=tmp_path, streams=32) as (_, caller):
        settled = play(caller.driver.deal_playable())
        settle(settled)
        settled.message.receipt = b""
        for event in settled.message.events:
            event.received = False
        batch, empty = (
            mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[request])
            for request in (
                mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=settled.message),
                mau_binh_pb2.MauBinhServiceSettleRoundRequest(),
            )
        )
        aborted = shuffler_pb2.AbortRoundRequest(round=settled.ref, reason=shuffler_pb2.ABORT_REASON_OPERATOR)
        settle_rounds = method_of(caller.channel, "MauBinhService/SettleRounds")
        abort_round = method_of(caller.channel, "ShufflerService/AbortRound")
        with uncollected():
            batches = [settle_rounds(batch).responses[0].refused.code for _ in range(100)]
            empties = [settle_rounds(empty).responses[0].refused.code for _ in range(100)]
            aborts = [ending_of(abort_round, aborted)[0] for _ in range(100)]
    assert set(batches) == {grpc.StatusCode.ALREADY_EXISTS.value[0]}
    assert set(empties) == {grpc.StatusCode.INVALID_ARGUMENT.value[0]}
    assert set(aborts) == {"ALREADY_EXISTS"}
