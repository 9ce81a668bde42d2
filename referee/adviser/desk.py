"""Computation of advice: in the main thread of a process of its own, or in the thread of a call.

While the process of advice computes, it sleeps for a moment every so often. Linux may let a process compute until the
next tick, four milliseconds at 250 Hz, before another that woke up gets the core, whatever their priorities: a server
that shares the core would answer some calls that much later. (Yielding instead costs a process nine tenths of its share
of a core that others want too, at every priority.)
"""

import faulthandler
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

from referee.advice.stopping import checked
from referee.service.call import CallEndedError, current
from referee.service.charter import GRACE_SECONDS
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

P = ParamSpec("P")
T = TypeVar("T")

COMPUTE_SECONDS: Final = 0.0005
SLEEP_SECONDS: Final = 0.00003
"""How long the process computes, and how long it then sleeps."""
_TIMER_SLACK: Final = Path("/proc/self/timerslack_ns")
"""How late Linux may end a sleep: 50 us, unless this says another time."""


seconds_left: Final[ContextVar[float]] = ContextVar("seconds_left")
"""Seconds after which the present call is over."""


def too_long(seconds: float) -> RefusedError:
    """Return the refusal of a question that takes more than the server's time for advice."""
    return RefusedError(
        ErrorReason.ERROR_REASON_ADVICE_TOO_LONG,
        f"the advice was not computed within {seconds:g} s, waiting included; ask for less, such as samples",
        limit=f"{seconds:g}",
    )


class InThread:
    """Advice that the thread of the call itself computes; for the tests of frontends, where nobody else waits."""

    def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the function returns; raise CallEndedError at a pause once the caller has gone."""
        call = current()

        def check() -> None:
            if call is not None and call.rpc is not None and not call.rpc.is_active():
                raise CallEndedError

        with checked(check):
            return function(*args, **kwargs)


class Question:
    """A computation that a call waits for until ``due``, a time of the monotonic clock.

    One that still waits behind another ends at once when its caller has gone or its time is over, so that the process
    is never thought to hang because it computes for somebody else.
    """

    def __init__(self, work: Callable[[], Any], *, seconds: float, monotonic: Callable[[], float]) -> None:
        self.work, self.seconds = work, seconds
        self._monotonic = monotonic
        self._due = monotonic() + seconds
        self._is_stopped = False
        self._beginning = threading.Lock()
        self._begun, self._ended = threading.Event(), threading.Event()
        self._answer: Any = None
        self._error: BaseException | None = None

    @property
    def left(self) -> float:
        """Seconds until its time is over; negative afterwards."""
        return self._due - self._monotonic()

    def stop(self) -> None:
        """Note that the caller no longer waits."""
        self._is_stopped = True
        self._end_unless_begun(CallEndedError())

    def check(self) -> None:
        """Raise if nobody waits for the answer any more."""
        if self._is_stopped:
            raise CallEndedError
        if self.left <= 0:
            raise too_long(self.seconds)

    def run(self) -> None:
        """Compute the answer, unless nobody waits for it."""
        with self._beginning:
            if self._ended.is_set():
                return
            self._begun.set()
        try:
            with checked(self.check):
                self.check()
                self._answer = self.work()
        except BaseException as error:  # noqa: BLE001 - raised on the thread of the call
            self._error = error
        finally:
            self._ended.set()

    def wait(self) -> Any:
        """Wait until the computation has ended; return its answer or raise its error."""
        if not (self._begun.is_set() or self._begun.wait(max(0.0, self.left))):
            self._end_unless_begun(too_long(self.seconds))
        self._ended.wait()
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._answer

    def _end_unless_begun(self, error: Exception) -> None:
        with self._beginning:
            if not self._begun.is_set():
                self._error = error
                self._ended.set()
                self._begun.set()


class Desk:
    """Advice that one thread computes, one question after the other in the order of their arrival."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic, grace: float = 2 * GRACE_SECONDS) -> None:
        self._monotonic, self._grace = monotonic, grace
        self._questions: SimpleQueue[Question | None] = SimpleQueue()

    def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the function returns on the desk's thread; the end of the present call stops it."""
        seconds, call = seconds_left.get(), current()
        question = Question(lambda: function(*args, **kwargs), seconds=seconds, monotonic=self._monotonic)
        if call is not None and call.rpc is not None and not call.rpc.add_callback(question.stop):
            question.stop()
        self._questions.put(question)
        answer: T = question.wait()
        return answer

    def close(self) -> None:
        """End ``run`` after the questions that wait."""
        self._questions.put(None)

    def run(self, *, is_gentle: bool = True) -> None:
        """Answer questions until the desk is closed. With ``is_gentle``, on the main thread, sleep between.

        Such a process ends, with the stacks of its threads on standard error, if it does not let go of a question in
        time. The server in front ends it earlier for a question that somebody still waits for.
        """
        if is_gentle:
            signal.signal(signal.SIGALRM, lambda _number, _frame: time.sleep(SLEEP_SECONDS))
            with suppress(OSError):
                _TIMER_SLACK.write_text("1000", encoding="ascii")
        while (question := self._questions.get()) is not None:
            with self._gently(question) if is_gentle else nullcontext():
                question.run()

    @contextmanager
    def _gently(self, question: Question) -> Iterator[None]:
        faulthandler.dump_traceback_later(max(0.0, question.left) + self._grace, exit=True)
        signal.setitimer(signal.ITIMER_REAL, COMPUTE_SECONDS, COMPUTE_SECONDS)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            faulthandler.cancel_dump_traceback_later()
