"""The reply to a request: given once by the thread that appends, awaited by others.

It is one lock, held until there is one. A ``concurrent.futures.Future`` has a condition, with which making, giving
and reading a reply take four times as long.
"""

from concurrent.futures import CancelledError
from threading import Lock
from typing import Generic, TypeVar, cast

T = TypeVar("T")


class Reply(Generic[T]):
    """A reply that is to come, a value or an error; until its request has begun it can be cancelled.

    >>> reply = Reply[int]()
    >>> reply.begin(), reply.cancel()
    (True, False)
    >>> reply.give(3)
    >>> reply.result()
    3
    """

    __slots__ = ("_error", "_missing", "_value", "_waiting")

    def __init__(self) -> None:
        self._missing = Lock()
        self._missing.acquire()
        self._waiting = [None]  # empty once the request has begun or is cancelled; one thread alone empties it
        self._value: T | None = None
        self._error: BaseException | None = None

    def begin(self) -> bool:
        """Begin the request; return False if it is cancelled."""
        try:
            self._waiting.pop()
        except IndexError:
            return False
        return True

    def cancel(self) -> bool:
        """Reply CancelledError unless the request has begun; return whether it has not."""
        is_waiting = self.begin()
        if is_waiting:
            self.fail(CancelledError())
        return is_waiting

    def give(self, value: T) -> None:
        """Reply a value, once."""
        self._value = value
        self._missing.release()

    def fail(self, error: BaseException) -> None:
        """Reply an error, once."""
        self._error = error
        self._missing.release()

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Return the error that is the reply, None for a value; raise TimeoutError after so many seconds."""
        if not self._missing.acquire(timeout=-1 if timeout is None else timeout):
            raise TimeoutError
        self._missing.release()
        return self._error

    def result(self, timeout: float | None = None) -> T:
        """Return the value that is the reply, or raise its error; raise TimeoutError after so many seconds."""
        error = self.exception(timeout)
        if error is None:
            return cast("T", self._value)
        try:
            raise error
        finally:
            del error, self  # the error holds this frame
