"""The threads that answer calls, and how many calls wait for one: a bound that is kept by refusing at once.

The law: what is counted is what was handed in and not yet ended, so that a call given up by its caller cannot be
counted for ever. A call that comes while ``queue`` others wait is to be refused; the refusals have a thread of their
own, and so never wait behind the work that they are about. Streams have threads of their own too, since they stay.

gRPC waits for a call's request on the thread that is to answer it. So there are more threads than are at work: one
takes a turn once its request is there. A request that does not come in time is waited for no longer, and the more
requests are waited for, the sooner: whoever never ends a sentence keeps nobody else from being heard.

>>> with CallPool(threads=1, queue=8) as pool:
...     pool.submit(lambda: (pool.arrived(), pool.running)[1]).result(), pool.is_full
(1, False)
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from types import TracebackType
from typing import Final, ParamSpec, TypeVar

from referee.service.patience import Patience

P = ParamSpec("P")
T = TypeVar("T")

STREAMS: Final = 8
"""How many streams that hold a thread may last at once."""
REQUEST_SECONDS: Final = 20.0
RECEIVING: Final = 256
"""Threads beside those at work, on which requests are waited for, and turns."""
MANY: Final = 8
"""Requests beyond which others are waited for no longer than ``PRESSED_SECONDS``."""
PRESSED_SECONDS: Final = 2.0


class Lane(ThreadPoolExecutor):
    """Threads, and how many of the calls handed in wait for one and run on one."""

    def __init__(self, threads: int, *, name: str) -> None:
        super().__init__(threads, thread_name_prefix=name)
        self._counting = threading.Lock()
        self._waiting = 0
        self._running = 0

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""
        return self._waiting

    @property
    def running(self) -> int:
        """How many calls are worked on."""
        return self._running

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """The coming result, as of any executor."""
        with self._counting:
            self._waiting += 1
        try:
            return super().submit(self._run, fn, *args, **kwargs)
        except BaseException:
            with self._counting:
                self._waiting -= 1
            raise

    def _run(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        with self._counting:
            self._waiting -= 1
            self._running += 1
        try:
            return fn(*args, **kwargs)
        finally:
            with self._counting:
                self._running -= 1


class CallPool(Lane):
    """As many threads as calls are answered at once, and room for ``queue`` calls that wait."""

    def __init__(self, *, threads: int, queue: int, request_seconds: float = REQUEST_SECONDS) -> None:
        super().__init__(threads + RECEIVING, name="call")
        self.refusing = Lane(1, name="refuse")
        self.streaming = Lane(STREAMS, name="stream")
        self.patience = Patience(every=min(1.0, request_seconds / 4))
        self.queue = queue
        self._request_seconds = request_seconds
        self._awaited = threading.local()
        self._receiving = 0
        self._working = 0
        self._turns: SimpleQueue[None] = SimpleQueue()
        for _ in range(threads):
            self._turns.put(None)

    @property
    def waiting(self) -> int:
        """How many calls wait: for a thread, for their request, for a turn."""
        return self._waiting + self._running - self._working

    @property
    def running(self) -> int:
        """How many calls are worked on."""
        return self._working

    @property
    def is_full(self) -> bool:
        """Whether one more call is to be refused."""
        return self.waiting >= self.queue

    @property
    def has_stream(self) -> bool:
        """Whether a thread is free for one more stream."""
        return self.streaming.waiting + self.streaming.running < STREAMS

    def arrived(self) -> None:
        """The request that this thread waits for is there, and the thread has a turn to work on it."""
        self._stop_waiting()
        if not getattr(self._awaited, "has_turn", False):
            self._turns.get()
            self._awaited.has_turn = True
            with self._counting:
                self._working += 1

    def _stop_waiting(self) -> None:
        number = getattr(self._awaited, "number", 0)
        if number:
            self.patience.over(number)
            self._awaited.number = 0
            with self._counting:
                self._receiving -= 1

    def _run(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        cancel = _cancel_of(args)
        if cancel is not None:
            with self._counting:
                self._receiving += 1
                is_pressed = self._receiving > MANY
            seconds = min(PRESSED_SECONDS, self._request_seconds) if is_pressed else self._request_seconds
            self._awaited.number = self.patience.watch(cancel, seconds=seconds)
        try:
            return super()._run(fn, *args, **kwargs)
        finally:
            self._stop_waiting()
            if getattr(self._awaited, "has_turn", False):
                self._awaited.has_turn = False
                with self._counting:
                    self._working -= 1
                self._turns.put(None)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the executor's own signature
        """No more calls are taken; those that were are ended where ``wait`` says so."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        self.streaming.shutdown(wait, cancel_futures=cancel_futures)
        self.refusing.shutdown(wait)
        self.patience.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()


def _cancel_of(args: tuple[object, ...]) -> Callable[[], object] | None:
    """What cancels the call that gRPC hands to its executor; None for anything else that runs here.

    gRPC gives its servicers a way to cancel only once the request is there, but the event that began the call has it.
    """
    for one in args[:2]:
        cancel: Callable[[], object] | None = getattr(getattr(one, "call", None), "cancel", None)
        if cancel is not None:
            return cancel
    return None
