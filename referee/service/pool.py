"""Threads that answer calls, and the bounds that keep slow or idle callers from using them up.

A call reaches a thread once its request has arrived. If the request does not arrive in time, which is shorter if many
are awaited, the call is cancelled. A call works only while it has a turn; there are more threads than turns, so that a
call is counted against its caller before it waits for a turn. Streams have threads of their own; refusals need none.

>>> with CallPool(threads=1, queue=8) as pool:
...     pool.submit(lambda: (pool.begin_work(), print(pool.running))).add_done_callback(lambda _: None)
1
>>> pool.running, pool.waiting, pool.is_full
(0, 0, False)
"""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import Any, Final, ParamSpec, Self, TypeVar, cast

import grpc

from referee.service.transport import cancel_of, receive
from referee.threads import lasting

P = ParamSpec("P")
T = TypeVar("T")

STREAMS: Final = 8
"""Number of streams that may run at the same time; each holds a thread, also while it waits for its peer."""
STREAM_SECONDS: Final = 2.0
"""Age from which a stream is cancelled if another one needs its thread."""
REQUEST_SECONDS: Final = 20.0
WAITING: Final = 512
"""Number of further threads, on which calls wait for a turn."""
MANY: Final = 8
"""Number of awaited requests from which on a further request has only ``PRESSED_SECONDS`` to arrive."""
PRESSED_SECONDS: Final = 2.0
LARGE: Final = 64 * 1024
"""Bytes from which an answer counts as large; the memory of smaller answers is bounded by the number of calls."""


class Timeouts:
    """Timeouts of calls. A thread looks for due timeouts every ``every`` seconds, so a call may be cancelled that late.

    >>> from contextlib import closing
    >>> with closing(Timeouts(every=0.01)) as timeouts:
    ...     ended = threading.Event()
    ...     timeouts.start(ended.set, seconds=0.02) > 0, ended.wait(10)
    (True, True)
    """

    def __init__(self, *, every: float = 1.0) -> None:
        self._every = every
        self._due: dict[int, tuple[float, Callable[[], object]]] = {}
        self._numbers = itertools.count(1)
        self._closed = threading.Event()
        self._thread = lasting(self._look, name="timeouts")
        self._thread.start()

    def start(self, cancel: Callable[[], object], *, seconds: float) -> int:
        """Call ``cancel`` on another thread after ``seconds``; return the number by which ``stop`` prevents that."""
        number = next(self._numbers)
        self._due[number] = time.monotonic() + seconds, cancel
        return number

    def stop(self, number: int) -> None:
        """Drop the timeout with this number; do nothing if it was due or dropped before."""
        self._due.pop(number, None)

    def expire(self, number: int) -> None:
        """Call the function of this timeout now; do nothing if it was due or dropped before."""
        due = self._due.pop(number, None)
        if due is not None:
            due[1]()

    def close(self) -> None:
        """Stop all timeouts."""
        self._closed.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._closed.wait(self._every):
            now = time.monotonic()
            for number, (due, _) in self._due.copy().items():
                if due < now:
                    self.expire(number)


class UnreadAnswers:
    """Bounded count of the bytes of large answers that callers have not read, so that these cannot fill the memory.

    >>> unread = UnreadAnswers(limit=3 * LARGE)
    >>> [unread.add(2 * LARGE), unread.add(2 * LARGE), unread.size // LARGE]
    [True, False, 2]
    >>> unread.remove(2 * LARGE)
    >>> unread.size
    0
    """

    def __init__(self, *, limit: int) -> None:
        self._limit = limit
        self._counting = threading.Lock()
        self.size = 0

    def add(self, size: int) -> bool:
        """Count an answer if there is room for it, and return whether there was; a single answer always has room."""
        with self._counting:
            if self.size and self.size + size > self._limit:
                return False
            self.size += size
            return True

    def remove(self, size: int) -> None:
        """Count an answer no longer."""
        with self._counting:
            self.size -= size


class Lane(ThreadPoolExecutor):
    """Executor that counts the calls that wait for a thread or run."""

    def __init__(self, threads: int, *, name: str) -> None:
        super().__init__(threads, thread_name_prefix=name)
        self._counting = threading.Lock()
        self.under_way = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit work, as to any executor."""
        future = super().submit(fn, *args, **kwargs)
        self._count(1)
        future.add_done_callback(lambda _: self._count(-1))
        return future

    def _count(self, more: int) -> None:
        with self._counting:
            self.under_way += more


class Work:
    """A call that a CallPool has taken, and its end, which is reported to gRPC."""

    __slots__ = ("_callbacks", "_has_ended", "args", "run", "timeout")

    def __init__(self, run: Callable[..., object], args: tuple[Any, ...]) -> None:
        self.run, self.args = run, args
        self.timeout = 0
        """Number of the timeout on its request while the request is awaited; 0 otherwise."""
        self._callbacks: list[Callable[[Work], object]] = []
        self._has_ended = False

    def add_done_callback(self, callback: "Callable[[Work], object]") -> None:
        """Call the callback when the call ends; at once if it has ended."""
        self._callbacks.append(callback)
        if self._has_ended:
            self._call_back()

    def end(self) -> None:
        """Mark the call as ended and call each callback once, also if another thread adds one at the same time."""
        self._has_ended = True
        self._call_back()

    def _call_back(self) -> None:
        with suppress(IndexError):
            while True:
                self._callbacks.pop()(self)


class AtOnce(ThreadPoolExecutor):
    """Executor that runs work on the thread that submits it; for work that never waits, such as a refusal."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run the work and return it as ended; gRPC only adds a callback to the result."""
        work = Work(fn, args)
        fn(*args, **kwargs)
        work.end()
        return cast("Future[T]", work)


class _Own(threading.local):
    """Work of the present thread, and whether the thread has a turn."""

    work: Work | None = None
    has_turn: bool = False


class CallPool:
    """Threads for calls: ``threads`` of them work at once and ``queue`` calls may wait. The interceptor refuses more.

    The requests of as many more may be awaited; one more takes the place of the oldest.

    gRPC submits calls to it as to a ThreadPoolExecutor. That takes several locks for each call; this pool counts by the
    sizes of queues and sets, whose changes are atomic.
    """

    def __init__(self, *, threads: int, queue: int, request_seconds: float = REQUEST_SECONDS) -> None:
        self.refusing = AtOnce()
        self.streaming = Lane(STREAMS, name="stream")
        self.timeouts = Timeouts(every=min(1.0, request_seconds / 4))
        self.queue = queue
        self._threads = threads
        self._request_seconds = request_seconds
        self._own = _Own()
        self._under_way: set[Work] = set()
        self._receiving: dict[int, None] = {}
        """Numbers of the timeouts on awaited requests, the oldest first."""
        self._streams: dict[grpc.ServicerContext, float] = {}
        """When each stream began, the oldest first."""
        self._counting = threading.Lock()
        self._submitted: SimpleQueue[Work | None] = SimpleQueue()
        self._workers: list[threading.Thread] = []
        self._is_closed = False
        self._turns: SimpleQueue[None] = SimpleQueue()
        for _ in range(threads):
            self._turns.put(None)

    @property
    def waiting(self) -> int:
        """Number of calls that wait for a thread, for their request or for a turn."""
        return max(0, len(self._under_way) - self.running)

    @property
    def running(self) -> int:
        """Number of calls at work."""
        return self._threads - self._turns.qsize()

    @property
    def is_full(self) -> bool:
        """Whether the queue is full, so that the next call must be refused; awaited requests are not in it."""
        return self.waiting - len(self._receiving) >= self.queue

    def has_stream(self) -> bool:
        """Return whether there is a thread for one more stream; if none is free, take that of the oldest stream.

        So peers that send or read nothing keep no stream of others waiting. A stream younger than ``STREAM_SECONDS``
        keeps its thread.
        """
        if self.streaming.under_way < STREAMS:
            return True
        with self._counting:
            oldest = next(iter(self._streams), None)
            if oldest is None or time.monotonic() - self._streams[oldest] < STREAM_SECONDS:
                return False
            del self._streams[oldest]
        oldest.cancel()
        return True

    @contextmanager
    def stream(self, context: grpc.ServicerContext) -> Iterator[None]:
        """Count a stream, on its thread, for the block."""
        with self._counting:
            self._streams[context] = time.monotonic()
        try:
            yield
        finally:
            with self._counting:
                self._streams.pop(context, None)

    def submit(self, run: Callable[..., object], /, *args: Any) -> Work:
        """Run a call on a thread once its request has come; raise RuntimeError once the pool is shut down."""
        if self._is_closed:
            raise RuntimeError("the pool takes no more calls")
        work = Work(run, args)
        self._under_way.add(work)
        self._await_request(work)
        received = receive(args, lambda: self._take(work))
        if received is None:
            self._queue_up(work)
        else:
            work.args = received
        return work

    def note_arrival(self) -> None:
        """Take note that the request of this thread's call has arrived."""
        self._stop_awaiting(self._own.work)

    def begin_work(self) -> None:
        """Wait for a turn for the call of this thread; its request has arrived."""
        self.note_arrival()
        if not self._own.has_turn:
            self._turns.get()
            self._own.has_turn = True

    def shutdown(self, *, wait: bool = True) -> None:
        """Take no more calls; with ``wait``, return only once all calls have ended."""
        self._is_closed = True
        for _ in self._workers:
            self._submitted.put(None)
        if wait:
            for worker in self._workers:
                worker.join()
        self.streaming.shutdown(wait)
        self.timeouts.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()

    def _take(self, work: Work) -> None:
        """Queue a call for a thread, now that its request has arrived."""
        self._stop_awaiting(work)
        self._queue_up(work)

    def _queue_up(self, work: Work) -> None:
        self._submitted.put(work)
        if len(self._workers) < min(len(self._under_way), self._threads + WAITING):
            self._add_worker()

    def _add_worker(self) -> None:
        with self._counting:
            number = len(self._workers)
            if number < self._threads + WAITING and not self._is_closed:
                worker = lasting(self._work, name=f"call_{number}")
                try:
                    worker.start()
                except RuntimeError:
                    if number < self._threads:
                        raise  # on gRPC's thread, which dies of it: there are not enough threads to answer calls
                    return  # calls wait for a thread that is there
                self._workers.append(worker)

    def _work(self) -> None:
        while (work := self._submitted.get()) is not None:
            self._run(work)
            del work  # which holds the call

    def _run(self, work: Work) -> None:
        self._own.work = work
        try:
            work.run(*work.args)
        finally:
            self._own.work = None
            self._stop_awaiting(work)
            if self._own.has_turn:
                self._own.has_turn = False
                self._turns.put(None)
            self._under_way.discard(work)
            work.end()

    def _await_request(self, work: Work) -> None:
        """Start the timeout that cancels a call if its request does not arrive."""
        cancel = cancel_of(work.args)
        if cancel is not None:
            if len(self._receiving) >= self.queue:
                self._expire_oldest()
            is_pressed = len(self._receiving) >= MANY
            seconds = min(PRESSED_SECONDS, self._request_seconds) if is_pressed else self._request_seconds
            work.timeout = self.timeouts.start(cancel, seconds=seconds)
            self._receiving[work.timeout] = None

    def _expire_oldest(self) -> None:
        """Cancel the call whose request has been awaited longest: peers that send none keep no others out."""
        with suppress(StopIteration, RuntimeError):  # RuntimeError if another thread drops a timeout meanwhile
            number = next(iter(self._receiving))
            self._receiving.pop(number, None)
            self.timeouts.expire(number)

    def _stop_awaiting(self, work: Work | None) -> None:
        if work is not None and work.timeout:
            number, work.timeout = work.timeout, 0
            self.timeouts.stop(number)
            self._receiving.pop(number, None)
