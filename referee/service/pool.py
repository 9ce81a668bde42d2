"""The threads that answer calls, and how many calls wait for one: a bound that is kept by refusing at once.

The law: what is counted is what was handed in and not yet ended, so that a call given up by its caller cannot be
counted for ever. A call that comes while ``queue`` others wait is to be refused; the refusals have a thread of their
own, and so never wait behind the work that they are about.

>>> with CallPool(threads=1, queue=8) as pool:
...     pool.submit(lambda: pool.running).result(), pool.is_full
(1, False)
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class CallPool(ThreadPoolExecutor):
    """As many threads as calls are answered at once, and room for ``queue`` calls that wait."""

    def __init__(self, *, threads: int, queue: int) -> None:
        super().__init__(threads, thread_name_prefix="call")
        self.refusing = ThreadPoolExecutor(1, thread_name_prefix="refuse")
        self.queue = queue
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

    @property
    def is_full(self) -> bool:
        """Whether one more call is to be refused."""
        return self._waiting >= self.queue

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

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - the executor's own signature
        """No more calls are taken; those that were are ended where ``wait`` says so."""
        super().shutdown(wait, cancel_futures=cancel_futures)
        self.refusing.shutdown(wait)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.shutdown()
