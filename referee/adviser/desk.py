"""Computation of advice: in the main thread of a process of its own, or in the thread of a call.

While the process of advice computes, it sleeps for a moment every so often. Linux may let a process compute until the
next tick, four milliseconds at 250 Hz, before another that woke up gets the core, whatever their priorities: a server
that shares the core would answer some calls that much later. (Yielding instead costs a process nine tenths of its share
of a core that others want too, at every priority.)
"""

import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

from referee.advice.stopping import checked
from referee.service.call import CallEndedError, current
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

P = ParamSpec("P")
T = TypeVar("T")

COMPUTE_SECONDS: Final = 0.0005
SLEEP_SECONDS: Final = 0.00003
"""How long the process computes, and how long it then sleeps."""
STOPPED_EARLY: Final = 64
"""Ids of calls that were stopped before they arrived: gRPC promises no order of two calls."""
_TIMER_SLACK: Final = Path("/proc/self/timerslack_ns")
"""How late Linux may end a sleep: 50 us, unless this says another time."""


asked: Final[ContextVar[tuple[str, float]]] = ContextVar("asked")
"""Id of the present call, and the seconds after which it is over."""


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

    def stop(self) -> None:
        """Note that the caller no longer waits."""
        self._is_stopped = True
        self._end_unless_begun(CallEndedError())

    def check(self) -> None:
        """Raise if nobody waits for the answer any more."""
        if self._is_stopped:
            raise CallEndedError
        if self._monotonic() >= self._due:
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
        if not (self._begun.is_set() or self._begun.wait(max(0.0, self._due - self._monotonic()))):
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

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._questions: SimpleQueue[Question | None] = SimpleQueue()
        self._noting = threading.Lock()
        self._known: dict[str, Question] = {}
        self._stopped_early: deque[str] = deque(maxlen=STOPPED_EARLY)

    def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what the function returns on the desk's thread."""
        identity, seconds = asked.get()
        question = Question(lambda: function(*args, **kwargs), seconds=seconds, monotonic=self._monotonic)
        with self._noting:
            self._known[identity] = question
            is_stopped = identity in self._stopped_early
        if is_stopped:
            question.stop()
        try:
            self._questions.put(question)
            answer: T = question.wait()
            return answer
        finally:
            self._known.pop(identity, None)

    def stop(self, identity: str) -> None:
        """Stop the computation of the call with this id at its next pause, also if the call is yet to arrive."""
        with self._noting:
            question = self._known.get(identity)
            if question is None and identity:  # a probe of the line names no call
                self._stopped_early.append(identity)
        if question is not None:
            question.stop()

    def close(self) -> None:
        """End ``run`` after the questions that wait."""
        self._questions.put(None)

    def run(self, *, is_gentle: bool = True) -> None:
        """Answer questions until the desk is closed. With ``is_gentle``, on the main thread, sleep between."""
        if is_gentle:
            signal.signal(signal.SIGALRM, lambda _number, _frame: time.sleep(SLEEP_SECONDS))
            with suppress(OSError):
                _TIMER_SLACK.write_text("1000", encoding="ascii")
        every = COMPUTE_SECONDS if is_gentle else 0.0
        while (question := self._questions.get()) is not None:
            if every:
                signal.setitimer(signal.ITIMER_REAL, every, every)
            try:
                question.run()
            finally:
                if every:
                    signal.setitimer(signal.ITIMER_REAL, 0)
